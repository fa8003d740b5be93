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

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/background"
)

func setupRenewals(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := environment()
	env.RegisterWorkflowWithOptions(background.RenewalSweep, workflow.RegisterOptions{Name: flow.WorkflowRenewalSweep})
	env.RegisterWorkflowWithOptions(background.Renewal, workflow.RegisterOptions{Name: flow.WorkflowRenewal})
	env.RegisterActivityWithOptions(func(flow.RenewalsPage) (flow.RenewalsFound, error) {
		return flow.RenewalsFound{}, errors.New("not scripted")
	}, activity.RegisterOptions{Name: flow.ActivitySweepRenewals})
	env.RegisterActivityWithOptions(func(flow.RenewalInput) (flow.RenewalOutcome, error) {
		return flow.RenewalOutcome{}, errors.New("not scripted")
	}, activity.RegisterOptions{Name: flow.ActivityRenew})
	return env
}

func inputs(n int) []flow.RenewalInput {
	due := make([]flow.RenewalInput, n)
	for i := range due {
		due[i] = flow.RenewalInput{ChannelID: ident.New[ident.Channel](), Network: channel.NetworkThreads, Delay: time.Minute}
	}
	return due
}

// TestSweepStartsWorkflowPerDueChannel checks that a sweep reads page after page and starts one renewal per
// channel, after its delay.
func TestSweepStartsWorkflowPerDueChannel(t *testing.T) {
	t.Parallel()
	env, due := setupRenewals(t), inputs(5)
	pages := map[ident.Channel]flow.RenewalsFound{
		{}:               {Due: due[:2], More: true},
		due[1].ChannelID: {Due: due[2:4], More: true},
		due[3].ChannelID: {Due: due[4:]},
	}
	env.OnActivity(flow.ActivitySweepRenewals, mock.Anything, mock.Anything).Return(
		func(page flow.RenewalsPage) (flow.RenewalsFound, error) { return pages[page.After], nil })
	var renewed []string
	env.OnWorkflow(flow.WorkflowRenewal, mock.Anything, mock.Anything).Return(
		func(ctx workflow.Context, in flow.RenewalInput) error {
			renewed = append(renewed, workflow.GetInfo(ctx).WorkflowExecution.ID)
			return errors.New("of no concern to the sweep")
		})
	env.ExecuteWorkflow(background.RenewalSweep, flow.RenewalsPage{})
	require.NoError(t, env.GetWorkflowError())
	var want []string
	for _, in := range due {
		want = append(want, "renew/"+in.ChannelID.String())
	}
	require.ElementsMatch(t, want, renewed)
}

func TestLongSweepContinuesAsNew(t *testing.T) {
	t.Parallel()
	env, due := setupRenewals(t), inputs(1)
	env.OnActivity(flow.ActivitySweepRenewals, mock.Anything, mock.Anything).Return(
		flow.RenewalsFound{Due: due, More: true}, nil)
	env.OnWorkflow(flow.WorkflowRenewal, mock.Anything, mock.Anything).Return(nil)
	env.ExecuteWorkflow(background.RenewalSweep, flow.RenewalsPage{})
	again, ok := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
	require.True(t, ok, "%v", env.GetWorkflowError())
	require.Equal(t, flow.WorkflowRenewalSweep, again.WorkflowType.Name)
	env.AssertNumberOfCalls(t, flow.ActivitySweepRenewals, 20)
}

// TestTriesFollowWaits checks the times of the tries, and that each gets the state of the previous one.
func TestRenewalTriesFollowWaits(t *testing.T) {
	t.Parallel()
	env := setupRenewals(t)
	begun := start.Add(time.Minute)
	outcomes := []flow.RenewalOutcome{
		{Wait: 5 * time.Minute, Begun: begun}, {Wait: 12 * time.Hour, Begun: begun}, {Done: true},
	}
	var at []time.Duration
	var tries []flow.RenewalInput
	env.OnActivity(flow.ActivityRenew, mock.Anything, mock.Anything).Return(
		func(in flow.RenewalInput) (flow.RenewalOutcome, error) {
			at, tries = append(at, env.Now().Sub(start)), append(tries, in)
			return outcomes[len(at)-1], nil
		})
	in := flow.RenewalInput{ChannelID: ident.New[ident.Channel](), Delay: time.Minute}
	env.ExecuteWorkflow(background.Renewal, in)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []time.Duration{time.Minute, 6 * time.Minute, 12*time.Hour + 6*time.Minute}, at)
	require.Equal(t, []flow.RenewalInput{
		{ChannelID: in.ChannelID},
		{ChannelID: in.ChannelID, Begun: begun, Tries: 1},
		{ChannelID: in.ChannelID, Begun: begun, Tries: 2},
	}, tries)
}

