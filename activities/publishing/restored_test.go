package publishing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/post"
	"socialpub.internal/shared/postgres"
	"socialpub.internal/shared/postgres/postgrestest"
)

// restored is a post of which the database has forgotten what became of it in the last six hours.
func (b *bundle) restored(t *testing.T, in post.NewPost, askable ...channel.Type) post.Post {
	t.Helper()
	p := b.dueWith(t, time.Second, in)
	_, err := postgres.NewRecovery(b.db).Run(t.Context(), postgres.Gap{Since: time.Now().Add(-6 * time.Hour), Askable: askable})
	require.NoError(t, err)
	return b.reload(t, p).Post
}

func TestARestoredPostIsLookedForInTheWholeGap(t *testing.T) {
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
			var asked platform.Sent
			b := setup(t, &network{strength: platform.ReconcileMatch, reconcile: func(s platform.Sent) (platform.Evidence, platform.Publication, error) {
				asked = s
				return c.evidence, platform.Publication{ExternalID: "found"}, nil
			}})
			p := b.restored(t, post.NewPost{Content: "Hello"}, channel.Twitter)
			b.follow(t, p)
			require.Equal(t, c.status, b.reload(t, p).Post.Status)
			require.Equal(t, c.commits, b.net.commits.Load())
			require.Empty(t, asked.Handle)
			require.WithinDuration(t, time.Now().Add(-6*time.Hour), asked.At, time.Minute)
			require.WithinDuration(t, time.Now(), asked.Until, time.Minute)
		})
	}
}

func TestARestoredPostThatCannotBeLookedUpIsNotSent(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{strength: platform.ReconcileNone})
	p := b.restored(t, post.NewPost{Content: "Hello"})
	b.follow(t, p)
	require.Equal(t, post.ErrorOutcomeUnknown, b.reload(t, p).Post.Error.Code)
	require.Zero(t, b.net.commits.Load())
}

// TestARestoredPostWithoutTextIsNotGuessedAt: any post of the account could be it.
func TestARestoredPostWithoutTextIsNotGuessedAt(t *testing.T) {
	t.Parallel()
	b := setup(t, &network{strength: platform.ReconcileMatch, reconcile: func(platform.Sent) (platform.Evidence, platform.Publication, error) {
		t.Error("the network was asked")
		return platform.EvidenceFound, platform.Publication{}, nil
	}})
	p := b.restored(t, post.NewPost{Content: " "}, channel.Twitter)
	postgrestest.Exec(t, b.address, `UPDATE publish_attempt SET finished_at = now() - interval '31 minutes', sent_at = now() - interval '32 minutes'`)
	b.follow(t, p)
	require.Equal(t, post.ErrorOutcomeUnknown, b.reload(t, p).Post.Error.Code)
	require.Zero(t, b.net.commits.Load())
}
