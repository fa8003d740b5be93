package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestEventsOfPostAreNumberedInOrder moves a post from several programs at once while several relays number its events.
// Each move says its revision, which the numbers must follow.
func TestEventsOfPostAreNumberedInOrder(t *testing.T) {
	t.Parallel()
	const programs, moves, relays = 4, 25, 4
	b := setup(t)
	p := b.draft(t, post.Options{})
	var moving, numbering sync.WaitGroup
	ended := make(chan struct{})
	for range programs {
		moving.Go(func() {
			for range moves {
				for {
					found, err := b.posts.Get(t.Context(), b.ws.ID, p.ID)
					require.NoError(t, err)
					change, err := found.Schedule(b.now.Add(time.Duration(found.Revision)*time.Hour), b.now, post.ActorAPI)
					require.NoError(t, err)
					if err = b.posts.Apply(t.Context(), change); !errors.Is(err, postgres.ErrStale) {
						require.NoError(t, err)
						break
					}
				}
			}
		})
	}
	for range relays {
		numbering.Go(func() {
			for {
				n, _, err := b.events.FanOut(t.Context(), 3)
				require.NoError(t, err)
				select {
				case <-ended:
					if n == 0 {
						return
					}
				default:
				}
			}
		})
	}
	moving.Wait()
	close(ended)
	numbering.Wait()
	times := postgrestest.Column(t, b.address,
		`SELECT convert_from(body, 'UTF8')::jsonb #>> '{data,scheduledAt}' FROM event WHERE type = 'post.scheduled' ORDER BY seq`)
	require.Len(t, times, programs*moves)
	for i, at := range times {
		require.Equal(t, event.FormatTime(b.now.Add(time.Duration(p.Revision+i)*time.Hour)), at)
	}
}

// TestLaterEventOfPostWaitsForEarlierOne stops a relay that has found the first event of a post. A second relay, which
// finds the next one too, must not number it first.
func TestLaterEventOfPostWaitsForEarlierOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.happens(t, b.ws.ID, event.PostCreated)
	release := postgrestest.Hold(t, b.address, `SELECT FROM event_sequence FOR UPDATE`)
	number := func() error {
		_, _, err := b.events.FanOut(t.Context(), 10)
		return err
	}
	first := b.blocked(t, number)
	b.happens(t, b.ws.ID, event.PostDeleted)
	second := make(chan error, 1)
	go func() { second <- number() }()
	release()
	require.NoError(t, <-first)
	require.NoError(t, <-second)
	require.NoError(t, number())
	require.Equal(t, []string{"1 post.created", "2 post.deleted"},
		postgrestest.Column(t, b.address, `SELECT seq || ' ' || type FROM event ORDER BY seq`))
}

// TestLockedEventIsNotPassed locks the first of two events. Unlike sweeps, the relay waits: it must not number the other
// one first.
func TestLockedEventIsNotPassed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.happens(t, b.ws.ID, event.PostCreated)
	b.happens(t, b.ws.ID, event.PostDeleted)
	release := postgrestest.Hold(t, b.address, `SELECT FROM event WHERE ctid = (SELECT min(ctid) FROM event) FOR UPDATE`)
	numbered := b.blocked(t, func() error {
		handled, _, err := b.events.FanOut(t.Context(), 10)
		if err == nil && handled != 2 {
			err = fmt.Errorf("%d events were numbered, not 2", handled)
		}
		return err
	})
	release()
	require.NoError(t, <-numbered)
	require.Equal(t, []string{"1 post.created", "2 post.deleted"},
		postgrestest.Column(t, b.address, `SELECT seq || ' ' || type FROM event ORDER BY seq`))
}

// TestOrderOfEventsIgnoresClocks writes the later event with the ID of a program whose clock is behind.
func TestOrderOfEventsIgnoresClocks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	behind, err := event.New(b.ws.ID, event.PostDeleted, b.now, event.PostData{})
	require.NoError(t, err)
	b.happens(t, b.ws.ID, event.PostCreated)
	require.NoError(t, b.events.Insert(t.Context(), behind, ident.Webhook{}))
	b.fanOut(t)
	require.Equal(t, []string{"post.created", "post.deleted"},
		postgrestest.Column(t, b.address, `SELECT type FROM event ORDER BY seq`))
}

// TestNumberIsInEnvelope compares the envelopes that the statement numbers with those that the domain numbers, and reads
// an event from before envelopes had their number.
func TestNumberIsInEnvelope(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bodies := func() []string {
		return postgrestest.Column(t, b.address, `SELECT convert_from(body, 'UTF8') FROM event ORDER BY ordinal`)
	}
	b.happens(t, b.ws.ID, event.PostCreated)
	change, err := post.Create(post.NewPost{
		WorkspaceID: b.ws.ID, ChannelID: b.ch.ID, Content: "Zoë", ContentType: post.ContentPost,
	}, b.now, post.ActorAPI)
	require.NoError(t, err)
	require.NoError(t, b.posts.Insert(t.Context(), []post.Change{change}))
	before := bodies()
	b.fanOut(t)
	for i, body := range bodies() {
		require.Equal(t, string(event.Numbered([]byte(before[i]), int64(i+1))), body)
	}
	postgrestest.Exec(t, b.address, `UPDATE event SET body = convert_to($1, 'UTF8') WHERE seq = 1`, before[0])
	b.fanOut(t)
	require.Equal(t, before[0], bodies()[0], "what was sent stays as it is")
}

