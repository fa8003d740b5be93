package httpcall

import (
	"context"
	"errors"
	"net"
	"sync"

	"socialpub.internal/shared/kernel/clock"
	"socialpub.internal/shared/kernel/failpoint"
	"socialpub.internal/shared/platform"
)

// Fail points of the irrevocable call.
const (
	pointBeforeWrite   = "publish.before_write"
	pointAfterResponse = "publish.after_response"
)

// Why a gate let nothing through.
var (
	errWindowClosed = errors.New("the time to send has passed")
	errSealed       = errors.New("the call was given up before its first byte")
)

// gate stands between the irrevocable request and its connection. It knows at any moment whether a byte of the
// request may have left the process, and lets the first one out only while that is allowed.
type gate struct {
	ctx   context.Context //nolint:containedctx // the caller's, which rules until the first byte; a Write has no context
	clock clock.Clock

	mu       sync.Mutex
	opened   bool
	refused  error
	inFlight int
	written  int64
}

// enter asks to write. The first writer passes the check; all writers are refused once the gate is shut.
func (g *gate) enter() error {
	g.mu.Lock()
	opened := g.opened
	g.mu.Unlock()
	if !opened {
		// Before the check of the window, so that a process frozen here is caught by it when it thaws.
		if err := failpoint.Hit(g.ctx, pointBeforeWrite); err != nil {
			g.shut(err)
		}
	}

	g.mu.Lock()
	defer g.mu.Unlock()
	if g.refused != nil {
		return g.refused
	}
	if !g.opened {
		if g.refused = g.mayOpen(); g.refused != nil {
			return g.refused
		}
		g.opened = true
	}
	g.inFlight++
	return nil
}

// mayOpen looks at the clock twice: by its monotonic reading, which a changed wall clock does not move, and by its
// wall reading, which goes on while the machine sleeps.
func (g *gate) mayOpen() error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	until, limited := platform.SendBy(g.ctx)
	now := g.clock.Now()
	if limited && (now.After(until) || now.Round(0).After(until.Round(0))) {
		return errWindowClosed
	}
	return nil
}

func (g *gate) leave(written int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inFlight--
	g.written += int64(written)
}

// shut refuses every write when none has begun, and reports whether it did.
func (g *gate) shut(reason error) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened {
		return false
	}
	if g.refused == nil {
		g.refused = reason
	}
	return true
}

// seal ends the call: nothing is written from here on. It reports whether it is certain that no byte of the request
// left, and if the gate refused, why: it refuses only when none has left.
func (g *gate) seal() (nothingSent bool, reason error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	reason = g.refused
	if g.refused == nil {
		g.refused = errSealed
	}
	return g.inFlight == 0 && g.written == 0, reason
}

// gatedConn is a connection whose every written byte belongs to the request: under TLS it lies above the
// encryption, so the handshake and the closing alert do not count.
type gatedConn struct {
	net.Conn
	gate *gate
}

// Write passes the gate, then writes.
func (c *gatedConn) Write(p []byte) (int, error) {
	if err := c.gate.enter(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(p)
	c.gate.leave(n)
	return n, err
}
