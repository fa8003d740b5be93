package renewing_test

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

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow/renewflow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/renewing"
)

var start = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

func setup(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(start)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine is not a deadlock
	env.RegisterWorkflowWithOptions(renewing.Sweep, workflow.RegisterOptions{Name: renewflow.WorkflowSweep})
	env.RegisterWorkflowWithOptions(renewing.Renewal, workflow.RegisterOptions{Name: renewflow.Workflow})
	env.RegisterActivityWithOptions(func(renewflow.Page) (renewflow.Found, error) {
		return renewflow.Found{}, errors.New("not scripted")
	}, activity.RegisterOptions{Name: renewflow.ActivitySweep})
	env.RegisterActivityWithOptions(func(renewflow.Input) (renewflow.Outcome, error) {
		return renewflow.Outcome{}, errors.New("not scripted")
	}, activity.RegisterOptions{Name: renewflow.ActivityRenew})
	return env
}

func inputs(n int) []renewflow.Input {
	due := make([]renewflow.Input, n)
	for i := range due {
		due[i] = renewflow.Input{ChannelID: ident.New[ident.Channel](), Network: channel.NetworkThreads, Delay: time.Minute}
	}
	return due
}

// TestSweepStartsWorkflowPerDueChannel checks that a sweep reads page after page and starts one renewal per
// channel, after its delay.
func TestSweepStartsWorkflowPerDueChannel(t *testing.T) {
	t.Parallel()
	env, due := setup(t), inputs(5)
	pages := map[ident.Channel]renewflow.Found{
		{}:               {Due: due[:2], More: true},
		due[1].ChannelID: {Due: due[2:4], More: true},
		due[3].ChannelID: {Due: due[4:]},
	}
	env.OnActivity(renewflow.ActivitySweep, mock.Anything, mock.Anything).Return(
		func(page renewflow.Page) (renewflow.Found, error) { return pages[page.After], nil })
	var renewed []string
	env.OnWorkflow(renewflow.Workflow, mock.Anything, mock.Anything).Return(
		func(ctx workflow.Context, in renewflow.Input) error {
			renewed = append(renewed, workflow.GetInfo(ctx).WorkflowExecution.ID)
			return errors.New("of no concern to the sweep")
		})
	env.ExecuteWorkflow(renewing.Sweep, renewflow.Page{})
	require.NoError(t, env.GetWorkflowError())
	var want []string
	for _, in := range due {
		want = append(want, "renew/"+in.ChannelID.String())
	}
	require.ElementsMatch(t, want, renewed)
}

func TestLongSweepContinuesAsNew(t *testing.T) {
	t.Parallel()
	env, due := setup(t), inputs(1)
	env.OnActivity(renewflow.ActivitySweep, mock.Anything, mock.Anything).Return(
		renewflow.Found{Due: due, More: true}, nil)
	env.OnWorkflow(renewflow.Workflow, mock.Anything, mock.Anything).Return(nil)
	env.ExecuteWorkflow(renewing.Sweep, renewflow.Page{})
	again, ok := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
	require.True(t, ok, "%v", env.GetWorkflowError())
	require.Equal(t, renewflow.WorkflowSweep, again.WorkflowType.Name)
	env.AssertNumberOfCalls(t, renewflow.ActivitySweep, 20)
}

// TestTriesFollowWaits checks the times of the tries, and that each gets the state of the previous one.
func TestTriesFollowWaits(t *testing.T) {
	t.Parallel()
	env := setup(t)
	begun := start.Add(time.Minute)
	outcomes := []renewflow.Outcome{
		{Wait: 5 * time.Minute, Begun: begun}, {Wait: 12 * time.Hour, Begun: begun}, {Done: true},
	}
	var at []time.Duration
	var tries []renewflow.Input
	env.OnActivity(renewflow.ActivityRenew, mock.Anything, mock.Anything).Return(
		func(in renewflow.Input) (renewflow.Outcome, error) {
			at, tries = append(at, env.Now().Sub(start)), append(tries, in)
			return outcomes[len(at)-1], nil
		})
	in := renewflow.Input{ChannelID: ident.New[ident.Channel](), Delay: time.Minute}
	env.ExecuteWorkflow(renewing.Renewal, in)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []time.Duration{time.Minute, 6 * time.Minute, 12*time.Hour + 6*time.Minute}, at)
	require.Equal(t, []renewflow.Input{
		{ChannelID: in.ChannelID},
		{ChannelID: in.ChannelID, Begun: begun, Tries: 1},
		{ChannelID: in.ChannelID, Begun: begun, Tries: 2},
	}, tries)
}

