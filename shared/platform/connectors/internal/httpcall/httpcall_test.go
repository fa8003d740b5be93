package httpcall_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/kernel/proctest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/platformtest"
)

const secret = "s3cret/token"

func start() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

type bundle struct {
	clock  *clocktest.Fake
	config httpcall.Config
}

func setup(t *testing.T, handler http.HandlerFunc) *bundle {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return setupAt(server.URL)
}

func setupAt(address string) *bundle {
	clock := clocktest.New(start())
	return &bundle{clock: clock, config: httpcall.Config{
		Network: channel.NetworkX, Name: "X", BaseURL: address, Clock: clock,
		CallTimeout: 2 * time.Second, CommitTimeout: 2 * time.Second, DialTimeout: time.Second,
	}}
}

func (b *bundle) client(t *testing.T) *httpcall.Client {
	t.Helper()
	client, err := httpcall.New(b.config)
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return client
}

func post() httpcall.Request {
	return httpcall.Request{
		Operation: "publish", Method: http.MethodPost, Path: []string{"bot" + secret, "send"},
		Header: http.Header{"Authorization": {"Bearer " + secret}}, JSON: map[string]string{"text": "hello"},
		Secrets: []string{secret},
	}
}

func requireFailure(t *testing.T, err error, class platform.Class) {
	t.Helper()
	_ = failureOf(t, err, class)
}

func failureOf(t *testing.T, err error, class platform.Class) *platform.Failure {
	t.Helper()
	failure := platformtest.Failure(t, err)
	require.Equal(t, class, failure.Class, "%v", err)
	require.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, failure.Cause), secret)
	require.NotContains(t, err.Error(), url.PathEscape(secret))
	return failure
}

func TestNewValidatesConfig(t *testing.T) {
	t.Parallel()

	for name, change := range map[string]func(*httpcall.Config){
		"no address":       func(c *httpcall.Config) { c.BaseURL = "" },
		"no host":          func(c *httpcall.Config) { c.BaseURL = "https://:443" },
		"fragment":         func(c *httpcall.Config) { c.BaseURL = "https://example.com#part" },
		"relative address": func(c *httpcall.Config) { c.BaseURL = "/x" },
		"other scheme":     func(c *httpcall.Config) { c.BaseURL = "ftp://example.com" },
		"credentials":      func(c *httpcall.Config) { c.BaseURL = "https://user:pass@example.com" },
		"query":            func(c *httpcall.Config) { c.BaseURL = "https://example.com?a=b" },
		"unreadable":       func(c *httpcall.Config) { c.BaseURL = "http://a b" },
		"no network":       func(c *httpcall.Config) { c.Network = "" },
		"no name":          func(c *httpcall.Config) { c.Name = "" },
		"no clock":         func(c *httpcall.Config) { c.Clock = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setupAt("https://example.com")
			change(&b.config)
			_, err := httpcall.New(b.config)
			require.Error(t, err)
		})
	}
}

func TestCallSendsRequest(t *testing.T) {
	t.Parallel()

	seen := make(chan *http.Request, 1)
	b := setup(t, func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		seen <- r
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write([]byte(`{"id":"1"}`))
	})
	b.config.BaseURL += "/base/"
	response, err := b.client(t).Call(t.Context(), httpcall.Request{
		Method: http.MethodPost, Path: []string{"users", "a/b?c#d"}, Query: url.Values{"fields": {"id,name"}},
		Form: url.Values{"text": {"grüße & mehr"}},
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusTeapot, response.Status)
	require.False(t, response.OK())

	request := <-seen
	require.Equal(t, "/base/users/a%2Fb%3Fc%23d", request.URL.EscapedPath())
	require.Equal(t, "id,name", request.URL.Query().Get("fields"))
	require.Equal(t, "grüße & mehr", request.PostForm.Get("text"))
	require.Equal(t, httpcall.DefaultUserAgent, request.UserAgent())
	require.Equal(t, "application/json", request.Header.Get("Accept"))

	var decoded struct{ ID string }
	require.NoError(t, response.Decode(&decoded))
	require.Equal(t, "1", decoded.ID)
}

