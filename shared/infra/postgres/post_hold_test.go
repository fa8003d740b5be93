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
