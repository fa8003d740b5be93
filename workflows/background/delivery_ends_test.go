package background_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"fencepost.internal/shared/flow"
	"fencepost.internal/workflows/background"
)

func TestAttemptErrorFailsWorkflow(t *testing.T) {
	t.Parallel()
	env := setupDeliveries(t)
	env.OnActivity(flow.ActivityAttempt, mock.Anything, mock.Anything).Once().
		Return(flow.DeliveryOutcome{}, temporal.NewNonRetryableApplicationError("no such delivery", "NotFound", nil))
	env.ExecuteWorkflow(background.Delivery, flow.DeliveryInput{})
	failure, ok := errors.AsType[*temporal.ApplicationError](env.GetWorkflowError())
	require.True(t, ok)
	require.Equal(t, "NotFound", failure.Type())
}

func TestCancellationEndsWait(t *testing.T) {
	t.Parallel()
	env := setupDeliveries(t)
	env.OnActivity(flow.ActivityAttempt, mock.Anything, mock.Anything).Once().Return(flow.DeliveryOutcome{
		Wait: time.Hour,
	}, nil)
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
	env.ExecuteWorkflow(background.Delivery, flow.DeliveryInput{})
	require.True(t, temporal.IsCanceledError(env.GetWorkflowError()))
	require.Equal(t, time.Minute, env.Now().Sub(start))
}

// TestRetryIntervalIsLimited checks that the retry interval grows to 15 seconds and no further.
func TestRetryIntervalIsLimited(t *testing.T) {
	t.Parallel()
	env := setupDeliveries(t)
	const failures = 9 // the test environment stops after ten attempts, a server never does
	calls := 0
	env.OnActivity(flow.ActivityAttempt, mock.Anything,
		mock.Anything).Return(func(flow.DeliveryInput) (flow.DeliveryOutcome, error) {
		if calls++; calls <= failures {
			return flow.DeliveryOutcome{}, errors.New("the database is down")
		}
		return flow.DeliveryOutcome{Done: true}, nil
	})
	env.ExecuteWorkflow(background.Delivery, flow.DeliveryInput{})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, (1+2+4+8+5*15)*time.Second, env.Now().Sub(start))
}
