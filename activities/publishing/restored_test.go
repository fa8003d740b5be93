package publishing_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/publishing"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/platform"
)

// restored returns a post after a restore of the database that lost the last six hours.
func (b *bundle) restored(t *testing.T, in post.NewPost, askable ...channel.Type) post.Post {
	t.Helper()
	p := b.dueWith(t, time.Second, in)
	_, err := postgres.NewRecovery(b.db).Run(t.Context(),
		postgres.Gap{Since: time.Now().Add(-6 * time.Hour), Askable: askable})
	require.NoError(t, err)
	return b.reload(t, p).Post
}

func TestRestoredPostIsReconciledOverWholeGap(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		evidence platform.Evidence
		status   post.Status
		commits  int32
	}{
		"it is out":     {platform.EvidenceFound, post.Published, 0},
		"it is not out": {platform.EvidenceAbsent, post.Published, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requested platform.Sent
			b := setup(t, &network{
				strength: platform.ReconcileMatch,
				reconcile: func(s platform.Sent) (platform.Evidence, platform.Publication, error) {
					requested = s
					return c.evidence, platform.Publication{ExternalID: "found"}, nil
				},
			})
			p := b.restored(t, post.NewPost{Content: "Hello"}, channel.Twitter)
			b.follow(t, p)
			require.Equal(t, c.status, b.reload(t, p).Post.Status)
			require.Equal(t, c.commits, b.net.commits.Load())
			require.Empty(t, requested.Handle)
			require.WithinDuration(t, time.Now().Add(-6*time.Hour), requested.At, time.Minute)
			require.WithinDuration(t, time.Now(), requested.Until, time.Minute)
		})
	}
}

func TestUnverifiableRestoredPostIsNotSent(t *testing.T) {
	t.Parallel()
	net := &network{strength: platform.ReconcileNone}
	b := setupWith(t, net, net, func(cfg *publishing.Config) { cfg.ReadDelay = time.Minute })
	p := b.restored(t, post.NewPost{Content: "Hello"})
	require.Equal(t, []postflow.Next{postflow.NextReconcile, postflow.NextDone}, b.follow(t, p))
	require.Equal(t, post.ErrorOutcomeUnknown, b.reload(t, p).Post.Error.Code)
	require.Zero(t, b.net.commits.Load())
}

// TestRestoredPostWithoutTextIsNotMatched covers a post without text, which could be any post of the account.
func TestRestoredPostWithoutTextIsNotMatched(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{
		strength: platform.ReconcileMatch,
		reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
			t.Error("the network was asked")
			return platform.EvidenceFound, platform.Publication{}, nil
		},
	})
	p := b.restored(t, post.NewPost{Content: " "}, channel.Twitter)
	require.Equal(t, postflow.NextReconcile, b.publish(t, p).Next)
	b.recoveredAgo(t, 31*time.Minute)
	b.sentAgo(t, 32*time.Minute)
	b.follow(t, p)
	require.Equal(t, post.ErrorOutcomeUnknown, b.reload(t, p).Post.Error.Code)
	require.Zero(t, b.net.commits.Load())
}

// recoveredAgo moves the recovery of the database into the past.
func (b *bundle) recoveredAgo(t *testing.T, ago time.Duration) {
	t.Helper()
	postgrestest.Exec(t, b.address,
		fmt.Sprintf(`UPDATE publish_attempt SET finished_at = now() - interval '%d milliseconds'`, ago.Milliseconds()))
}

// TestReconcileBudgetOfRestoredPostStartsWhenDue checks that the reconciliation budget starts when the post is due,
// not when the database was restored. One unclear response of the network does not decide.
func TestReconcileBudgetOfRestoredPostStartsWhenDue(t *testing.T) {
	t.Parallel()
	requested := 0
	b := setup(t, &network{
		strength: platform.ReconcileMatch,
		reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
			if requested++; requested == 1 {
				return platform.EvidenceUnclear, platform.Publication{}, fails(platform.ClassTransient, "UNAVAILABLE")
			}
			return platform.EvidenceAbsent, platform.Publication{}, nil
		},
	})
	p := b.restored(t, post.NewPost{Content: "Hello"}, channel.Twitter)
	b.recoveredAgo(t, 5*time.Hour)
	b.follow(t, p)
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.Equal(t, 2, requested)
	require.EqualValues(t, 1, b.net.commits.Load())
}

