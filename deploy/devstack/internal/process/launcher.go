package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// ErrLauncherClosed is returned by Start after Close.
var ErrLauncherClosed = errors.New("the launcher is closed")

// Launcher starts processes. It forks all of them from one operating system thread that lives as long as the launcher:
// the kernel sends a DeathSignal when the forking thread ends, and Go may end any other thread at any time.
type Launcher struct {
	requests chan request
	closed   chan struct{}
}

type request struct {
	process *Process
	started chan error
}

// NewLauncher returns a running launcher. Close ends its thread and thereby every process that has a DeathSignal.
func NewLauncher() *Launcher {
	launcher := &Launcher{requests: make(chan request), closed: make(chan struct{})}
	go onOwnThread(launcher.run)
	return launcher
}

// onOwnThread calls run on a thread that ends when run returns. That cannot be the main thread of the program: Go parks
// it instead of ending it.
func onOwnThread(run func()) {
	runtime.LockOSThread() // not unlocked after run: the thread ends with this goroutine
	if syscall.Gettid() != os.Getpid() {
		run()
		return
	}
	defer runtime.UnlockOSThread()
	locked := make(chan struct{})
	go func() { // on another thread, because the main one is locked to this goroutine
		runtime.LockOSThread()
		close(locked)
		run()
	}()
	<-locked
}

func (l *Launcher) run() {
	for {
		select {
		case <-l.closed:
			return
		case request := <-l.requests:
			request.started <- request.process.cmd.Start()
		}
	}
}

// Close ends the launcher's thread. Call it once, after the processes were stopped.
func (l *Launcher) Close() { close(l.closed) }

// Start starts a process.
func (l *Launcher) Start(spec Spec) (*Process, error) {
	process := newProcess(spec)
	started := make(chan error, 1)
	select {
	case <-l.closed:
		return nil, ErrLauncherClosed
	case l.requests <- request{process: process, started: started}:
	}
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Path, err)
	}
	go process.wait()
	return process, nil
}

// Run starts a process and waits until it ends. If ctx ends first, Run kills the process. Run returns the process's
// error.
func (l *Launcher) Run(ctx context.Context, spec Spec) error {
	process, err := l.Start(spec)
	if err != nil {
		return err
	}
	select {
	case <-process.Done():
		return process.Err()
	case <-ctx.Done():
		return errors.Join(ctx.Err(), process.Kill())
	}
}
