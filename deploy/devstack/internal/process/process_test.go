package process_test

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/procfs"
)

func newLauncher(t *testing.T) *process.Launcher {
	t.Helper()
	launcher := process.NewLauncher()
	t.Cleanup(launcher.Close)
	return launcher
}

func shell(script string) process.Spec {
	return process.Spec{
		Path: "/bin/sh", Args: []string{"-c", script},
		Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, DeathSignal: syscall.SIGKILL,
	}
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	launcher := newLauncher(t)
	for script, want := range map[string]int{"exit 0": 0, "exit 3": 3, "kill -TERM $$": 128 + 15} {
		started, err := launcher.Start(shell(script))
		require.NoError(t, err)
		<-started.Done()
		require.Equal(t, want, started.ExitCode(), script)
		require.Equal(t, want == 0, started.Err() == nil, script)
	}
}

func TestExitCodeWhileAnotherProcessHoldsTheOutput(t *testing.T) {
	t.Parallel()
	launcher := newLauncher(t)
	var output bytes.Buffer
	spec := shell("sleep 30 & echo ended")
	spec.Stdout = &output
	started, err := launcher.Start(spec)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Kill(-started.PID(), syscall.SIGKILL) })
	<-started.Done()
	require.NoError(t, started.Err())
	require.Equal(t, "ended\n", output.String())
}

func TestStopWaitsForAGracefulEnd(t *testing.T) {
	t.Parallel()
	var output bytes.Buffer
	spec := shell(`trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done`)
	started, err := startAndWaitFor(t, spec, &output, "up")
	require.NoError(t, err)
	require.NoError(t, started.Stop(t.Context(), syscall.SIGTERM, 10*time.Second))
	require.Equal(t, "up\nbye\n", output.String())
	require.Zero(t, started.ExitCode())
}

func TestStopKillsAfterTheGrace(t *testing.T) {
	t.Parallel()
	var output bytes.Buffer
	started, err := startAndWaitFor(t, shell(`trap '' TERM; echo up; while :; do sleep 0.05; done`), &output, "up")
	require.NoError(t, err)
	require.NoError(t, started.Stop(t.Context(), syscall.SIGTERM, 50*time.Millisecond))
	require.Equal(t, 128+9, started.ExitCode())
}

func TestKillEndsDescendantsInOtherSessions(t *testing.T) {
	t.Parallel()
	var output bytes.Buffer
	started, err := startAndWaitFor(t, shell(`setsid sh -c 'echo $$; exec sleep 100' & wait`), &output, "\n")
	require.NoError(t, err)
	descendant, err := strconv.Atoi(strings.TrimSpace(output.String()))
	require.NoError(t, err)
	system := procfs.New(procfs.Root)
	require.True(t, system.Alive(descendant))

	require.NoError(t, started.Kill())
	require.False(t, system.Alive(descendant))
	require.NoError(t, started.Kill(), "killing twice is no error")
}

func TestClosingTheLauncherEndsItsProcesses(t *testing.T) {
	t.Parallel()
	launcher := process.NewLauncher()
	started, err := launcher.Start(shell("exec sleep 100"))
	require.NoError(t, err)
	launcher.Close() // its thread ends, as when devstack is killed
	select {
	case <-started.Done():
		require.Equal(t, 128+9, started.ExitCode())
	case <-time.After(10 * time.Second):
		require.Fail(t, "the process outlives its launcher")
	}
	_, err = launcher.Start(shell("exit 0"))
	require.ErrorIs(t, err, process.ErrLauncherClosed)
}

func TestRunStopsWithTheContext(t *testing.T) {
	t.Parallel()
	launcher := newLauncher(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, launcher.Run(ctx, shell("exec sleep 100")), context.DeadlineExceeded)
	require.NoError(t, launcher.Run(t.Context(), shell("exit 0")))
	require.Error(t, launcher.Run(t.Context(), shell("exit 1")))
	require.ErrorContains(t, launcher.Run(t.Context(), process.Spec{Path: "/does/not/exist"}), "/does/not/exist")
}

// startAndWaitFor starts a process and returns when its output contains text.
func startAndWaitFor(t *testing.T, spec process.Spec, output *bytes.Buffer, text string) (*process.Process, error) {
	t.Helper()
	seen := make(chan struct{})
	spec.Stdout = &watcher{output: output, text: text, seen: seen}
	started, err := newLauncher(t).Start(spec)
	if err != nil {
		return nil, err
	}
	select {
	case <-seen:
	case <-time.After(10 * time.Second):
		require.Fail(t, "the process never said "+text)
	}
	return started, nil
}

type watcher struct {
	output *bytes.Buffer
	text   string
	seen   chan struct{}
	done   bool
}

func (w *watcher) Write(given []byte) (int, error) {
	n, err := w.output.Write(given)
	if !w.done && strings.Contains(w.output.String(), w.text) {
		w.done = true
		close(w.seen)
	}
	return n, err
}
