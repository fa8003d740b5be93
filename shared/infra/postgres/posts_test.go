package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type bundle struct {
	db       *postgres.DB
	address  string // of the database
	posts    *postgres.Posts
	attempts *postgres.Attempts
	channels *postgres.Channels
	outbox   *postgres.Outbox
	events   *postgres.Events
	webhooks *postgres.Webhooks
	// deliveries opens secrets sealed by the bundle's keyring.
	deliveries *postgres.Deliveries
	ws         workspace.Workspace
	ch         channel.Channel
	now        time.Time
}

func setup(t *testing.T) *bundle {
	t.Helper()
	db, address := postgrestest.OpenURL(t)
	box := keyring(t)
	b := &bundle{
		db: db, address: address, posts: postgres.NewPosts(db), attempts: postgres.NewAttempts(db, box),
		channels: postgres.NewChannels(db, box),
		outbox:   postgres.NewOutbox(db), events: postgres.NewEvents(db),
		webhooks: postgres.NewWebhooks(db, box), deliveries: postgres.NewDeliveries(db, box),
		now: time.Now().UTC().Truncate(time.Millisecond),
	}
	b.ws = workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Acme", Plan: workspace.Growth, Timezone: "UTC", CreatedAt: b.now,
	}
	require.NoError(t, postgres.NewWorkspaces(db).Insert(t.Context(), b.ws))
	b.ch = channel.Channel{
		WorkspaceApproval: approval.Optional,
		ID:                ident.New[ident.Channel](), WorkspaceID: b.ws.ID, Name: "Acme on X", Type: channel.Twitter, Username: "acme",
		ExternalID:  "1",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: b.now,
	}
	require.NoError(t, b.channels.Insert(t.Context(), b.ch, b.credentials()))
	return b
}

// scheduled creates a post that is due.
func (b *bundle) scheduled(t *testing.T) post.Post {
	t.Helper()
	return b.scheduledAt(t, b.now.Add(-time.Second))
}

func (b *bundle) scheduledAt(t *testing.T, at time.Time) post.Post {
	t.Helper()
	change, err := post.Create(post.NewPost{
		Policy:      approval.Optional,
		WorkspaceID: b.ws.ID, ChannelID: b.ch.ID, ChannelType: string(channel.Twitter), Content: "Hello \"world\" \\ ünï 🎈\nsecond line",
		ContentType: post.ContentPost,
		MediaIDs:    []ident.Media{}, ScheduleAt: at, Now: true,
	}, b.now, post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Insert(t.Context(), []post.Change{change}))
	return change.Post
}

func TestInsertAndGet(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want := b.scheduled(t)
	got, err := b.posts.Get(t.Context(), b.ws.ID, want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
	_, err = b.posts.Get(t.Context(), ident.New[ident.Workspace](), want.ID)
	require.True(t, apperr.Is(err, apperr.NotFound))
	entries, err := b.posts.Timeline(t.Context(), want.ID)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	require.Equal(t, post.EntryCreated, entries[0].Kind)
}

func TestApplyIsRefusedAfterConcurrentChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.scheduled(t)
	first, err := p.Unschedule(b.now, post.ActorAPI)
	require.NoError(t, err)
	second, err := p.Unschedule(b.now, post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), first))
	require.ErrorIs(t, b.posts.Apply(t.Context(), second), postgres.ErrStale)
	entries, err := b.posts.Timeline(t.Context(), p.ID)
	require.NoError(t, err)
	require.Len(t, entries, 2)
}

// TestChangesOfAnotherWorkspaceAreRefused also checks that they leave the post as it is.
func TestChangesOfAnotherWorkspaceAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draft := b.draft(t, post.Options{})
	foreign := draft
	foreign.WorkspaceID = b.tenant(t).ID
	archives, err := foreign.Archive(b.now, post.ActorAPI)
	require.NoError(t, err)
	edits := edit(t, foreign, post.Edit{Content: new("Theirs")}, b.now)
	for _, change := range []post.Change{archives, edits} {
		require.ErrorIs(t, b.posts.Apply(t.Context(), change), postgres.ErrStale)
	}
	deletes, err := foreign.Delete(b.now)
	require.NoError(t, err)
	require.ErrorIs(t, b.posts.Delete(t.Context(), deletes), postgres.ErrStale)
	require.Equal(t, draft, b.get(t, draft.ID))
}

func TestClaimWinsAgainstUnschedule(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.scheduled(t)
	job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
	require.NoError(t, err)
	require.Equal(t, "token-canary", job.Credentials.AccessToken)
	require.Equal(t, b.ch.ID, job.Channel.ID)
	require.False(t, job.Post.PublishingSince.IsZero())
	change, err := p.Unschedule(b.now, post.ActorAPI) // decided before the claim
	require.NoError(t, err)
	require.ErrorIs(t, b.posts.Apply(t.Context(), change), postgres.ErrStale)
	claimed, err := b.posts.Get(t.Context(), b.ws.ID, p.ID)
	require.NoError(t, err)
	_, err = claimed.Unschedule(b.now, post.ActorAPI)
	require.True(t, apperr.Is(err, apperr.PublishInProgress))
	_, err = b.attempts.Claim(t.Context(), p.ID, p.Revision+1)
	require.ErrorIs(t, err, postgres.ErrStale)
}

