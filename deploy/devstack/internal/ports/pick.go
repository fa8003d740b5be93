package ports

import (
	"context"
	"errors"
	"math/rand/v2"
)

// Picked ports lie below the range that Linux takes ports for outgoing connections from (32768 on). Otherwise such a
// connection could sit on the port of a server that a test has stopped, or a client that retries could, by chance,
// connect to itself.
const (
	lowestPicked  = 15000
	highestPicked = 32000
	attempts      = 1000
)

// ErrNoFreePort means that no free port was found.
var ErrNoFreePort = errors.New("no free port found")

// Pick finds n different free ports.
func Pick(ctx context.Context, n int) ([]int, error) {
	picked := make([]int, 0, n)
	seen := make(map[int]bool, n)
	for range attempts {
		if len(picked) == n {
			return picked, nil
		}
		port := lowestPicked + rand.IntN(highestPicked-lowestPicked) //nolint:gosec // spreads parallel runs; no secret
		if !seen[port] && free(ctx, port) {
			seen[port] = true
			picked = append(picked, port)
		}
	}
	return nil, ErrNoFreePort
}
