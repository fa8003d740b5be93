package publishing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
)

// TestOutageIsRetriedWithBackoff checks that the workflow follows the steps' back-off through an outage of five minutes, in
// which attempts alternate between calls that were not sent and calls that the network did not accept.
func TestOutageIsRetriedWithBackoff(t *testing.T) {
	t.Parallel()
	b := setup(t, scheduled(1, time.Minute))
	due := start.Add(time.Minute)
	calls := 0
	b.OnActivity(postflow.ActivityPublish, mock.Anything, mock.Anything).Return(
		func(postflow.Step) (postflow.Outcome, error) {
			calls++
			since := b.Now().Sub(due)
			switch wait := max(5*time.Second, since); {
			case since >= 5*time.Minute:
				return done(post.Published)(b.Now()), nil
			case calls%2 == 0:
				return later(postflow.NextReconcile, wait)(b.Now()), nil
			default:
				return later(postflow.NextPublish, wait)(b.Now()), nil
			}
		})
	b.OnActivity(postflow.ActivityReconcile, mock.Anything, mock.Anything).Return(
		func(postflow.Step) (postflow.Outcome, error) { return later(postflow.NextPublish, 0)(b.Now()), nil })
	elapsed := b.run(t)
	require.GreaterOrEqual(t, elapsed, 6*time.Minute)
	require.Less(t, elapsed, 12*time.Minute)
	require.Greater(t, calls, 5)
	require.Equal(t, post.Published, b.result(t).Status)
}
