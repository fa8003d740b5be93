package process

import (
	"context"
	"errors"
	"fmt"
	"runtime"
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
	go launcher.run()
	return launcher
}

func (l *Launcher) run() {
	runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
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
