package delivering_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"socialpub.internal/shared/flow/deliveryflow"
	"socialpub.internal/shared/ident"
)

// TestAnAttemptThatWasNotHeardOfIsNotRepeatedEarly: the worker dies after the record of a failed attempt, and Temporal runs the
// activity again at once.
func TestAnAttemptThatWasNotHeardOfIsNotRepeatedEarly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.answer = status(http.StatusServiceUnavailable)
	_, in := b.deliver(t, ident.Webhook{})
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterActivityWithOptions(func(ctx context.Context, in deliveryflow.Input) (deliveryflow.Outcome, error) {
		out, err := b.Attempt(ctx, in)
		if err == nil && activity.GetInfo(ctx).Attempt == 1 {
			return deliveryflow.Outcome{}, errors.New("the worker died")
		}
		return out, err
	}, activity.RegisterOptions{Name: deliveryflow.ActivityAttempt})
	env.ExecuteWorkflow(func(ctx workflow.Context, in deliveryflow.Input) (deliveryflow.Outcome, error) {
		return deliveryflow.Attempt(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: time.Minute, RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Millisecond},
		}), in)
	}, in)
	require.NoError(t, env.GetWorkflowError())
	var out deliveryflow.Outcome
	require.NoError(t, env.GetWorkflowResult(&out))
	require.False(t, out.Done)
	require.Greater(t, out.Wait, 5*time.Second, "the rest of the wait of 10 s ± 20 %")
	require.LessOrEqual(t, out.Wait, 12*time.Second)
	require.Len(t, b.requests, 1)
}
