package polling_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/polling"
	"fencepost.internal/activities/receiving"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
)

// network is a network on which people write in public. The body of an event is "kind thread person text"; the time of its key is
// that of the event.
type network struct {
	every   platform.Polling
	result  platform.Polled
	failure error
	places  []platform.PollPlace
}

func (*network) Network() channel.Network { return channel.NetworkBluesky }

func (*network) Version() int { return 1 }

func (*network) Read(e inbox.Event) (inbox.Change, error) {
	part := strings.SplitN(string(e.Body), " ", 4)
	return inbox.Change{Message: &inbox.Written{
		Kind: inbox.Kind(part[0]), Post: "post-1", Thread: part[1], ExternalID: e.Key, Direction: inbox.In, Text: part[3],
		Person: inbox.Identity{ID: part[2], Name: part[2]}, SentAt: e.At, Permalink: "https://example.com/" + e.Key,
	}}, nil
}

func (*network) Types() []channel.Type { return []channel.Type{channel.Bluesky} }

func (*network) Identify(context.Context, platform.Account) (platform.Identity, error) {
	return platform.Identity{}, nil
}

func (*network) Term(platform.Account) platform.Term { return platform.Term{} }

func (*network) Refresh(_ context.Context, a platform.Account) (channel.Credentials, error) {
	return a.Credentials, nil
}

func (n *network) Polling(platform.Account) platform.Polling { return n.every }

func (n *network) Poll(_ context.Context, _ platform.Account, from platform.PollPlace) (platform.Polled, error) {
	n.places = append(n.places, from)
	return n.result, n.failure
}

type bundle struct {
	*polling.Polling

	net     *network
	reads   *receiving.Receiving
	polls   *postgres.InboxPolls
	channel ident.Channel
	address string
}

func setup(t *testing.T) *bundle {
	t.Helper()
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	box, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	db, address := postgrestest.OpenURL(t)
	events, err := postgres.NewInboundReceipts(db, clock.System())
	require.NoError(t, err)
	b := &bundle{
		net: &network{every: platform.Polling{Every: time.Hour}}, address: address, polls: postgres.NewInboxPolls(db, box, events),
		channel: ident.New[ident.Channel](),
	}
	channels := postgres.NewChannels(db, box)
	keeper, err := access.New(channels, clock.System())
	require.NoError(t, err)
	links, err := platform.NewRegistry(b.net)
	require.NoError(t, err)
	b.Polling, err = polling.New(polling.Config{
		Store: b.polls, Access: keeper, Connectors: links, Clock: clock.System(), Logger: slog.New(slog.DiscardHandler),
		Reg: prometheus.NewRegistry(), Scale: 1,
	})
	require.NoError(t, err)
	b.reads, err = receiving.New(receiving.Config{
		Store: postgres.NewInbound(db), Readers: map[channel.Network]platform.Reader{channel.NetworkBluesky: b.net},
		Clock: clock.System(), Logger: slog.New(slog.DiscardHandler), Metrics: receiving.NewMetrics(prometheus.NewRegistry()),
	})
	require.NoError(t, err)
	tenant := ident.New[ident.Workspace]()
	require.NoError(t, postgres.NewWorkspaces(db).Insert(t.Context(), workspace.Workspace{
		ID: tenant, Name: "Acme", Plan: workspace.Growth, Timezone: "UTC", CreatedAt: time.Now(),
	}))
	require.NoError(t, channels.Insert(t.Context(), channel.Channel{
		ID: b.channel, WorkspaceID: tenant, Type: channel.Bluesky, Name: "Acme", ExternalID: "did:plc:acme", IsConnected: true,
		TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: time.Now(),
	}, channel.Credentials{AccessToken: "a", Scope: "write"}))
	require.NoError(t, b.Add(t.Context()))
	return b
}

func event(key, body string, at time.Time) inbox.Event {
	return inbox.Event{Network: channel.NetworkBluesky, Account: "did:plc:acme", Key: key, Kind: "reply", At: at, Body: []byte(body)}
}

// step makes a step, and returns whether one was due.
func (b *bundle) step(t *testing.T) bool {
	t.Helper()
	stepped, err := b.Step(t.Context())
	require.NoError(t, err)
	return stepped
}