// TestBaseURLKeepsEscapes checks that trailing slashes are removed and that an escaped slash in a segment is
// kept.
func TestBaseURLKeepsEscapes(t *testing.T) {
	t.Parallel()

	seen := make(chan *http.Request, 1)
	b := setup(t, func(_ http.ResponseWriter, r *http.Request) { seen <- r })
	b.config.BaseURL += "/a%2Fb//"
	client := b.client(t)
	require.Equal(t, b.config.BaseURL, client.BaseURL()+"//")
	_, err := client.Call(t.Context(), httpcall.Request{Path: []string{"users"}})
	require.NoError(t, err)
	request := <-seen
	require.Equal(t, "/a%2Fb/users", request.URL.EscapedPath())
	require.Equal(t, http.MethodGet, request.Method)
}

// TestDefaultsAreSufficient checks that a client with only the required settings makes every kind of call, also over TLS.
func TestDefaultsAreSufficient(t *testing.T) {
	t.Parallel()

	server := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _ = r.ParseForm() }))
	t.Cleanup(server.Close)
	transport, ok := server.Client().Transport.(*http.Transport)
	require.True(t, ok)
	b := setupAt(server.URL)
	b.config = httpcall.Config{
		Network: b.config.Network, Name: b.config.Name, Clock: b.config.Clock, BaseURL: server.URL,
		RootCAs: transport.TLSClientConfig.RootCAs,
	}
	for _, call := range both(b.client(t)) {
		for _, request := range []httpcall.Request{post(), raw(fileOf("abc"), 3)} {
			_, err := call(t.Context(), request)
			require.NoError(t, err)
		}
	}
}

// TestClose checks that Close closes idle connections.
func TestClose(t *testing.T) {
	t.Parallel()

	closed := make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := setupAt(server.URL).client(t)
	_, err := client.Call(t.Context(), httpcall.Request{})
	require.NoError(t, err)
	client.Close()
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		require.Fail(t, "the connection stays")
	}
}

// TestRequestTimeoutCanOnlyShorten checks that a request's timeout can shorten the client's timeout, but not extend it.
func TestRequestTimeoutCanOnlyShorten(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct{ preset, requested time.Duration }{
		"less": {time.Hour, time.Minute}, "more": {time.Minute, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := setupPipe(func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
				b.config.CallTimeout, b.config.CommitTimeout = test.preset, test.preset
				for _, call := range both(b.client(t)) {
					request, began := post(), time.Now()
					request.Timeout = test.requested
					_, err := call(t.Context(), request)
					require.ErrorIs(t, err, context.DeadlineExceeded)
					require.Equal(t, time.Minute, time.Since(began))
				}
			})
		})
	}
}

// TestResponseSizeLimit checks the limit of 1 MiB.
func TestResponseSizeLimit(t *testing.T) {
	t.Parallel()

	size := 1 << 20
	b := setup(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, size)) })
	client := b.client(t)
	response, err := client.Call(t.Context(), post())
	require.NoError(t, err)
	require.Len(t, response.Body, size)
	size++
	_, err = client.Call(t.Context(), post())
	requireFailure(t, err, platform.ClassTransient)
}

