package minio_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/devstack/internal/minio"
	"socialpub.internal/devstack/internal/process"
)

// builder builds with a stand-in for the go command, a shell script.
func builder(t *testing.T, script string) minio.Builder {
	t.Helper()
	launcher := process.NewLauncher()
	t.Cleanup(launcher.Close)
	folder := t.TempDir()
	fake := filepath.Join(folder, "go")
	require.NoError(t, os.WriteFile(fake, []byte("#!/bin/sh\n"+script), 0o700)) //nolint:gosec // it must be executable
	return minio.Builder{
		Folder: filepath.Join(folder, "bin"), Launcher: launcher, Environ: []string{"PATH=/usr/bin:/bin", "GOFLAGS=-mod=vendor"},
		LookPath: func(string) (string, error) { return fake, nil }, Output: io.Discard, Report: func(string) {},
	}
}

func TestEnsureBuildsThePinnedVersionOutsideOfTheWorkspace(t *testing.T) {
	t.Parallel()
	b := builder(t, `echo "$* GOWORK=$GOWORK GOFLAGS=$GOFLAGS CGO=$CGO_ENABLED" > "$GOBIN/minio"`)
	path, err := b.Ensure(t.Context())
	require.NoError(t, err)
	require.Equal(t, filepath.Join(b.Folder, "minio"), path)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "install -ldflags=-s -w github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c "+
		"GOWORK=off GOFLAGS= CGO=0\n", string(raw))
	entries, err := os.ReadDir(b.Folder)
	require.NoError(t, err)
	require.Len(t, entries, 1, "the folder of the build is gone")
}

func TestEnsureReplacesAnotherProgram(t *testing.T) {
	t.Parallel()
	b := builder(t, `echo new > "$GOBIN/minio"`)
	require.NoError(t, os.MkdirAll(b.Folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(b.Folder, "minio"), []byte("another version"), 0o600))
	path, err := b.Ensure(t.Context())
	require.NoError(t, err)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "new\n", string(raw))
}

func TestEnsureLeavesNothingOfAFailedBuild(t *testing.T) {
	t.Parallel()
	b := builder(t, `echo half > "$GOBIN/minio"; exit 1`)
	_, err := b.Ensure(t.Context())
	require.ErrorContains(t, err, "build MinIO")
	entries, err := os.ReadDir(b.Folder)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestEnsureNeedsGo(t *testing.T) {
	t.Parallel()
	b := builder(t, "")
	b.LookPath = func(string) (string, error) { return "", exec.ErrNotFound }
	_, err := b.Ensure(t.Context())
	require.ErrorIs(t, err, minio.ErrNoGo)
}
