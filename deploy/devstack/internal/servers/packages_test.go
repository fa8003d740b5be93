package servers_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/servers"
)

// installer returns a configuration with a script in place of tools/install.sh.
func installer(t *testing.T, script string) (servers.Config, *bytes.Buffer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "install.sh")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700)) //nolint:gosec // it is executed
	output := new(bytes.Buffer)
	return servers.Config{InstallScript: path, Environ: os.Environ(), Output: output}, output
}

func TestEnsurePackagesRunsScript(t *testing.T) {
	t.Parallel()
	i, output := installer(t, `echo "installing for $*"`)
	require.NoError(t, i.EnsurePackages(t.Context(), servers.Media))
	require.Equal(t, "installing for media\n", output.String())
}

func TestEnsurePackagesReturnsRemedy(t *testing.T) {
	t.Parallel()
	i, _ := installer(t, `echo "missing: ffmpeg" >&2; exit 1`)
	err := i.EnsurePackages(t.Context(), servers.Media)
	require.ErrorIs(t, err, servers.ErrMissing)
	require.EqualError(t, err, "packages of this machine (media): missing: ffmpeg (exit status 1)")
}

func TestEnsurePackagesEndsWithContext(t *testing.T) {
	t.Parallel()
	i, _ := installer(t, `exec sleep 100`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := i.EnsurePackages(ctx, servers.PostgreSQL)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, servers.ErrMissing)
}
