package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"socialpub.internal/services/api/internal/httpapi"
	"socialpub.internal/services/internal/app"
	"socialpub.internal/services/internal/relay"
	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/clock"
	"socialpub.internal/shared/config"
	"socialpub.internal/shared/credential"
	"socialpub.internal/shared/egress"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/media"
	"socialpub.internal/shared/platform/networks"
	"socialpub.internal/shared/postgres"
	"socialpub.internal/shared/postgres/postgrestest"
	"socialpub.internal/shared/ratelimit"
	"socialpub.internal/shared/secretbox"
	"socialpub.internal/shared/slot"
	"socialpub.internal/shared/workspace"
)

const baseURL = "https://api.test.example"

// bundle is a server on a real listener, with a database of its own and two tenants.
type bundle struct {
	db       *postgres.DB
	keyring  *secretbox.Keyring
	server   *httpapi.Server
	registry *prometheus.Registry
	logs     *logLines
	client   *http.Client
	address  string // host:port
	sandbox  string // address of the networks; nothing answers there unless a test sees to it
	ours     tenant
	theirs   tenant
}

// tenant is a workspace with a channel that can be published to, one of each platform that has an endpoint of its own, a film
// and a key with every scope.
type tenant struct {
	id       ident.Workspace
	channel  ident.Channel
	channels map[channel.Type]ident.Channel
	media    ident.Media
	key      string
}

func setup(t testing.TB, options ...func(*httpapi.Config)) *bundle {
	t.Helper()
	b := unserved(t, options...)
	b.serve(t)
	return b
}

