package framing_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"github.com/valyala/fasthttp"

	"fencepost.internal/services/internal/framing"
	"fencepost.internal/services/internal/framing/framingtest"
	"fencepost.internal/shared/kernel/clock"
)

func guard(t testing.TB, registry *prometheus.Registry, serverResponds bool) *framing.Guard {
	t.Helper()
	g, err := framing.New(framing.Config{
		BaseURL: "https://api.example.com", ServerResponds: serverResponds, Clock: clock.System(), Registerer: registry,
	})
	require.NoError(t, err)
	return g
}

// listen returns a guarded listener and its address.
func listen(t testing.TB, registry *prometheus.Registry, serverResponds bool) (guarded net.Listener, address string) {
	t.Helper()
	inner, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return guard(t, registry, serverResponds).Listener(inner), inner.Addr().String()
}

// standard serves with net/http. It responds with the received body.
func standard(t testing.TB, registry *prometheus.Registry) (address string) {
	t.Helper()
	listener, address := listen(t, registry, false)
	server := &http.Server{
		ReadHeaderTimeout: time.Minute, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			if r.Context().Err() != nil {
				http.Error(w, "canceled", http.StatusInternalServerError)
				return
			}
			_, _ = w.Write(body)
		}),
	}
	serve(t, func() error { return server.Serve(listener) }, server.Close)
	return address
}

// fast serves with fasthttp, which responds to violations itself.
func fast(t testing.TB, registry *prometheus.Registry) (address string) {
	t.Helper()
	listener, address := listen(t, registry, true)
	server := &fasthttp.Server{
		Logger:  slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		Handler: func(ctx *fasthttp.RequestCtx) { ctx.SetBody(ctx.Request.Body()) },
		ErrorHandler: func(ctx *fasthttp.RequestCtx, err error) {
			violation := new(framing.Violation)
			if !errors.As(err, &violation) {
				violation = &framing.Violation{Status: http.StatusBadRequest, Detail: "other"}
			}
			ctx.SetStatusCode(violation.Status)
			ctx.SetContentType("application/problem+json")
			ctx.Response.Header.Set("X-Request-Id", "id")
			_, _ = fmt.Fprintf(ctx, `{"code":"MALFORMED_REQUEST","status":%d,"detail":%q}`, violation.Status, violation.Detail)
		},
	}
	serve(t, func() error { return server.Serve(listener) }, server.Shutdown)
	return address
}

func serve(t testing.TB, run, stop func() error) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = run()
	}()
	t.Cleanup(func() {
		_ = stop()
		<-ended
	})
}

func TestAttacks(t *testing.T) {
	t.Parallel()
	t.Run("net/http", func(t *testing.T) {
		t.Parallel()
		framingtest.Run(t, framingtest.Target{Address: standard(t, prometheus.NewRegistry()), Get: "/", ReadsFirst: false})
	})
	t.Run("fasthttp", func(t *testing.T) {
		t.Parallel()
		framingtest.Run(t, framingtest.Target{Address: fast(t, prometheus.NewRegistry()), Get: "/", ReadsFirst: true})
	})
}

// valid returns requests on one connection and their bodies.
func valid() (text string, bodies []string) {
	text = "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n" +
		"POST /a?b=c HTTP/1.1\r\nhOST: [2001:db8::1]:8080\r\nX-Empty:\r\nX-Tab: a\tb\r\nX-Beyond: " +
		"\xc3\xa4\r\nContent-Length: 5\r\n\r\nGET /" +
		"\r\nPOST / HTTP/1.1\r\nHost: EXAMPLE.com:80\r\nTransfer-Encoding: Chunked\r\nExpect: 100-continue\r\n\r\n" +
		"5\r\n\r\n\r\n\n\r\n00A\r\n0123456789\r\n0\r\nX-Trailer: x\r\n\r\n" +
		"GET http://Example.COM/x HTTP/1.1\r\nHost: example.com\r\n\r\n" +
		"OPTIONS * HTTP/1.1\r\nHost: example.com\r\nContent-Length: 000\r\n\r\n" +
		"GET / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 3\r\nConnection: close\r\n\r\nend"
	return text, []string{"", "GET /", "\r\n\r\n\n0123456789", "", "", "end"}
}

// TestValidRequests checks that valid requests pass in packets of any size, and that each receives its response.
func TestValidRequests(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{
		"net/http": standard(t, prometheus.NewRegistry()), "fasthttp": fast(t, prometheus.NewRegistry()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, bodies := valid()
			for _, size := range []int{len(text), 1, 2, 3, 7, 64} {
				require.Equal(t, bodies, exchange(t, address, text, size), "packets of %d bytes", size)
			}
		})
	}
}

// exchange sends the text in packets of a size and returns the bodies of the responses.
func exchange(t *testing.T, address, text string, size int) (bodies []string) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	go func() {
		for rest := []byte(text); len(rest) > 0; {
			n := min(size, len(rest))
			if _, err := conn.Write(rest[:n]); err != nil {
				return
			}
			rest = rest[n:]
		}
	}()
	reader := bufio.NewReader(conn)
	for {
		res, err := http.ReadResponse(reader, nil)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return bodies
		}
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		if res.StatusCode == http.StatusContinue {
			continue
		}
		require.Equal(t, http.StatusOK, res.StatusCode, "%s", body)
		bodies = append(bodies, string(body))
	}
}

// TestHTTP10 checks that HTTP/1.0 does not require Host.
func TestHTTP10(t *testing.T) {
	t.Parallel()
	for _, address := range []string{standard(t, prometheus.NewRegistry()), fast(t, prometheus.NewRegistry())} {
		require.Equal(t, []string{"ab"}, exchange(t, address, "POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nab", 100))
	}
}

