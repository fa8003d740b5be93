package clock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/clock"
)

func TestSystem(t *testing.T) {
	t.Parallel()

	before := time.Now()
	now := clock.System().Now()
	after := time.Now()

	require.Equal(t, time.UTC, now.Location())
	require.False(t, now.Before(before))
	require.False(t, now.After(after))
}
