package ports

import (
	"context"
	"errors"
	"math/rand/v2"
)

// Picked ports are below the range that Linux uses for outgoing connections (from 32768 on). Otherwise such a
// connection could occupy the port of a server that a test has stopped, or a client that retries could by chance
// connect to itself.
const (
	lowestPicked  = 15000
	highestPicked = 32000
	attempts      = 1000
)

// ErrNoFreePort means that no free port was found.
var ErrNoFreePort = errors.New("no free port found")

// Pick returns n different free ports.
func Pick(ctx context.Context, n int) ([]int, error) {
	picked := make([]int, 0, n)
	seen := make(map[int]bool, n)
	for range attempts {
		if len(picked) == n {
			return picked, nil
		}
		port := lowestPicked + rand.IntN(highestPicked-lowestPicked) //nolint:gosec // spreads parallel runs; not a secret
		if !seen[port] && free(ctx, port) {
			seen[port] = true
			picked = append(picked, port)
		}
	}
	return nil, ErrNoFreePort
}
