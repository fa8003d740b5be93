package servers_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/servers"
)

func TestPlaceForReachableFolder(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "postgres")
	placed, err := servers.PlaceFor(folder, nil, "/nowhere")
	require.NoError(t, err)
	require.Equal(t, folder, placed)
	info, err := os.Stat(folder)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
}

func TestPlaceForUnreachableFolder(t *testing.T) {
	t.Parallel()
	private, other := t.TempDir(), t.TempDir()
	require.NoError(t, os.Chmod(private, 0o600))
	t.Cleanup(func() { require.NoError(t, os.Chmod(private, 0o700)) })
	folder := filepath.Join(private, "postgres")
	self := &syscall.Credential{Uid: uint32(os.Getuid()), Gid: uint32(os.Getgid())} //nolint:gosec // ids of users are not negative
	if os.Getuid() != 0 {
		self = nil // an ordinary user never changes user, so nothing is moved
		require.NoError(t, os.Chmod(private, 0o700))
	}

	placed, err := servers.PlaceFor(folder, self, other)
	require.NoError(t, err)
	if self == nil {
		require.Equal(t, folder, placed)
		return
	}
	require.Equal(t, other, filepath.Dir(placed))
	again, err := servers.PlaceFor(folder, self, other)
	require.NoError(t, err)
	require.Equal(t, placed, again)

	require.NoError(t, os.WriteFile(filepath.Join(placed, "file"), nil, 0o600))
	require.NoError(t, servers.RemovePostgres(folder))
	require.NoDirExists(t, placed)
	require.NoFileExists(t, folder)
}