func TestCallRefusesPathTraversal(t *testing.T) {
	t.Parallel()

	b := setup(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for _, segment := range []string{"", ".", ".."} {
		_, err := b.client(t).Call(t.Context(), httpcall.Request{Path: []string{"users", segment}})
		require.Equal(t, httpcall.CodeRequestInvalid, failureOf(t, err, platform.ClassRejected).Code)
		_, err = b.client(t).CommitCall(t.Context(), httpcall.Request{Path: []string{segment}})
		requireFailure(t, err, platform.ClassRejected)
	}
	for _, request := range []httpcall.Request{{JSON: func() {}}, {Method: "P T"}} {
		_, err := b.client(t).Call(t.Context(), request)
		requireFailure(t, err, platform.ClassRejected)
	}
	_, err := b.client(t).CommitCall(t.Context(), httpcall.Request{Header: http.Header{"Authorization": {"a\r\nb"}}})
	requireFailure(t, err, platform.ClassTransient)
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()

	b := setup(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere" {
			t.Error("the redirect was followed")
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	response, err := b.client(t).Call(t.Context(), post())
	require.NoError(t, err)
	require.Equal(t, http.StatusTemporaryRedirect, response.Status)
	response, err = b.client(t).CommitCall(t.Context(), post())
	require.NoError(t, err)
	require.Equal(t, http.StatusTemporaryRedirect, response.Status)
}

// TestBadResponses checks that an incomplete response is transient for a call and unknown for the commit.
func TestBadResponses(t *testing.T) {
	t.Parallel()

	for name, response := range map[string]http.HandlerFunc{
		"connection closed": func(w http.ResponseWriter, _ *http.Request) { hangUp(t, w, "") },
		"not HTTP":          func(w http.ResponseWriter, _ *http.Request) { hangUp(t, w, "hello "+secret+"\r\n\r\n") },
		"cut in the headers": func(w http.ResponseWriter, _ *http.Request) {
			hangUp(t, w, "HTTP/1.1 200 OK\r\nContent-Le")
		},
		"cut in the body": func(w http.ResponseWriter, _ *http.Request) {
			hangUp(t, w, "HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{\"data\":")
		},
		"too large": func(w http.ResponseWriter, _ *http.Request) {
			chunk := []byte(strings.Repeat("a", 1<<20))
			for range 50 {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		},
		"headers too large": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("a", 1<<20))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, response)
			_, err := b.client(t).Call(t.Context(), post())
			requireFailure(t, err, platform.ClassTransient)
			_, err = b.client(t).CommitCall(t.Context(), post())
			requireFailure(t, err, platform.ClassUnknown)
		})
	}
}

func hangUp(t *testing.T, w http.ResponseWriter, last string) {
	t.Helper()
	conn, _, err := http.NewResponseController(w).Hijack()
	require.NoError(t, err)
	_, _ = conn.Write([]byte(last))
	_ = conn.Close()
}

func TestObserveSeesEveryCall(t *testing.T) {
	t.Parallel()

	b := setup(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	var seen []httpcall.Exchange
	b.config.Observe = func(_ context.Context, e httpcall.Exchange) { seen = append(seen, e) }
	_, err := b.client(t).Call(t.Context(), httpcall.Request{Operation: "status"})
	require.NoError(t, err)
	_, err = b.client(t).CommitCall(t.Context(), httpcall.Request{Operation: "publish"})
	require.NoError(t, err)
	require.Equal(t, []httpcall.Exchange{
		{Network: channel.NetworkX, Operation: "status", Status: http.StatusNoContent},
		{Network: channel.NetworkX, Operation: "publish", Commit: true, Status: http.StatusNoContent},
	}, seen)
}

func TestExcerptHidesCredentials(t *testing.T) {
	t.Parallel()

	b := setup(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, "no\n\x1b[31m %s and %s %s", secret, url.PathEscape(secret), strings.Repeat("x", 10_000))
	})
	response, err := b.client(t).Call(t.Context(), post())
	require.NoError(t, err)
	require.NotContains(t, response.Excerpt(), secret)
	require.NotContains(t, response.Excerpt(), url.PathEscape(secret))
	require.NotContains(t, response.Excerpt(), "\n")
	require.Less(t, len(response.Excerpt()), 400)
	require.NotContains(t, response.Cause("why").Error(), secret)
}

func refusedAddress(t *testing.T) string {
	t.Helper()
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	return "http://" + address
}
