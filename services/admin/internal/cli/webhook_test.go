package cli_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/admin/internal/cli"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/ident"
)

const listenSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// printed is an output buffer that can be read while it is written.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
	err  error
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return 0, p.err
	}
	return p.text.Write(b)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// listening is a running webhook-listen command.
type listening struct {
	url      string
	clock    *clocktest.Fake
	out, err *printed
	code     chan int
	stop     context.CancelFunc
}

// listen runs the command until the test ends it.
func (b *bundle) listen(t *testing.T, out *printed, args ...string) *listening {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := &listening{clock: b.clock, out: out, err: &printed{}, code: make(chan int, 1), stop: stop}
	go func() {
		l.code <- cli.Main(ctx, append([]string{"webhook-listen", "--addr", "127.0.0.1:0"}, args...), cli.Process{
			Environ: b.environ, In: strings.NewReader(""), Out: l.out, Err: l.err, Clock: b.clock,
		})
	}()
	t.Cleanup(stop)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		found := regexp.MustCompile(`Listening on (http://\S+/)`).FindStringSubmatch(l.err.String())
		require.NotEmpty(c, found, l.err.String())
		l.url = found[1]
	}, 20*time.Second, 10*time.Millisecond)
	return l
}

// end stops the command as Ctrl-C does, and returns its exit code.
func (l *listening) end(t *testing.T) int {
	t.Helper()
	l.stop()
	select {
	case code := <-l.code:
		return code
	case <-time.After(20 * time.Second):
		require.FailNow(t, "it does not end")
		return 0
	}
}

// deliver sends an event as the service does, and returns the status of the response.
func (l *listening) deliver(t *testing.T, e event.Event, secrets ...string) int {
	t.Helper()
	status, err := l.attempt(t.Context(), e, secrets...)
	require.NoError(t, err)
	return status
}

func (l *listening) attempt(ctx context.Context, e event.Event, secrets ...string) (int, error) {
	return send(ctx, l.url, webhook.Headers(event.ExternalID(e.ID), e.Type, l.clock.Now(), e.Body, secrets...), e.Body)
}

func send(ctx context.Context, url string, header http.Header, body []byte) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header = header
	response, err := (&http.Client{Timeout: 10 * time.Second}).Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// withoutDatabase returns a program that has only a secret.
func withoutDatabase() *bundle {
	return &bundle{
		environ: map[string]string{"HOOK_SECRET": listenSecret},
		clock:   clocktest.New(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)),
	}
}

func (b *bundle) nextEvent(t *testing.T) event.Event {
	t.Helper()
	created, err := event.New(ident.New[ident.Workspace](), event.ChannelConnected, b.clock.Now().Add(-83*time.Millisecond),
		event.ChannelData{Type: "THREADS", Name: "Bäckerei 🥐"})
	require.NoError(t, err)
	return created
}

func TestWebhookListenRegisters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	l := b.listen(t, &printed{}, "--workspace", b.workspace(t), "--events", "channel.connected, post.created",
		"--print-secret")
	rows := postgrestest.Column(t, b.url,
		`SELECT concat_ws('|', url, array_to_string(events, ','), description, is_active) FROM webhook WHERE deleted_at IS NULL`)
	require.Equal(t, []string{l.url + "|channel.connected,post.created|admin webhook-listen|t"}, rows)
	secret := regexp.MustCompile(`whsec_\S+`).FindString(l.err.String())
	require.NotEmpty(t, secret)

	e := b.nextEvent(t)
	require.Equal(t, 200, l.deliver(t, e, secret))
	require.Contains(t, l.out.String(), "09:00:00.000Z  channel.connected  "+event.ExternalID(e.ID)+
		"\n  verified by X-Service-Signature and webhook-signature, first attempt received, 83 ms after the event, "+
		"response 200 OK\n  {\n    \"id\": ")
	require.Contains(t, l.out.String(), `"name": "Bäckerei 🥐"`)
	require.NotContains(t, l.out.String(), "\x1b")
	require.Equal(t, 200, l.deliver(t, e, "whsec_bmV3", secret))
	require.Contains(t, l.out.String(), "DUPLICATE: attempt 2 received, acknowledged before")
	require.Equal(t, 401, l.deliver(t, b.nextEvent(t), listenSecret))
	require.Contains(t, l.out.String(),
		"NOT VERIFIED, 83 ms after the event, response 401 Unauthorized\n  ! X-Service-Signature: none of its 1 v1 values")

	require.Zero(t, l.end(t), l.err.String())
	require.Contains(t, l.err.String(), "is deleted.\n3 deliveries of 1 events: 1 rejected, 1 duplicates.\n")
	require.Equal(t, []string{"0"}, postgrestest.Column(t, b.url, `SELECT count(*) FROM webhook WHERE deleted_at IS NULL`))
	require.NotContains(t, l.out.String(), "whsec_")
}

