// Package unit manages one part of the stack: a process that is started, probed until it is ready, stopped or killed on
// request, and restarted after a crash.
package unit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"fencepost.internal/devstack/internal/logfile"
	"fencepost.internal/devstack/internal/process"
)

// ErrNotReady means that a unit's process ended, or its time ran out, before it was ready.
var ErrNotReady = errors.New("not ready")

// State is the state of a unit.
type State string

// States of a unit. A unit is Crashed if its process ended without a request.
const (
	Stopped  State = "stopped"
	Starting State = "starting"
	Running  State = "running"
	Crashed  State = "crashed"
)

// Config describes a unit.
type Config struct {
	// Name is the unit's name in messages and in the control API.
	Name string
	// Launcher starts its process.
	Launcher *process.Launcher
	// Launch prepares the process's data folders and programs, and describes the process.
	Launch func(ctx context.Context) (process.Spec, error)
	// Probe returns nil when the unit is ready. It is called repeatedly, with a short deadline.
	Probe func(ctx context.Context) error
	// Prepare runs once after each start, when Probe has succeeded; nil for no preparation.
	Prepare func(ctx context.Context) error
	// StopSignal requests a graceful stop, which Grace bounds.
	StopSignal os.Signal
	Grace      time.Duration
	// ReadyTimeout bounds the time from the start of the process until it is ready. With Progress, it bounds the time
	// without progress.
	ReadyTimeout time.Duration
	// Progress describes the progress of a starting process: the start continues while the description changes. If nil,
	// ReadyTimeout bounds the whole start.
	Progress func(pid int) string
	// LogPath is the log file of the process's output, see package logfile. Errors quote its end. May be empty.
	LogPath string
}

// Unit is a part of the stack. It is safe for concurrent use. Calls that change it run one at a time.
type Unit struct {
	cfg     Config
	log     io.WriteCloser // nil without LogPath
	crashes chan error

	change sync.Mutex // serializes Start, Stop and Kill

	mu      sync.Mutex // guards the fields below
	state   State
	process *process.Process
	since   time.Time
}

// New checks the configuration and returns a stopped unit.
func New(cfg Config) (*Unit, error) {
	if cfg.Name == "" || cfg.Launcher == nil || cfg.Launch == nil || cfg.Probe == nil {
		return nil, fmt.Errorf("unit %q: name, launcher, launch and probe are required", cfg.Name)
	}
	if cfg.StopSignal == nil {
		cfg.StopSignal = syscall.SIGTERM
	}
	if cfg.Grace <= 0 || cfg.ReadyTimeout <= 0 {
		return nil, fmt.Errorf("unit %s: grace and ready timeout must be positive", cfg.Name)
	}
	made := &Unit{cfg: cfg, crashes: make(chan error, 1), state: Stopped}
	if cfg.LogPath != "" {
		made.log = logfile.New(cfg.LogPath)
	}
	return made, nil
}

// Name returns the unit's name in messages and in the control API.
func (u *Unit) Name() string { return u.cfg.Name }

// Crashes returns a channel that receives the result of the process whenever it ends without a request while Running. A
// crash that has not been received yet is not repeated.
func (u *Unit) Crashes() <-chan error { return u.crashes }

// Start starts the unit and returns when it is ready. It does nothing for a running unit. On an error, it leaves
// nothing running.
func (u *Unit) Start(ctx context.Context) error {
	return u.start(ctx, u.becomeReady)
}

// Launch is Start without the wait for readiness, for a unit that may have to wait for others.
func (u *Unit) Launch(ctx context.Context) error {
	return u.start(ctx, func(context.Context, *process.Process) error { return nil })
}

func (u *Unit) start(ctx context.Context, await func(context.Context, *process.Process) error) error {
	u.change.Lock()
	defer u.change.Unlock()
	before := u.Status().State
	if before == Running {
		return nil
	}
	started, err := u.launch(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", u.cfg.Name, err)
	}
	u.set(Starting, started)
	ctx, cancel := u.patient(ctx, started.PID())
	defer cancel()
	if err := await(ctx, started); err != nil {
		err = errors.Join(err, started.Kill())
		u.set(before, nil)
		return fmt.Errorf("%s: %w%s", u.cfg.Name, err, logTail(u.cfg.LogPath))
	}
	u.set(Running, started)
	go u.watch(started)
	return nil
}

// launch prepares and starts the process. Its output goes to the log, unless the process has its own destination.
func (u *Unit) launch(ctx context.Context) (*process.Process, error) {
	spec, err := u.cfg.Launch(ctx)
	if err != nil {
		return nil, err
	}
	if u.log != nil && spec.Stdout == nil {
		spec.Stdout, spec.Stderr = u.log, u.log
	}
	return u.cfg.Launcher.Start(spec)
}

func (u *Unit) becomeReady(ctx context.Context, started *process.Process) error {
	if err := poll(ctx, u.cfg.Probe, started.Done()); err != nil {
		select {
		case <-started.Done():
			return fmt.Errorf("%w: the process ended (%w)", ErrNotReady, orCleanExit(started.Err()))
		default:
			return fmt.Errorf("%w: %w", ErrNotReady, err)
		}
	}
	if u.cfg.Prepare == nil {
		return nil
	}
	return u.cfg.Prepare(ctx)
}

// watch records a crash when the process ends without a request.
func (u *Unit) watch(watched *process.Process) {
	<-watched.Done()
	if u.log != nil {
		_ = u.log.Close() // the next write reopens it
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.process != watched || u.state != Running {
		return
	}
	u.state, u.process, u.since = Crashed, nil, time.Now()
	select {
	case u.crashes <- orCleanExit(watched.Err()):
	default:
	}
}

// Stop stops the unit gracefully with its usual signal. It does nothing for a stopped unit.
func (u *Unit) Stop(ctx context.Context) error { return u.StopWith(ctx, u.cfg.StopSignal) }

// StopWith is Stop with another signal.
func (u *Unit) StopWith(ctx context.Context, signal os.Signal) error {
	return u.end(func(p *process.Process) error { return p.Stop(ctx, signal, u.cfg.Grace) })
}

// Kill kills the unit and all its descendants with SIGKILL, as a power failure would.
func (u *Unit) Kill() error {
	return u.end(func(p *process.Process) error { return p.Kill() })
}

func (u *Unit) end(how func(*process.Process) error) error {
	u.change.Lock()
	defer u.change.Unlock()
	u.mu.Lock()
	current := u.process
	u.state, u.process, u.since = Stopped, nil, time.Now()
	u.mu.Unlock()
	if current == nil {
		return nil
	}
	if err := how(current); err != nil {
		return fmt.Errorf("%s: %w", u.cfg.Name, err)
	}
	return nil
}

func (u *Unit) set(state State, current *process.Process) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.state, u.process, u.since = state, current, time.Now()
}
