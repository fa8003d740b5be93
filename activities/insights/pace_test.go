package insights_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/activities/insights"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/flow"
)

// TestStepsOfNetworkAreSpread checks that each step gets its own start time with one request, and that other
// networks are not affected.
func TestStepsOfNetworkAreSpread(t *testing.T) {
	t.Parallel()
	const every = 200 * time.Millisecond
	line := insights.NewLine(every, 1000)
	var waits []time.Duration
	steps := make([]flow.InsightsStep, 100)
	for i := range steps {
		_, wait, free := line.Enter(channel.NetworkX, now, &steps[i])
		require.Equal(t, i == 0, free)
		waits = append(waits, wait)
	}
	for i, wait := range waits {
		require.Equal(t, time.Duration(i)*every, wait)
		_, _, free := line.Enter(channel.NetworkX, now.Add(wait), &steps[i])
		require.True(t, free, "its moment has come")
	}
	_, _, free := line.Enter(channel.NetworkThreads, now, &flow.InsightsStep{})
	require.True(t, free)
	_, wait, free := line.Enter(channel.NetworkX, now.Add(time.Hour), &flow.InsightsStep{})
	require.True(t, free, "what was not used is not saved up")
	require.Zero(t, wait)
}

// TestHangingNetworkLeavesSlots checks that one network uses at most half of the slots.
func TestHangingNetworkLeavesSlots(t *testing.T) {
	t.Parallel()
	line := insights.NewLine(time.Nanosecond, 2)
	at := now
	enter := func(n channel.Network) (func(), bool) {
		at = at.Add(time.Second)
		release, wait, free := line.Enter(n, at, &flow.InsightsStep{})
		require.Equal(t, !free, wait > 0)
		return release, free
	}
	first, free := enter(channel.NetworkX)
	require.True(t, free)
	_, free = enter(channel.NetworkX)
	require.True(t, free)
	_, free = enter(channel.NetworkX)
	require.False(t, free)
	_, free = enter(channel.NetworkThreads)
	require.True(t, free)
	first()
	_, free = enter(channel.NetworkX)
	require.True(t, free)
}
