package proctest_test

import (
	"net"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/proctest"
)

func TestAddressesAreDistinctAndNotEphemeral(t *testing.T) {
	t.Parallel()
	pool := proctest.NewPorts()
	var mu sync.Mutex
	seen := make(map[string]bool)
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			address, err := pool.Address(t.Context())
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				seen[address] = true
			}
		})
	}
	group.Wait()
	require.Len(t, seen, 50, "an address was given twice, or not at all")
	for address := range seen {
		_, port, err := net.SplitHostPort(address)
		require.NoError(t, err)
		number, err := strconv.Atoi(port)
		require.NoError(t, err)
		require.GreaterOrEqual(t, number, 10000)
		require.Less(t, number, 32768, "Linux gives such a port to outgoing connections")
	}
}

func TestTakenPortsAreSkipped(t *testing.T) {
	t.Parallel()
	held, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, held.Close()) }()
	taken, ok := held.Addr().(*net.TCPAddr)
	require.True(t, ok)
	_, err = proctest.PortsWithin(taken.Port, 1).Address(t.Context())
	require.ErrorIs(t, err, proctest.ErrNoPort)
}

// The end-to-end tests, the fault suite and bench are processes of their own.
func TestPoolsDoNotSharePort(t *testing.T) {
	t.Parallel()
	const lowest, ports = 31000, 20
	first, second := proctest.PortsWithin(lowest, ports), proctest.PortsWithin(lowest, ports)
	seen := make(map[string]bool)
	for _, pool := range []*proctest.Ports{first, second} {
		for range ports / 2 {
			address, err := pool.Address(t.Context())
			require.NoError(t, err)
			require.False(t, seen[address], "%s was issued twice", address)
			seen[address] = true
		}
	}
	_, err := second.Address(t.Context())
	require.ErrorIs(t, err, proctest.ErrNoPort)
}
