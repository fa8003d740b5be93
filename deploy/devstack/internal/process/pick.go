package process

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// Picked ports are below the range that Linux uses for outgoing connections (from 32768 on). Otherwise such a
// connection could occupy the port of a server that a test has stopped, or a client that retries could by chance
// connect to itself.
const (
	lowestPicked  = 15000
	highestPicked = 32000
)

// ErrNoFreePort means that no free port was found.
var ErrNoFreePort = errors.New("no free port found")

// picked holds a lock per picked port until the process ends: an unreferenced listener would be closed.
var picked sync.Map

// Pick returns n different free ports. It locks each until the process ends, because the server of a stack that starts
// at the same time may not listen yet.
func Pick(ctx context.Context, n int) ([]int, error) {
	chosen := make([]int, 0, n)
	for range 1000 {
		if len(chosen) == n {
			return chosen, nil
		}
		port := lowestPicked + rand.IntN(highestPicked-lowestPicked) //nolint:gosec // spreads parallel runs; not a secret
		// An abstract socket leaves no file, and the kernel removes it with the process (unix(7)).
		lock, err := (&net.ListenConfig{}).Listen(ctx, "unix", "@devstack-port-"+strconv.Itoa(port))
		if err != nil {
			continue // another process has picked the port
		}
		if !free(ctx, port) {
			_ = lock.Close()
			continue
		}
		picked.Store(port, lock)
		chosen = append(chosen, port)
	}
	return nil, ErrNoFreePort
}