func (b *bundle) column(t *testing.T, query string) []string {
	t.Helper()
	return postgrestest.Column(t, b.address, query)
}

func (b *bundle) due(t *testing.T) {
	t.Helper()
	postgrestest.Exec(t, b.address, `UPDATE inbox_poll SET next_at = now(), paused_until = now()`)
}

// TestPagesAndRounds checks that pages follow at once, rounds after their interval, and what was read is stored once.
func TestPagesAndRounds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	now := time.Now()
	b.net.result = platform.Polled{Events: []inbox.Event{event("1", "COMMENTS t anna Hello", now)}, Cursor: "c1", More: true}
	require.True(t, b.step(t))
	require.Empty(t, b.net.places[0].Cursor)
	require.WithinDuration(t, now.Add(-postgres.FirstPoll), b.net.places[0].Since, time.Minute)
	b.net.result = platform.Polled{Events: []inbox.Event{
		event("1", "COMMENTS t anna Hello", now), event("2", "COMMENTS t anna Again", now),
	}, Cursor: "c2"}
	require.True(t, b.step(t), "the next page")
	require.Equal(t, "c1", b.net.places[1].Cursor)
	require.False(t, b.step(t), "the next round is in an hour")
	require.Equal(t, []string{"2"}, b.column(t, `SELECT count(*) FROM inbound_event`))
	_, err := b.reads.Round(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"COMMENTS post-1 t"}, b.column(t, `SELECT kind || ' ' || post || ' ' || thread FROM conversation`))
	require.Equal(t, []string{"https://example.com/1", "https://example.com/2"}, b.column(t, `SELECT permalink FROM message ORDER BY 1`))
	late, err := b.polls.Late(t.Context())
	require.NoError(t, err)
	require.Zero(t, late)
}

// TestFailuresPauseReading checks what failures lead to: none touches the channel.
func TestFailuresPauseReading(t *testing.T) {
	t.Parallel()
	b := setup(t)
	failing := func(class platform.Class, until time.Time) {
		b.net.failure = &platform.Failure{Class: class, Message: "No " + string(class), Until: until}
		b.due(t)
		require.True(t, b.step(t))
		require.False(t, b.step(t))
	}
	fault := func() string {
		known, err := b.polls.Public(t.Context(), b.channel)
		require.NoError(t, err)
		return known.Fault
	}
	failing(platform.ClassRateLimited, time.Now().Add(40*time.Minute))
	require.Empty(t, fault())
	require.Equal(t, []string{"true"}, b.column(t, `SELECT paused_until BETWEEN now() + interval '39 minutes' AND now() + interval '41 minutes' FROM inbox_poll`))
	failing(platform.ClassTransient, time.Time{})
	require.Empty(t, fault(), "it may pass")
	failing(platform.ClassTransient, time.Time{})
	require.Equal(t, "No transient", fault())
	failing(platform.ClassUser, time.Time{})
	require.Equal(t, "No user", fault())
	b.net.failure = errors.New("broken")
	b.due(t)
	require.True(t, b.step(t))
	require.Equal(t, []string{"HEALTHY"}, b.column(t, `SELECT token_status FROM channel`))

	b.net.failure, b.net.every.Scopes = nil, []string{"read:notifications"}
	called := len(b.net.places)
	b.due(t)
	require.True(t, b.step(t))
	require.Len(t, b.net.places, called, "the network is not called without the permission")
	require.Contains(t, fault(), "read:notifications")
	b.net.every = platform.Polling{}
	b.due(t)
	require.True(t, b.step(t))
	require.Len(t, b.net.places, called, "the operator has turned it off")
	require.NoError(t, b.polls.SetPublic(t.Context(), b.channel, false))
	b.due(t)
	require.False(t, b.step(t), "a member has turned it off")
}

