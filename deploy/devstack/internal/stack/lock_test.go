package stack_test

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

	"fencepost.internal/devstack/internal/stack"
)

// holderVariable makes the test binary a process that holds the lock of a folder until it is stopped.
const holderVariable = "STACK_TEST_FOLDER"

func TestMain(m *testing.M) {
	if folder := os.Getenv(holderVariable); folder != "" {
		os.Exit(hold(folder))
	}
	os.Exit(m.Run())
}

func hold(folder string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	lock, err := stack.Acquire(folder)
	if err != nil {
		return 3
	}
	_, _ = os.Stdout.WriteString("held\n")
	<-ctx.Done()
	if lock.Close() != nil {
		return 4
	}
	return 0
}

func TestAcquireAllowsOneProcess(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	holder := startHolder(t, folder)
	_, err := stack.Acquire(folder)
	require.ErrorIs(t, err, stack.ErrRunning)
	require.ErrorContains(t, err, "pid "+strconv.Itoa(holder.Process.Pid))

	require.NoError(t, holder.Process.Signal(syscall.SIGTERM))
	require.NoError(t, holder.Wait())
	lock, err := stack.Acquire(folder)
	require.NoError(t, err, "the file of an earlier run is no obstacle")
	require.NoError(t, lock.Close())
}

// TestChildDoesNotInheritLock: between fork and exec, a child has every file of its parent open, and the parent cannot
// wait for the exec.
func TestChildDoesNotInheritLock(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	lock, err := stack.Acquire(folder)
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), "cat")
	child.ExtraFiles = []*os.File{lock}
	input, err := child.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	require.NoError(t, lock.Close())
	require.ErrorIs(t, stack.Stop(t.Context(), folder), stack.ErrNotRunning)
	require.NoError(t, input.Close())
	require.NoError(t, child.Wait())
}

func TestStopWithoutHolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.ErrorIs(t, stack.Stop(t.Context(), folder), stack.ErrNotRunning)

	stale := []byte(strconv.Itoa(os.Getpid()) + "\n") // would end this test process if it were trusted
	require.NoError(t, os.WriteFile(filepath.Join(folder, stack.LockName), stale, 0o600))
	require.ErrorIs(t, stack.Stop(t.Context(), folder), stack.ErrNotRunning)
}

func TestStopWaitsForHolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	holder := startHolder(t, folder)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	require.NoError(t, stack.Stop(ctx, folder))
	lock, err := stack.Acquire(folder)
	require.NoError(t, err)
	require.NoError(t, lock.Close())
	require.NoError(t, holder.Wait())
}

func TestKilledHolderReleasesLock(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	holder := startHolder(t, folder)
	require.NoError(t, holder.Process.Kill())
	require.Error(t, holder.Wait())
	require.ErrorIs(t, stack.Stop(t.Context(), folder), stack.ErrNotRunning)
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
