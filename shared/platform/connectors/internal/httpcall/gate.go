package httpcall

import (
	"context"
	"errors"
	"net"
	"sync"

	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/platform"
)

// Fail points of the irrevocable call.
const (
	pointBeforeWrite   = "publish.before_write"
	pointAfterResponse = "publish.after_response"
)

// Reasons why a gate refuses a write.
var (
	errWindowClosed = errors.New("the time to send has passed")
	errSealed       = errors.New("the call was canceled before its first byte")
)

// gate controls the writes of the irrevocable request to its connection. It tracks whether a byte of the request may
// have left the process, and permits the first byte only while sending is allowed.
type gate struct {
	ctx   context.Context //nolint:containedctx // the caller's; it applies until the first byte, and Write has none
	clock clock.Clock

	mu       sync.Mutex
	opened   bool
	refused  error
	inFlight int
	written  int64
}

// enter requests permission to write. The first writer passes the check. After the gate is shut, every writer is
// refused.
func (g *gate) enter() error {
	g.mu.Lock()
	opened := g.opened
	g.mu.Unlock()
	if !opened {
		// This precedes the check of the send window, so that the check catches a process that was suspended here.
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

// mayOpen compares both clock readings: the monotonic one is not affected by changes of the wall clock, and the wall
// clock advances while the machine sleeps.
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

// shut refuses every write if none has started, and reports whether it did.
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

// seal refuses every later write. It reports whether certainly no byte of the request left the process, and the reason
// if the gate refused a write. The gate refuses only if no byte has left.
func (g *gate) seal() (nothingSent bool, reason error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	reason = g.refused
	if g.refused == nil {
		g.refused = errSealed
	}
	return g.inFlight == 0 && g.written == 0, reason
}

// gatedConn is a connection whose written bytes all belong to the request. With TLS it is above the encryption, so that
// the handshake and the closing alert do not count.
type gatedConn struct {
	net.Conn
	gate *gate
}

// Write writes if the gate permits it.
func (c *gatedConn) Write(p []byte) (int, error) {
	if err := c.gate.enter(); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(p)
	c.gate.leave(n)
	return n, err
}