func TestIntendIsFenced(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.scheduled(t)
	job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
	require.NoError(t, err)
	require.NoError(t, b.attempts.Prepared(t.Context(), job, intent(1, "container")))
	require.NoError(t, b.attempts.Intend(t.Context(), job, intent(1, "container")))
	require.ErrorIs(t, b.attempts.Intend(t.Context(), job, intent(2, "")), postgres.ErrFenced)
	require.ErrorIs(t, b.attempts.Intend(t.Context(), job, intent(1, "container")), postgres.ErrStale)
	done, err := job.Post.Complete("https://x.test/1", true, b.now)
	require.NoError(t, err)
	require.NoError(t, b.posts.Record(t.Context(), done, postgres.AttemptResult{
		N: 1, State: post.AttemptConfirmed, ExternalID: "42", URL: "https://x.test/1",
	}))
	reloaded, err := b.attempts.Load(t.Context(), p.ID)
	require.NoError(t, err)
	require.Equal(t, post.Published, reloaded.Post.Status)
	require.Equal(t, post.AttemptConfirmed, reloaded.Attempt.State)
	require.Equal(t, "https://x.test/1", reloaded.Post.PostURL)
	taken, err := b.attempts.Taken(t.Context(), b.ch.ID, []string{"42", "43"})
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"42": true}, taken)
}

// TestIntendWaitsForUncommittedChange covers a change that ends the claim but is not committed yet, so that a
// reader would not see it.
func TestIntendWaitsForUncommittedChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.scheduled(t)
	job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
	require.NoError(t, err)
	fails, err := job.Post.Fail(post.Error{Code: "NO", Message: "No."}, b.now)
	require.NoError(t, err)
	commit := hold(t, b.db, func(ctx context.Context) error { return b.posts.Apply(ctx, fails) })
	intended := b.blocked(t, func() error { return b.attempts.Intend(t.Context(), job, intent(1, "")) })
	commit()
	require.ErrorIs(t, <-intended, postgres.ErrStale)
	attempts, err := b.attempts.ListByPost(t.Context(), p.ID)
	require.NoError(t, err)
	require.Empty(t, attempts)
}

func TestWithdrawRemovesOnlyOwnIntent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.scheduled(t)
	job, err := b.attempts.Claim(t.Context(), p.ID, p.Revision)
	require.NoError(t, err)
	mine, other := intent(1, ""), intent(1, "")
	require.NoError(t, b.attempts.Intend(t.Context(), job, mine))
	require.NoError(t, b.attempts.Withdraw(t.Context(), job, other))
	loaded, err := b.attempts.Load(t.Context(), p.ID)
	require.NoError(t, err)
	require.Equal(t, post.AttemptSent, loaded.Attempt.State)
	require.NoError(t, b.attempts.Withdraw(t.Context(), job, mine))
	loaded, err = b.attempts.Load(t.Context(), p.ID)
	require.NoError(t, err)
	require.Equal(t, post.AttemptRejected, loaded.Attempt.State)
	require.NoError(t, b.attempts.Intend(t.Context(), job, intent(2, "")))
}

func TestListPagesNewestFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var want []ident.Post
	for range 7 {
		want = append([]ident.Post{b.scheduled(t).ID}, want...)
	}
	var got []ident.Post
	filter := postgres.PostFilter{Limit: 3, Statuses: []post.Status{post.Scheduled}, ChannelIDs: []ident.Channel{b.ch.ID}}
	for {
		page, err := b.posts.List(t.Context(), b.ws.ID, filter)
		require.NoError(t, err)
		for _, p := range page {
			got = append(got, p.ID)
		}
		if len(page) < filter.Limit {
			break
		}
		filter.After = filter.Sort.Position(page[len(page)-1])
	}
	require.Equal(t, want, got)
}

func TestInsertForForeignChannelIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, c := range map[string]post.NewPost{
		"unknown channel": {WorkspaceID: b.ws.ID, ChannelID: ident.New[ident.Channel](), ContentType: post.ContentPost},
		"other workspace": {WorkspaceID: ident.New[ident.Workspace](), ChannelID: b.ch.ID, ContentType: post.ContentPost},
	} {
		change, err := post.Create(c, b.now, post.ActorAPI)
		require.NoError(t, err)
		change.Events = nil // its own foreign key is not tested here
		require.True(t, apperr.Is(b.posts.Insert(t.Context(), []post.Change{change}), apperr.NotFound), name)
	}
}
