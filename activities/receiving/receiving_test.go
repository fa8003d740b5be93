package receiving_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

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

// network is a network whose events are texts, and which reports, or is called for them.
type network struct {
	present  platform.Subscription
	failure  error
	secrets  []string
	events   []inbox.Event // of the next call
	cursors  []int64
	released chan struct{}
}

func (*network) Network() channel.Network { return channel.NetworkTelegram }

func (*network) Version() int { return 3 }

func (*network) Split(string, []byte, time.Time) ([]inbox.Event, error) { return nil, nil }

func (*network) Read(e inbox.Event) (inbox.Change, error) {
	switch e.Kind {
	case "unreadable":
		return inbox.Change{}, errors.New("no such form")
	case "poison": // that the database refuses
		return inbox.Change{Deleted: &inbox.Deletion{}}, nil
	}
	return inbox.Change{Message: &inbox.Written{
		Thread: "21", ExternalID: e.Key, Direction: inbox.In, Text: string(e.Body), Person: inbox.Identity{ID: "21"}, SentAt: e.At,
	}}, nil
}

func (*network) Types() []channel.Type { return []channel.Type{channel.TelegramBusiness} }

func (*network) Identify(context.Context, platform.Account) (platform.Identity, error) {
	return platform.Identity{}, nil
}

func (*network) Term(platform.Account) platform.Term { return platform.Term{} }

func (*network) Refresh(_ context.Context, a platform.Account) (channel.Credentials, error) {
	return a.Credentials, nil
}

func (*network) SourceOf(a platform.Account) string { return a.ExternalID }

func (n *network) Subscription(context.Context, platform.Account) (platform.Subscription, error) {
	return n.present, n.failure
}

func (n *network) Subscribe(_ context.Context, _ platform.Account, address, secret string) error {
	n.present.Address, n.secrets = address, append(n.secrets, secret)
	return nil
}

func (n *network) Pull(ctx context.Context, _ platform.Account, cursor int64, _ time.Duration) ([]inbox.Event, int64, error) {
	n.cursors = append(n.cursors, cursor)
	if n.failure != nil {
		return nil, cursor, n.failure
	}
	events := n.events
	if n.events = nil; len(events) == 0 {
		n.released <- struct{}{}
		<-ctx.Done()
		return nil, cursor, ctx.Err()
	}
	return events, cursor + int64(len(events)), nil
}

type bundle struct {
	net     *network
	events  *postgres.InboundReceipts
	address string
	sources func(url string) *receiving.Sources
	*receiving.Receiving
}

func setup(t *testing.T) *bundle {
	t.Helper()
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	box, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	b := &bundle{net: &network{released: make(chan struct{}, 10)}}
	db, address := postgrestest.OpenURL(t)
	b.address = address
	b.events, err = postgres.NewInboundReceipts(db, clock.System())
	require.NoError(t, err)
	channels := postgres.NewChannels(db, box)
	keeper, err := access.New(channels, clock.System())
	require.NoError(t, err)
	links, err := platform.NewRegistry(b.net)
	require.NoError(t, err)
	logger := slog.New(slog.DiscardHandler)
	b.Receiving, err = receiving.New(receiving.Config{
		Store: postgres.NewInbound(db), Readers: map[channel.Network]platform.Reader{channel.NetworkTelegram: b.net},
		Clock: clock.System(), Logger: logger, Metrics: receiving.NewMetrics(prometheus.NewRegistry()),
	})
	require.NoError(t, err)
	b.sources = func(url string) *receiving.Sources {
		s, err := receiving.NewSources(receiving.SourcesConfig{
			Store: postgres.NewInboundSources(db, box), Events: b.events, Access: keeper, Connectors: links, URL: url, Clock: clock.System(),
			Logger: logger,
		})
		require.NoError(t, err)
		return s
	}
	tenant := ident.New[ident.Workspace]()
	require.NoError(t, postgres.NewWorkspaces(db).Insert(t.Context(), workspace.Workspace{
		ID: tenant, Name: "Acme", Plan: workspace.Growth, Timezone: "UTC", CreatedAt: time.Now(),
	}))
	require.NoError(t, channels.Insert(t.Context(), channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: tenant, Type: channel.TelegramBusiness, Name: "Acme", ExternalID: "9",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: time.Now(),
	}, channel.Credentials{AccessToken: "a"}))
	return b
}

