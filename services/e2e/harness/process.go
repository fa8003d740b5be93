package harness

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/proctest"
)

// Process is a supervised program: it is restarted when it ends, as by an operator's supervisor.
type Process struct {
	t       testing.TB
	name    string
	path    string
	env     []string
	ops     string
	mu      sync.Mutex
	cmd     *exec.Cmd
	stopped bool
	starts  int
	done    chan struct{}
	log     *tail
}

// Start starts a program and keeps it running. env is appended to the system's environment.
func (s *System) Start(name, ops string, env ...string) *Process {
	s.t.Helper()
	if ops == "" {
		ops = freeAddress(s.t)
	}
	p := &Process{
		t: s.t, name: name, path: filepath.Join(s.bin, name), ops: ops, done: make(chan struct{}), log: &tail{},
		env: append(append(append([]string{}, s.env...), "OPS_ADDR="+ops), env...),
	}
	s.processes.add(p)
	go p.supervise()
	return p
}

func (p *Process) supervise() {
	defer close(p.done)
	for {
		cmd := exec.CommandContext(context.Background(), p.path)
		cmd.Env, cmd.Stdout, cmd.Stderr = p.env, p.log, p.log
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
		p.mu.Lock()
		if p.stopped {
			p.mu.Unlock()
			return
		}
		err := cmd.Start()
		p.cmd = cmd
		p.starts++
		p.mu.Unlock()
		if err == nil {
			err = cmd.Wait()
		}
		p.log.note(p.name + " ended: " + errText(err))
		const pause = 100 * time.Millisecond
		<-time.After(pause)
	}
}

func errText(err error) string {
	if err == nil {
		return "gracefully"
	}
	return err.Error()
}

// Ready waits until the program reports that it is ready.
func (p *Process) Ready() *Process {
	p.t.Helper()
	require.EventuallyWithT(p.t, func(c *assert.CollectT) {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.ops+"/readyz", http.NoBody)
		require.NoError(c, err)
		response, err := http.DefaultClient.Do(request) //nolint:forbidigo // a probe on this machine
		require.NoError(c, err)
		defer func() { _ = response.Body.Close() }()
		require.Equal(c, http.StatusOK, response.StatusCode)
	}, readyWithin, 100*time.Millisecond, "%s is not ready:\n%s", p.name, p.log)
	return p
}

// Name returns the program's name.
func (p *Process) Name() string { return p.name }

// Ops returns the OPS_ADDR of the program. A program that is started with it takes the place of a stopped one.
func (p *Process) Ops() string { return p.ops }

// OpsURL returns the base address of /livez, /readyz and /metrics.
func (p *Process) OpsURL() string { return "http://" + p.ops }

// Signal sends a signal to the program.
func (p *Process) Signal(signal syscall.Signal) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil && p.cmd.Process != nil {
		_ = p.cmd.Process.Signal(signal)
	}
}

// Kill kills the program. The supervisor restarts it.
func (p *Process) Kill() { p.Signal(syscall.SIGKILL) }

// PID returns the id of the current process.
func (p *Process) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil || p.cmd.Process == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// Starts returns how often the program was started.
func (p *Process) Starts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.starts
}

// Log returns the end of the program's output.
func (p *Process) Log() string { return p.log.String() }

// WholeLog returns the program's output of all its processes.
func (p *Process) WholeLog() string { return p.log.All() }

// Stop stops the program gracefully and does not restart it.
func (p *Process) Stop() {
	p.mu.Lock()
	p.stopped = true
	cmd := p.cmd
	p.mu.Unlock()
	if cmd != nil && cmd.Process != nil {
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.done:
		case <-time.After(15 * time.Second):
			_ = cmd.Process.Kill()
		}
	}
	<-p.done
}

func (s *System) stopAll() {
	var wait sync.WaitGroup
	for _, p := range s.processes.list() {
		wait.Go(p.Stop)
	}
	wait.Wait()
	if s.t.Failed() {
		for _, p := range s.processes.list() {
			s.t.Logf("%s:\n%s", p.name, p.Log())
			if dir := os.Getenv("E2E_LOGS"); dir != "" {
				_ = os.WriteFile(filepath.Join(dir, filepath.Base(p.ops)+"-"+p.name+".log"), []byte(p.log.All()), 0o600)
			}
		}
	}
}

// tail stores a program's output. Its String method returns only the end.
type tail struct{ proctest.Log }

func (l *tail) note(text string) { _, _ = l.Write([]byte("--- " + text + "\n")) }

// All returns the whole output.
func (l *tail) All() string { return l.Log.String() }

// String returns the end of the output.
func (l *tail) String() string {
	const shown = 6000
	all := l.All()
	return all[max(0, len(all)-shown):]
}
