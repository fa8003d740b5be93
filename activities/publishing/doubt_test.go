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
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// unsure cannot read the ownership of posts while the database is unavailable.
type unsure struct {
	*postgres.Attempts

	silent *bool
}

// Taken fails while the database is unavailable.
func (u unsure) Taken(ctx context.Context, id ident.Channel, ids []string) (map[string]bool, error) {
	if *u.silent {
		return nil, apperr.New(apperr.Unavailable, "The database does not respond.")
	}
	return u.Attempts.Taken(ctx, id, ids)
}

// TestPostOfUnknownOwnerIsNotAbsent covers a post on the network whose ownership cannot be read. It must not be
// considered absent and sent again.
func TestPostOfUnknownOwnerIsNotAbsent(t *testing.T) {
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

// TestEvidenceOfFailedReadIsIgnored checks that a failed reading of the network decides nothing, whatever evidence comes with
// the failure.
func TestEvidenceOfFailedReadIsIgnored(t *testing.T) {
	t.Parallel()
	for name, evidence := range map[string]platform.Evidence{
		"found": platform.EvidenceFound, "absent": platform.EvidenceAbsent,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, &network{
				strength: platform.ReconcileMatch, commit: lost,
				reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
					return evidence, platform.Publication{ExternalID: "1"}, fails(platform.ClassTransient, "DOWN")
				},
			})
			p := b.due(t, time.Second)
			require.Equal(t, postflow.NextReconcile, b.publish(t, p).Next)
			<-time.After(2 * readDelay) // long enough for an absence to be certain
			out, err := b.Reconcile(t.Context(), step(p))
			require.NoError(t, err)
			require.Equal(t, postflow.NextReconcile, out.Next)
			require.Equal(t, post.AttemptUnknown, b.reload(t, p).Attempt.State)
		})
	}
}

// TestPostWithoutTextIsReconciled checks that a lost response to a post of pictures alone is looked up: only after a restored backup
// could such a post be any post of the account.
func TestPostWithoutTextIsReconciled(t *testing.T) {
	t.Parallel()
	net := &network{
		strength: platform.ReconcileMatch, commit: lost,
		reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
			return platform.EvidenceFound, platform.Publication{ExternalID: "1"}, nil
		},
	}
	b := setupWith(t, net, carrier{net})
	p := b.dueWith(t, time.Second, post.NewPost{MediaIDs: []ident.Media{b.asset(t)}})
	require.Equal(t, []postflow.Next{postflow.NextReconcile, postflow.NextDone}, b.follow(t, p))
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
}

// TestNetworkPostMatchesOnePost checks that the connector receives which posts of the network belong to other posts: the only
// one there is that of the first post, so the second did not arrive and is sent again.
func TestNetworkPostMatchesOnePost(t *testing.T) {
	t.Parallel()
	net := &network{
		strength: platform.ReconcileMatch,
		reconcile: func(s platform.Sent) (platform.Evidence, platform.Publication, error) {
			if s.Taken("e1") {
				return platform.EvidenceAbsent, platform.Publication{}, nil
			}
			return platform.EvidenceFound, platform.Publication{ExternalID: "e1"}, nil
		},
	}
	net.commit = func(ctx context.Context, a platform.Account) (platform.Publication, error) {
		switch net.commits.Load() {
		case 1:
			return platform.Publication{ExternalID: "e1"}, nil
		case 2:
			return lost(ctx, a)
		default:
			return platform.Publication{ExternalID: "e2"}, nil
		}
	}
	b := setup(t, net)
	b.follow(t, b.due(t, time.Second))
	second := b.due(t, time.Second)
	b.follow(t, second)
	require.Equal(t, "e2", b.reload(t, second).Attempt.ExternalID)
}
