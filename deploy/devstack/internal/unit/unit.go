// Package unit is one part of the stack: a process that is started, watched until it is ready, stopped or killed on
// request, and started again after a crash.
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

	"socialpub.internal/devstack/internal/logfile"
	"socialpub.internal/devstack/internal/process"
)

// ErrNotReady means that a unit's process ended, or its time ran out, before it was ready.
var ErrNotReady = errors.New("not ready")

// State is where a unit is in its life.
type State string

// The states of a unit. A unit is Crashed when its process ended and nobody had asked for it.
const (
	Stopped  State = "stopped"
	Starting State = "starting"
	Running  State = "running"
	Crashed  State = "crashed"
)

// Config describes a unit.
type Config struct {
	// Name is how people and the control API call it.
	Name string
	// Launcher starts its process.
	Launcher *process.Launcher
	// Launch prepares what the process needs (data folders, programs) and describes it.
	Launch func(ctx context.Context) (process.Spec, error)
	// Probe returns nil when the unit answers. It is called again and again, with a short deadline.
	Probe func(ctx context.Context) error
	// Prepare runs once after each start, when Probe has succeeded; nil when there is nothing to do.
	Prepare func(ctx context.Context) error
	// StopSignal asks for a graceful end, which Grace bounds.
	StopSignal os.Signal
	Grace      time.Duration
	// ReadyTimeout bounds the time from the start of the process until it is ready; with Progress, the part of it in which the
	// process makes none.
	ReadyTimeout time.Duration
	// Progress describes how far the start of a process has come: the start goes on while the description changes. nil when
	// ReadyTimeout is all the time that a start has.
	Progress func(pid int) string
	// LogPath is where the process's output is kept, see package logfile; errors quote its end. May be empty.
	LogPath string
}

// Unit is a part of the stack. Its methods may be called at the same time; those that change it wait for each other.
type Unit struct {
	cfg     Config
	log     io.WriteCloser // nil without LogPath
	crashes chan error

	change sync.Mutex // serialises Start, Stop and Kill

	mu      sync.Mutex // guards what follows
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

// Name is how people and the control API call the unit.
func (u *Unit) Name() string { return u.cfg.Name }

// Crashes delivers how the process ended whenever it ends unasked while Running. A crash that nobody has taken yet is
// not repeated.
func (u *Unit) Crashes() <-chan error { return u.crashes }

// Start starts the unit and returns when it is ready. Starting a running unit does nothing. On an error nothing of it
// runs.
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

// launch prepares and starts the process. Its output goes to the log, unless it has a place already.
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

// watch turns the unasked end of a process into a crash.
func (u *Unit) watch(watched *process.Process) {
	<-watched.Done()
	if u.log != nil {
		_ = u.log.Close() // the next line opens it again
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

// Stop ends the unit gracefully with its usual signal. Stopping a stopped unit does nothing.
func (u *Unit) Stop(ctx context.Context) error { return u.StopWith(ctx, u.cfg.StopSignal) }

// StopWith is Stop with another signal.
func (u *Unit) StopWith(ctx context.Context, signal os.Signal) error {
	return u.end(func(p *process.Process) error { return p.Stop(ctx, signal, u.cfg.Grace) })
}

// Kill ends the unit and everything it started with SIGKILL, as a power cut would.
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