// TestPostsArePolledByAge checks that young posts are polled often, old ones seldom, and one with new comments at once.
func TestPostsArePolledByAge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.net.every.PerPost = true
	for n, age := range []string{"10 minutes", "5 hours", "3 days", "20 days", "40 days"} {
		id := ident.New[ident.Post]().String()
		postgrestest.Exec(t, b.address, `INSERT INTO post (id, workspace_id, channel_id, content, content_type, status, published_at, created_at,
				updated_at, revision)
			SELECT $1, workspace_id, id, 'x', 'POST', 'PUBLISHED', now() - $2::interval, now(), now(), 1 FROM channel`, id, age)
		postgrestest.Exec(t, b.address, `INSERT INTO publish_attempt (post_id, n, revision, channel_id, state, owner, started_at, external_id)
			SELECT $1, 1, 1, id, 'CONFIRMED', gen_random_uuid(), now(), $2 FROM channel`, id, fmt.Sprintf("p%d", n))
	}
	for range 5 { // the account, and the four posts of a month
		require.True(t, b.step(t))
	}
	require.False(t, b.step(t))
	require.Len(t, b.net.places, 4)
	require.Equal(t, []string{"p0 60", "p1 60", "p2 120", "p3 1440"}, b.column(t,
		`SELECT post || ' ' || round(extract(epoch FROM next_at - now()) / 60) FROM inbox_poll WHERE post <> '' ORDER BY post`))
	postgrestest.Exec(t, b.address, `INSERT INTO post_insight (post_id, day, comments, collected_at)
		SELECT post_id, current_date, 3, now() FROM publish_attempt WHERE external_id = 'p3'`)
	postgrestest.Exec(t, b.address, `UPDATE inbox_poll SET next_at = now() WHERE post = ''`)
	require.True(t, b.step(t))
	require.True(t, b.step(t))
	require.False(t, b.step(t))
	require.Equal(t, "p3", b.net.places[4].Post)
}

// TestOrderDoesNotMatter applies what people write in random orders, with repetitions, and compares the tables.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	at := time.Now().Add(-time.Hour).Truncate(time.Second)
	var events []inbox.Event
	for n := range 12 {
		kind, thread := []inbox.Kind{inbox.Comments, inbox.Mentions, inbox.Comments}[n%3], []string{"a", "a", "b"}[n%3]
		person := []string{"anna", "bert", "carla", "dora"}[n*7%4]
		events = append(events, event(fmt.Sprintf("k%02d", n), fmt.Sprintf("%s %s %s Text %d", kind, thread, person, n), at.Add(time.Duration(n)*time.Second)))
	}
	const tables = `SELECT v.kind || v.thread || v.post || v.preview || v.last_at || v.last_in_at || coalesce(
			(SELECT i.name FROM person_identity i WHERE i.person_id = v.person_id), '') || string_agg(m.external_id || m.text || m.sent_at
			|| (SELECT i.name FROM person_identity i WHERE i.person_id = m.person_id), ',' ORDER BY m.external_id)
		FROM conversation v JOIN message m ON m.conversation_id = v.id GROUP BY v.id ORDER BY 1`
	var want []string
	const orders = 150
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same orders each time
	for n := range orders {
		list := slices.Concat(events, events[:random.IntN(len(events))])
		if n > 0 {
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		for len(list) > 0 {
			some := 1 + random.IntN(len(list))
			b.net.result, list = platform.Polled{Events: list[:some], Cursor: "c"}, list[some:]
			b.due(t)
			require.True(t, b.step(t))
			_, err := b.reads.Round(t.Context())
			require.NoError(t, err)
		}
		if got := b.column(t, tables); n == 0 {
			want = got
			require.Len(t, want, 3)
		} else {
			require.Equal(t, want, got, "order %d", n)
		}
		postgrestest.Exec(t, b.address, `DELETE FROM conversation`)
		postgrestest.Exec(t, b.address, `DELETE FROM person`)
		postgrestest.Exec(t, b.address, `DELETE FROM inbound_event`)
	}
}

// TestRun checks that the loops poll until they are stopped.
func TestRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.net.result = platform.Polled{Events: []inbox.Event{event("1", "MENTION t anna Hello", time.Now())}, Cursor: "c1"}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.Run(ctx)
	}()
	require.Eventually(t, func() bool {
		return slices.Equal([]string{"1"}, b.column(t, `SELECT count(*) FROM inbound_event`))
	}, time.Minute, 20*time.Millisecond)
	cancel()
	<-ended
	_, err := polling.New(polling.Config{})
	require.Error(t, err)
}
