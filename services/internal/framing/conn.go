package framing

import (
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
)

const (
	// lingerFor is how long the rest of a refused request is read, and lingerBytes how much of it.
	lingerFor   = 2 * time.Second
	lingerBytes = 64 << 20
)

// stub is what a server reads in place of a malformed request, before the violation. It ends no line, so that no server acts on it.
// It is long enough that net/http, which waits for 4 bytes of the next request, does not take the violation for the end of an idle
// connection.
const stub = "STOP"

// Conn is a guarded connection.
type Conn struct {
	net.Conn

	guard     *Guard
	scanner   scanner
	violation *Violation // found by Read
	stubbed   int        // bytes of the stub that were read

	refused   atomic.Pointer[Violation] // what the guard responds to
	responded atomic.Bool
	lingers   atomic.Bool
	closing   atomic.Bool
}

// Read reads what is valid. After a violation it returns the stub, then the violation.
//
// The stub is never read together with a valid request, and the violation never with the stub: while a handler runs, net/http reads
// one byte ahead to notice a lost connection, and an error there would cancel the request before.
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
		case n > 0 && c.violation != nil: // the server receives what comes before the violation
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

// Write writes a response. In place of what the server responds to a malformed head, the guard writes its own response.
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

// Linger makes Close wait until the client has stopped sending, for a response to a request that was not read to its end. Closing at
// once would reset the connection, and the client would not receive the response.
func (c *Conn) Linger() { c.lingers.Store(true) }

// CloseWrite ends the responses.
func (c *Conn) CloseWrite() error {
	half, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.ErrUnsupported
	}
	return half.CloseWrite()
}

// Close closes the connection. A second call closes it at once, also while the first one lingers.
func (c *Conn) Close() error {
	if c.closing.Swap(true) || !c.lingers.Load() {
		return c.Conn.Close()
	}
	if err := errors.Join(c.CloseWrite(), c.SetReadDeadline(c.guard.config.Clock.Now().Add(lingerFor))); err == nil {
		_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes)
	}
	return c.Conn.Close()
}
