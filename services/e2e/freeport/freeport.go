// Package freeport finds addresses on this machine for servers that are started, stopped and started again: by tests over
// the whole system and by the bench.
package freeport

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
)

// The ports lie below the range that Linux takes ports for outgoing connections from (32768 on): such a connection could
// otherwise sit on the port of a server that is down at the moment. They also keep clear of the development stack's own.
const (
	lowest = 10000
	count  = 5000
)

// ErrNone means that every port of the range was given or is taken.
var ErrNone = errors.New("no free port is left")

// Pool hands out every port at most once, so that a server that is down keeps its own. Use it by pointer.
type Pool struct {
	lowest, count int
	start         int
	given         atomic.Int64
}

// New is a pool of the range that servers of tests use.
func New() *Pool { return Within(lowest, count) }

// Within is a pool of count ports from lowest on. It begins anywhere in them, so that programs that run side by side rarely
// look at the same ones.
func Within(lowest, count int) *Pool {
	return &Pool{lowest: lowest, count: count, start: rand.IntN(count)} //nolint:gosec // spreads programs; no secret
}

// Address is "127.0.0.1:port" that nobody listens on and that this pool has not given before.
// ErrNone when no port is left.
func (p *Pool) Address(ctx context.Context) (string, error) {
	for {
		n := int(p.given.Add(1))
		if n > p.count {
			return "", ErrNone
		}
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(p.lowest+(p.start+n)%p.count))
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		if err == nil {
			return address, listener.Close()
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
	}
}
