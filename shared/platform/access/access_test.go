package access_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
	"fencepost.internal/shared/platform/platformtest"
)

// network is a scripted link whose refresh tokens are valid for a single use, as on networks that rotate them.
type network struct {
	// during, if set, runs in the middle of a refresh.
	during func(ctx context.Context) error

	mu        sync.Mutex
	spent     map[string]bool
	exchanges int
}

func (*network) Types() []channel.Type { return []channel.Type{channel.Twitter} }

func (*network) Term(platform.Account) platform.Term { return platform.Term{} }

func (*network) Identify(_ context.Context, a platform.Account) (platform.Identity, error) {
	return platform.Identity{ID: a.ExternalID}, nil
}

func (n *network) Refresh(ctx context.Context, a platform.Account) (channel.Credentials, error) {
	if n.during != nil {
		if err := n.during(ctx); err != nil {
			return channel.Credentials{}, err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.spent[a.Credentials.RefreshToken] {
		return channel.Credentials{}, failure(platform.ClassReconnect, "TOKEN_REVOKED")
	}
	if n.spent == nil {
		n.spent = make(map[string]bool)
	}
	n.spent[a.Credentials.RefreshToken] = true
	n.exchanges++
	return channel.Credentials{
		AccessToken: a.Credentials.AccessToken + "+", RefreshToken: a.Credentials.RefreshToken + "+",
		ExpiresAt: now.Add(2 * time.Hour),
	}, nil
}

func failure(class platform.Class, code string) *platform.Failure {
	return &platform.Failure{Class: class, Code: code, Message: "The network said no."}
}

var now = time.Date(2026, time.March, 1, 9, 0, 0, 0, time.UTC)

// process is one of several processes that share the database.
type process struct {
	*access.Keeper

	channels *postgres.Channels
}

type bundle struct {
	process

	address string
	box     *secretbox.Keyring
	net     *network
	ch      channel.Channel
}

func setup(t *testing.T, credentials channel.Credentials) *bundle {
	t.Helper()
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	box, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	db, address := postgrestest.OpenURL(t)
	b := &bundle{address: address, box: box, net: &network{}}
	b.process = b.on(t, db)
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Acme", Plan: workspace.Growth, Timezone: "UTC", CreatedAt: now,
	}
	require.NoError(t, postgres.NewWorkspaces(db).Insert(t.Context(), w))
	b.ch = channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: w.ID, Name: "Acme", Type: channel.Twitter, Username: "acme",
		ExternalID:  "1",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: now,
	}
	require.NoError(t, b.channels.Insert(t.Context(), b.ch, credentials))
	return b
}

func (b *bundle) on(t *testing.T, db *postgres.DB) process {
	t.Helper()
	p := process{channels: postgres.NewChannels(db, b.box)}
	var err error
	p.Keeper, err = access.New(p.channels, clocktest.New(now))
	require.NoError(t, err)
	return p
}

