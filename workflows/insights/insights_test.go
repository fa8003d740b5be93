package insights_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow/insightsflow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/insights"
)

var start = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

func setup(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(start)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine is not a deadlock
	env.RegisterWorkflowWithOptions(insights.Insights, workflow.RegisterOptions{Name: insightsflow.Workflow})
	env.RegisterActivityWithOptions(func(insightsflow.Input) (insightsflow.Outcome, error) {
		return insightsflow.Outcome{}, errors.New("not scripted")
	}, activity.RegisterOptions{Name: insightsflow.ActivityCollect})
	return env
}

// TestStepsFollowWaits checks that pages follow one another, that waits are exact to the second, and that each step
// gets the state of the previous one.
func TestStepsFollowWaits(t *testing.T) {
	t.Parallel()
	env := setup(t)
	after := ident.New[ident.Post]()
	outcomes := []insightsflow.Outcome{
		{Next: insightsflow.Step{Begun: start, Posts: true}},
		{Wait: 17 * time.Minute, Next: insightsflow.Step{Begun: start, Posts: true, Tries: 1}},
		{Next: insightsflow.Step{Begun: start, Posts: true, After: after}},
		{Wait: 2 * time.Hour, Next: insightsflow.Step{Begun: start, Posts: true, After: after, Tries: 1}},
		{Done: true},
	}
	var at []time.Duration
	var steps []insightsflow.Step
	env.OnActivity(insightsflow.ActivityCollect, mock.Anything,
		mock.Anything).Return(func(in insightsflow.Input) (insightsflow.Outcome, error) {
		at, steps = append(at, env.Now().Sub(start)), append(steps, in.Step)
		return outcomes[len(at)-1], nil
	})
	env.ExecuteWorkflow(insights.Insights, insightsflow.Input{ChannelID: ident.New[ident.Channel]()})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []time.Duration{0, 0, 17 * time.Minute, 17 * time.Minute, 2*time.Hour + 17*time.Minute}, at)
	require.Equal(t, []insightsflow.Step{{}, outcomes[0].Next, outcomes[1].Next, outcomes[2].Next, outcomes[3].Next},
		steps)
}

func TestDatabaseOutageIsRetried(t *testing.T) {
	t.Parallel()
	env := setup(t)
	calls := 0
	env.OnActivity(insightsflow.ActivityCollect, mock.Anything,
		mock.Anything).Return(func(insightsflow.Input) (insightsflow.Outcome, error) {
		if calls++; calls < 10 {
			return insightsflow.Outcome{}, errors.New("the database is down")
		}
		return insightsflow.Outcome{Done: true}, nil
	})
	env.ExecuteWorkflow(insights.Insights, insightsflow.Input{})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, (1+2+4+8+16+32+60+60+60)*time.Second, env.Now().Sub(start))
}

// TestLongCollectionContinuesAsNew checks that the new run continues with the current step.
func TestLongCollectionContinuesAsNew(t *testing.T) {
	t.Parallel()
	env := setup(t)
	last := insightsflow.Step{Begun: start, Posts: true, After: ident.New[ident.Post]()}
	env.OnActivity(insightsflow.ActivityCollect, mock.Anything, mock.Anything).Return(insightsflow.Outcome{Next: last},
		nil)
	in := insightsflow.Input{ChannelID: ident.New[ident.Channel]()}
	env.ExecuteWorkflow(insights.Insights, in)
	again, ok := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
	require.True(t, ok, "%v", env.GetWorkflowError())
	require.Equal(t, insightsflow.Workflow, again.WorkflowType.Name)
	env.AssertNumberOfCalls(t, insightsflow.ActivityCollect, 200)
}

func TestCancellationEndsWait(t *testing.T) {
	t.Parallel()
	env := setup(t)
	env.OnActivity(insightsflow.ActivityCollect, mock.Anything, mock.Anything).Once().Return(insightsflow.Outcome{
		Wait: time.Hour,
	}, nil)
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
	env.ExecuteWorkflow(insights.Insights, insightsflow.Input{})
	require.True(t, temporal.IsCanceledError(env.GetWorkflowError()))
	require.Equal(t, time.Minute, env.Now().Sub(start))
}
