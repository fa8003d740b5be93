package httpcall_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// heldConn blocks the write with this number, and later ones, until it is released. Blocked writes count as written.
type heldConn struct {
	net.Conn

	holds    int32
	writes   atomic.Int32
	released chan struct{}
}

// Write blocks if it is held.
func (c *heldConn) Write(p []byte) (int, error) {
	if c.writes.Add(1) < c.holds {
		return c.Conn.Write(p)
	}
	<-c.released
	return len(p), nil
}

// held returns a client whose connection blocks the write with this number.
func held(number int32, serve func(net.Conn)) (*bundle, *heldConn) {
	conn := &heldConn{holds: number, released: make(chan struct{})}
	b := setupPipe(serve)
	dial := b.config.Dial
	b.config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		inner, err := dial(ctx, network, address)
		conn.Conn = inner
		return conn, err
	}
	return b, conn
}

// large returns a request whose body needs several writes.
func large() httpcall.Request {
	request := post()
	request.JSON = strings.Repeat("a", 1<<20)
	return request
}

// TestNothingIsWrittenAfterCall checks that the rest of the request is not sent if the network responds early.
func TestNothingIsWrittenAfterCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, conn := held(2, func(conn net.Conn) {
			_, _ = conn.Read(make([]byte, 1<<20))
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		})
		response, err := b.client(t).CommitCall(t.Context(), large())
		require.NoError(t, err)
		require.True(t, response.OK())
		require.EqualValues(t, 2, conn.writes.Load())
		close(conn.released)
		synctest.Wait()
		require.EqualValues(t, 2, conn.writes.Load())
	})
}

// TestPendingWriteIsUnknown checks that the outcome is unknown if the response ends before the first write has
// returned.
func TestPendingWriteIsUnknown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, conn := held(1, func(conn net.Conn) {
			synctest.Wait() // for the write
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
		})
		_, err := b.client(t).CommitCall(t.Context(), post())
		requireFailure(t, err, platform.ClassUnknown)
		close(conn.released)
	})
}

// TestCancelDuringConnect checks that a cancellation ends a pending connection attempt immediately, and that
// CommitCall returns the caller's reason.
func TestCancelDuringConnect(t *testing.T) {
	t.Parallel()
	for name, reasons := range map[string]bool{"call": false, "commit": true} {
		synctest.Test(t, func(t *testing.T) {
			ending := errors.New("the worker ends")
			ctx, cancel := context.WithCancelCause(t.Context())
			b := setupAt("http://network.test")
			b.config.Dial = func(dial context.Context, _, _ string) (net.Conn, error) {
				cancel(ending)
				<-dial.Done()
				return nil, dial.Err()
			}
			call, began := both(b.client(t))[name], time.Now()
			_, err := call(ctx, raw(zeros(1), 1))
			requireFailure(t, err, platform.ClassTransient)
			if reasons {
				require.ErrorIs(t, err, ending)
			}
			synctest.Wait()
			require.Zero(t, time.Since(began), "it does not wait for a timeout")
		})
	}
}
