package app_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/connectors"
)

// start is the initial time of the fake clock. It is before the database's own time, so that work that is due by the
// test's clock is also due by the database's clock.
var start = time.Date(2024, time.March, 1, 8, 30, 0, 0, time.UTC) // a Friday

// bundle holds the use cases with their own database and a fake clock.
type bundle struct {
	*app.App

	db             *postgres.DB
	rows           *postgrestest.Reader // reads the database without the stores
	clock          *clocktest.Fake
	keyring        *secretbox.Keyring
	workspaceStore *postgres.Workspaces
	channelStore   *postgres.Channels
	postStore      *postgres.Posts
	attempts       *postgres.Attempts
	insights       *postgres.Insights
	address        string       // of the database
	poked          atomic.Int32 // number of pokes of the relay
	atWake         func()       // called on each poke, if set
}

func setup(t *testing.T) *bundle {
	t.Helper()
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	keyring, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	db, address := postgrestest.OpenURL(t)
	b := &bundle{
		db: db, address: address, rows: postgrestest.NewReader(t, address), clock: clocktest.New(start), keyring: keyring,
		workspaceStore: postgres.NewWorkspaces(db),
		channelStore:   postgres.NewChannels(db, keyring), postStore: postgres.NewPosts(db),
		attempts: postgres.NewAttempts(db, keyring),
		insights: postgres.NewInsights(db),
	}
	b.App = b.useCases(t, egress.PolicyConfig{Deny: []netip.Prefix{}})
	return b
}

// useCases returns the use cases with rules of outgoing requests.
func (b *bundle) useCases(t testing.TB, rules egress.PolicyConfig) *app.App {
	t.Helper()
	registry, err := connectors.New(connectors.Environment{SandboxURL: "http://127.0.0.1:1"}, b.clock, 0)
	require.NoError(t, err)
	policy, err := egress.NewPolicy(rules)
	require.NoError(t, err)
	created, err := app.New(app.Deps{
		DB: b.db, Keyring: b.keyring, Connectors: registry, Rules: connectors.Rules(), Files: objectstoretest.Absent(t),
		Egress: policy, Clock: b.clock,
		Logger: slog.New(slog.DiscardHandler), Wake: b.wake, ShortURL: "https://go.example.com",
	})
	require.NoError(t, err)
	return created
}

func (b *bundle) wake(relay.Wake) {
	b.poked.Add(1)
	if b.atWake != nil {
		b.atWake()
	}
}

// tenant creates a workspace and a client with all scopes.
func (b *bundle) tenant(ctx context.Context, t require.TestingT) app.Principal {
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Acme", Plan: workspace.Growth, Timezone: "UTC", CreatedAt: start,
	}
	require.NoError(t, b.workspaceStore.Insert(ctx, w))
	return app.Principal{
		WorkspaceID: w.ID, Plan: w.Plan,
		Key: credential.Key{WorkspaceID: w.ID, Display: "svc_live_test", Scopes: credential.Scopes()},
	}
}

// channel creates a channel with slots in the client's workspace.
func (b *bundle) channel(
	ctx context.Context, t require.TestingT, p app.Principal, zone string, slots ...slot.Slot,
) channel.Channel {
	c := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: p.WorkspaceID, Name: "News", Type: channel.Twitter, Username: "news",
		ExternalID: ident.New[ident.Event]().String(), IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: zone,
		CreatedAt: start,
	}
	require.NoError(t, b.channelStore.Insert(ctx, c, channel.Credentials{AccessToken: "token"}))
	require.NoError(t, b.channelStore.SetSlots(ctx, c.ID, slots))
	return c
}
