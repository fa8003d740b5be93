// Package process starts operating system processes that never outlive devstack and can be stopped or killed with all
// their descendants.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"fencepost.internal/devstack/internal/procfs"
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
	// DeathSignal is sent by the kernel when devstack dies without having stopped the process.
	DeathSignal syscall.Signal
	// Foreground keeps the process in devstack's process group, so that it may use the terminal and gets its Ctrl-C.
	Foreground bool
}

// Process is a started process.
type Process struct {
	cmd    *exec.Cmd
	done   chan struct{}
	err    error
	group  bool
	system procfs.FS
}

func newProcess(spec Spec) *Process {
	cmd := exec.Command(spec.Path, spec.Args...) //nolint:gosec,noctx // the caller's program; ended by Stop and Kill, not by a context
	cmd.Dir, cmd.Env = spec.Dir, spec.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = spec.Stdin, spec.Stdout, spec.Stderr
	cmd.WaitDelay = outputDelay
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setpgid:    !spec.Foreground,
		Pdeathsig:  spec.DeathSignal,
		Credential: spec.User,
	}
	return &Process{cmd: cmd, done: make(chan struct{}), group: !spec.Foreground, system: procfs.New(procfs.Root)}
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
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.done:
		return nil
	case <-timer.C:
	case <-ctx.Done():
	}
	return p.Kill()
}

// Kill kills the process, its process group and all its descendants with SIGKILL, and returns when they are gone. It
// searches for the descendants because some servers (PostgreSQL) give each of their children its own group.
func (p *Process) Kill() error {
	descendants := p.system.Descendants(p.PID())
	if err := p.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	// The errors below mean that the target has ended on its own, which is the desired state.
	if p.group {
		_ = syscall.Kill(-p.PID(), syscall.SIGKILL)
	}
	for _, pid := range descendants {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	<-p.done
	return p.awaitGone(descendants)
}

func (p *Process) awaitGone(pids []int) error {
	const limit, pause = 5 * time.Second, 5 * time.Millisecond
	timer, ticker := time.NewTimer(limit), time.NewTicker(pause)
	defer timer.Stop()
	defer ticker.Stop()
	for _, pid := range pids {
		for p.system.Alive(pid) {
			select {
			case <-ticker.C:
			case <-timer.C:
				return fmt.Errorf("pid %d did not exit after SIGKILL", pid)
			}
		}
	}
	return nil
}
