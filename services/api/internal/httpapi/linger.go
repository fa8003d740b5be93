package httpapi

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"socialpub.internal/shared/clock"
)

const (
	// lingerFor is how long the rest of a refused request is read, and lingerBytes how much of it.
	lingerFor   = 2 * time.Second
	lingerBytes = 64 << 20
)

// lingeringListener makes connections that can end gently. When a request is refused while its client still sends it, as
// one that is too large is, closing the connection at once would reset it, and the client would never read the refusal.
// The listener can be closed twice.
type lingeringListener struct {
	net.Listener

	clock  clock.Clock
	closed sync.Once
}

func (l *lingeringListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &lingeringConn{Conn: conn, clock: l.clock}, nil
}

func (l *lingeringListener) Close() (err error) {
	l.closed.Do(func() { err = l.Listener.Close() })
	return err
}

type lingeringConn struct {
	net.Conn

	clock   clock.Clock
	lingers atomic.Bool
}

// Close ends the connection; when it lingers, only after the client has stopped sending, or has had its time.
func (c *lingeringConn) Close() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if c.lingers.Load() && ok {
		if err := errors.Join(half.CloseWrite(), c.SetReadDeadline(c.clock.Now().Add(lingerFor))); err == nil {
			_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes)
		}
	}
	return c.Conn.Close()
}