func TestWebhookListenKeepsSecret(t *testing.T) {
	t.Parallel()
	b := setup(t)
	l := b.listen(t, &printed{}, "--workspace", b.workspace(t), "--url", "https://tunnel.example.com/hook")
	require.Equal(t, 401, l.deliver(t, b.nextEvent(t), listenSecret))
	require.Zero(t, l.end(t), l.err.String())
	require.NotContains(t, l.err.String()+l.out.String(), "whsec_")
	require.Contains(t, l.err.String(), "for every event. Ctrl-C stops it")
	require.Contains(t, l.err.String(), "registered as https://tunnel.example.com/hook")
	require.Equal(t, []string{"https://tunnel.example.com/hook"}, postgrestest.Column(t, b.url, `SELECT url FROM webhook`))
}

// TestWebhookListenDeletesLeftovers checks that a run deletes the webhook of a killed run at the same address, and
// keeps other webhooks.
func TestWebhookListenDeletesLeftovers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	workspace, err := ident.Parse[ident.Workspace](b.workspace(t))
	require.NoError(t, err)
	store := postgres.NewWebhooks(b.db, b.ring(t))
	add := func(url, description string) string {
		e := webhook.Endpoint{
			ID: ident.New[ident.Webhook](), WorkspaceID: workspace, URL: url, Description: description, Events: []string{"*"},
			IsActive: true, CreatedAt: b.clock.Now(), UpdatedAt: b.clock.Now(),
		}
		require.NoError(t, store.Insert(t.Context(), e, webhook.NewSecret()))
		return e.ID.String()
	}
	const url = "https://tunnel.example.com/hook"
	remaining, others, foreign := add(url, "admin webhook-listen"), add(url, "Production"), add(url+"2",
		"admin webhook-listen")
	l := b.listen(t, &printed{}, "--workspace", workspace.String(), "--url", url)
	require.NotContains(t, l.err.String(), remaining)
	require.Equal(t, []string{remaining}, postgrestest.Column(t, b.url, `SELECT id FROM webhook WHERE deleted_at IS NOT NULL`))
	require.Zero(t, l.end(t), l.err.String())
	require.Equal(t, []string{others, foreign},
		postgrestest.Column(t, b.url, `SELECT id FROM webhook WHERE deleted_at IS NULL ORDER BY id`))
}

// TestWebhookListenEndsWhenOutputCloses checks that a closed output pipe ends the command with an error, and that the
// webhook is still deleted.
func TestWebhookListenEndsWhenOutputCloses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	l := b.listen(t, &printed{err: errors.New("broken pipe")}, "--workspace", b.workspace(t), "--print-secret")
	l.deliver(t, b.nextEvent(t), regexp.MustCompile(`whsec_\S+`).FindString(l.err.String()))
	select {
	case code := <-l.code:
		require.Equal(t, 1, code)
	case <-time.After(20 * time.Second):
		require.FailNow(t, "it does not end")
	}
	require.Contains(t, l.err.String(), "admin webhook-listen: broken pipe")
	require.Equal(t, []string{"0"}, postgrestest.Column(t, b.url, `SELECT count(*) FROM webhook WHERE deleted_at IS NULL`))
}

func TestWebhookListenFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	failed(t, b.run(t, "webhook-listen", "--addr", "127.0.0.1:0", "--workspace", ident.New[ident.Workspace]().String()),
		"There is no workspace", "admin workspace list")
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, taken.Close()) }()
	failed(t, b.run(t, "webhook-listen", "--addr", taken.Addr().String(), "--secret-file", secretFile(t, listenSecret)),
		"address already in use", "--addr", "127.0.0.1:0")
	require.Equal(t, []string{"0"}, postgrestest.Column(t, b.url, `SELECT count(*) FROM webhook`))
}

func TestWebhookListenFailFirst(t *testing.T) {
	t.Parallel()
	b := withoutDatabase()
	l := b.listen(t, &printed{}, "--secret-env", "HOOK_SECRET", "--fail-first", "2", "--response", "204", "--delay", "1ms")
	one, two := b.nextEvent(t), b.nextEvent(t)
	for _, want := range []int{500, 500, 204, 204} {
		require.Equal(t, want, l.deliver(t, one, listenSecret))
	}
	require.Equal(t, 500, l.deliver(t, two, listenSecret))
	out := l.out.String()
	require.Contains(t, out, "first attempt received, 83 ms after the event, response 500 Internal Server Error after 1ms")
	require.Contains(t, out,
		"a retry: attempt 3 received, response 500 before, 83 ms after the event, response 204 No Content after 1ms")
	require.Equal(t, 1, strings.Count(out, "DUPLICATE: attempt 4"))
	require.Zero(t, l.end(t), l.err.String())
	require.Contains(t, l.err.String(), "5 deliveries of 2 events: 0 rejected, 1 duplicates.")
}

