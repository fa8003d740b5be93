package connectors_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

// TestReceivers checks that the networks whose links are sources have a receiver, and only these.
func TestReceivers(t *testing.T) {
	t.Parallel()
	registry, err := connectors.New(withoutSandbox(t, "https://network.test"), clock.System(), 0)
	require.NoError(t, err)
	receivers := connectors.Receivers()
	reported := make(map[channel.Network]bool)
	for _, typ := range channel.Types() {
		link, _ := registry.Link(channel.Channel{Type: typ})
		if _, source := link.(platform.Source); source {
			reported[typ.Network()] = true
			require.Contains(t, receivers, typ.Network(), "%s", typ)
			_, replies := link.(platform.Replier)
			require.True(t, replies, "%s", typ)
		}
	}
	require.Len(t, reported, len(receivers))
	for network, receiver := range receivers {
		require.Equal(t, network, receiver.Network())
		require.Positive(t, receiver.Version())
	}
}
