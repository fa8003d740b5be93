package background_test

import (
	"context"
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

func setupReplay(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := setupDeliveries(t)
	env.RegisterActivityWithOptions(func(context.Context, flow.ReplayInput) (flow.DeliveryOutcome, error) {
		return flow.DeliveryOutcome{}, errors.New("not scripted")
	}, activity.RegisterOptions{Name: flow.ActivityReplay})
	return env
}

func TestReplayReadsAllPages(t *testing.T) {
	t.Parallel()
	env := setupReplay(t)
	pages := 0
	env.OnActivity(flow.ActivityReplay, mock.Anything,
		mock.Anything).Return(func(context.Context, flow.ReplayInput) (flow.DeliveryOutcome, error) {
		pages++
		return flow.DeliveryOutcome{Done: pages == 4, Wait: time.Second}, nil
	})
	env.ExecuteWorkflow(background.Replay, flow.ReplayInput{ReplayID: ident.New[ident.Replay]()})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 4, pages)
	require.Equal(t, 3*time.Second, env.Now().Sub(start))
}

func TestLongReplayContinuesAsNew(t *testing.T) {
	t.Parallel()
	env := setupReplay(t)
	env.OnActivity(flow.ActivityReplay, mock.Anything, mock.Anything).Return(flow.DeliveryOutcome{
		Wait: time.Second,
	}, nil)
	env.ExecuteWorkflow(background.Replay, flow.ReplayInput{ReplayID: ident.New[ident.Replay]()})
	again, ok := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
	require.True(t, ok)
	require.Equal(t, flow.WorkflowReplay, again.WorkflowType.Name)
}

func TestCanceledReplayEnds(t *testing.T) {
	t.Parallel()
	env := setupReplay(t)
	env.OnActivity(flow.ActivityReplay, mock.Anything, mock.Anything).Return(flow.DeliveryOutcome{Wait: time.Hour},
		nil)
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
	env.ExecuteWorkflow(background.Replay, flow.ReplayInput{ReplayID: ident.New[ident.Replay]()})
	require.True(t, temporal.IsCanceledError(env.GetWorkflowError()))
}

func TestReplayErrorFailsWorkflow(t *testing.T) {
	t.Parallel()
	env := setupReplay(t)
	env.OnActivity(flow.ActivityReplay, mock.Anything, mock.Anything).
		Return(flow.DeliveryOutcome{}, temporal.NewNonRetryableApplicationError("no such replay", "NotFound", nil))
	env.ExecuteWorkflow(background.Replay, flow.ReplayInput{})
	failure, ok := errors.AsType[*temporal.ApplicationError](env.GetWorkflowError())
	require.True(t, ok)
	require.Equal(t, "NotFound", failure.Type())
}