// TestWebhookListenEndsDuringDelay checks that at shutdown a pending response becomes one that makes the service
// retry.
func TestWebhookListenEndsDuringDelay(t *testing.T) {
	t.Parallel()
	b := withoutDatabase()
	l := b.listen(t, &printed{}, "--secret-env", "HOOK_SECRET", "--delay", "9m", "--response", "410")
	response, waiting := make(chan int, 1), b.nextEvent(t)
	go func() {
		status, _ := l.attempt(t.Context(), waiting, listenSecret) // 0 when there was no response
		response <- status
	}()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		require.Contains(c, l.out.String(), "response 410 Gone after 9m0s")
	}, 10*time.Second, 10*time.Millisecond)
	require.Zero(t, l.end(t), l.err.String())
	require.Equal(t, 503, <-response)
}

func TestWebhookListenJSON(t *testing.T) {
	t.Parallel()
	b := withoutDatabase()
	for _, form := range [][]string{{"--format", "json"}, {"--json"}} {
		l := b.listen(t, &printed{}, append(form, "--secret-env", "HOOK_SECRET")...)
		e := b.nextEvent(t)
		require.Equal(t, 200, l.deliver(t, e, listenSecret))
		status, err := send(t.Context(), l.url, http.Header{"X-Service-Event": {"post.created"}}, []byte("no\nJSON"))
		require.NoError(t, err)
		require.Equal(t, 401, status)
		require.Zero(t, l.end(t), l.err.String())
		lines := strings.Split(strings.TrimSuffix(l.out.String(), "\n"), "\n")
		require.Len(t, lines, 2)
		require.JSONEq(t, `{"at":"2026-03-01T09:00:00.000Z","type":"channel.connected","id":"`+event.ExternalID(e.ID)+
			`","genuine":true,
			"verified":["X-Service-Signature","webhook-signature"],"problems":[],"seen":1,"duplicate":false,"latencyMs":83,"response":200,
			"delayMs":0,"body":`+string(e.Body)+`}`, lines[0])
		bad := decode[record](t, lines[1])
		require.Equal(t, []any{false, "post.created", "no\nJSON", nil, 401.0},
			[]any{bad["genuine"], bad["type"], bad["body"], bad["latencyMs"], bad["response"]})
	}
}

func TestWebhookListenRefusesBadInput(t *testing.T) {
	t.Parallel()
	const id = "0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10"
	missing := filepath.Join(t.TempDir(), "none")
	for name, c := range map[string]struct{ args, parts []string }{
		"no secret": {nil, []string{"--workspace is required", "--secret-file or --secret-env", "admin workspace list"}},
		"two secrets": {
			[]string{"--workspace", id, "--secret-env", "A"},
			[]string{"--secret-env cannot be given together with --workspace"},
		},
		"no id": {[]string{"--workspace", "acme"}, []string{`--workspace "acme" is not an id`}},
		"no event": {
			[]string{"--workspace", id, "--events", "post.publish"},
			[]string{`--events "post.publish" is not an event`, "post.published", "* for all"},
		},
		"empty events": {[]string{"--workspace", id, "--events", ","}, []string{"--events is empty"}},
		"mixed events": {[]string{"--workspace", id, "--events", "*,post.created"}, []string{"cannot be combined"}},
		"no url": {
			[]string{"--workspace", id, "--url", "tunnel.example.com"},
			[]string{`--url "tunnel.example.com" is not an address such as http://`},
		},
		"url with user": {
			[]string{"--workspace", id, "--url", "https://a:b@example.com/"}, []string{"--url has user information"},
		},
		"long url": {
			[]string{"--workspace", id, "--url", "https://example.com/" + strings.Repeat("a", 2048)},
			[]string{"--url is longer than 2048 bytes"},
		},
		"no registering": {
			[]string{"--secret-env", "HOOK_SECRET", "--events", "*", "--url", "https://x.example", "--print-secret"},
			[]string{"3 problems", "--events is valid only with --workspace", "--url is", "--print-secret is"},
		},
		"unset": {[]string{"--secret-env", "NOWHERE"}, []string{"--secret-env names NOWHERE, which is not set"}},
		"no secret text": {
			[]string{"--secret-env", "OTHER"}, []string{"--secret-env is not the secret of a webhook", "whsec_"},
		},
		"no file": {[]string{"--secret-file", missing}, []string{"--secret-file cannot be read", missing}},
		"everything else": {
			[]string{
				"--secret-env", "HOOK_SECRET", "--addr", "8099", "--response", "100", "--delay", "-1s", "--fail-first", "-1",
				"--format", "yaml",
			},
			[]string{
				"5 problems", `--addr "8099" is not HOST:PORT`, "--response 100 is not a response status",
				"--delay -1s is not between", "--fail-first is less than 0", `--format "yaml" is neither text nor json`,
			},
		},
		"argument": {[]string{"--secret-env", "HOOK_SECRET", "now"}, []string{`unknown command "now"`}},
	} {
		b := withoutDatabase()
		b.environ["OTHER"] = "hunter2"
		got := b.run(t, append([]string{"webhook-listen"}, c.args...)...)
		require.NotContains(t, got.err, "hunter2", name)
		require.NotContains(t, got.err, listenSecret, name)
		refused(t, got, c.parts...)
	}
}