// unserved is a bundle whose server can still get further routes.
func unserved(t testing.TB, options ...func(*httpapi.Config)) *bundle {
	t.Helper()
	key, err := secretbox.NewKey("test", bytes.Repeat([]byte{7}, 32))
	require.NoError(t, err)
	keyring, err := secretbox.NewKeyring([]secretbox.Key{key})
	require.NoError(t, err)
	b := &bundle{db: postgrestest.Open(t), keyring: keyring, registry: prometheus.NewRegistry(), logs: &logLines{}, sandbox: "http://127.0.0.1:1"}
	b.client = &http.Client{
		Transport:     &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	b.ours, b.theirs = b.tenant(t), b.tenant(t)
	cfg := b.config(t)
	for _, option := range options {
		option(&cfg)
	}
	b.server, err = httpapi.New(cfg)
	require.NoError(t, err)
	return b
}

func (b *bundle) config(t testing.TB) httpapi.Config {
	t.Helper()
	return httpapi.Config{
		App: b.useCases(t), BaseURL: baseURL, CursorKey: bytes.Repeat([]byte{9}, 32), Clock: clock.System(),
		Logger: slog.New(slog.NewJSONHandler(b.logs, nil)), Registry: b.registry, Limiter: b.limiter(t), RequestsPerMinute: 1_000_000,
		// Tests come from many addresses: what one of them is refused costs the others nothing.
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
	}
}

func (b *bundle) limiter(t testing.TB) *ratelimit.Limiter {
	t.Helper()
	limiter, err := ratelimit.New(ratelimit.Config{
		Store: postgres.NewRateLimits(b.db), Clock: clock.System(), Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return limiter
}

func (b *bundle) useCases(t testing.TB) *app.App {
	t.Helper()
	connectors, err := networks.New(config.Networks{
		SandboxURL: b.sandbox, LinkedInVersion: "202609",
	}, clock.System(), 0)
	require.NoError(t, err)
	policy, err := egress.NewPolicy(egress.PolicyConfig{Deny: []netip.Prefix{}, OwnURLs: []string{baseURL}})
	require.NoError(t, err)
	useCases, err := app.New(app.Deps{
		DB: b.db, Keyring: b.keyring, Connectors: connectors, Egress: policy, Clock: clock.System(),
		Logger: slog.New(slog.DiscardHandler), Poke: func(relay.Poke) {},
	})
	require.NoError(t, err)
	return useCases
}

func (b *bundle) serve(t testing.TB) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b.address = listener.Addr().String()
	ended := make(chan error, 1)
	go func() { ended <- b.server.Listener(listener) }()
	t.Cleanup(func() {
		b.client.CloseIdleConnections()
		require.NoError(t, b.server.Shutdown(context.WithoutCancel(t.Context())))
		require.NoError(t, <-ended)
	})
}

func (b *bundle) tenant(t testing.TB) tenant {
	t.Helper()
	w := workspace.Workspace{
		ID: ident.New[ident.Workspace](), Name: "Acme", Plan: workspace.Growth, Timezone: "Europe/Berlin", CreatedAt: time.Now(),
	}
	require.NoError(t, postgres.NewWorkspaces(b.db).Insert(t.Context(), w))
	made := tenant{id: w.ID, channels: make(map[channel.Type]ident.Channel), media: b.asset(t, w.ID, media.Video)}
	made.channel = b.channel(t, w.ID, channel.TelegramChannel, true)
	b.slots(t, made.channel, slot.Slot{Weekday: time.Monday, Hour: 9}, slot.Slot{Weekday: time.Thursday, Hour: 17, Minute: 30})
	for _, typ := range []channel.Type{channel.YouTube, channel.TikTokBusiness, channel.Pinterest, channel.LinkedInPage} {
		made.channels[typ] = b.channel(t, w.ID, typ, true)
	}
	made.key = b.key(t, w.ID, credential.Scopes()...)
	return made
}

func (b *bundle) channel(t testing.TB, workspace ident.Workspace, typ channel.Type, connected bool) ident.Channel {
	t.Helper()
	c := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: workspace, Name: "News", Type: typ, Username: "news",
		ExternalID: ident.New[ident.Event]().String(), IsConnected: connected, TokenStatus: channel.TokenHealthy,
		Timezone: "Europe/Berlin", CreatedAt: time.Now(),
	}
	require.NoError(t, postgres.NewChannels(b.db, b.keyring).Insert(t.Context(), c, channel.Credentials{AccessToken: "token"}))
	return c.ID
}

// slots gives a channel a posting schedule.
func (b *bundle) slots(t testing.TB, id ident.Channel, slots ...slot.Slot) {
	t.Helper()
	require.NoError(t, postgres.NewChannels(b.db, b.keyring).SetSlots(t.Context(), id, slots))
}

// asset makes a file of the workspace, which nothing was uploaded for.
func (b *bundle) asset(t testing.TB, workspace ident.Workspace, typ media.Type) ident.Media {
	t.Helper()
	a := media.Asset{
		ID: ident.New[ident.Media](), WorkspaceID: workspace, Name: "file", Type: typ, ContentType: "video/mp4", Size: 1 << 20, CreatedAt: time.Now(),
	}
	require.NoError(t, postgres.NewMedia(b.db).Insert(t.Context(), a))
	return a.ID
}

func (b *bundle) key(t testing.TB, workspace ident.Workspace, scopes ...credential.Scope) string {
	t.Helper()
	secret := credential.NewSecret()
	hash, err := credential.Hash(secret)
	require.NoError(t, err)
	require.NoError(t, postgres.NewKeys(b.db).Insert(t.Context(), credential.Key{
		ID: ident.New[ident.Credential](), WorkspaceID: workspace, Name: "test", Display: credential.Display(secret),
		Hash: hash, Scopes: scopes, CreatedAt: time.Now(),
	}))
	return secret
}

// request is what a test sends; the zero value of a member leaves it out.
type request struct {
	method      string
	path        string
	key         string
	contentType string
	body        string
	header      map[string]string
}

// answer is what comes back, read to its end.
type answer struct {
	status int
	header http.Header
	body   string
}

func (b *bundle) do(t testing.TB, r request) answer {
	t.Helper()
	var body io.Reader = http.NoBody
	if r.body != "" {
		body = strings.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(t.Context(), r.method, "http://"+b.address+r.path, body)
	require.NoError(t, err)
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	req.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.%d.%d", rand.IntN(256), rand.IntN(256)))
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	res, err := b.client.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{status: res.StatusCode, header: res.Header, body: string(raw)}
}

func (b *bundle) get(t testing.TB, path string) answer {
	t.Helper()
	return b.do(t, request{method: http.MethodGet, path: path, key: b.ours.key})
}

func (b *bundle) post(t testing.TB, path, body string) answer {
	t.Helper()
	contentType := ""
	if body != "" {
		contentType = "application/json"
	}
	return b.do(t, request{method: http.MethodPost, path: path, key: b.ours.key, contentType: contentType, body: body})
}

// draft creates a draft and returns its id.
func (b *bundle) draft(t testing.TB, of tenant) string {
	t.Helper()
	made := b.do(t, request{
		method: http.MethodPost, path: "/v1/posts", key: of.key, contentType: "application/json",
		body: `{"channelIds":["` + of.channel.String() + `"],"content":"Hello"}`,
	})
	require.Equal(t, http.StatusCreated, made.status, made.body)
	return text(t, made.list(t)[0], "id")
}

func (a answer) object(t testing.TB) map[string]any {
	t.Helper()
	var out map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &out), a.body)
	return out
}

