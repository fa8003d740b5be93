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

// install returns the pattern of the folders of versions.
func install(t *testing.T, versions ...string) (pattern string) {
	t.Helper()
	root := t.TempDir()
	for _, version := range versions {
		folder := filepath.Join(root, version, "bin")
		require.NoError(t, os.MkdirAll(folder, 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "postgres"), nil, 0o600))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(root, "18", "bin"), 0o750)) // a client without a server
	return filepath.Join(root, "*", "bin")
}

func TestFindPrefersNewestVersion(t *testing.T) {
	t.Parallel()
	folder, err := servers.FindPostgres(install(t, "9", "15", "17"), notInPath, 0)
	require.NoError(t, err)
	require.Equal(t, "17/bin", lastTwo(folder))
}

func TestFindVersionOfData(t *testing.T) {
	t.Parallel()
	pattern := install(t, "15", "17")
	folder, err := servers.FindPostgres(pattern, notInPath, 15)
	require.NoError(t, err)
	require.Equal(t, "15/bin", lastTwo(folder))
	_, err = servers.FindPostgres(pattern, notInPath, 16)
	require.ErrorIs(t, err, servers.ErrNotInstalled)
}

func TestFindFallsBackToPath(t *testing.T) {
	t.Parallel()
	pattern := install(t)
	_, err := servers.FindPostgres(pattern, notInPath, 0)
	require.ErrorIs(t, err, servers.ErrNotInstalled)
	inPath := func(name string) (string, error) { return "/opt/pg/bin/" + name, nil }
	folder, err := servers.FindPostgres(pattern, inPath, 0)
	require.NoError(t, err)
	require.Equal(t, "/opt/pg/bin", folder)
}

func lastTwo(path string) string {
	return filepath.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
}