// TestEditedRestoredPostIsNotSent covers a post that may be published with its old text, so that the absence of
// the new text proves nothing.
func TestEditedRestoredPostIsNotSent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit    string
		status  post.Status
		commits int32
	}{
		"edited":          {`UPDATE post SET content = 'Another text'`, post.Failed, 0},
		"another title":   {`UPDATE post SET title = 'Another title'`, post.Failed, 0},
		"merely put off":  {`UPDATE post SET updated_at = now()`, post.Published, 1},
		"edited and back": {`UPDATE post SET content = 'Hello'`, post.Published, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, &network{strength: platform.ReconcileMatch, reconcile: absentAlways})
			p := b.restored(t, post.NewPost{Content: "Hello"}, channel.Twitter)
			postgrestest.Exec(t, b.address, c.edit)
			require.Equal(t, postflow.NextReconcile, b.publish(t, p).Next)
			out, err := b.Reconcile(t.Context(), step(p))
			require.NoError(t, err)
			if c.commits == 0 {
				require.Equal(t, postflow.NextReconcile, out.Next, "it may still turn up")
				b.recoveredAgo(t, 31*time.Minute)
				b.sentAgo(t, 32*time.Minute)
			}
			b.follow(t, p)
			require.Equal(t, c.status, b.reload(t, p).Post.Status)
			require.Equal(t, c.commits, b.net.commits.Load())
		})
	}
}

// TestEditedRestoredPostIsPublishedIfFound checks that an edit weakens only the evidence of absence.
func TestEditedRestoredPostIsPublishedIfFound(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{
		strength: platform.ReconcileMatch,
		reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
			return platform.EvidenceFound, platform.Publication{ExternalID: "found"}, nil
		},
	})
	p := b.restored(t, post.NewPost{Content: "Hello"}, channel.Twitter)
	postgrestest.Exec(t, b.address, `UPDATE post SET content = 'Another text'`)
	require.Equal(t, []postflow.Next{postflow.NextReconcile, postflow.NextDone}, b.follow(t, p))
	require.Equal(t, post.Published, b.reload(t, p).Post.Status)
	require.Zero(t, b.net.commits.Load())
}

// TestSecondRecoveryKeepsContentOfFirst covers a post that was edited between two recoveries.
func TestSecondRecoveryKeepsContentOfFirst(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{strength: platform.ReconcileMatch})
	p := b.restored(t, post.NewPost{Content: "Hello"}, channel.Twitter)
	require.False(t, b.reload(t, p).Altered)
	postgrestest.Exec(t, b.address, `UPDATE post SET content = 'Another text'`)
	_, err := postgres.NewRecovery(b.db).Run(t.Context(),
		postgres.Gap{Since: time.Now(), Askable: []channel.Type{channel.Twitter}})
	require.NoError(t, err)
	require.True(t, b.reload(t, p).Altered)
}

// TestFencedPostWithoutHolderIsClaimed checks that the post is claimed before the network is queried.
func TestFencedPostWithoutHolderIsClaimed(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{strength: platform.ReconcileMatch, reconcile: unclearAlways})
	p := b.restored(t, post.NewPost{Content: "Hello"}, channel.Twitter)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	out, err := b.Reconcile(ctx, step(p))
	require.NoError(t, err)
	require.Equal(t, postflow.NextPublish, out.Next)
	require.Equal(t, "No execution holds the post; claims it again.", out.Note)
	require.WithinDuration(t, time.Now(), out.At, time.Second)
	require.Equal(t, postflow.NextReconcile, b.publish(t, p).Next)
}

// contended is a store in which another execution always writes first.
type contended struct{ *postgres.Posts }

// Record always fails with ErrStale.
func (contended) Record(context.Context, post.Change, postgres.AttemptResult) error {
	return postgres.ErrStale
}

// TestPostHeldByOthersIsRetriedLater checks that the step ends instead of reading the post in an endless loop.
func TestPostHeldByOthersIsRetriedLater(t *testing.T) {
	t.Parallel()
	net := &network{strength: platform.ReconcileMatch, reconcile: unclearAlways}
	b := setupWith(t, net, net, func(cfg *publishing.Config) {
		posts, ok := cfg.Posts.(*postgres.Posts)
		require.True(t, ok)
		cfg.Posts = contended{posts}
	})
	p := b.due(t, time.Second)
	b.vanish(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for _, follow := range []func(context.Context, postflow.Step) (postflow.Outcome, error){b.Publish, b.Reconcile} {
		out, err := follow(ctx, step(p))
		require.NoError(t, err)
		require.Equal(t, postflow.NextPublish, out.Next)
	}
	require.Zero(t, net.commits.Load())
}
