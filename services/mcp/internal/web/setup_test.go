package web_test

import (
	"bytes"
	"encoding/base64"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/services/internal/cursor"
	"fencepost.internal/services/internal/gate"
	"fencepost.internal/services/internal/relay"
	"fencepost.internal/services/mcp/internal/web"
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
	"fencepost.internal/shared/kernel/proctest"
	"fencepost.internal/shared/platform/connectors"
)

const (
	baseURL  = "https://api.test.example"
	pagesURL = "https://pages.test.example"
	toolsURL = "https://mcp.test.example/mcp"
	agentURL = "https://agent.test.example" // an origin whose pages may call the tools
)

// bundle is a tool server on a real listener, with its own database and two tenants.
type bundle struct {
	db       *postgres.DB
	database string // its address
	keyring  *secretbox.Keyring
	files    *objectstore.Store
	app      *app.App
	logs     *proctest.Log
	registry *prometheus.Registry
	client   *http.Client
	endpoint string
	wake     func(relay.Wake)                // called after a commit
	outputs  map[string]*jsonschema.Resolved // output schemas of the tools
	ours     tenant
	theirs   tenant
}

func setup(t testing.TB, options ...func(*web.Config)) *bundle {
	t.Helper()
	return withStore(t, objectstoretest.Absent(t), options...)
}

func withStore(t testing.TB, files *objectstore.Store, options ...func(*web.Config)) *bundle {
	t.Helper()
	b := &bundle{files: files, client: &http.Client{Transport: &http.Transport{}}, wake: func(relay.Wake) {}}
	keys, err := secretbox.ParseKeys(encryptionKey())
	require.NoError(t, err)
	b.keyring, err = secretbox.NewKeyring(keys)
	require.NoError(t, err)
	b.db, b.database = postgrestest.OpenURL(t)
	b.ours, b.theirs = b.tenant(t), b.tenant(t)
	b.serve(t, options...)
	return b
}

func encryptionKey() string {
	return "test:" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
}

// twin returns another process on the same database, with its own caches and limiter.
func (b *bundle) twin(t testing.TB, options ...func(*web.Config)) *bundle {
	t.Helper()
	other := *b
	other.serve(t, options...)
	return &other
}

func (b *bundle) serve(t testing.TB, options ...func(*web.Config)) {
	t.Helper()
	cfg := b.config(t)
	for _, option := range options {
		option(&cfg)
	}
	b.app = cfg.App
	site, err := web.New(cfg)
	require.NoError(t, err)
	server := httptest.NewServer(site.Handler())
	b.endpoint = server.URL + "/mcp"
	t.Cleanup(func() {
		b.client.CloseIdleConnections()
		server.Close()
	})
	b.outputs = make(map[string]*jsonschema.Resolved)
	for _, tool := range b.catalogue(t) {
		b.outputs[tool.Name] = tool.resolvedOutput(t)
	}
}

func (b *bundle) config(t testing.TB) web.Config {
	t.Helper()
	b.registry, b.logs = prometheus.NewRegistry(), &proctest.Log{}
	return web.Config{
		App: b.useCases(t), Gate: b.gate(t, 1_000_000), CursorKey: b.cursorKey(t), URL: toolsURL, BaseURL: baseURL,
		PagesURL: pagesURL,
		Origins:  []string{agentURL}, Clock: clock.System(), Logger: slog.New(slog.NewJSONHandler(b.logs, nil)),
		Registry: b.registry, Version: "1.2.3",
		// Tests use different addresses, so that their rate limits are independent.
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
	}
}

// cursorKey returns the key that all programs of a deployment share.
func (b *bundle) cursorKey(t testing.TB) []byte {
	t.Helper()
	keys, err := secretbox.ParseKeys(encryptionKey())
	require.NoError(t, err)
	secret, err := keys[0].Derive("cursors of lists")
	require.NoError(t, err)
	key, err := cursor.DeriveKey(secret)
	require.NoError(t, err)
	return key
}

func (b *bundle) gate(t testing.TB, perMinute int) *gate.Gate {
	t.Helper()
	limiter, err := ratelimit.New(ratelimit.Config{
		Store: ratelimittest.Patient{Store: postgres.NewRateLimits(b.db)}, Clock: clock.System(), Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	created, err := gate.New(gate.Config{Limiter: limiter, RequestsPerMinute: perMinute})
	require.NoError(t, err)
	return created
}

func (b *bundle) useCases(t testing.TB) *app.App {
	t.Helper()
	registry, err := connectors.New(connectors.Environment{SandboxURL: "http://127.0.0.1:1"}, clock.System(), 0)
	require.NoError(t, err)
	policy, err := egress.NewPolicy(egress.PolicyConfig{Deny: []netip.Prefix{}, OwnURLs: []string{baseURL}})
	require.NoError(t, err)
	useCases, err := app.New(app.Deps{
		DB: b.db, Keyring: b.keyring, Connectors: registry, Rules: connectors.Rules(), Files: b.files, Egress: policy,
		Clock:  clock.System(),
		Logger: slog.New(slog.DiscardHandler), Audience: toolsURL, Wake: b.wake,
	})
	require.NoError(t, err)
	return useCases
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
		DB: b.db, Keyring: b.keyring, Issuer: baseURL, Resources: []string{baseURL, toolsURL}, Fetch: fetch,
		Clock: clock.System(), Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return server
}

// count returns a row count, bypassing the stores.
func (b *bundle) count(t testing.TB, of string, args ...any) int {
	t.Helper()
	n, err := strconv.Atoi(b.column(t, `SELECT count(*) FROM `+of, args...)[0])
	require.NoError(t, err)
	return n
}

func (b *bundle) column(t testing.TB, query string, args ...any) []string {
	t.Helper()
	return postgrestest.Column(t, b.database, query, args...)
}

func (b *bundle) exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	postgrestest.Exec(t, b.database, statement, args...)
}

// host returns the server's address.
func (b *bundle) host() string {
	return strings.TrimSuffix(strings.TrimPrefix(b.endpoint, "http://"), "/mcp")
}

func (b *bundle) dial(t testing.TB) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", b.host())
	require.NoError(t, err)
	require.NoError(t, conn.SetDeadline(time.Now().Add(15*time.Second)))
	return conn
}
