package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/retry"
	"fencepost.internal/shared/kernel/ident"
)

const leaseOfTests = time.Minute

// livePost returns a published post, the store of its changes, and an edit of it.
func (b *bundle) livePost(t *testing.T) (post.Post, *postgres.LiveChanges, post.LiveChange) {
	t.Helper()
	p, err := b.posts.Get(t.Context(), b.ws.ID, b.published(t, b.ch.ID, b.now).ID)
	require.NoError(t, err)
	edit, err := p.ChangeLive(post.LiveEdit, "New", b.now, "Dana")
	require.NoError(t, err)
	return p, postgres.NewLiveChanges(b.db, keyring(t)), edit
}

// TestLiveChangeIsFenced checks the fence, the lease and the effect of an edit.
func TestLiveChangeIsFenced(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, changes, edit := b.livePost(t)
	owner, other := uuid.New(), uuid.New()
	key, err := changes.Request(t.Context(), edit, owner, leaseOfTests)
	require.NoError(t, err)
	_, err = changes.Request(t.Context(), edit, other, leaseOfTests)
	require.ErrorIs(t, err, postgres.ErrFenced)
	_, err = changes.Take(t.Context(), key, other, leaseOfTests)
	require.ErrorIs(t, err, postgres.ErrStale, "its owner is about to make the call")
	due, err := changes.Claim(t.Context(), retry.Turn{Limit: 10, Share: 10}, leaseOfTests)
	require.NoError(t, err)
	require.Empty(t, due)

	job, err := changes.Take(t.Context(), key, owner, leaseOfTests)
	require.NoError(t, err)
	require.Equal(t, post.LiveSent, job.Change.State)
	require.False(t, job.Change.Doubtful)
	require.Equal(t, p.Content, job.Post.Content)
	require.Equal(t, b.ch.ID, job.Channel.ID)
	require.NotEmpty(t, job.Published.ExternalID)

	postgrestest.Exec(t, b.address, `UPDATE live_change SET next_at = now()`) // the owner died
	none, err := changes.Claim(t.Context(), retry.Turn{Limit: 10, Share: 10, Full: []ident.Workspace{b.ws.ID}}, leaseOfTests)
	require.NoError(t, err)
	require.Empty(t, none, "the workspace holds its share")
	due, err = changes.Claim(t.Context(), retry.Turn{Limit: 10, Share: 10}, leaseOfTests)
	require.NoError(t, err)
	require.Len(t, due, 1)
	require.Equal(t, postgres.LiveKey{PostID: p.ID, N: key.N, WorkspaceID: b.ws.ID, Owner: due[0].Owner}, due[0])
	other = due[0].Owner
	_, err = changes.Take(t.Context(), key, owner, leaseOfTests)
	require.ErrorIs(t, err, postgres.ErrStale, "another execution has claimed it")
	job, err = changes.Take(t.Context(), key, other, leaseOfTests)
	require.NoError(t, err)
	require.True(t, job.Change.Doubtful, "the first call may have taken effect")
	require.Equal(t, 2, job.Change.Tries)
	done := job.Change.Concluded(post.LiveResult{State: post.LiveDone}, b.now.Add(time.Second))
	require.ErrorIs(t, changes.Conclude(t.Context(), done, owner, 0), postgres.ErrStale, "another execution took over")
	require.NoError(t, changes.Conclude(t.Context(), done, other, 0))
	require.NoError(t, changes.Conclude(t.Context(), done, other, 0), "the response of the database was lost")

	after, err := b.posts.Get(t.Context(), b.ws.ID, p.ID)
	require.NoError(t, err)
	require.Equal(t, "New", after.Content)
	require.True(t, after.UpdatedAt.After(p.UpdatedAt))
	require.Equal(t, []string{"live_change_requested Dana", "live_edited Dana"}, postgrestest.Column(t, b.address,
		`SELECT kind || ' ' || actor FROM post_timeline WHERE post_id = '`+p.ID.String()+`' AND kind LIKE 'live%' ORDER BY n`))
	require.Len(t, postgrestest.Column(t, b.address, `SELECT id FROM event WHERE type = 'post.updated'`), 1)
	_, err = changes.Take(t.Context(), key, owner, leaseOfTests)
	require.ErrorIs(t, err, postgres.ErrStale, "it ended")
	listed, err := changes.List(t.Context(), p.ID)
	require.NoError(t, err)
	require.Len(t, listed, 1)
	require.Equal(t, post.LiveDone, listed[0].State)
}

// TestLiveDeletionIsRecorded checks that a deleted post is known as deleted, and an open change is due after its wait.
func TestLiveDeletionIsRecorded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, changes, _ := b.livePost(t)
	deletion, err := p.ChangeLive(post.LiveDelete, "", b.now, "Dana")
	require.NoError(t, err)
	owner := uuid.New()
	key, err := changes.Request(t.Context(), deletion, owner, leaseOfTests)
	require.NoError(t, err)
	job, err := changes.Take(t.Context(), key, owner, leaseOfTests)
	require.NoError(t, err)
	lost := job.Change.Concluded(post.LiveResult{State: post.LiveUnknown, Code: "X"}, b.now)
	require.NoError(t, changes.Conclude(t.Context(), lost, owner, 0))
	found, err := changes.Published(t.Context(), p.ID)
	require.NoError(t, err)
	require.False(t, found.Deleted)

	other := uuid.New()
	job, err = changes.Take(t.Context(), key, other, leaseOfTests)
	require.NoError(t, err)
	require.True(t, job.Change.Doubtful)
	done := job.Change.Concluded(post.LiveResult{State: post.LiveDone}, b.now)
	require.NoError(t, changes.Conclude(t.Context(), done, other, 0))
	found, err = changes.Published(t.Context(), p.ID)
	require.NoError(t, err)
	require.True(t, found.Deleted)
	after, err := b.posts.Get(t.Context(), b.ws.ID, p.ID)
	require.NoError(t, err)
	require.Equal(t, post.Published, after.Status)
	require.Empty(t, after.PostURL)
	_, err = changes.Published(t.Context(), ident.New[ident.Post]())
	require.Error(t, err)
}

// TestLiveChangeKeepsConcurrentChanges has a network give the post an address while the edit of its text ends.
func TestLiveChangeKeepsConcurrentChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, changes, edit := b.livePost(t)
	owner := uuid.New()
	key, err := changes.Request(t.Context(), edit, owner, leaseOfTests)
	require.NoError(t, err)
	job, err := changes.Take(t.Context(), key, owner, leaseOfTests)
	require.NoError(t, err)
	const address = "https://x.test/1"
	commit := hold(t, b.db, func(ctx context.Context) error {
		renamed, err := b.insights().Rename(ctx, postgres.Renaming{
			Post: p.ID, From: job.Published.ExternalID, To: "1", URL: address, At: b.now,
		})
		require.True(t, renamed)
		return err
	})
	done := job.Change.Concluded(post.LiveResult{State: post.LiveDone}, b.now.Add(time.Second))
	concluded := b.blocked(t, func() error { return changes.Conclude(t.Context(), done, owner, 0) })
	commit()
	require.NoError(t, <-concluded)
	after := b.get(t, p.ID)
	require.Equal(t, []string{"New", address}, []string{after.Content, after.PostURL})
}
