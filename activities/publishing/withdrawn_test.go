package publishing_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
)

// lostCommit records the first intent and loses the database's response to it.
type lostCommit struct {
	*postgres.Attempts

	lost bool
}

func (l *lostCommit) Intend(ctx context.Context, job postgres.Job, intent postgres.Intent) error {
	err := l.Attempts.Intend(ctx, job, intent)
	if err != nil || l.lost {
		return err
	}
	l.lost = true
	return apperr.New(apperr.Unavailable, "The connection was lost during COMMIT.")
}

// TestIntentWithoutResponseIsWithdrawn checks that a sender which does not know whether its intent was recorded
// sends nothing and removes the fence. The next execution publishes the post at once, without waiting for evidence from
// the network.
func TestIntentWithoutResponseIsWithdrawn(t *testing.T) {
	t.Parallel()
	net := &network{}
	b := setupWith(t, net, net, func(cfg *publishing.Config) {
		attempts, ok := cfg.Attempts.(*postgres.Attempts)
		require.True(t, ok)
		cfg.Attempts = &lostCommit{Attempts: attempts}
	})
	p := b.due(t, time.Second)

	_, err := b.Publish(t.Context(), step(p))
	require.True(t, postgres.IsUnavailable(err), "%v", err)
	require.Zero(t, net.commits.Load())
	withdrawn := b.reload(t, p).Attempt
	require.Equal(t, post.AttemptRejected, withdrawn.State)
	require.Equal(t, "INTENT_WITHDRAWN", withdrawn.Code)

	require.Equal(t, []postflow.Next{postflow.NextDone}, b.follow(t, p))
	require.EqualValues(t, 1, net.commits.Load())
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.Equal(t, 2, b.reload(t, p).Attempt.N)
}