// TestEventOfEditedPostIsNotOlder decides on a move, edits the post, then applies the move: its event would have the
// members from before the edit.
func TestEventOfEditedPostIsNotOlder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	found := b.get(t, b.draft(t, post.Options{}).ID)
	moved, err := found.Schedule(b.now.Add(time.Hour), b.now, post.ActorAPI)
	require.NoError(t, err)
	apply(t, b, edit(t, found, post.Edit{Content: new("Other")}, b.now), nil)
	require.ErrorIs(t, b.posts.Apply(t.Context(), moved), postgres.ErrStale)
}

func TestWebhookOfChannelsGetsTheirEvents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.another(t)
	hooks := postgres.NewWebhooks(b.db, keyring(t))
	all, one, both := b.endpoint(t, b.ws.ID, "*"), b.endpoint(t, b.ws.ID, "*"), b.endpoint(t, b.ws.ID, string(event.PostCreated))
	limit := func(e webhook.Endpoint, ids ...ident.Channel) {
		changed, err := hooks.Update(t.Context(), b.ws.ID, e.ID, webhook.Change{ChannelIDs: &ids})
		require.NoError(t, err)
		require.ElementsMatch(t, ids, changed.ChannelIDs)
	}
	limit(one, other.ID)
	limit(both, other.ID, b.ch.ID)
	for _, c := range []channel.Channel{other, {ID: b.ch.ID, WorkspaceID: b.ws.ID, Type: b.ch.Type}} {
		for _, typ := range []event.Type{event.PostCreated, event.ChannelConnected} {
			e, err := c.Event(typ, b.now)
			require.NoError(t, err)
			require.NoError(t, b.events.Insert(t.Context(), e, ident.Webhook{}))
		}
	}
	b.happens(t, b.ws.ID, event.LeadCreated) // its data has the zero ID of a channel
	media, err := event.New(b.ws.ID, event.MediaReady, b.now, event.MediaData{})
	require.NoError(t, err)
	require.NoError(t, b.events.Insert(t.Context(), media, ident.Webhook{}))
	b.fanOut(t)
	for id, want := range map[ident.Webhook]int{all.ID: 6, one.ID: 2, both.ID: 2} {
		require.Len(t, b.states(t, id), want)
	}
	// A replay follows the present channels, and null means every event again.
	limit(one, b.ch.ID)
	require.Equal(t, 2, b.replay(t, one.ID, b.now.Add(-time.Hour), b.now.Add(time.Hour), true))
	limit(one)
	require.Equal(t, 2, b.replay(t, one.ID, b.now.Add(-time.Hour), b.now.Add(time.Hour), true), "a lead and a file")
}

func TestLossOfAccessHasEvents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	channels := postgres.NewChannels(b.db, keyring(t))
	c := b.channelOf(t, b.ws)
	types := func() []string {
		return postgrestest.Column(t, b.address, `SELECT type FROM event ORDER BY ordinal`)
	}
	_, revision, err := channels.Credentials(t.Context(), c.ID)
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, channels.NeedsReconnect(t.Context(), c.ID, revision))
	}
	require.Equal(t, []string{"channel.access_lost"}, types(), "once")
	require.NoError(t, b.db.WithinTx(t.Context(), func(ctx context.Context) error {
		if err := channels.Replace(ctx, c, b.credentials()); err != nil {
			return err
		}
		return channels.Announce(ctx, c.ID, channel.TokenNeedsReconnect)
	}))
	require.Equal(t, []string{"channel.access_lost", "channel.access_restored"}, types())
	renewals := postgres.NewRenewals(b.db, keyring(t))
	for range 2 {
		_, err = renewals.Assess(t.Context(), b.now, b.now, 10,
			func(channel.Channel, channel.Credentials) postgres.Assessment {
				return postgres.Assessment{Status: channel.TokenExpiring, Note: channel.Note{Kind: channel.NoteExpiring}}
			}, func(channel.Channel, error) {})
		require.NoError(t, err)
	}
	require.Contains(t, fmt.Sprint(types()), "channel.access_restored channel.expiring")
	_, err = channels.SetConnected(t.Context(), b.ws.ID, c.ID, false)
	require.NoError(t, err)
	before := types()
	_, revision, err = channels.Credentials(t.Context(), c.ID)
	require.NoError(t, err)
	require.NoError(t, channels.NeedsReconnect(t.Context(), c.ID, revision))
	require.Equal(t, before, types(), "the channel is disconnected")
}