// TestRefusalFailsWorkflow checks that operators find refused renewals among the failed workflows.
func TestRefusalFailsWorkflow(t *testing.T) {
	t.Parallel()
	env := setupRenewals(t)
	env.OnActivity(flow.ActivityRenew, mock.Anything, mock.Anything).Return(
		flow.RenewalOutcome{Done: true, Refused: true, Note: "Connect the channel again."}, nil)
	env.ExecuteWorkflow(background.Renewal, flow.RenewalInput{})
	refused, ok := errors.AsType[*temporal.ApplicationError](env.GetWorkflowError())
	require.True(t, ok, "%v", env.GetWorkflowError())
	require.Equal(t, "CHANNEL_NEEDS_RECONNECT", refused.Type())
	require.ErrorContains(t, refused, "Connect the channel again.")
	env.AssertNumberOfCalls(t, flow.ActivityRenew, 1)
}

func TestDatabaseOutageOfRenewalIsRetried(t *testing.T) {
	t.Parallel()
	env, calls := setupRenewals(t), 0
	env.OnActivity(flow.ActivityRenew, mock.Anything, mock.Anything).Return(
		func(flow.RenewalInput) (flow.RenewalOutcome, error) {
			if calls++; calls < 10 {
				return flow.RenewalOutcome{}, errors.New("the database is down")
			}
			return flow.RenewalOutcome{Done: true}, nil
		})
	env.ExecuteWorkflow(background.Renewal, flow.RenewalInput{})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, (1+2+4+8+16+32+60+60+60)*time.Second, env.Now().Sub(start))
}

func TestLongRenewalContinuesAsNew(t *testing.T) {
	t.Parallel()
	env := setupRenewals(t)
	env.OnActivity(flow.ActivityRenew, mock.Anything, mock.Anything).Return(
		flow.RenewalOutcome{Wait: time.Minute, Begun: start}, nil)
	env.ExecuteWorkflow(background.Renewal, inputs(1)[0])
	again, ok := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
	require.True(t, ok, "%v", env.GetWorkflowError())
	require.Equal(t, flow.WorkflowRenewal, again.WorkflowType.Name)
	env.AssertNumberOfCalls(t, flow.ActivityRenew, 100)
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
			env, tries := setupRenewals(t), 0
			env.OnActivity(flow.ActivityRenew, mock.Anything, mock.Anything).Return(
				func(flow.RenewalInput) (flow.RenewalOutcome, error) {
					tries++
					return flow.RenewalOutcome{Wait: time.Hour, Begun: start}, nil
				}).Maybe()
			env.RegisterDelayedCallback(env.CancelWorkflow, c.after)
			env.ExecuteWorkflow(background.Renewal, inputs(1)[0])
			require.True(t, temporal.IsCanceledError(env.GetWorkflowError()), "%v", env.GetWorkflowError())
			require.Equal(t, c.tries, tries)
		})
	}
}

// TestFailedActivityFailsItsWorkflow checks errors that no retry helps against.
func TestFailedActivityFailsItsWorkflow(t *testing.T) {
	t.Parallel()
	broken := temporal.NewNonRetryableApplicationError("broken", "Broken", nil)
	env := setupRenewals(t)
	env.OnActivity(flow.ActivitySweepRenewals, mock.Anything, mock.Anything).Return(flow.RenewalsFound{}, broken)
	env.ExecuteWorkflow(background.RenewalSweep, flow.RenewalsPage{})
	require.ErrorContains(t, env.GetWorkflowError(), "broken")
	env = setupRenewals(t)
	env.OnActivity(flow.ActivityRenew, mock.Anything, mock.Anything).Return(flow.RenewalOutcome{}, broken)
	env.ExecuteWorkflow(background.Renewal, inputs(1)[0])
	require.ErrorContains(t, env.GetWorkflowError(), "broken")
}
