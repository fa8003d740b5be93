// Package process starts operating system processes that never outlive devstack, can be stopped or killed with all their
// descendants, and are restarted after a crash. It also assigns the ports of the stack, and finds the process that uses a
// taken one.
package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// outputDelay bounds the wait for children that still hold the output pipe of an ended process.
const outputDelay = time.Second

// Spec describes a process.
type Spec struct {
	// Path is the program. Args are its arguments without the program's name.
	Path string
	Args []string
	// Dir is the working folder. Env is the whole environment; nothing is inherited.
	Dir            string
	Env            []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// User changes the user and group, which requires root; nil keeps them.
	User *syscall.Credential
	// DeathSignal is sent by the kernel when devstack dies without having stopped the process; 0 means SIGKILL.
	DeathSignal syscall.Signal
	// Foreground keeps the process in devstack's process group, so that it may use the terminal and gets its Ctrl-C.
	Foreground bool
}

// Process is a started process.
type Process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// starts forks all processes from one operating system thread, which never ends: the kernel sends a DeathSignal when the
// forking thread ends, and Go may end any other thread at any time.
var starts = sync.OnceValue(func() chan<- func() {
	requests := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range requests {
			start()
		}
	}()
	return requests
})

// Start starts a process.
func Start(spec Spec) (*Process, error) {
	cmd := exec.Command(spec.Path, spec.Args...) //nolint:gosec,noctx // the caller's program; ended by Stop and Kill, not by a context
	cmd.Dir, cmd.Env = spec.Dir, spec.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = spec.Stdin, spec.Stdout, spec.Stderr
	cmd.WaitDelay = outputDelay
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setpgid: !spec.Foreground, Pdeathsig: cmp.Or(spec.DeathSignal, syscall.SIGKILL), Credential: spec.User,
	}
	started := make(chan error)
	starts() <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Path, err)
	}
	p := &Process{cmd: cmd, done: make(chan struct{})}
	go p.wait()
	return p, nil
}

// Run starts a process and waits until it ends. If ctx ends first, Run kills the process. Run returns the process's
// error.
func Run(ctx context.Context, spec Spec) error {
	p, err := Start(spec)
	if err != nil {
		return err
	}
	select {
	case <-p.Done():
		return p.Err()
	case <-ctx.Done():
		return errors.Join(ctx.Err(), p.Kill())
	}
}

func (p *Process) wait() {
	p.err = p.cmd.Wait()
	if errors.Is(p.err, exec.ErrWaitDelay) {
		p.err = nil // exit status 0; a child, or a process that devstack is starting, has the pipe too
	}
	close(p.done)
}

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done returns a channel that is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns the result of the process: nil for exit status 0. It is valid only after Done.
func (p *Process) Err() error { return p.err }

// ExitCode returns the exit status after Done: as in shells, 128 + signal if a signal ended the process.
func (p *Process) ExitCode() int {
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return p.cmd.ProcessState.ExitCode()
}

// Signal sends a signal to the process only. It returns no error if the process has ended already.
func (p *Process) Signal(signal os.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal pid %d: %w", p.PID(), err)
	}
	return nil
}

// Stop sends a signal and waits until the process ends. It kills the process after grace, or when ctx ends first.
func (p *Process) Stop(ctx context.Context, signal os.Signal, grace time.Duration) error {
	if err := p.Signal(signal); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(grace):
	case <-ctx.Done():
	}
	return p.Kill()
}

// Kill kills the process, its process group and all its descendants with SIGKILL, and returns when they are gone. It
// searches for the descendants because some servers (PostgreSQL) give each of their children its own group.
func (p *Process) Kill() error {
	descendants := Descendants(p.PID())
	if err := p.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	// The errors below mean that the target has ended on its own, which is the desired state.
	if p.cmd.SysProcAttr.Setpgid {
		_ = syscall.Kill(-p.PID(), syscall.SIGKILL)
	}
	for _, pid := range descendants {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	<-p.done
	for _, pid := range descendants {
		if err := AwaitEnd(pid, 5*time.Second); err != nil {
			return err
		}
	}
	return nil
}
