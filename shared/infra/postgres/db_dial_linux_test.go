package postgres_test

import (
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestConnectionsSetTCPUserTimeout reads the option of a connection's socket after which the kernel gives up a server that
// acknowledges nothing.
func TestConnectionsSetTCPUserTimeout(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var milliseconds, alive int
	require.NoError(t, b.db.Socket(t.Context(), func(conn net.Conn) error {
		raw, err := conn.(syscall.Conn).SyscallConn() //nolint:forcetypeassert,errcheck // a TCP connection
		require.NoError(t, err)
		return raw.Control(func(fd uintptr) {
			milliseconds, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT)
			require.NoError(t, err)
			alive, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_KEEPALIVE)
			require.NoError(t, err)
		})
	}))
	require.Equal(t, 30_000, milliseconds)
	require.Equal(t, 1, alive)
}
