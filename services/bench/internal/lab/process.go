package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	readyWithin = 60 * time.Second
	readyPause  = 50 * time.Millisecond
	stopWithin  = 20 * time.Second
	probeLimit  = 3 * time.Second
)

// Process is one running program.
type Process struct {
	Name string
	Ops  string // address of /readyz
	env  []string
	cmd  *exec.Cmd
	done chan struct{}
}

// Start starts one of the service's programs and waits until it is ready. env is appended to the environment of all
// programs.
func (l *Lab) Start(ctx context.Context, name string, env ...string) (*Process, error) {
	ops, err := FreeAddress(ctx)
	if err != nil {
		return nil, err
	}
	return l.run(ctx, name, ops, filepath.Join(l.Bin, name), nil, append(env, "OPS_ADDR="+ops)...)
}

// Again starts a stopped program with the same addresses and arguments as before and waits until it is ready.
func (l *Lab) Again(ctx context.Context, p *Process) (*Process, error) {
	return l.run(ctx, p.Name, p.Ops, p.cmd.Path, p.cmd.Args[1:], p.env...)
}

// StartSelf starts this program with other arguments as a separate process and waits until address is ready.
func (l *Lab) StartSelf(ctx context.Context, name, address string, args ...string) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return l.run(ctx, name, address, self, args)
}

func (l *Lab) run(ctx context.Context, name, ops, path string, args []string, env ...string) (*Process, error) {
	log, err := os.OpenFile(filepath.Join(l.Folder, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644) //nolint:gosec // G302: a log to be read
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), path, args...) //nolint:gosec // G204: our own programs
	cmd.Env, cmd.Stdout, cmd.Stderr = append(slices.Clone(l.env), env...), log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	p := &Process{Name: name, Ops: ops, env: env, cmd: cmd, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		_ = cmd.Wait()
		_ = log.Close()
	}()
	l.processes = append(l.processes, p)
	if err := p.ready(ctx); err != nil {
		p.Stop()
		return nil, fmt.Errorf("%s: %w; see %s", name, err, log.Name())
	}
	return p, nil
}

func (p *Process) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	client := &http.Client{Timeout: probeLimit}
	for {
		if probe(ctx, client, "http://"+p.Ops+"/readyz") {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.New("did not become ready")
		case <-p.done:
			return errors.New("ended unexpectedly")
		case <-time.After(readyPause):
		}
	}
}

func probe(ctx context.Context, client *http.Client, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return false
	}
	answer, err := client.Do(request)
	if err != nil {
		return false
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode == http.StatusOK
}

// Stop terminates the program, and kills it if it does not end in time.
func (p *Process) Stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(stopWithin):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// RSS returns the resident memory in MB (10⁶ bytes), as reported by the kernel.
func (p *Process) RSS() (float64, error) { return p.memory("VmRSS:") }

// PeakRSS returns the peak of RSS.
func (p *Process) PeakRSS() (float64, error) { return p.memory("VmHWM:") }

func (p *Process) memory(name string) (float64, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		if value, found := strings.CutPrefix(line, name); found {
			kib, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 64)
			const bytesPerKiB, bytesPerMB = 1024, 1e6
			return kib * bytesPerKiB / bytesPerMB, err
		}
	}
	return 0, fmt.Errorf("%s: no %s in its status", p.Name, name)
}
