package workerapp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/worker/internal/workerapp"
	"fencepost.internal/shared/domain/channel"
)

func TestUnknownNetworksAreRefused(t *testing.T) {
	t.Parallel()
	networks := []channel.Network{channel.NetworkX, channel.NetworkThreads, channel.NetworkTelegram}
	require.NoError(t, workerapp.Known(nil, networks))
	require.NoError(t, workerapp.Known([]string{"telegram", "x"}, networks))
	err := workerapp.Known([]string{"x", "thread"}, networks)
	require.ErrorContains(t, err, `WORKER_NETWORKS "thread" is not a network of this program, which has x, threads, telegram`)
	require.ErrorContains(t, err, "did you mean threads?")
}
