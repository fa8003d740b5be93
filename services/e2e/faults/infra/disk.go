package infra

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// mount mounts a separate in-memory file system on the data folder.
func (s *Postgres) mount() {
	s.t.Helper()
	options := fmt.Sprintf("size=%dm,mode=0700", s.o.DiskMB)
	if s.as != nil {
		options += fmt.Sprintf(",uid=%d,gid=%d", s.as.Uid, s.as.Gid)
	}
	require.NoError(s.t, syscall.Mount("tmpfs", s.Data(), "tmpfs", 0, options), "a separate file system requires root")
	s.t.Cleanup(func() { _ = syscall.Unmount(s.Data(), syscall.MNT_DETACH) })
}

func (s *Postgres) ballast() string { return filepath.Join(s.Data(), "ballast") }

// Fill fills the data's file system completely. The write-ahead log is on another one and can grow.
func (s *Postgres) Fill() {
	s.t.Helper()
	require.Positive(s.t, s.o.DiskMB, "only a separate file system is filled")
	fill(s.t, s.ballast())
}

// Free deletes the file that Fill wrote.
func (s *Postgres) Free() {
	s.t.Helper()
	free(s.t, s.ballast())
}

// fill writes a file that fills its file system completely.
func fill(t testing.TB, path string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(t, err)
	for size := 1 << 20; size > 0; { // in ever smaller pieces, to the last page
		if _, err = file.Write(make([]byte, size)); err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC)
			size /= 2
		}
	}
	require.NoError(t, file.Close())
}

// free deletes the file that fill wrote.
func free(t testing.TB, path string) {
	t.Helper()
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		require.NoError(t, err)
	}
}
