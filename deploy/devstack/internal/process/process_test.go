package process_test

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/devstack/internal/process"
)

func shell(script string) process.Spec {
	return process.Spec{
		Path: "/bin/sh", Args: []string{"-c", script},
		Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, DeathSignal: syscall.SIGKILL,
	}
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]int{"exit 0": 0, "exit 3": 3, "kill -TERM $$": 128 + 15} {
		started, err := process.Start(shell(script))
		require.NoError(t, err)
		<-started.Done()
		require.Equal(t, want, started.ExitCode(), script)
		require.Equal(t, want == 0, started.Err() == nil, script)
	}
}

func TestExitCodeWhileChildHoldsOutput(t *testing.T) {
	t.Parallel()
	var output bytes.Buffer
	spec := shell("sleep 30 & echo ended")
	spec.Stdout = &output
	started, err := process.Start(spec)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Kill(-started.PID(), syscall.SIGKILL) })
	<-started.Done()
	require.NoError(t, started.Err())
	require.Equal(t, "ended\n", output.String())
}

func TestStopWaitsForEnd(t *testing.T) {
	t.Parallel()
	var output bytes.Buffer
	spec := shell(`trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done`)
	started, err := startAndWaitFor(t, spec, &output, "up")
	require.NoError(t, err)
	require.NoError(t, started.Stop(t.Context(), syscall.SIGTERM, 10*time.Second))
	require.Equal(t, "up\nbye\n", output.String())
	require.Zero(t, started.ExitCode())
}

func TestStopKillsAfterGrace(t *testing.T) {
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
	require.True(t, process.Alive(descendant))

	require.NoError(t, started.Kill())
	require.False(t, process.Alive(descendant))
	require.NoError(t, started.Kill(), "killing twice is no error")
}

// TestProcessOutlivesThreadOfCaller: the kernel sends a DeathSignal when the thread ends that started the process.
func TestProcessOutlivesThreadOfCaller(t *testing.T) {
	t.Parallel()
	started := make(chan *process.Process)
	thread := 0
	go func() {
		runtime.LockOSThread() // so that the thread ends with this goroutine
		thread = syscall.Gettid()
		p, err := process.Start(shell("exec sleep 100"))
		require.NoError(t, err) //nolint:testifylint // a failure leaves the test waiting
		started <- p
	}()
	p := <-started
	if thread != os.Getpid() { // Go parks the main thread instead of ending it
		require.Eventually(t, func() bool { return !process.Alive(thread) }, 10*time.Second, time.Millisecond)
	}
	require.True(t, process.Alive(p.PID()))
	require.NoError(t, p.Kill())
}

func TestRunEndsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, process.Run(ctx, shell("exec sleep 100")), context.DeadlineExceeded)
	require.NoError(t, process.Run(t.Context(), shell("exit 0")))
	require.Error(t, process.Run(t.Context(), shell("exit 1")))
	require.ErrorContains(t, process.Run(t.Context(), process.Spec{Path: "/does/not/exist"}), "/does/not/exist")
}

// startAndWaitFor starts a process and returns when its output contains text.
func startAndWaitFor(t *testing.T, spec process.Spec, output *bytes.Buffer, text string) (*process.Process, error) {
	t.Helper()
	seen := make(chan struct{})
	spec.Stdout = &watcher{output: output, text: text, seen: seen}
	started, err := process.Start(spec)
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
