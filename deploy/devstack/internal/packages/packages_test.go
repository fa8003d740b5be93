package packages_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/packages"
	"fencepost.internal/devstack/internal/process"
)

// installer returns an installer that runs a script in place of tools/install.sh.
func installer(t *testing.T, script string) (packages.Installer, *bytes.Buffer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "install.sh")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700)) //nolint:gosec // it is executed
	launcher, output := process.NewLauncher(), new(bytes.Buffer)
	t.Cleanup(launcher.Close)
	return packages.Installer{Script: path, Launcher: launcher, Environ: os.Environ(), Output: output}, output
}

func TestEnsureRunsTheList(t *testing.T) {
	t.Parallel()
	i, output := installer(t, `echo "installing for $*"`)
	require.NoError(t, i.Ensure(t.Context(), packages.Media))
	require.Equal(t, "installing for media\n", output.String())
}

func TestEnsureReturnsWhatToDo(t *testing.T) {
	t.Parallel()
	i, _ := installer(t, `echo "missing: ffmpeg" >&2; exit 1`)
	err := i.Ensure(t.Context(), packages.Media)
	require.ErrorIs(t, err, packages.ErrMissing)
	require.EqualError(t, err, "packages of this machine (media): missing: ffmpeg (exit status 1)")
}

func TestEnsureEndsWithItsContext(t *testing.T) {
	t.Parallel()
	i, _ := installer(t, `exec sleep 100`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := i.Ensure(ctx, packages.PostgreSQL)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, packages.ErrMissing)
}
