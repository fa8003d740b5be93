package httpcall_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
)

func TestCommitUsesNewConnection(t *testing.T) {
	t.Parallel()

	var connections atomic.Int32
	protocols := make(chan string, 6)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocols <- r.Proto
		_, _ = w.Write([]byte(`{}`))
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := setupAt(server.URL).client(t)
	for range 3 {
		_, err := client.Call(t.Context(), post())
		require.NoError(t, err)
		_, err = client.CommitCall(t.Context(), post())
		require.NoError(t, err)
	}
	require.Equal(t, int32(1+3), connections.Load())
	for range 6 {
		require.Equal(t, "HTTP/1.1", <-protocols)
	}
}

func TestCommitOverTLS(t *testing.T) {
	t.Parallel()

	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)

	b := setupAt(server.URL)
	_, err := b.client(t).CommitCall(t.Context(), post())
	requireFailure(t, err, platform.ClassTransient) // the certificate is not trusted, and a handshake is not a request

	transport, ok := server.Client().Transport.(*http.Transport)
	require.True(t, ok)
	b.config.RootCAs = transport.TLSClientConfig.RootCAs
	client := b.client(t)
	response, err := client.CommitCall(t.Context(), post())
	require.NoError(t, err)
	require.True(t, response.OK())
	require.JSONEq(t, `{"text":"hello"}`, string(response.Body))
	_, err = client.Call(t.Context(), post())
	require.NoError(t, err)

	_, err = client.CommitCall(platform.WithSendBy(t.Context(), start().Add(-time.Second)), post())
	require.Equal(t, platform.CodeSendWindowClosed, failureOf(t, err, platform.ClassTransient).Code)
}

func TestCommitWithoutConnectionIsTransient(t *testing.T) {
	t.Parallel()

	b := setupAt(refusedAddress(t))
	_, err := b.client(t).CommitCall(t.Context(), post())
	requireFailure(t, err, platform.ClassTransient)
	_, err = b.client(t).Call(t.Context(), post())
	requireFailure(t, err, platform.ClassTransient)

	b.config.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	b.config.CommitTimeout = 20 * time.Millisecond
	_, err = b.client(t).CommitCall(t.Context(), post())
	requireFailure(t, err, platform.ClassTransient)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// TestSendWindow checks a worker that was paused between recording its intent and sending.
func TestSendWindow(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		sendBy time.Duration // from the start of the call
		dial   time.Duration // duration of connecting
		sent   bool
	}{
		"open":                   {sendBy: 10 * time.Second, sent: true},
		"open to its last":       {sendBy: 10 * time.Second, dial: 10 * time.Second, sent: true},
		"closed before the call": {sendBy: -time.Nanosecond},
		"closed while dialling":  {sendBy: 10 * time.Second, dial: 11 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var requests atomic.Int32
			b := setup(t, func(w http.ResponseWriter, _ *http.Request) { requests.Add(1); w.WriteHeader(http.StatusCreated) })
			b.config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
				b.clock.Advance(test.dial)
				return conn, err
			}
			_, err := b.client(t).CommitCall(platform.WithSendBy(t.Context(), start().Add(test.sendBy)), post())
			if test.sent {
				require.NoError(t, err)
				require.Equal(t, int32(1), requests.Load())
				return
			}
			require.Equal(t, platform.CodeSendWindowClosed, failureOf(t, err, platform.ClassTransient).Code)
			require.Zero(t, requests.Load())
		})
	}
}

func TestCancelBeforeFirstByte(t *testing.T) {
	t.Parallel()

	b := setup(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	ctx, cancel := context.WithCancel(t.Context())
	b.config.Dial = func(dial context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(dial, network, address)
		cancel()
		return conn, err
	}
	_, err := b.client(t).CommitCall(ctx, post())
	requireFailure(t, err, platform.ClassTransient)
}

func TestCancelAfterFirstByteKeepsResponse(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	b := setup(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		_, _ = w.Write([]byte(`{"id":"7"}`))
	})
	response, err := b.client(t).CommitCall(ctx, post())
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"7"}`, string(response.Body))
}

func TestCommitTimeoutAfterRequestIsUnknown(t *testing.T) {
	t.Parallel()

	b := setup(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	b.config.CommitTimeout = time.Second // a busy machine sends the request in this time
	_, err := b.client(t).CommitCall(t.Context(), post())
	requireFailure(t, err, platform.ClassUnknown)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// brokenConn accepts a limited number of bytes and then fails.
type brokenConn struct {
	net.Conn
	accepts int
}

func (c *brokenConn) Write(p []byte) (int, error) {
	if len(p) <= c.accepts {
		return c.Conn.Write(p)
	}
	n, _ := c.Conn.Write(p[:c.accepts])
	return n, errors.New("broken pipe")
}

func TestSentBytesDecideOutcome(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		accepts int
		class   platform.Class
	}{
		"none": {0, platform.ClassTransient},
		"one":  {1, platform.ClassUnknown},
		"ten":  {10, platform.ClassUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, func(http.ResponseWriter, *http.Request) { t.Error("a whole request arrived") })
			b.config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
				return &brokenConn{Conn: conn, accepts: test.accepts}, err
			}
			_, err := b.client(t).CommitCall(t.Context(), post())
			requireFailure(t, err, test.class)
		})
	}
}
