package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
)

// lost returns the change by which a claimed post begins to wait for its channel, which has lost its connection.
func (b *bundle) lost(t *testing.T) post.Change {
	t.Helper()
	p := b.scheduled(t)
	job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
	require.NoError(t, err)
	require.NoError(t, b.channels.NeedsReconnect(t.Context(), b.ch.ID, job.CredRev))
	return job.Post.Postpone(post.Waiting{Reason: post.WaitReconnect, Until: b.now.Add(time.Hour)}, true, b.now, "It waits.")
}

// TestPostDoesNotWaitForChannelBeingConnected covers a post that would miss the change that connects its channel.
func TestPostDoesNotWaitForChannelBeingConnected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	change := b.lost(t)
	commit := hold(t, b.db, func(ctx context.Context) error { return b.channels.Replace(ctx, b.ch, b.credentials()) })
	held := b.blocked(t, func() error { return b.posts.Hold(t.Context(), change, postgres.AttemptResult{}) })
	commit()
	require.ErrorIs(t, <-held, postgres.ErrNotHeld)
	require.Nil(t, b.get(t, change.Post.ID).Waiting)
}

// TestConnectedChannelFindsPostStartingToWait covers the other order: the change waits until the post is found.
func TestConnectedChannelFindsPostStartingToWait(t *testing.T) {
	t.Parallel()
	b := setup(t)
	change := b.lost(t)
	commit := hold(t, b.db, func(ctx context.Context) error {
		return b.posts.Hold(ctx, change, postgres.AttemptResult{})
	})
	connected := b.blocked(t, func() error { return b.channels.Replace(t.Context(), b.ch, b.credentials()) })
	commit()
	require.NoError(t, <-connected)
	entries, err := b.posts.Timeline(t.Context(), change.Post.ID)
	require.NoError(t, err)
	require.Equal(t, post.EntryResumed, entries[len(entries)-1].Kind)
}

// successor returns the change by which a claimed post begins to wait for another one.
func (b *bundle) successor(t *testing.T, of post.Post) post.Change {
	t.Helper()
	p := b.scheduled(t)
	after := post.After{PostID: of.ID, OnFailure: post.HoldOnFailure}
	require.NoError(t, b.posts.Apply(t.Context(), edit(t, p, post.Edit{After: &after}, b.now)))
	p = b.get(t, p.ID)
	require.Equal(t, after, p.After)
	job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
	require.NoError(t, err)
	require.Equal(t, of.Status, job.Predecessor.Status)
	return job.Post.Postpone(post.Waiting{Reason: post.WaitAfterPost}, true, b.now, "It waits.")
}

// ending returns the change that publishes a post.
func (b *bundle) ending(t *testing.T, p post.Post) post.Change {
	t.Helper()
	job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
	require.NoError(t, err)
	change, err := job.Post.Complete("https://network.test/1", true, b.now)
	require.NoError(t, err)
	return change
}

// TestPostDoesNotWaitForPostBeingPublished covers a post that would miss the publication of its predecessor.
func TestPostDoesNotWaitForPostBeingPublished(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.scheduled(t)
	change, ends := b.successor(t, first), b.ending(t, first)
	commit := hold(t, b.db, func(ctx context.Context) error { return b.posts.Record(ctx, ends, postgres.AttemptResult{}) })
	held := b.blocked(t, func() error { return b.posts.Hold(t.Context(), change, postgres.AttemptResult{}) })
	commit()
	require.ErrorIs(t, <-held, postgres.ErrNotHeld)
	require.Nil(t, b.get(t, change.Post.ID).Waiting)
}

// TestPublicationFindsPostStartingToWait covers the other order: the publication waits until the post is found, although it began
// before the post waited.
func TestPublicationFindsPostStartingToWait(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.scheduled(t)
	change, ends := b.successor(t, first), b.ending(t, first)
	commit := hold(t, b.db, func(ctx context.Context) error { return b.posts.Hold(ctx, change, postgres.AttemptResult{}) })
	published := b.blocked(t, func() error { return b.posts.Record(t.Context(), ends, postgres.AttemptResult{}) })
	commit()
	require.NoError(t, <-published)
	got := b.get(t, change.Post.ID)
	require.Equal(t, change.Post.Revision+1, got.Revision)
	require.Equal(t, post.WaitAfterPost, got.Waiting.Reason)
	require.Equal(t, ends.Post.UpdatedAt.UTC(), got.Waiting.Until.UTC())
}

// TestPublicationLeavesPostInProgress publishes a post while its successor is being published already, because a person had removed
// the wait: the plan of the successor stays.
func TestPublicationLeavesPostInProgress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.scheduled(t)
	change, ends := b.successor(t, first), b.ending(t, first) // claimed, and does not wait
	require.NoError(t, b.posts.Record(t.Context(), ends, postgres.AttemptResult{}))
	require.Equal(t, change.Post.Revision, b.get(t, change.Post.ID).Revision)
}
