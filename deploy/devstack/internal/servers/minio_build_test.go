package servers_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/servers"
)

// fakeGo makes the test binary a fake go command: instead of building, it writes its call to the program's file.
const fakeGo = "MINIO_TEST_GO"

func TestMain(m *testing.M) {
	if os.Getenv(fakeGo) == "" {
		os.Exit(m.Run())
	}
	note := fmt.Sprintf("%v GOWORK=%s GOFLAGS=%s CGO=%s",
		os.Args[1:], os.Getenv("GOWORK"), os.Getenv("GOFLAGS"), os.Getenv("CGO_ENABLED"))
	err := os.WriteFile(filepath.Join(os.Getenv("GOBIN"), "minio"), []byte(note), 0o600)
	if err != nil || os.Getenv(fakeGo) == "fail" {
		os.Exit(1)
	}
}

// builder returns a configuration, and a function that finds the fake go command.
func builder(t *testing.T, goDoes string) (cfg servers.Config, lookPath func(string) (string, error)) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return servers.Config{
		BinFolder: filepath.Join(t.TempDir(), "bin"),
		Environ:   []string{"PATH=/usr/bin:/bin", "GOFLAGS=-mod=vendor", fakeGo + "=" + goDoes},
		Output:    io.Discard, Report: func(string) {},
	}, func(string) (string, error) { return self, nil }
}

func TestBuilderBuildsPinnedVersion(t *testing.T) {
	t.Parallel()
	b, lookPath := builder(t, "build")
	path, err := b.EnsureMinIO(t.Context(), lookPath)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(b.BinFolder, "minio"), path)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "[install -ldflags=-s -w github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c] "+
		"GOWORK=off GOFLAGS= CGO=0", string(raw))
	entries, err := os.ReadDir(b.BinFolder)
	require.NoError(t, err)
	require.Len(t, entries, 1, "the folder of the build is gone")
}

func TestBuilderReplacesOtherVersion(t *testing.T) {
	t.Parallel()
	b, lookPath := builder(t, "build")
	require.NoError(t, os.MkdirAll(b.BinFolder, 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(b.BinFolder, "minio"), []byte("another version"), 0o600))
	path, err := b.EnsureMinIO(t.Context(), lookPath)
	require.NoError(t, err)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(raw), "install")
}

func TestBuilderCleansUpFailedBuild(t *testing.T) {
	t.Parallel()
	b, lookPath := builder(t, "fail")
	_, err := b.EnsureMinIO(t.Context(), lookPath)
	require.ErrorContains(t, err, "build MinIO")
	entries, err := os.ReadDir(b.BinFolder)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestBuilderRequiresGo(t *testing.T) {
	t.Parallel()
	b, _ := builder(t, "build")
	lookPath := func(string) (string, error) { return "", exec.ErrNotFound }
	_, err := b.EnsureMinIO(t.Context(), lookPath)
	require.ErrorIs(t, err, servers.ErrNoGo)
}
