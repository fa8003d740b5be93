package harness

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Front distributes requests over several servers in turn, as a load balancer without session affinity does. A server
// that stops gracefully responds to all requests that it accepted, so a request without a response goes to the next
// server. The test must check whether a request was performed twice.
type Front struct {
	servers   []string // host and port
	transport *http.Transport
	turn      atomic.Int64
	responded []atomic.Int64
	retried   atomic.Int64
	broken    atomic.Int64
}

// newFront serves on the address until the test ends.
func newFront(t testing.TB, address string, servers ...string) *Front {
	t.Helper()
	const connections, headerTimeout = 32, 5 * time.Second
	f := &Front{
		servers: servers, responded: make([]atomic.Int64, len(servers)),
		transport: &http.Transport{MaxIdleConnsPerHost: connections},
	}
	server := &http.Server{ReadHeaderTimeout: headerTimeout, Handler: &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme = "http" }, Transport: f,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
	}}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
		f.transport.CloseIdleConnections()
	})
	return f
}

// Responded returns the number of responses of a server.
func (f *Front) Responded(server int) int { return int(f.responded[server].Load()) }

// Retried returns the number of tries that got no response, and how many of them failed on an established connection.
func (f *Front) Retried() (all, broken int) {
	return int(f.retried.Load()), int(f.broken.Load())
}

// RoundTrip implements http.RoundTripper for the proxy.
func (f *Front) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	first := int(f.turn.Add(1))
	var failures error
	for i := range f.servers {
		server := (first + i) % len(f.servers)
		try := r.Clone(r.Context())
		try.URL.Host, try.Body = f.servers[server], io.NopCloser(bytes.NewReader(body))
		response, err := f.transport.RoundTrip(try)
		if err == nil {
			f.responded[server].Add(1)
			return response, nil
		}
		failures = errors.Join(failures, err)
		if r.Context().Err() != nil {
			return nil, context.Cause(r.Context())
		}
		f.retried.Add(1)
		if !errors.Is(err, syscall.ECONNREFUSED) {
			f.broken.Add(1)
		}
	}
	return nil, failures
}
