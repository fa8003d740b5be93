package delivery_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"fencepost.internal/shared/flow/deliveryflow"
	"fencepost.internal/workflows/delivery"
)

func TestAttemptErrorFailsWorkflow(t *testing.T) {
	t.Parallel()
	env := setup(t)
	env.OnActivity(deliveryflow.ActivityAttempt, mock.Anything, mock.Anything).Once().
		Return(deliveryflow.Outcome{}, temporal.NewNonRetryableApplicationError("no such delivery", "NotFound", nil))
	env.ExecuteWorkflow(delivery.Delivery, deliveryflow.Input{})
	failure, ok := errors.AsType[*temporal.ApplicationError](env.GetWorkflowError())
	require.True(t, ok)
	require.Equal(t, "NotFound", failure.Type())
}

func TestCancellationEndsWait(t *testing.T) {
	t.Parallel()
	env := setup(t)
	env.OnActivity(deliveryflow.ActivityAttempt, mock.Anything, mock.Anything).Once().Return(deliveryflow.Outcome{
		Wait: time.Hour,
	}, nil)
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
	env.ExecuteWorkflow(delivery.Delivery, deliveryflow.Input{})
	require.True(t, temporal.IsCanceledError(env.GetWorkflowError()))
	require.Equal(t, time.Minute, env.Now().Sub(start))
}

// TestRetryIntervalIsLimited checks that the retry interval grows to 15 seconds and no further.
func TestRetryIntervalIsLimited(t *testing.T) {
	t.Parallel()
	env := setup(t)
	const failures = 9 // the test environment stops after ten attempts, a server never does
	calls := 0
	env.OnActivity(deliveryflow.ActivityAttempt, mock.Anything,
		mock.Anything).Return(func(deliveryflow.Input) (deliveryflow.Outcome, error) {
		if calls++; calls <= failures {
			return deliveryflow.Outcome{}, errors.New("the database is down")
		}
		return deliveryflow.Outcome{Done: true}, nil
	})
	env.ExecuteWorkflow(delivery.Delivery, deliveryflow.Input{})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, (1+2+4+8+5*15)*time.Second, env.Now().Sub(start))
}
