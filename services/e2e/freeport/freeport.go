// Package freeport finds addresses on this machine for servers that are started, stopped and started again, for
// end-to-end tests and for bench.
package freeport

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
)

// The ports are below Linux's range for outgoing connections (from 32768), because such a connection could otherwise
// use the port of a server that is down. They also do not overlap with the development stack's ports.
const (
	lowest = 10000
	count  = 5000
)

// ErrNone is returned when every port of the range is issued or in use.
var ErrNone = errors.New("no free port is left")

// Pool issues every port at most once, so that a server that is down keeps its port. A Pool must not be copied.
type Pool struct {
	lowest, count int
	start         int
	given         atomic.Int64
}

// New returns a pool of the default range.
func New() *Pool { return Within(lowest, count) }

// Within returns a pool of count ports from lowest. It starts at a random port, so that programs that run in parallel
// rarely try the same ports.
func Within(lowest, count int) *Pool {
	return &Pool{lowest: lowest, count: count, start: rand.IntN(count)} //nolint:gosec // not a secret
}

// Address returns a "127.0.0.1:port" on which no process listens and which this pool has not issued before. It returns
// ErrNone if no port is left.
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