// another returns a second process with its own connection pool of the given size.
func (b *bundle) another(t *testing.T, connections int) process {
	t.Helper()
	db, err := postgres.Open(postgres.Config{
		URL: b.address, MaxConnections: connections, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return b.on(t, db)
}

// stored returns the channel's stored credentials and their revision.
func (b *bundle) stored(t *testing.T) (channel.Credentials, int) {
	t.Helper()
	credentials, revision, err := b.channels.Credentials(t.Context(), b.ch.ID)
	require.NoError(t, err)
	return credentials, revision
}

func (b *bundle) tokenStatus(t *testing.T) channel.TokenStatus {
	t.Helper()
	c, err := b.channels.Get(t.Context(), b.ch.WorkspaceID, b.ch.ID)
	require.NoError(t, err)
	return c.TokenStatus
}

var (
	fresh    = channel.Credentials{AccessToken: "a", RefreshToken: "r", ExpiresAt: now.Add(time.Hour)}
	expiring = channel.Credentials{AccessToken: "a", RefreshToken: "r", ExpiresAt: now.Add(time.Minute - time.Second)}
)

// calls scripts the results of the calls that need access. The last result is repeated.
type calls struct {
	responses []error
	tokens    []string // the access token of each call
}

func (c *calls) call(_ context.Context, a platform.Account) error {
	c.tokens = append(c.tokens, a.Credentials.AccessToken)
	return c.responses[min(len(c.tokens), len(c.responses))-1]
}

func TestExpiring(t *testing.T) {
	t.Parallel()
	for ends, want := range map[time.Time]bool{
		{}:                             false, // never
		now.Add(time.Hour):             false,
		now.Add(time.Minute):           false,
		now.Add(time.Minute - 1):       true,
		now:                            true,
		now.Add(-365 * 24 * time.Hour): true,
	} {
		require.Equal(t, want, access.Expiring(channel.Credentials{ExpiresAt: ends}, now), "%s", ends)
	}
}

func TestAccountOf(t *testing.T) {
	t.Parallel()
	c := channel.Channel{ID: ident.New[ident.Channel](), Type: channel.Threads, ExternalID: "17", Username: "acme"}
	require.Equal(t, platform.Account{
		ChannelID: c.ID, Type: channel.Threads, ExternalID: "17", Username: "acme", Credentials: fresh,
	}, access.AccountOf(c, fresh))
}

func TestDo(t *testing.T) {
	t.Parallel()
	refused := failure(platform.ClassRefresh, "TOKEN_EXPIRED")
	limited := failure(platform.ClassRateLimited, "RATE_LIMITED")
	ours := errors.New("a fault of ours")
	for name, c := range map[string]struct {
		credentials channel.Credentials
		responses   []error
		tokens      []string
		class       platform.Class // class of the error; empty: no error
		status      channel.TokenStatus
	}{
		"access that is good": {fresh, []error{nil}, []string{"a"}, "", channel.TokenHealthy},
		"access that never ends": {
			channel.Credentials{AccessToken: "a"}, []error{nil}, []string{"a"}, "", channel.TokenHealthy,
		},
		"expiring: exchanged first": {expiring, []error{nil}, []string{"a+"}, "", channel.TokenHealthy},
		"refused: exchanged, once more": {
			fresh, []error{refused, nil}, []string{"a", "a+"}, "", channel.TokenHealthy,
		},
		"refused, then another failure": {
			fresh, []error{refused, limited}, []string{"a", "a+"}, platform.ClassRateLimited, channel.TokenHealthy,
		},
		"refused twice": {
			fresh, []error{refused, refused}, []string{"a", "a+"}, platform.ClassReconnect, channel.TokenNeedsReconnect,
		},
		"exchanged first, refused all the same": {
			expiring, []error{refused}, []string{"a+"}, platform.ClassReconnect, channel.TokenNeedsReconnect,
		},
		"the network says that it is over": {
			fresh,
			[]error{failure(platform.ClassReconnect, "GONE")},
			[]string{"a"},
			platform.ClassReconnect,
			channel.TokenNeedsReconnect,
		},
		"a failure that is none of access": {
			fresh, []error{limited}, []string{"a"}, platform.ClassRateLimited, channel.TokenHealthy,
		},
		"exchanged first, then a failure that isn't": {
			expiring, []error{limited}, []string{"a+"}, platform.ClassRateLimited, channel.TokenHealthy,
		},
		"a fault of ours": {
			fresh, []error{ours}, []string{"a"}, platform.ClassUnknown, channel.TokenHealthy,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, c.credentials)
			script := &calls{responses: c.responses}
			err := b.Do(t.Context(), b.net, b.ch, script.call)
			if c.class == "" {
				require.NoError(t, err)
			} else {
				require.Equal(t, c.class, platformtest.Failure(t, err).Class)
			}
			require.Equal(t, c.tokens, script.tokens)
			require.Equal(t, c.status, b.tokenStatus(t))
			got, _ := b.stored(t)
			require.Equal(t, c.tokens[len(c.tokens)-1], got.AccessToken, "what was exchanged is kept")
		})
	}
}

