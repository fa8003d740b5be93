package httpapi_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/framing/framingtest"
)

// raw sends bytes that a client of the standard library would not send, and reads one response.
func (b *bundle) raw(t *testing.T, text string) response {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", b.address)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(15*time.Second)))
	_, err = io.WriteString(conn, text)
	require.NoError(t, err)
	method, _, _ := strings.Cut(text, " ")
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return response{status: res.StatusCode, header: res.Header, body: string(body)}
}

func TestUnknownAddresses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{
		"/v1", "/v1/nothing", "/V1/posts", "/v1/Posts", "//v1/posts", "/v2/posts", "/v1/posts/bulk/x",
		"/metrics", "/livez",
		"/debug/pprof", "/schemas/Post.json", "/.well-known/openid", "/problems/nonsense",
		"/docs/assets/x.js",
		"/v1/media/uploads/x", "/v1/media/x/y", "/v1/analytics", "/v1/../metrics", "/v1/posts;x=1", "/%2e%2e/v1/posts",
	} {
		p := requireProblem(t, b.get(t, path), http.StatusNotFound, "NOT_FOUND")
		require.NotContains(t, p["detail"], "nonsense")
	}
	p := requireProblem(t, b.raw(t, "GET /v1/\xff\"<x> HTTP/1.1\r\nHost: x\r\n\r\n"), http.StatusNotFound, "NOT_FOUND")
	require.Equal(t, "/v1/\uFFFD\"<x>", p["instance"])
}

func TestMethods(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	for _, c := range []struct{ method, path, allow string }{
		{"PUT", "/v1/posts", "GET, HEAD, POST"},
		{"DELETE", "/v1/posts", "GET, HEAD, POST"},
		{"PUT", "/v1/posts/" + id, "GET, HEAD, PATCH, DELETE"},
		{"DELETE", "/v1/posts/" + id + "/publish", "POST"},
		{"GET", "/v1/posts/" + id + "/publish", "POST"},
		{"HEAD", "/v1/posts/" + id + "/publish", "POST"},
		{"OPTIONS", "/v1/posts", "GET, HEAD, POST"},
		{"TRACE", "/v1/posts", "GET, HEAD, POST"},
		{"POST", "/docs", "GET, HEAD"},
		{"POST", "/", "GET, HEAD"},
		{"BREW", "/v1/posts", "GET, HEAD, POST, PUT, PATCH, DELETE"},
		{"get", "/v1/posts", "GET, HEAD, POST, PUT, PATCH, DELETE"},
	} {
		refused := b.raw(t, c.method+" "+c.path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+b.ours.key+
			"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		require.Equal(t, http.StatusMethodNotAllowed, refused.status, c.method)
		require.ElementsMatch(t, strings.Split(c.allow, ", "), strings.Split(refused.header.Get("Allow"), ", "),
			c.method+" "+c.path)
		if c.method != "HEAD" {
			requireProblem(t, refused, http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED")
		}
	}
	overridden := b.do(t, request{
		method: http.MethodGet, path: "/v1/posts/" + id, key: b.ours.key,
		header: map[string]string{"X-HTTP-Method-Override": "DELETE"},
	})
	require.Equal(t, http.StatusOK, overridden.status)
}

func TestHead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/v1/posts", "/v1/workspace", "/v1/openapi.json", "/docs", "/problems/not-found"} {
		full := b.get(t, path)
		head := b.do(t, request{
			method: http.MethodHead, path: path, key: b.ours.key, header: map[string]string{"Accept-Encoding": "identity"},
		})
		require.Equal(t, http.StatusOK, head.status, path)
		require.Empty(t, head.body)
		require.Equal(t, full.header.Get("Content-Type"), head.header.Get("Content-Type"))
	}
	require.Equal(t, http.StatusUnauthorized, b.do(t, request{method: http.MethodHead, path: "/v1/posts"}).status)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	head := "POST /v1/posts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + b.ours.key +
		"\r\nContent-Type: application/json\r\n"
	requireProblem(t, b.raw(t, head+"Content-Length: 10485760\r\n\r\n{"), http.StatusRequestEntityTooLarge,
		"PAYLOAD_TOO_LARGE")
	requireProblem(t, b.post(t, "/v1/posts", strings.Repeat(" ", 8<<20)), http.StatusRequestEntityTooLarge,
		"PAYLOAD_TOO_LARGE")
	requireProblem(t, b.post(t, "/v1/posts", strings.Repeat(" ", 1<<20)), http.StatusBadRequest, "MALFORMED_REQUEST")

	for _, large := range []request{
		{method: http.MethodGet, path: "/v1/posts?x=" + strings.Repeat("x", 100<<10), key: b.ours.key},
		{
			method: http.MethodGet, path: "/v1/posts", key: b.ours.key,
			header: map[string]string{"X-Large": strings.Repeat("x", 100<<10)},
		},
	} {
		refused := b.do(t, large)
		require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, refused.status)
		p := refused.object(t)
		require.Equal(t, "PAYLOAD_TOO_LARGE", p["code"])
		require.InDelta(t, http.StatusRequestHeaderFieldsTooLarge, p["status"], 0)
		require.NotEmpty(t, refused.header.Get("X-Request-Id"))
	}
}

func TestNonHTTPRequestIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	refused := b.raw(t, "nonsense whsec_secret\r\n\r\n")
	p := requireProblem(t, refused, http.StatusBadRequest, "MALFORMED_REQUEST")
	require.Equal(t, baseURL+"/problems/malformed-request", p["type"])
	require.NotEmpty(t, refused.header.Get("RateLimit-Limit"))
	require.NotContains(t, refused.body, "whsec_secret")
	require.NotContains(t, b.logs.String(), "whsec_secret")
	framingtest.Run(t, framingtest.Target{
		Address: b.address, Get: "/v1/workspace", Post: "/v1/posts", Fields: "Authorization: Bearer " + b.ours.key + "\r\n",
		ReadsFirst: true,
	})
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for sent, kept := range map[string]bool{
		"abc-123_X.y": true, strings.Repeat("a", 128): true, strings.Repeat("a", 129): false, "a b": false, "a\tb": false,
		"ä":   false,
		`"x"`: false, "": false, "a;b": false,
	} {
		got := b.do(t, request{method: http.MethodGet, path: "/v1/nothing", header: map[string]string{"X-Request-Id": sent}})
		id := got.header.Get("X-Request-Id")
		require.Equal(t, id, got.object(t)["requestId"])
		if kept {
			require.Equal(t, sent, id)
		} else {
			require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-`, id, sent)
		}
	}
}

func TestCredentialHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	line := "Authorization: Bearer " + b.ours.key + "\r\n"
	twice := b.raw(t, "GET /v1/workspace HTTP/1.1\r\nHost: x\r\n"+line+line+"\r\n")
	requireProblem(t, twice, http.StatusUnauthorized, "UNAUTHENTICATED")
	require.Contains(t, twice.header.Get("WWW-Authenticate"), "invalid_token")
	for _, scheme := range []string{"bearer", "BEARER", "Bearer  "} {
		ok := b.do(t, request{
			method: http.MethodGet, path: "/v1/workspace",
			header: map[string]string{"Authorization": scheme + " " + b.ours.key},
		})
		require.Equal(t, http.StatusOK, ok.status, scheme)
	}
	cookie := b.do(t, request{
		method: http.MethodGet, path: "/v1/workspace", header: map[string]string{"Cookie": "token=" + b.ours.key},
	})
	requireProblem(t, cookie, http.StatusUnauthorized, "UNAUTHENTICATED")
}

// TestConnectionsAreKeptAlive pauses between two requests for longer than the body read deadline.
func TestConnectionsAreKeptAlive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", b.address)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	reader := bufio.NewReader(conn)
	body := `{"channelIds":["` + b.ours.channel.String() + `"]}`
	send := func() {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://x/v1/posts", strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+b.ours.key)
		req.Header.Set("Content-Type", "application/json")
		require.NoError(t, req.Write(conn))
		res, err := http.ReadResponse(reader, req)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusCreated, res.StatusCode)
	}
	send()
	select {
	case <-time.After(6 * time.Second):
	case <-t.Context().Done():
	}
	send()
}

func TestPanicsAndSplitHeaders(t *testing.T) {
	t.Parallel()
	b := unserved(t)
	f := b.server.Fiber()
	f.Get("/panic", func(*fiber.Ctx) error { panic("secret of the inside") }) //nolint:forbidigo // subject of the test
	f.Get("/split", func(c *fiber.Ctx) error { return c.Redirect("https://x.test/\r\nSet-Cookie: p=1") })
	f.Get("/cookie", func(c *fiber.Ctx) error {
		c.Cookie(&fiber.Cookie{Name: "a", Value: "b\r\nX-Injected: 1"})
		return c.SendString("fine")
	})
	f.Get("/partly", func(c *fiber.Ctx) error {
		c.Set("Set-Cookie", "kept=1")
		_ = c.SendString("half an answer")
		return io.ErrUnexpectedEOF
	})
	b.serve(t)
	for _, path := range []string{"/panic", "/split", "/cookie", "/partly"} {
		failed := b.do(t, request{
			method: http.MethodGet, path: path, header: map[string]string{"X-Request-Id": "id" + path[1:]},
		})
		requireProblem(t, failed, http.StatusInternalServerError, "INTERNAL")
		require.NotContains(t, failed.body, "secret")
		require.NotContains(t, failed.body, "half")
		require.Empty(t, failed.header.Values("Set-Cookie"))
		require.Empty(t, failed.header.Get("X-Injected"))
	}
	require.Contains(t, b.logs.String(), "secret of the inside")
	require.Contains(t, b.logs.String(), "edge_test.go", "the stack")
}

func TestUnavailable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	require.NoError(t, b.db.Close())
	for _, r := range []request{
		{method: http.MethodGet, path: "/v1/posts/" + id, key: b.ours.key},
		{method: http.MethodGet, path: "/v1/posts", key: b.theirs.key},
		{method: http.MethodPost, path: "/v1/posts/" + id + "/publish", key: b.ours.key},
	} {
		refused := b.do(t, r)
		p := requireProblem(t, refused, http.StatusServiceUnavailable, "UNAVAILABLE")
		require.Equal(t, "2", refused.header.Get("Retry-After"))
		require.NotContains(t, refused.body, "sql")
		require.Contains(t, p["detail"], "database")
	}
}

func TestRequestsEnd(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *httpapi.Config) { c.RequestTimeout = time.Nanosecond })
	refused := b.get(t, "/v1/posts")
	requireProblem(t, refused, http.StatusServiceUnavailable, "UNAVAILABLE")
	require.NotEmpty(t, refused.header.Get("Retry-After"))
}

// TestFailuresInsideUseCases uses an application without dependencies.
func TestFailuresInsideUseCases(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *httpapi.Config) { c.App = &app.App{} })
	failed := b.get(t, "/v1/posts")
	requireProblem(t, failed, http.StatusInternalServerError, "INTERNAL")
	require.NotContains(t, failed.body, "nil pointer")
}

func TestShutdownFinishesRunningRequests(t *testing.T) {
	t.Parallel()
	b := unserved(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	b.server.Fiber().Get("/slow", func(c *fiber.Ctx) error {
		close(entered)
		<-leave
		return c.SendString("done")
	})
	b.serve(t)
	got := make(chan int, 1)
	go func() {
		defer close(got)
		res, err := b.client.Get("http://" + b.address + "/slow") //nolint:noctx // ends with the server
		if err == nil {
			_ = res.Body.Close()
			got <- res.StatusCode
		}
	}()
	<-entered
	stopped := make(chan error, 1)
	go func() { stopped <- b.server.Shutdown(t.Context()) }()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		_, err := (&net.Dialer{Timeout: time.Second}).DialContext(t.Context(), "tcp", b.address)
		require.Error(c, err, "no more requests are taken")
	}, 5*time.Second, 10*time.Millisecond)
	close(leave)
	require.Equal(t, http.StatusOK, <-got)
	require.NoError(t, <-stopped)
}

func TestConfig(t *testing.T) {
	t.Parallel()
	good := setup(t)
	_ = good
	for name, spoil := range map[string]func(*httpapi.Config){
		"app":     func(c *httpapi.Config) { c.App = nil },
		"url":     func(c *httpapi.Config) { c.BaseURL = "localhost" },
		"slash":   func(c *httpapi.Config) { c.BaseURL = "https://x/" },
		"key":     func(c *httpapi.Config) { c.CursorKey = bytes.Repeat([]byte{1}, 16) },
		"clock":   func(c *httpapi.Config) { c.Clock = nil },
		"logger":  func(c *httpapi.Config) { c.Logger = nil },
		"metrics": func(c *httpapi.Config) { c.Registry = nil },
		"timeout": func(c *httpapi.Config) { c.RequestTimeout = -1 },
		"limiter": func(c *httpapi.Config) { c.Limiter = nil },
		"limit":   func(c *httpapi.Config) { c.RequestsPerMinute = -1 },
	} {
		cfg := good.config(t)
		spoil(&cfg)
		_, err := httpapi.New(cfg)
		require.Error(t, err, name)
	}
	_, err := httpapi.New(good.config(t))
	require.Error(t, err, "the metrics are there already")
}

func TestShutdownBeforeServe(t *testing.T) {
	t.Parallel()
	b := unserved(t)
	require.NoError(t, b.server.Shutdown(t.Context()))
	b.serve(t)
}
