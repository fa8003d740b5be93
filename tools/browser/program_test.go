package browser_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/proctest"
)

// startProgram runs a program that `make build` has built, with its own environment, until it is stopped or the test
// ends.
func startProgram(t *testing.T, name string, env ...string) (stop func()) {
	t.Helper()
	return runProgram(t, new(output), name, env...)
}

// output collects the log of a program.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// runProgram is startProgram for tests that read the log.
func runProgram(t *testing.T, log *output, name string, env ...string) (stop func()) {
	t.Helper()
	folder := os.Getenv("PROGRAMS")
	require.NotEmpty(t, folder, "PROGRAMS is not set: run with `make browser`")
	ops := free(t)
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), filepath.Join(folder, name))
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append([]string{"OPS_ADDR=" + ops, "LOG_FORMAT=text"}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
			require.NoError(t, <-ended, log.String())
		}
	}
	t.Cleanup(func() {
		stop()
		if t.Failed() {
			t.Log(name + ":\n" + violations(log.String()))
		}
	})
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+ops+"/readyz", http.NoBody)
		require.NoError(c, err)
		response, err := (&http.Client{Timeout: time.Second}).Do(request)
		require.NoError(c, err)
		require.NoError(c, response.Body.Close())
		require.Equal(c, http.StatusOK, response.StatusCode)
	}, time.Minute, 50*time.Millisecond)
	return stop
}

// violations returns the last warnings and errors of a log, and text that is no log entry, such as the reason of a
// program that did not start.
func violations(log string) string {
	const most = 20
	var lines []string
	for line := range strings.Lines(log) {
		if !strings.Contains(line, "level=INFO") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-most):], "")
}

var ports = proctest.NewPorts()

// free returns an address for a program that the test starts.
func free(t *testing.T) string {
	t.Helper()
	address, err := ports.Address(t.Context())
	require.NoError(t, err)
	return address
}