func event(kind, key string) inbox.Event {
	return inbox.Event{
		Network: channel.NetworkTelegram, Account: "9", Key: key, Kind: kind, At: time.Now(), Body: []byte(key),
	}
}

func (b *bundle) store(t *testing.T, events ...inbox.Event) {
	t.Helper()
	_, err := b.events.Store(t.Context(), events)
	require.NoError(t, err)
}

func (b *bundle) texts(t *testing.T) []string {
	t.Helper()
	return postgrestest.Column(t, b.address, `SELECT text FROM message ORDER BY text`)
}

// TestOneEventHoldsUpNoOther checks that the others of a batch are applied if the database refuses one, and that it is tried
// again and then left to an operator.
func TestOneEventHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store(t, event("message", "one"), event("poison", "two"), event("unreadable", "three"), event("message", "four"))
	for range 5 {
		_, err := b.Round(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"four", "one"}, b.texts(t))
		postgrestest.Exec(t, b.address, `UPDATE inbound_event SET next_at = now() WHERE state = 'NEW'`)
	}
	require.Equal(t, []string{"four DONE", "one DONE", "three FAILED", "two FAILED"}, postgrestest.Column(t, b.address,
		`SELECT key || ' ' || state FROM inbound_event ORDER BY key`))
	require.Equal(t, []string{"3", "3"}, postgrestest.Column(t, b.address, `SELECT reader FROM inbound_event WHERE state = 'FAILED'`))
	taken, err := b.Round(t.Context())
	require.NoError(t, err)
	require.Zero(t, taken)
}

// TestRunReadsEvents checks that events are read while the program runs, also those that an older version could not read.
func TestRunReadsEvents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store(t, event("message", "old"))
	postgrestest.Exec(t, b.address, `UPDATE inbound_event SET state = 'FAILED', reader = 2`)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.Run(ctx)
	}()
	b.store(t, event("message", "new"))
	require.Eventually(t, func() bool { return len(b.texts(t)) == 2 }, time.Minute, 20*time.Millisecond)
	cancel()
	<-ended
}

// TestNetworksKeepReporting checks that a network gets the address with a new secret, once, and again after another program
// has changed it.
func TestNetworksKeepReporting(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.sources("https://inbound.example.com")
	for range 3 {
		require.NoError(t, s.Round(t.Context()))
	}
	require.Len(t, b.net.secrets, 1)
	id := postgrestest.Column(t, b.address, `SELECT id FROM inbound_source`)
	require.Equal(t, "https://inbound.example.com/telegram/"+id[0], b.net.present.Address)
	recheck := func() {
		postgrestest.Exec(t, b.address, `UPDATE inbound_source SET checked_at = NULL`)
		require.NoError(t, s.Round(t.Context()))
	}
	recheck()
	require.Len(t, b.net.secrets, 1, "it reports here")
	b.net.present.Address = "https://elsewhere.example.com"
	recheck()
	require.Len(t, b.net.secrets, 2)
	require.NotEqual(t, b.net.secrets[0], b.net.secrets[1])
	require.Equal(t, []string{"true"}, postgrestest.Column(t, b.address,
		`SELECT secret_hash <> previous_hash FROM inbound_source`), "both are valid for a time")

	b.net.failure = &platform.Failure{Class: platform.ClassTransient, Message: "The network is down."}
	recheck()
	require.Equal(t, []string{"The network is down."}, postgrestest.Column(t, b.address, `SELECT fault FROM inbound_source`))
	b.net.failure, b.net.present.Fault = nil, "404 Not Found"
	recheck()
	require.Equal(t, []string{"404 Not Found"}, postgrestest.Column(t, b.address, `SELECT fault FROM inbound_source`))
}

// TestNetworksAreCalledWithoutAddress checks that the events of a network are stored with the cursor after them, by one process at a
// time.
func TestNetworksAreCalledWithoutAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.net.events = []inbox.Event{event("message", "one"), event("message", "two")}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.sources("").Run(ctx)
	}()
	<-b.net.released // it has stored the first ones, and waits for more
	require.Equal(t, []string{"2"}, postgrestest.Column(t, b.address, `SELECT cursor FROM inbound_source`))
	require.Equal(t, []string{"2"}, postgrestest.Column(t, b.address, `SELECT count(*) FROM inbound_event`))
	require.NoError(t, b.sources("").Round(t.Context()), "another process finds the lease")
	cancel()
	<-ended
	require.Equal(t, []int64{0, 2}, b.net.cursors)
}