// TestPreviousRequestGetsResponse checks that a request receives its response although a malformed one arrives while its
// handler runs: net/http reads ahead meanwhile.
func TestPreviousRequestGetsResponse(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan context.Context, 1), make(chan struct{})
	listener, address := listen(t, prometheus.NewRegistry(), false)
	server := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			entered <- r.Context()
			<-leave
			_, _ = io.WriteString(w, "done")
		}),
	}
	serve(t, func() error { return server.Serve(listener) }, server.Close)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok")
	require.NoError(t, err)
	running := <-entered
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n")
	require.NoError(t, err)
	select {
	case <-running.Done():
		require.Fail(t, "the request was canceled")
	case <-time.After(100 * time.Millisecond):
	}
	close(leave)
	reader := bufio.NewReader(conn)
	for _, want := range []struct {
		status int
		body   string
	}{{http.StatusOK, "done"}, {http.StatusBadRequest, "MALFORMED_REQUEST"}} {
		res, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, want.status, res.StatusCode)
		require.Contains(t, string(body), want.body)
	}
	_, err = reader.ReadByte()
	require.ErrorIs(t, err, io.EOF)
}

// TestClientReceivesRefusal checks that the connection is not reset while the client is still sending.
func TestClientReceivesRefusal(t *testing.T) {
	t.Parallel()
	for _, address := range []string{standard(t, prometheus.NewRegistry()), fast(t, prometheus.NewRegistry())} {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		require.NoError(t, err)
		_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5000000\r\n\r\n"+strings.Repeat("x",
			5_000_000))
		require.NoError(t, err)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusBadRequest, res.StatusCode)
		require.NoError(t, res.Body.Close())
		require.NoError(t, conn.Close())
	}
}

func TestProblem(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", standard(t, registry))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = io.WriteString(conn, "GET /secret HTTP/1.1\r\nX-Secret whsec_secret\r\n\r\n")
	require.NoError(t, err)
	whole, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.NotContains(t, string(whole), "secret")
	res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(whole)), nil)
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.JSONEq(t,
		`{"type":"https://api.example.com/problems/malformed-request","title":"Malformed request","status":400,"instance":"",
		"code":"MALFORMED_REQUEST","requestId":"`+res.Header.Get("X-Request-Id")+`",
		"detail":"The name of a header field is not valid. Send a name without spaces, directly followed by a colon."}`,
		string(body))
	require.Equal(t, "no-store", res.Header.Get("Cache-Control"))
	_, err = http.ParseTime(res.Header.Get("Date"))
	require.NoError(t, err)
	require.NoError(t, testutil.GatherAndCompare(registry,
		strings.NewReader(
			`# HELP http_malformed_requests_total Requests refused because their framing breaks RFC 9112, by reason.
# TYPE http_malformed_requests_total counter
http_malformed_requests_total{reason="chunk"} 0
http_malformed_requests_total{reason="content_length"} 0
http_malformed_requests_total{reason="field_name"} 1
http_malformed_requests_total{reason="field_value"} 0
http_malformed_requests_total{reason="folded_line"} 0
http_malformed_requests_total{reason="host"} 0
http_malformed_requests_total{reason="length_and_chunks"} 0
http_malformed_requests_total{reason="line_end"} 0
http_malformed_requests_total{reason="line_length"} 0
http_malformed_requests_total{reason="request_line"} 0
http_malformed_requests_total{reason="trailer"} 0
http_malformed_requests_total{reason="transfer_encoding"} 0
http_malformed_requests_total{reason="unknown_transfer_coding"} 0
http_malformed_requests_total{reason="version"} 0
`)))
	about := (&framing.Violation{Status: 400}).Problem("", "id")
	require.Equal(t, "about:blank", about.Type)
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	_, err := framing.New(framing.Config{Clock: clock.System()})
	require.Error(t, err)
	_, err = framing.New(framing.Config{Registerer: prometheus.NewRegistry()})
	require.Error(t, err)
	registry := prometheus.NewRegistry()
	guard(t, registry, true)
	guard(t, registry, false) // of the same program
	other := prometheus.NewRegistry()
	other.MustRegister(prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "http_malformed_requests_total", Help: "Another metric of this name.",
	}, []string{"cause"}))
	_, err = framing.New(framing.Config{Clock: clock.System(), Registerer: other})
	require.Error(t, err)
}

// pipe is a connection that has received a text.
type pipe struct {
	net.Conn

	reader io.Reader
}

func (p pipe) Read(b []byte) (int, error) { return p.reader.Read(b) }

// oneConn is a listener of one connection.
type oneConn struct {
	net.Listener

	conn net.Conn
}

func (l oneConn) Accept() (net.Conn, error) { return l.conn, nil }

// read returns what a server reads of a text through the guard, and the error that ends it.
func read(t testing.TB, reader io.Reader) (passed []byte, err error) {
	t.Helper()
	conn, err := guard(t, prometheus.NewRegistry(), true).Listener(oneConn{conn: pipe{reader: reader}}).Accept()
	require.NoError(t, err)
	passed, err = io.ReadAll(conn)
	return passed, err
}

// TestLongLines checks that long lines are refused before they fill the memory.
func TestLongLines(t *testing.T) {
	t.Parallel()
	endless := io.MultiReader(strings.NewReader("GET /"), io.LimitReader(iotest.DataErrReader(zeros{}), 1<<20))
	passed, err := read(t, iotest.OneByteReader(endless))
	require.ErrorAs(t, err, new(*framing.Violation))
	require.Less(t, len(passed), 100<<10)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}
