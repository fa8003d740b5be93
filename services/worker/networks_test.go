package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
)

func TestUnknownNetworksAreRefused(t *testing.T) {
	t.Parallel()
	networks := []channel.Network{channel.NetworkX, channel.NetworkThreads, channel.NetworkTelegram}
	require.NoError(t, known(nil, networks))
	require.NoError(t, known([]string{"telegram", "x"}, networks))
	err := known([]string{"x", "thread"}, networks)
	require.ErrorContains(t, err, `WORKER_NETWORKS "thread" is not a network of this program, which has x, threads, telegram`)
	require.ErrorContains(t, err, "did you mean threads?")
}
