package runlock_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/runlock"
)

// holderVariable makes the test binary a process that holds the lock of a folder until it is stopped.
const holderVariable = "RUNLOCK_TEST_FOLDER"

func TestMain(m *testing.M) {
	if folder := os.Getenv(holderVariable); folder != "" {
		os.Exit(hold(folder))
	}
	os.Exit(m.Run())
}

func hold(folder string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	lock, err := runlock.Acquire(folder)
	if err != nil {
		return 3
	}
	_, _ = os.Stdout.WriteString("held\n")
	<-ctx.Done()
	if lock.Release() != nil {
		return 4
	}
	return 0
}

func TestOneHolderAtATime(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	lock, err := runlock.Acquire(folder)
	require.NoError(t, err)

	_, err = runlock.Acquire(folder)
	require.ErrorIs(t, err, runlock.ErrRunning)
	require.ErrorContains(t, err, "pid "+strconv.Itoa(os.Getpid()))

	require.NoError(t, lock.Release())
	lock, err = runlock.Acquire(folder)
	require.NoError(t, err, "the file of an earlier run is no obstacle")
	require.NoError(t, lock.Release())
}

// TestReleaseWhileAChildStarts: between fork and exec, a child has every file of its parent open, and the parent cannot
// wait for the exec.
func TestReleaseWhileAChildStarts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	lock, err := runlock.Acquire(folder)
	require.NoError(t, err)
	inherited := duplicate(t, filepath.Join(folder, runlock.FileName))
	defer func() { require.NoError(t, syscall.Close(inherited)) }()
	require.NoError(t, lock.Release())
	lock, err = runlock.Acquire(folder)
	require.NoError(t, err)
	require.NoError(t, lock.Release())
}

// duplicate duplicates the descriptor of the open file with this name, as a child inherits it.
func duplicate(t *testing.T, name string) int {
	t.Helper()
	const open = "/proc/self/fd"
	entries, err := os.ReadDir(open)
	require.NoError(t, err)
	for _, entry := range entries {
		if target, err := os.Readlink(filepath.Join(open, entry.Name())); err != nil || target != name {
			continue
		}
		number, err := strconv.Atoi(entry.Name())
		require.NoError(t, err)
		copied, err := syscall.Dup(number)
		require.NoError(t, err)
		return copied
	}
	require.FailNow(t, "the file is not open", name)
	return 0
}

func TestStopWithoutAHolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.ErrorIs(t, runlock.Stop(t.Context(), folder), runlock.ErrNotRunning)

	stale := []byte(strconv.Itoa(os.Getpid()) + "\n") // would end this test process if it were trusted
	require.NoError(t, os.WriteFile(filepath.Join(folder, runlock.FileName), stale, 0o600))
	require.ErrorIs(t, runlock.Stop(t.Context(), folder), runlock.ErrNotRunning)
}

func TestStopWaitsUntilTheHolderHasGone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	holder := startHolder(t, folder)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.NoError(t, runlock.Stop(ctx, folder))
	lock, err := runlock.Acquire(folder)
	require.NoError(t, err)
	require.NoError(t, lock.Release())
	require.NoError(t, holder.Wait())
}

func TestAKilledHolderLeavesNoLock(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	holder := startHolder(t, folder)
	require.NoError(t, holder.Process.Kill())
	require.Error(t, holder.Wait())
	require.ErrorIs(t, runlock.Stop(t.Context(), folder), runlock.ErrNotRunning)
}

func startHolder(t *testing.T, folder string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	holder := exec.CommandContext(t.Context(), self)
	holder.Env = append(os.Environ(), holderVariable+"="+folder)
	output, err := holder.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, holder.Start())
	line, err := bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held\n", line)
	return holder
}
