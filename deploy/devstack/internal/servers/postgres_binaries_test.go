package servers_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/servers"
)

func notInPath(string) (string, error) { return "", exec.ErrNotFound }

func install(t *testing.T, versions ...string) servers.Binaries {
	t.Helper()
	root := t.TempDir()
	for _, version := range versions {
		folder := filepath.Join(root, version, "bin")
		require.NoError(t, os.MkdirAll(folder, 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "postgres"), nil, 0o600))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(root, "18", "bin"), 0o750)) // a client without a server
	return servers.Binaries{Pattern: filepath.Join(root, "*", "bin"), LookPath: notInPath}
}

func TestFindPrefersNewestVersion(t *testing.T) {
	t.Parallel()
	folder, err := install(t, "9", "15", "17").Find(0)
	require.NoError(t, err)
	require.Equal(t, "17/bin", lastTwo(folder))
}

func TestFindVersionOfData(t *testing.T) {
	t.Parallel()
	binaries := install(t, "15", "17")
	folder, err := binaries.Find(15)
	require.NoError(t, err)
	require.Equal(t, "15/bin", lastTwo(folder))
	_, err = binaries.Find(16)
	require.ErrorIs(t, err, servers.ErrNotInstalled)
}

func TestFindFallsBackToPath(t *testing.T) {
	t.Parallel()
	binaries := install(t)
	_, err := binaries.Find(0)
	require.ErrorIs(t, err, servers.ErrNotInstalled)
	binaries.LookPath = func(name string) (string, error) { return "/opt/pg/bin/" + name, nil }
	folder, err := binaries.Find(0)
	require.NoError(t, err)
	require.Equal(t, "/opt/pg/bin", folder)
}

func lastTwo(path string) string {
	return filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
}
