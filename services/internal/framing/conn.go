package framing

import (
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
)

const (
	// lingerFor and lingerBytes limit the time and the size of reading the rest of a refused request.
	lingerFor   = 2 * time.Second
	lingerBytes = 64 << 20
)

// stub is read by a server in place of a malformed request, before the violation. It ends no line, so that no server
// acts on it. It is long enough that net/http, which waits for 4 bytes of the next request, does not treat the
// violation as the end of an idle connection.
const stub = "STOP"

// Conn is a guarded connection.
type Conn struct {
	net.Conn

	guard     *Guard
	scanner   scanner
	violation *Violation // found by Read
	stubbed   int        // bytes of the stub read so far

	refused   atomic.Pointer[Violation] // violation that the guard responds to
	responded atomic.Bool
	lingers   atomic.Bool
	closing   atomic.Bool
}

// Read returns the valid bytes. After a violation it returns the stub, then the violation.
//
// The stub is never read together with a valid request, and the violation never with the stub: while a handler runs,
// net/http reads one byte ahead to notice a lost connection, and an error there would cancel the previous request.
func (c *Conn) Read(p []byte) (int, error) {
	if c.violation != nil {
		return c.refuse(p)
	}
	for {
		n, err := c.Conn.Read(p)
		if n == 0 {
			return 0, err
		}
		n, c.violation = c.scanner.scan(p[:n])
		if c.violation != nil {
			c.guard.refusals.WithLabelValues(c.violation.Reason).Inc()
			c.lingers.Store(true)
		}
		switch {
		case n > 0 && c.violation != nil: // the server receives the bytes before the violation
			return n, nil //nolint:nilerr // the next Read reports the error of the connection
		case n > 0 || err != nil:
			return n, err
		case c.violation != nil:
			return c.refuse(p)
		}
	}
}

func (c *Conn) refuse(p []byte) (int, error) {
	if c.stubbed < len(stub) {
		n := copy(p, stub[c.stubbed:])
		c.stubbed += n
		return n, nil
	}
	if !c.guard.config.ServerResponds && c.scanner.inHead() {
		c.refused.Store(c.violation)
	}
	return 0, c.violation
}

// Write writes a response. It replaces the server's response to a malformed head with the guard's own.
func (c *Conn) Write(p []byte) (int, error) {
	violation := c.refused.Load()
	if violation == nil {
		return c.Conn.Write(p)
	}
	if c.responded.Swap(true) {
		return len(p), nil
	}
	response, err := c.guard.response(violation)
	if err == nil {
		_, err = c.Conn.Write(response)
	}
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// Linger makes Close wait until the client has stopped sending. It is for a response to a request that was not fully
// read: closing at once would reset the connection, and the client would not receive the response.
func (c *Conn) Linger() { c.lingers.Store(true) }

// CloseWrite closes the writing side of the connection.
func (c *Conn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

// Close closes the connection. A second call closes it at once, even while the first one lingers.
func (c *Conn) Close() error {
	if c.closing.Swap(true) || !c.lingers.Load() {
		return c.Conn.Close()
	}
	if err := errors.Join(c.CloseWrite(), c.SetReadDeadline(c.guard.config.Clock.Now().Add(lingerFor))); err == nil {
		_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes)
	}
	return c.Conn.Close()
}
