package postgres_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/postgres"
	"fencepost.internal/devstack/internal/procfs"
)

const server = 10

// child adds a child process of the server to a process file system: its title, state and CPU time.
func child(t *testing.T, root string, pid int, title, state string, ticks int) {
	t.Helper()
	folder := filepath.Join(root, strconv.Itoa(pid))
	require.NoError(t, os.MkdirAll(folder, 0o750))
	parent := server
	if pid == server {
		parent = 1
	}
	stat := fmt.Sprintf("%d (postgres) %s %d 1 1 0 -1 0 3 0 0 0 %d 1 0 0 20 0 1", pid, state, parent, ticks)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "stat"), []byte(stat), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "cmdline"), []byte(title+"\x00\x00"), 0o600))
}

func TestRecoveryProgress(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	progress := func() string { return postgres.RecoveryProgress(procfs.New(root), server) }
	startup := func(segment, state string, ticks int) {
		child(t, root, 11, "postgres: startup recovering "+segment, state, ticks)
	}
	child(t, root, server, "postgres", "R", 1)
	alone := progress()
	child(t, root, server, "postgres", "R", 2)
	require.NotEqual(t, alone, progress(), "before it has made a process")

	startup("000000010000000000000003", "S", 100)
	child(t, root, 12, "postgres: checkpointer ", "S", 5)
	first := progress()
	require.Contains(t, first, "recovering 000000010000000000000003")
	child(t, root, server, "postgres", "R", 3)
	require.Equal(t, first, progress(), "nothing that recovers has worked")

	child(t, root, 13, "postgres: postgres postgres 127.0.0.1(4711) startup", "R", 900)
	require.Equal(t, first, progress(), "a session is no progress")

	startup("000000010000000000000004", "S", 100)
	second := progress()
	require.NotEqual(t, first, second, "the next segment")
	startup("000000010000000000000004", "S", 101)
	third := progress()
	require.NotEqual(t, second, third, "work within a segment")
	child(t, root, 12, "postgres: checkpointer ", "S", 6)
	require.NotEqual(t, third, progress(), "the checkpoint at the end")

	startup("000000010000000000000004", "D", 101)
	before := progress()
	require.NotEqual(t, before, progress(), "it waits for the disk")
}
