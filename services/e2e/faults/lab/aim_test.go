package lab_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
)

// TestAimFindsBoundary simulates a boundary that differs from the given time, varies randomly, and drifts.
func TestAimFindsBoundary(t *testing.T) {
	t.Parallel()
	for name, boundary := range map[string]func(round int) time.Duration{
		"at the instant": func(int) time.Duration { return 0 },
		"before":         func(int) time.Duration { return -120 * time.Millisecond },
		"after":          func(int) time.Duration { return 150 * time.Millisecond },
		"drifting":       func(round int) time.Duration { return time.Duration(round) * time.Millisecond },
	} {
		for seed := range uint64(50) {
			chance := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // G404: a test must be repeatable
			var aim lab.Aim
			const rounds = 60
			for round := range rounds {
				jitter := time.Duration(chance.NormFloat64() * float64(5*time.Millisecond))
				if aim.Offset() < boundary(round)+jitter {
					aim.Won()
				} else {
					aim.Lost()
				}
			}
			won, lost := aim.Outcomes()
			require.Equal(t, rounds, won+lost)
			require.True(t, aim.Balanced(), "%s, seed %d: %d won, %d lost", name, seed, won, lost)
		}
	}
}

// TestBalancedNeedsBothOutcomes checks that one outcome in exactly a tenth of the rounds is not enough.
func TestBalancedNeedsBothOutcomes(t *testing.T) {
	t.Parallel()
	for wins, balanced := range map[int]bool{0: false, 1: false, 2: false, 3: true, 17: true, 18: false, 20: false} {
		var aim lab.Aim
		for round := range 20 {
			if round < wins {
				aim.Won()
			} else {
				aim.Lost()
			}
		}
		require.Equal(t, balanced, aim.Balanced(), wins)
	}
}
