package background_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"fencepost.internal/shared/flow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/background"
)

func setupDeliveries(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := environment()
	env.RegisterActivityWithOptions(func(flow.DeliveryInput) (flow.DeliveryOutcome, error) {
		return flow.DeliveryOutcome{}, errors.New("not scripted")
	}, activity.RegisterOptions{Name: flow.ActivityAttempt})
	return env
}

func TestAttemptsFollowWaits(t *testing.T) {
	t.Parallel()
	env := setupDeliveries(t)
	waits := []time.Duration{10 * time.Second, 40 * time.Second, 160 * time.Second, 640 * time.Second, 2560 * time.Second}
	var at []time.Duration
	env.OnActivity(flow.ActivityAttempt, mock.Anything,
		mock.Anything).Return(func(flow.DeliveryInput) (flow.DeliveryOutcome, error) {
		at = append(at, env.Now().Sub(start))
		if len(at) > len(waits) {
			return flow.DeliveryOutcome{Done: true}, nil
		}
		return flow.DeliveryOutcome{Wait: waits[len(at)-1]}, nil
	})
	env.ExecuteWorkflow(background.Delivery, flow.DeliveryInput{DeliveryID: ident.New[ident.Delivery]()})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []time.Duration{
		0, 10 * time.Second, 50 * time.Second, 210 * time.Second, 850 * time.Second, 3410 * time.Second,
	}, at)
}

func TestDatabaseOutageUsesNoAttempt(t *testing.T) {
	t.Parallel()
	env := setupDeliveries(t)
	calls := 0
	env.OnActivity(flow.ActivityAttempt, mock.Anything,
		mock.Anything).Return(func(flow.DeliveryInput) (flow.DeliveryOutcome, error) {
		if calls++; calls < 4 {
			return flow.DeliveryOutcome{}, errors.New("the database is down")
		}
		return flow.DeliveryOutcome{Done: true}, nil
	})
	env.ExecuteWorkflow(background.Delivery, flow.DeliveryInput{DeliveryID: ident.New[ident.Delivery]()})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 7*time.Second, env.Now().Sub(start))
}
