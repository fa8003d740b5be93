package publishing_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/activities/publishing"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/flow/postflow"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
	"socialpub.internal/shared/platform"
)

// unsure cannot read the ownership of posts while the database is unavailable.
type unsure struct {
	*postgres.Attempts

	silent *bool
}

// Taken fails while the database is unavailable.
func (u unsure) Taken(ctx context.Context, id ident.Channel, ids []string) (map[string]bool, error) {
	if *u.silent {
		return nil, apperr.New(apperr.Unavailable, "The database does not answer.")
	}
	return u.Attempts.Taken(ctx, id, ids)
}

// TestAPostOfUnknownOwnerIsNoAbsence covers a post on the network whose ownership cannot be read. It must not be
// considered absent and sent again.
func TestAPostOfUnknownOwnerIsNoAbsence(t *testing.T) {
	t.Parallel()
	silent := true
	net := &network{
		strength: platform.ReconcileMatch,
		commit: func(context.Context, platform.Account) (platform.Publication, error) {
			return platform.Publication{}, fails(platform.ClassUnknown, "TIMEOUT")
		},
		reconcile: func(s platform.Sent) (platform.Evidence, platform.Publication, error) {
			if s.Taken("e1") {
				return platform.EvidenceAbsent, platform.Publication{}, nil
			}
			return platform.EvidenceFound, platform.Publication{ExternalID: "e1", URL: "https://network.test/e1"}, nil
		},
	}
	b := setupWith(t, net, net, func(cfg *publishing.Config) {
		attempts, ok := cfg.Attempts.(*postgres.Attempts)
		require.True(t, ok)
		cfg.Attempts = unsure{attempts, &silent}
	})
	p := b.due(t, time.Second)
	require.Equal(t, postflow.NextReconcile, b.publish(t, p).Next)
	<-time.After(2 * readDelay) // long enough for an absence to be certain
	out, err := b.Reconcile(t.Context(), step(p))
	if err == nil {
		require.Equal(t, postflow.NextReconcile, out.Next)
	}
	silent = false
	b.follow(t, p)
	require.EqualValues(t, 1, net.commits.Load())
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
}
