package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
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

// Program is a program to start.
type Program struct {
	Name   string // of the process and of its log
	Ops    string // address of /readyz, if the program has one
	Path   string
	Args   []string
	Env    []string
	Folder string                     // working folder; empty: this one
	Ready  func(context.Context) bool // reports whether the program is ready
}

// Process is one running program.
type Process struct {
	Program

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
	return l.Run(ctx, l.program(name, ops, filepath.Join(l.Bin, name), nil, append(env, "OPS_ADDR="+ops)...))
}

// Again starts a stopped program with the same addresses and arguments as before and waits until it is ready.
func (l *Lab) Again(ctx context.Context, p *Process) (*Process, error) { return l.Run(ctx, p.Program) }

// StartSelf starts this program with other arguments as a separate process and waits until address is ready.
func (l *Lab) StartSelf(ctx context.Context, name, address string, args ...string) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return l.Run(ctx, l.program(name, address, self, args))
}

// program returns one of our own programs, with the environment that all of them have.
func (l *Lab) program(name, ops, path string, args []string, env ...string) Program {
	return Program{
		Name: name, Ops: ops, Path: path, Args: args, Env: append(slices.Clone(l.env), env...),
		Ready: Healthy("http://" + ops + "/readyz"),
	}
}

// Run starts a program and waits until it is ready.
func (l *Lab) Run(ctx context.Context, program Program) (*Process, error) {
	log, err := os.OpenFile(filepath.Join(l.Folder, program.Name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644) //nolint:gosec // G302: a log to be read
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), program.Path, program.Args...) //nolint:gosec // G204: programs of the measurement
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.Dir = program.Env, log, log, program.Folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	p := &Process{Program: program, cmd: cmd, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		_ = cmd.Wait()
		_ = log.Close()
	}()
	l.processes = append(l.processes, p)
	if err := p.ready(ctx); err != nil {
		p.Stop()
		return nil, fmt.Errorf("%s: %w; see %s", p.Name, err, log.Name())
	}
	return p, nil
}

func (p *Process) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for {
		if p.Ready(ctx) {
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

// Healthy returns a function for Program.Ready that reports whether the URL responds with status 200.
func Healthy(url string) func(context.Context) bool {
	client := &http.Client{Timeout: probeLimit}
	return func(ctx context.Context) bool {
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
}

// Listening returns a function for Program.Ready that reports whether a process listens on the address.
func Listening(address string) func(context.Context) bool {
	dialer := &net.Dialer{Timeout: probeLimit}
	return func(ctx context.Context) bool {
		connection, err := dialer.DialContext(ctx, "tcp", address)
		return err == nil && connection.Close() == nil
	}
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
