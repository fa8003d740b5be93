package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/services/internal/framing"
	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/infra/ratelimit/ratelimittest"
	"fencepost.internal/shared/infra/secretbox"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/proctest"
	"fencepost.internal/shared/platform/connectors"
)

const (
	baseURL  = "https://api.test.example"
	pagesURL = "https://pages.test.example"
	appURL   = "https://app.test.example"
	toolsURL = "https://mcp.test.example/mcp"
)

// bundle is a server on a real listener, with its own database and two tenants.
type bundle struct {
	db       *postgres.DB
	database string // its address
	keyring  *secretbox.Keyring
	clock    clock.Clock
	server   *httpapi.Server
	registry *prometheus.Registry
	logs     *logLines
	client   *http.Client
	address  string             // host:port
	files    *objectstore.Store // of the media; tests that use them set it before build
	sandbox  string             // address of the networks; by default no server listens there
	real     bool               // the store is available
	poked    func()             // called when the relay is poked; may be nil
	ours     tenant
	theirs   tenant
}

func setup(t testing.TB, options ...func(*httpapi.Config)) *bundle {
	t.Helper()
	b := unserved(t, options...)
	b.serve(t)
	return b
}

// unserved returns a bundle whose server accepts additional routes.
func unserved(t testing.TB, options ...func(*httpapi.Config)) *bundle {
	t.Helper()
	b := world(t)
	b.build(t, options...)
	return b
}

// world returns a bundle without a server. The server is built from its possibly modified fields.
func world(t testing.TB) *bundle {
	t.Helper()
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	keyring, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	b := &bundle{keyring: keyring, clock: clock.System(), sandbox: "http://127.0.0.1:1"}
	b.db, b.database = postgrestest.OpenURL(t)
	b.ours, b.theirs = b.tenant(t), b.tenant(t)
	return b
}

// build creates the server, which still accepts additional routes.
func (b *bundle) build(t testing.TB, options ...func(*httpapi.Config)) {
	t.Helper()
	b.registry, b.logs = prometheus.NewRegistry(), &logLines{}
	b.client = &http.Client{
		Transport:     &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	cfg := b.config(t)
	for _, option := range options {
		option(&cfg)
	}
	var err error
	b.server, err = httpapi.New(cfg)
	require.NoError(t, err)
}

func (b *bundle) config(t testing.TB) httpapi.Config {
	t.Helper()
	return httpapi.Config{
		App: b.useCases(t), Authorizations: b.authorizations(t), AppURL: appURL, BaseURL: baseURL, PagesURL: pagesURL,
		CursorKey: bytes.Repeat([]byte{9}, 32), Clock: b.clock,
		Logger: slog.New(slog.NewJSONHandler(b.logs, nil)), Registry: b.registry, Limiter: b.limiter(t),
		RequestsPerMinute: 1_000_000,
		RequestTimeout:    time.Minute, // the tests of the time limit set a short one; a busy machine may exceed the default
		// Tests use different addresses, so that their rate limits are independent.
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
	}
}

// authorizations returns the authorization server. It cannot read documents of published clients.
func (b *bundle) authorizations(t testing.TB) *authserver.Server {
	t.Helper()
	policy, err := egress.NewPolicy(egress.PolicyConfig{})
	require.NoError(t, err)
	fetch, err := egress.NewClient(egress.Config{
		Policy: policy, Profile: egress.Webhook, UserAgent: "test/1", Timeout: time.Second, MaxBody: oauth.MaxMetadata,
	})
	require.NoError(t, err)
	server, err := authserver.New(authserver.Config{
		DB: b.db, Keyring: b.keyring, Issuer: baseURL, Resources: []string{baseURL, toolsURL}, Fetch: fetch, Clock: b.clock,
		Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return server
}

func (b *bundle) limiter(t testing.TB) *ratelimit.Limiter {
	t.Helper()
	limiter, err := ratelimit.New(ratelimit.Config{
		Store: ratelimittest.Patient{Store: postgres.NewRateLimits(b.db)}, Logger: slog.New(slog.DiscardHandler),
		Clock: clocktest.New(time.Now()), // leased tokens do not expire, however busy the machine is
	})
	require.NoError(t, err)
	return limiter
}

func (b *bundle) useCases(t testing.TB) *app.App {
	t.Helper()
	registry, err := connectors.New(connectors.Environment{SandboxURL: b.sandbox}, b.clock, 0)
	require.NoError(t, err)
	policy, err := egress.NewPolicy(egress.PolicyConfig{Deny: []netip.Prefix{}, OwnURLs: []string{baseURL}})
	require.NoError(t, err)
	if b.files == nil {
		b.files = objectstoretest.Absent(t)
	}
	useCases, err := app.New(app.Deps{
		DB: b.db, Keyring: b.keyring, Connectors: registry, Rules: connectors.Rules(), Files: b.files, Egress: policy,
		Clock:  b.clock,
		Logger: slog.New(slog.DiscardHandler), Audience: baseURL, Wake: func(relay.Wake) {
			if b.poked != nil {
				b.poked()
			}
		},
	})
	require.NoError(t, err)
	return useCases
}

func (b *bundle) serve(t testing.TB) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b.address = listener.Addr().String()
	guard, err := framing.New(framing.Config{
		BaseURL: baseURL, ServerResponds: true, Clock: b.clock, Registerer: b.registry,
	})
	require.NoError(t, err)
	guarded := guard.Listener(listener)
	ended := make(chan error, 1)
	go func() { ended <- b.server.Listener(guarded) }()
	t.Cleanup(func() {
		b.client.CloseIdleConnections()
		require.NoError(t, b.server.Shutdown(context.WithoutCancel(t.Context())))
		require.NoError(t, <-ended)
	})
}

// logLines is the server's log.
type logLines struct{ proctest.Log }

// with returns the lines with an attribute of the value.
func (l *logLines) with(t testing.TB, key string, value any) []map[string]any {
	t.Helper()
	var out []map[string]any
	for line := range strings.Lines(l.String()) {
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &fields))
		if fields[key] == value {
			out = append(out, fields)
		}
	}
	return out
}
