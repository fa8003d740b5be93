package lab

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

const (
	readyWithin = 60 * time.Second
	stopWithin  = 20 * time.Second
)

// Program is a program to start.
type Program struct {
	Name   string // of the process and of its log
	Path   string
	Args   []string
	Env    []string
	Folder string // working folder; empty: this one
	Ready  string // URL that responds with status 200 when the program is ready, or address on which it listens then
}

// Process is one running program.
type Process struct {
	Program

	cmd  *exec.Cmd
	stop context.CancelFunc
	done chan struct{}
}

// Start starts one of the service's programs and waits until it is ready. env is appended to the environment of all
// programs.
func (r *Run) Start(name string, env ...string) *Process {
	ops := r.Address()
	return r.StartProgram(r.program(name, ops, filepath.Join(r.Bin, name), nil, append(env, "OPS_ADDR="+ops)...))
}

// StartSelf starts this program with other arguments as a separate process and waits until address is ready.
func (r *Run) StartSelf(name, address string, args ...string) *Process {
	self, err := os.Executable()
	r.Check(err)
	return r.StartProgram(r.program(name, address, self, args))
}

// program returns one of our own programs, with the environment that all of them have.
func (l *Lab) program(name, ops, path string, args []string, env ...string) Program {
	return Program{
		Name: name, Path: path, Args: args, Env: append(slices.Clone(l.env), env...), Ready: "http://" + ops + "/readyz",
	}
}

// StartProgram starts a program and waits until it is ready. It is stopped after the measurement.
func (r *Run) StartProgram(program Program) *Process {
	path := filepath.Join(r.Folder, program.Name+".log")
	log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644) //nolint:gosec // G302: a log to be read
	r.Check(err)
	ctx, stop := context.WithCancel(context.WithoutCancel(r.ctx))
	cmd := exec.CommandContext(ctx, program.Path, program.Args...) //nolint:gosec // G204: programs of the measurement
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(syscall.SIGTERM) }, stopWithin
	cmd.Env, cmd.Stdout, cmd.Stderr, cmd.Dir = program.Env, log, log, program.Folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err = cmd.Start()
	_ = log.Close()
	r.Check(err)
	p := &Process{Program: program, cmd: cmd, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		_ = cmd.Wait()
	}()
	r.Cleanup(p.Stop)
	r.Until(readyWithin, program.Name+" is ready; see "+path, func() bool {
		select {
		case <-p.done:
			r.Failf("%s ended unexpectedly; see %s", program.Name, path)
		default:
		}
		return ready(r.ctx, p.Ready)
	})
	return p
}

func ready(ctx context.Context, probe string) bool {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	if !strings.Contains(probe, "://") {
		connection, err := new(net.Dialer).DialContext(ctx, "tcp", probe)
		return err == nil && connection.Close() == nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, probe, http.NoBody)
	if err != nil {
		return false
	}
	response, err := new(http.Client).Do(request)
	return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// Stop terminates the program, and kills it if it does not end in time.
func (p *Process) Stop() {
	p.stop()
	<-p.done
}

// PeakRSS returns the peak of the resident memory in MB (10⁶ bytes), as reported by the kernel.
func (p *Process) PeakRSS() (float64, error) {
	process, err := procfs.NewProc(p.cmd.Process.Pid)
	if err != nil {
		return 0, err
	}
	status, err := process.NewStatus()
	const bytesPerMB = 1e6
	return float64(status.VmHWM) / bytesPerMB, err
}