func (a answer) list(t testing.TB) []map[string]any {
	t.Helper()
	var out []map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &out), a.body)
	return out
}

// text is a member that must be a string.
func text(t testing.TB, object map[string]any, name string) string {
	t.Helper()
	value, ok := object[name].(string)
	require.True(t, ok, name)
	return value
}

// requireProblem checks everything that every error answer has.
func requireProblem(t testing.TB, a answer, status int, code string) map[string]any {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	require.Equal(t, "application/problem+json", a.header.Get("Content-Type"))
	require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
	require.Empty(t, a.header.Get("Server"))
	p := a.object(t)
	require.Equal(t, code, p["code"], a.body)
	require.InDelta(t, status, p["status"], 0)
	require.Equal(t, baseURL+"/problems/"+strings.ReplaceAll(strings.ToLower(code), "_", "-"), p["type"])
	require.NotEmpty(t, p["title"])
	require.NotEmpty(t, p["detail"])
	require.Equal(t, a.header.Get("X-Request-Id"), p["requestId"])
	require.NotEmpty(t, p["requestId"])
	return p
}

// pointers lists where the faults of a validation error are.
func pointers(t testing.TB, p map[string]any) []string {
	t.Helper()
	var out []string
	faults, ok := p["errors"].([]any)
	require.True(t, ok, p)
	for _, f := range faults {
		fault, ok := f.(map[string]any)
		require.True(t, ok)
		require.NotEmpty(t, fault["message"])
		pointer, ok := fault["pointer"].(string)
		require.True(t, ok)
		out = append(out, pointer)
	}
	return out
}

// logLines keeps what the server logs.
type logLines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// with returns the lines that have an attribute of the value.
func (l *logLines) with(t testing.TB, key string, value any) []map[string]any {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []map[string]any
	for line := range strings.Lines(l.buf.String()) {
		var fields map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &fields))
		if fields[key] == value {
			out = append(out, fields)
		}
	}
	return out
}

func (l *logLines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// emptyWorkspace makes a workspace without channels.
func (b *bundle) emptyWorkspace(t testing.TB) ident.Workspace {
	t.Helper()
	w := workspace.Workspace{ID: ident.New[ident.Workspace](), Name: "Empty", Plan: workspace.Free, Timezone: "UTC", CreatedAt: time.Now()}
	require.NoError(t, postgres.NewWorkspaces(b.db).Insert(t.Context(), w))
	return w.ID
}
