package delivery_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"fencepost.internal/shared/flow/deliveryflow"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/workflows/delivery"
)

var start = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

func setup(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(start)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine is not a deadlock
	env.RegisterActivityWithOptions(func(deliveryflow.Input) (deliveryflow.Outcome, error) {
		return deliveryflow.Outcome{}, errors.New("not scripted")
	}, activity.RegisterOptions{Name: deliveryflow.ActivityAttempt})
	return env
}

func TestAttemptsFollowWaits(t *testing.T) {
	t.Parallel()
	env := setup(t)
	waits := []time.Duration{10 * time.Second, 40 * time.Second, 160 * time.Second, 640 * time.Second, 2560 * time.Second}
	var at []time.Duration
	env.OnActivity(deliveryflow.ActivityAttempt, mock.Anything,
		mock.Anything).Return(func(deliveryflow.Input) (deliveryflow.Outcome, error) {
		at = append(at, env.Now().Sub(start))
		if len(at) > len(waits) {
			return deliveryflow.Outcome{Done: true}, nil
		}
		return deliveryflow.Outcome{Wait: waits[len(at)-1]}, nil
	})
	env.ExecuteWorkflow(delivery.Delivery, deliveryflow.Input{DeliveryID: ident.New[ident.Delivery]()})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []time.Duration{
		0, 10 * time.Second, 50 * time.Second, 210 * time.Second, 850 * time.Second, 3410 * time.Second,
	}, at)
}

func TestDatabaseOutageUsesNoAttempt(t *testing.T) {
	t.Parallel()
	env := setup(t)
	calls := 0
	env.OnActivity(deliveryflow.ActivityAttempt, mock.Anything,
		mock.Anything).Return(func(deliveryflow.Input) (deliveryflow.Outcome, error) {
		if calls++; calls < 4 {
			return deliveryflow.Outcome{}, errors.New("the database is down")
		}
		return deliveryflow.Outcome{Done: true}, nil
	})
	env.ExecuteWorkflow(delivery.Delivery, deliveryflow.Input{DeliveryID: ident.New[ident.Delivery]()})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 7*time.Second, env.Now().Sub(start))
}
