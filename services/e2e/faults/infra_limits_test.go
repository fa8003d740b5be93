package faults_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/e2e/faults/lab"
)

// TestNightF48TheWorkerHasHardlyAnything limits the only worker to 64 file descriptors, keeps the processors busy, and
// kills the worker as the kernel does when memory runs out.
func TestNightF48TheWorkerHasHardlyAnything(t *testing.T) {
	l := lab.Alone(t, lab.Fault{
		ID:     "F48",
		Title:  "the worker has 64 file descriptors on busy processors, and is killed as by the out-of-memory killer",
		Expect: "I1-I4: slow, but nothing lost or doubled; it recovers automatically",
	}, "GOMEMLIMIT=48MiB")
	l.APIProcess = l.Start("api", "").Ready()
	worker := l.StartProgram(limited(t, l)).Ready()
	l.Workers = append(l.Workers, worker)
	l.Subscribe()
	l.Watch()
	busy(t, 3)
	l.Injected("64 file descriptors, GOMEMLIMIT 48 MiB, 3 busy loops in parallel")
	l.Accept(60, time.Now().Add(time.Second), 0)
	<-time.After(2 * time.Second) // while posts are being published
	requireFewFiles(t, worker.PID())
	worker.Kill()
	l.Injected("the worker killed in the middle of 60 posts")
	l.Accept(10, time.Now().Add(time.Second), 0)
	worker.Ready()
	l.Settle(2 * time.Minute)
	require.Equal(t, 2, worker.Starts(), "it restarted with the same limits:\n%s", worker.Log())
	l.Check()
}

// limited returns the path of a script that starts the worker with few file descriptors.
func limited(t *testing.T, l *lab.Lab) (path string) {
	t.Helper()
	worker := l.Built("worker")
	path = filepath.Join(filepath.Dir(worker), "limited-worker")
	script := "#!/bin/sh\nulimit -n 64\nexec " + worker + " \"$@\"\n"
	require.NoError(t, os.WriteFile(path, []byte(script), 0o700)) //nolint:gosec // a program
	return path
}

// requireFewFiles checks that the limit is in effect.
func requireFewFiles(t *testing.T, pid int) {
	t.Helper()
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	require.NoError(t, err)
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "Max open files") {
			require.Equal(t, "64", strings.Fields(line)[3])
		}
	}
}

// busy keeps processors busy until the test ends.
func busy(t *testing.T, loops int) {
	t.Helper()
	for range loops {
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", "-c", "while :; do :; done")
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
	}
}
