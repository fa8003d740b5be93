// Package proctest helps tests, and bench, that run servers: it finds addresses for those that are started, stopped and
// started again, and collects logs.
package proctest

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// The ports are below Linux's range for outgoing connections (from 32768), because such a connection could otherwise
// use the port of a server that is down, and above the last one that browsers refuse to open (10080; Fetch Standard, bad
// ports). They also do not overlap with the development stack's ports.
const (
	lowest = 10100
	count  = 4900
)

// ErrNoPort is returned when every port of the range is issued or in use.
var ErrNoPort = errors.New("no free port is left")

// Ports issues every port at most once, so that a server that is down keeps its port. It locks every issued port until
// the process ends, so that programs that run in parallel do not issue the same port. A Pool must not be copied.
type Ports struct {
	lowest, count int
	start         int

	mu    sync.Mutex
	tried int
}

// locks holds a lock per issued port until the process ends: an unreferenced listener would be closed.
var locks struct {
	sync.Mutex

	held []net.Listener
}

// NewPorts returns a pool of the default range.
func NewPorts() *Ports { return PortsWithin(lowest, count) }

// PortsWithin returns a pool of count ports from lowest. It starts at a random port, because most ports that a program has
// just issued are locked.
func PortsWithin(lowest, count int) *Ports {
	return &Ports{lowest: lowest, count: count, start: rand.IntN(count)} //nolint:gosec // not a secret
}

// Address returns a "127.0.0.1:port" on which no process listens and which no pool of a running process has issued. It
// returns ErrNone if no port is left.
func (p *Ports) Address(ctx context.Context) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.tried < p.count {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		port := p.lowest + (p.start+p.tried)%p.count
		p.tried++
		// An abstract socket leaves no file, and the kernel removes it with the process (unix(7)).
		lock, err := (&net.ListenConfig{}).Listen(ctx, "unix", "@fencepost-port-"+strconv.Itoa(port))
		if err != nil {
			continue // another pool has issued the port
		}
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		if err != nil {
			_ = lock.Close()
			continue
		}
		locks.Lock()
		locks.held = append(locks.held, lock)
		locks.Unlock()
		return address, listener.Close()
	}
	return "", ErrNoPort
}