func TestExpiredRefreshTokenMarksChannel(t *testing.T) {
	t.Parallel()
	for name, credentials := range map[string]channel.Credentials{"beforehand": expiring, "after a refusal": fresh} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, credentials)
			b.net.spent = map[string]bool{"r": true}
			script := &calls{responses: []error{failure(platform.ClassRefresh, "TOKEN_EXPIRED")}}
			err := b.Do(t.Context(), b.net, b.ch, script.call)
			require.Equal(t, "TOKEN_REVOKED", platformtest.Failure(t, err).Code)
			require.Equal(t, channel.TokenNeedsReconnect, b.tokenStatus(t))
			got, revision := b.stored(t)
			require.Equal(t, credentials, got)
			require.Zero(t, revision)
		})
	}
}

func TestTransientExchangeFailureMarksNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, expiring)
	b.net.during = func(context.Context) error { return failure(platform.ClassTransient, "UNAVAILABLE") }
	script := &calls{responses: []error{nil}}
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, b.Do(t.Context(), b.net, b.ch, script.call)).Class)
	require.Empty(t, script.tokens)
	require.Equal(t, channel.TokenHealthy, b.tokenStatus(t))
	b.net.during = nil
	require.NoError(t, b.Do(t.Context(), b.net, b.ch, script.call))
	require.Equal(t, []string{"a+"}, script.tokens)
}

// TestProcessesShareOneExchange checks that later callers use the credentials that the first one stored.
func TestProcessesShareOneExchange(t *testing.T) {
	t.Parallel()
	b := setup(t, expiring)
	processes := []process{b.process, b.another(t, 3)}
	b.net.during = func(context.Context) error {
		<-time.After(50 * time.Millisecond) // long enough for the other callers to request a refresh
		return nil
	}
	var group sync.WaitGroup
	var same atomic.Int32
	const callers = 16
	for i := range callers {
		group.Go(func() {
			got, revision, err := processes[i%2].Renew(t.Context(), b.net, b.ch, 0)
			if err == nil && revision == 1 && got.AccessToken == "a+" && got.RefreshToken == "r+" {
				same.Add(1)
			}
		})
	}
	group.Wait()
	require.EqualValues(t, callers, same.Load())
	require.Equal(t, 1, b.net.exchanges)
	got, revision := b.stored(t)
	require.Equal(t, "a+", got.AccessToken)
	require.Equal(t, 1, revision)
}

func TestCredentialsStoredByOthersAreUsed(t *testing.T) {
	t.Parallel()
	b := setup(t, expiring)
	given := channel.Credentials{AccessToken: "theirs", RefreshToken: "r2", ExpiresAt: now.Add(time.Hour)}
	require.NoError(t, b.channels.Replace(t.Context(), b.ch, given))
	got, revision, err := b.Renew(t.Context(), b.net, b.ch, 0)
	require.NoError(t, err)
	require.Equal(t, given, got)
	require.Equal(t, 1, revision)
	require.Zero(t, b.net.exchanges)
}

// TestReconnectDuringExchangeKeepsUserCredentials checks that the user's credentials are kept, and that the call continues with
// them.
func TestReconnectDuringExchangeKeepsUserCredentials(t *testing.T) {
	t.Parallel()
	b := setup(t, expiring)
	given := channel.Credentials{AccessToken: "theirs", RefreshToken: "r2", ExpiresAt: now.Add(time.Hour)}
	b.net.during = func(ctx context.Context) error { return b.channels.Replace(ctx, b.ch, given) }
	got, revision, err := b.Renew(t.Context(), b.net, b.ch, 0)
	require.NoError(t, err)
	require.Equal(t, given, got)
	require.Equal(t, 1, revision)
	kept, _ := b.stored(t)
	require.Equal(t, given, kept)
}

