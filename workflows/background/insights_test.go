package background_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/background"
)

func setupInsights(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := environment()
	env.RegisterWorkflowWithOptions(background.Insights, workflow.RegisterOptions{Name: flow.WorkflowInsights})
	env.RegisterActivityWithOptions(func(flow.InsightsInput) (flow.InsightsOutcome, error) {
		return flow.InsightsOutcome{}, errors.New("not scripted")
	}, activity.RegisterOptions{Name: flow.ActivityCollect})
	return env
}

// TestStepsFollowWaits checks that pages follow one another, that waits are exact to the second, and that each step
// gets the state of the previous one.
func TestStepsFollowWaits(t *testing.T) {
	t.Parallel()
	env := setupInsights(t)
	after := ident.New[ident.Post]()
	outcomes := []flow.InsightsOutcome{
		{Next: flow.InsightsStep{Begun: start, Posts: true}},
		{Wait: 17 * time.Minute, Next: flow.InsightsStep{Begun: start, Posts: true, Tries: 1}},
		{Next: flow.InsightsStep{Begun: start, Posts: true, After: after}},
		{Wait: 2 * time.Hour, Next: flow.InsightsStep{Begun: start, Posts: true, After: after, Tries: 1}},
		{Done: true},
	}
	var at []time.Duration
	var steps []flow.InsightsStep
	env.OnActivity(flow.ActivityCollect, mock.Anything,
		mock.Anything).Return(func(in flow.InsightsInput) (flow.InsightsOutcome, error) {
		at, steps = append(at, env.Now().Sub(start)), append(steps, in.Step)
		return outcomes[len(at)-1], nil
	})
	env.ExecuteWorkflow(background.Insights, flow.InsightsInput{ChannelID: ident.New[ident.Channel]()})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []time.Duration{0, 0, 17 * time.Minute, 17 * time.Minute, 2*time.Hour + 17*time.Minute}, at)
	require.Equal(t, []flow.InsightsStep{{}, outcomes[0].Next, outcomes[1].Next, outcomes[2].Next, outcomes[3].Next},
		steps)
}

func TestDatabaseOutageOfCollectionIsRetried(t *testing.T) {
	t.Parallel()
	env := setupInsights(t)
	calls := 0
	env.OnActivity(flow.ActivityCollect, mock.Anything,
		mock.Anything).Return(func(flow.InsightsInput) (flow.InsightsOutcome, error) {
		if calls++; calls < 10 {
			return flow.InsightsOutcome{}, errors.New("the database is down")
		}
		return flow.InsightsOutcome{Done: true}, nil
	})
	env.ExecuteWorkflow(background.Insights, flow.InsightsInput{})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, (1+2+4+8+16+32+60+60+60)*time.Second, env.Now().Sub(start))
}

// TestLongCollectionContinuesAsNew checks that the new run continues with the current step.
func TestLongCollectionContinuesAsNew(t *testing.T) {
	t.Parallel()
	env := setupInsights(t)
	last := flow.InsightsStep{Begun: start, Posts: true, After: ident.New[ident.Post]()}
	env.OnActivity(flow.ActivityCollect, mock.Anything, mock.Anything).Return(flow.InsightsOutcome{Next: last},
		nil)
	in := flow.InsightsInput{ChannelID: ident.New[ident.Channel]()}
	env.ExecuteWorkflow(background.Insights, in)
	again, ok := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
	require.True(t, ok, "%v", env.GetWorkflowError())
	require.Equal(t, flow.WorkflowInsights, again.WorkflowType.Name)
	env.AssertNumberOfCalls(t, flow.ActivityCollect, 200)
}

func TestCancellationEndsWaitOfCollection(t *testing.T) {
	t.Parallel()
	env := setupInsights(t)
	env.OnActivity(flow.ActivityCollect, mock.Anything, mock.Anything).Once().Return(flow.InsightsOutcome{
		Wait: time.Hour,
	}, nil)
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
	env.ExecuteWorkflow(background.Insights, flow.InsightsInput{})
	require.True(t, temporal.IsCanceledError(env.GetWorkflowError()))
	require.Equal(t, time.Minute, env.Now().Sub(start))
}
