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

// behaviour makes the test binary a fake go command: instead of building, it writes its call to the program's file.
const behaviour = "MINIO_TEST_GO"

func TestMain(m *testing.M) {
	if os.Getenv(behaviour) == "" {
		os.Exit(m.Run())
	}
	note := fmt.Sprintf("%v GOWORK=%s GOFLAGS=%s CGO=%s",
		os.Args[1:], os.Getenv("GOWORK"), os.Getenv("GOFLAGS"), os.Getenv("CGO_ENABLED"))
	err := os.WriteFile(filepath.Join(os.Getenv("GOBIN"), "minio"), []byte(note), 0o600)
	if err != nil || os.Getenv(behaviour) == "fail" {
		os.Exit(1)
	}
}

func builder(t *testing.T, goDoes string) servers.Builder {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return servers.Builder{
		Folder:   filepath.Join(t.TempDir(), "bin"),
		Environ:  []string{"PATH=/usr/bin:/bin", "GOFLAGS=-mod=vendor", behaviour + "=" + goDoes},
		LookPath: func(string) (string, error) { return self, nil }, Output: io.Discard, Report: func(string) {},
	}
}

func TestBuilderBuildsPinnedVersion(t *testing.T) {
	t.Parallel()
	b := builder(t, "build")
	path, err := b.Ensure(t.Context())
	require.NoError(t, err)
	require.Equal(t, filepath.Join(b.Folder, "minio"), path)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "[install -ldflags=-s -w github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c] "+
		"GOWORK=off GOFLAGS= CGO=0", string(raw))
	entries, err := os.ReadDir(b.Folder)
	require.NoError(t, err)
	require.Len(t, entries, 1, "the folder of the build is gone")
}

func TestBuilderReplacesOtherVersion(t *testing.T) {
	t.Parallel()
	b := builder(t, "build")
	require.NoError(t, os.MkdirAll(b.Folder, 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(b.Folder, "minio"), []byte("another version"), 0o600))
	path, err := b.Ensure(t.Context())
	require.NoError(t, err)
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(raw), "install")
}

func TestBuilderCleansUpFailedBuild(t *testing.T) {
	t.Parallel()
	b := builder(t, "fail")
	_, err := b.Ensure(t.Context())
	require.ErrorContains(t, err, "build MinIO")
	entries, err := os.ReadDir(b.Folder)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestBuilderRequiresGo(t *testing.T) {
	t.Parallel()
	b := builder(t, "build")
	b.LookPath = func(string) (string, error) { return "", exec.ErrNotFound }
	_, err := b.Ensure(t.Context())
	require.ErrorIs(t, err, servers.ErrNoGo)
}