// TestRefusalFailsWorkflow checks that operators find refused renewals among the failed workflows.
func TestRefusalFailsWorkflow(t *testing.T) {
	t.Parallel()
	env := setup(t)
	env.OnActivity(renewflow.ActivityRenew, mock.Anything, mock.Anything).Return(
		renewflow.Outcome{Done: true, Refused: true, Note: "Connect the channel again."}, nil)
	env.ExecuteWorkflow(renewing.Renewal, renewflow.Input{})
	refused, ok := errors.AsType[*temporal.ApplicationError](env.GetWorkflowError())
	require.True(t, ok, "%v", env.GetWorkflowError())
	require.Equal(t, "CHANNEL_NEEDS_RECONNECT", refused.Type())
	require.ErrorContains(t, refused, "Connect the channel again.")
	env.AssertNumberOfCalls(t, renewflow.ActivityRenew, 1)
}

func TestDatabaseOutageIsRetried(t *testing.T) {
	t.Parallel()
	env, calls := setup(t), 0
	env.OnActivity(renewflow.ActivityRenew, mock.Anything, mock.Anything).Return(
		func(renewflow.Input) (renewflow.Outcome, error) {
			if calls++; calls < 10 {
				return renewflow.Outcome{}, errors.New("the database is down")
			}
			return renewflow.Outcome{Done: true}, nil
		})
	env.ExecuteWorkflow(renewing.Renewal, renewflow.Input{})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, (1+2+4+8+16+32+60+60+60)*time.Second, env.Now().Sub(start))
}

func TestLongRenewalContinuesAsNew(t *testing.T) {
	t.Parallel()
	env := setup(t)
	env.OnActivity(renewflow.ActivityRenew, mock.Anything, mock.Anything).Return(
		renewflow.Outcome{Wait: time.Minute, Begun: start}, nil)
	env.ExecuteWorkflow(renewing.Renewal, inputs(1)[0])
	again, ok := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
	require.True(t, ok, "%v", env.GetWorkflowError())
	require.Equal(t, renewflow.Workflow, again.WorkflowType.Name)
	env.AssertNumberOfCalls(t, renewflow.ActivityRenew, 100)
}

// TestCanceledRenewalEnds checks that a renewal ends when an operator cancels it, in its delay and between two tries.
func TestCanceledRenewalEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after time.Duration
		tries int
	}{"in its delay": {30 * time.Second, 0}, "between two tries": {2 * time.Minute, 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env, tries := setup(t), 0
			env.OnActivity(renewflow.ActivityRenew, mock.Anything, mock.Anything).Return(
				func(renewflow.Input) (renewflow.Outcome, error) {
					tries++
					return renewflow.Outcome{Wait: time.Hour, Begun: start}, nil
				}).Maybe()
			env.RegisterDelayedCallback(env.CancelWorkflow, c.after)
			env.ExecuteWorkflow(renewing.Renewal, inputs(1)[0])
			require.True(t, temporal.IsCanceledError(env.GetWorkflowError()), "%v", env.GetWorkflowError())
			require.Equal(t, c.tries, tries)
		})
	}
}

// TestFailedActivityFailsItsWorkflow checks errors that no retry helps against.
func TestFailedActivityFailsItsWorkflow(t *testing.T) {
	t.Parallel()
	broken := temporal.NewNonRetryableApplicationError("broken", "Broken", nil)
	env := setup(t)
	env.OnActivity(renewflow.ActivitySweep, mock.Anything, mock.Anything).Return(renewflow.Found{}, broken)
	env.ExecuteWorkflow(renewing.Sweep, renewflow.Page{})
	require.ErrorContains(t, env.GetWorkflowError(), "broken")
	env = setup(t)
	env.OnActivity(renewflow.ActivityRenew, mock.Anything, mock.Anything).Return(renewflow.Outcome{}, broken)
	env.ExecuteWorkflow(renewing.Renewal, inputs(1)[0])
	require.ErrorContains(t, env.GetWorkflowError(), "broken")
}