// TestRefusalOfOutdatedCredentialsMarksNothing checks that a refusal of outdated credentials does not mark the channel, because it does
// not apply to the credentials that a user has stored since.
func TestRefusalOfOutdatedCredentialsMarksNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, channel.Credentials{AccessToken: "old"})
	err := b.Do(t.Context(), b.net, b.ch, func(ctx context.Context, _ platform.Account) error {
		require.NoError(t, b.channels.Replace(ctx, b.ch, channel.Credentials{AccessToken: "new"}))
		return failure(platform.ClassReconnect, "TOKEN_REVOKED")
	})
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Equal(t, channel.TokenHealthy, b.tokenStatus(t))
}

// TestFreshCredentialsAreAlwaysStored checks that fresh credentials are stored even if the caller cancels or the
// database connection breaks, because the network has already invalidated the old ones.
func TestFreshCredentialsAreAlwaysStored(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(b *bundle, cancel func()){
		"the caller goes away": func(_ *bundle, cancel func()) { cancel() },
		"the connection breaks": func(b *bundle, _ func()) {
			postgrestest.Exec(t, b.address, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, expiring)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			b.net.during = func(context.Context) error {
				happens(b, cancel)
				return nil
			}
			got, revision, err := b.Renew(ctx, b.net, b.ch, 0)
			require.NoError(t, err)
			require.Equal(t, "a+", got.AccessToken)
			require.Equal(t, 1, revision)
			kept, current := b.stored(t)
			require.Equal(t, got, kept)
			require.Equal(t, revision, current)
		})
	}
}

// TestManyExchangesHoldNoConnections refreshes many channels at once, with fewer connections than channels. Each
// exchange waits until all of them call the network, so none may hold a connection.
func TestManyExchangesHoldNoConnections(t *testing.T) {
	t.Parallel()
	b := setup(t, expiring)
	p := b.another(t, 2)
	channels := []channel.Channel{b.ch}
	for _, id := range []string{"2", "3", "4", "5", "6"} {
		c := b.ch
		c.ID, c.ExternalID = ident.New[ident.Channel](), id
		require.NoError(t, b.channels.Insert(t.Context(), c, channel.Credentials{AccessToken: "a", RefreshToken: "r" + id}))
		channels = append(channels, c)
	}
	var calling sync.WaitGroup
	calling.Add(len(channels))
	b.net.during = func(context.Context) error {
		calling.Done()
		calling.Wait()
		return nil
	}
	errs := make(chan error, len(channels))
	for _, c := range channels {
		go func() {
			_, _, err := p.Renew(t.Context(), b.net, c, 0)
			errs <- err
		}()
	}
	for range channels {
		require.NoError(t, <-errs)
	}
	require.Equal(t, len(channels), b.net.exchanges)
	for _, c := range channels {
		_, revision, err := b.channels.Credentials(t.Context(), c.ID)
		require.NoError(t, err)
		require.Equal(t, 1, revision)
	}
}

func TestUnknownChannel(t *testing.T) {
	t.Parallel()
	b := setup(t, fresh)
	gone := b.ch
	gone.ID = ident.New[ident.Channel]()
	script := &calls{responses: []error{nil}}
	require.True(t, apperr.Is(b.Do(t.Context(), b.net, gone, script.call), apperr.NotFound))
	_, _, err := b.Renew(t.Context(), b.net, gone, 0)
	require.True(t, apperr.Is(err, apperr.NotFound))
	require.Empty(t, script.tokens)
}

func TestNewRequiresEveryDependency(t *testing.T) {
	t.Parallel()
	b := setup(t, fresh)
	for _, attempt := range []func() (*access.Keeper, error){
		func() (*access.Keeper, error) { return access.New(nil, clock.System()) },
		func() (*access.Keeper, error) { return access.New(b.channels, nil) },
	} {
		_, err := attempt()
		require.Error(t, err)
	}
}
