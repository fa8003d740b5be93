package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// another creates a second channel of the workspace.
func (b *bundle) another(t *testing.T) channel.Channel {
	t.Helper()
	c := b.ch
	c.ID, c.ExternalID = ident.New[ident.Channel](), "2"
	require.NoError(t, b.channels.Insert(t.Context(), c, b.credentials()))
	return c
}

func TestSlotsAreSortedFromMonday(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.another(t)
	empty, err := b.channels.Slots(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.Empty(t, empty)
	given := []slot.Slot{
		{Weekday: time.Sunday, Hour: 23, Minute: 59},
		{Weekday: time.Saturday, Hour: 9},
		{Weekday: time.Monday, Hour: 9, Minute: 30},
		{Weekday: time.Monday},
		{Weekday: time.Monday, Hour: 9, Minute: 30}, // given twice
	}
	require.NoError(t, b.channels.SetSlots(t.Context(), b.ch.ID, given))
	got, err := b.channels.Slots(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, []slot.Slot{
		{Weekday: time.Monday},
		{Weekday: time.Monday, Hour: 9, Minute: 30},
		{Weekday: time.Saturday, Hour: 9},
		{Weekday: time.Sunday, Hour: 23, Minute: 59},
	}, got)
	require.NoError(t, b.channels.SetSlots(t.Context(), other.ID, given[:1]))
	require.NoError(t, b.channels.SetSlots(t.Context(), b.ch.ID, given[1:2]))
	got, err = b.channels.Slots(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.Equal(t, given[1:2], got, "the new schedule takes the old one's place")
	require.NoError(t, b.channels.SetSlots(t.Context(), b.ch.ID, nil))
	got, err = b.channels.Slots(t.Context(), b.ch.ID)
	require.NoError(t, err)
	require.Empty(t, got)
	got, err = b.channels.Slots(t.Context(), other.ID)
	require.NoError(t, err)
	require.Equal(t, given[:1], got, "another channel's is untouched")
}

func TestSlotsOfUnknownChannel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Error(t, b.channels.SetSlots(t.Context(), ident.New[ident.Channel](), []slot.Slot{{Weekday: time.Monday}}))
}

func TestQueueIsPausedAndResumed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, paused := range []bool{true, true, false} {
		require.NoError(t, b.channels.Pause(t.Context(), b.ws.ID, b.ch.ID, paused))
		c, err := b.channels.Get(t.Context(), b.ws.ID, b.ch.ID)
		require.NoError(t, err)
		require.Equal(t, paused, c.IsQueuePaused)
	}
	other := b.tenant(t)
	require.True(t, apperr.Is(b.channels.Pause(t.Context(), other.ID, b.ch.ID, true), apperr.NotFound))
	require.True(t, apperr.Is(b.channels.Pause(t.Context(), b.ws.ID, ident.New[ident.Channel](), true),
		apperr.NotFound))
}

// TestQueueLocksDoNotBlockOtherChannels checks that the queue locks of one channel block neither other channels nor the refresh of
// its credentials.
func TestQueueLocksDoNotBlockOtherChannels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	commit := hold(t, b.db, func(ctx context.Context) error { return b.channels.LockQueue(ctx, b.ch.ID) })
	other := b.impatient(t, 100*time.Millisecond)
	channels := postgres.NewChannels(other, keyring(t))
	locks := func(lock func(context.Context, ident.Channel) error, id ident.Channel) error {
		return other.WithinTx(t.Context(), func(ctx context.Context) error { return lock(ctx, id) })
	}
	for _, err := range []error{
		locks(channels.LockQueue, b.ch.ID), locks(channels.EnterQueue, b.ch.ID), channels.SetSlots(t.Context(), b.ch.ID, nil),
	} {
		require.True(t, postgres.IsContention(err), "%v", err)
		require.ErrorContains(t, err, "UNAVAILABLE: Other requests hold the channel's queue")
	}
	require.NoError(t, locks(channels.LockQueue, b.another(t).ID))
	lease := postgres.RefreshLease{Channel: b.ch.ID, Owner: uuid.New()}
	_, acquired, err := channels.AcquireRefresh(t.Context(), lease, time.Minute)
	require.NoError(t, err)
	require.True(t, acquired)
	commit()
	require.NoError(t, locks(channels.LockQueue, b.ch.ID))
}

// TestTakenSlotIsAwaited checks that a slot taken by one transaction can only be waited for by another, until the
// first ends.
func TestTakenSlotIsAwaited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	at := b.now.Add(time.Hour)
	takes := func(db *postgres.DB, id ident.Channel, at time.Time) (taken bool) {
		channels := postgres.NewChannels(db, keyring(t))
		require.NoError(t, db.WithinTx(t.Context(), func(ctx context.Context) (err error) {
			require.NoError(t, channels.EnterQueue(ctx, id))
			taken, err = channels.TakeSlot(ctx, id, at)
			return err
		}))
		return taken
	}
	commit := hold(t, b.db, func(ctx context.Context) error {
		require.NoError(t, b.channels.EnterQueue(ctx, b.ch.ID))
		taken, err := b.channels.TakeSlot(ctx, b.ch.ID, at)
		require.True(t, taken)
		return err
	})
	other := b.impatient(t, 100*time.Millisecond)
	require.False(t, takes(other, b.ch.ID, at))
	require.True(t, takes(other, b.ch.ID, at.Add(time.Minute)))
	require.True(t, takes(other, b.another(t).ID, at))
	channels := postgres.NewChannels(other, keyring(t))
	await := func() error {
		return other.WithinTx(t.Context(), func(ctx context.Context) error { return channels.AwaitSlot(ctx, b.ch.ID, at) })
	}
	require.True(t, postgres.IsContention(await()))
	require.True(t, postgres.IsContention(channels.SetSlots(t.Context(), b.ch.ID, nil)),
		"the schedule stays while slots of it are taken")
	commit()
	require.NoError(t, await())
	require.True(t, takes(other, b.ch.ID, at))
}

func TestTimesHeld(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.another(t)
	from := b.now.Add(time.Hour)
	until := from.Add(10 * time.Hour)
	insert := func(id ident.Channel, at time.Time) post.Post {
		change, err := post.Create(post.NewPost{
			Policy:      approval.Optional,
			WorkspaceID: b.ws.ID, ChannelID: id, ChannelType: string(channel.Twitter), ContentType: post.ContentPost, ScheduleAt: at,
		}, b.now, post.ActorAPI)
		require.NoError(t, err)
		require.NoError(t, b.posts.Insert(t.Context(), []post.Change{change}))
		return change.Post
	}
	insert(b.ch.ID, from)
	want := []time.Time{insert(b.ch.ID, from.Add(time.Millisecond)).ScheduledAt, insert(b.ch.ID, until).ScheduledAt}
	insert(b.ch.ID, until.Add(time.Millisecond))
	insert(other.ID, from.Add(time.Hour))
	gone := insert(b.ch.ID, from.Add(2*time.Hour))
	change, err := gone.Unschedule(b.now, post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Apply(t.Context(), change))
	// Waits for an approver and holds no slot in the meantime.
	intended, err := change.Post.RequestApproval(b.now, post.ActorAPI)
	require.NoError(t, err)
	intended.Post.ScheduledAt = from.Add(3 * time.Hour)
	require.NoError(t, b.posts.Apply(t.Context(), intended))
	got, err := b.posts.TimesHeld(t.Context(), b.ch.ID, from, until)
	require.NoError(t, err)
	require.ElementsMatch(t, want, got)
}
