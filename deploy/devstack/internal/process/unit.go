package process

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"gopkg.in/natefinch/lumberjack.v2"
)

// ErrNotReady means that a unit's process ended, or its time ran out, before it was ready.
var ErrNotReady = errors.New("not ready")

// errEnded represents exit status 0, which is also unexpected if no stop was requested.
var errEnded = errors.New("exit status 0")

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
	// Launch prepares the process's data folders and programs, and describes the process.
	Launch func(ctx context.Context) (Spec, error)
	// Probe returns nil when the unit is ready. It is called repeatedly, with a short deadline.
	Probe func(ctx context.Context) error
	// Prepare runs once after each start, when Probe has succeeded; nil for no preparation.
	Prepare func(ctx context.Context) error
	// StopSignal requests a graceful stop, which Grace bounds. The defaults are SIGTERM and 15 s.
	StopSignal os.Signal
	Grace      time.Duration
	// ReadyTimeout bounds the time from the start of the process until it is ready. The default is a minute.
	ReadyTimeout time.Duration
	// LogPath is the log file of the process's output, see NewLog. Errors quote its end. May be empty.
	LogPath string
}

// Status is the control API's description of a unit.
type Status struct {
	State State `json:"state"`
	// PID is absent unless the unit runs.
	PID int `json:"pid,omitempty"`
	// Since is the time of the last state change.
	Since time.Time `json:"since,omitzero"`
}

// Unit is a part of the stack: a process that is started, probed until it is ready, stopped or killed on request, and
// started again. It is safe for concurrent use. Calls that change it run one at a time.
type Unit struct {
	cfg     Config
	log     io.WriteCloser // nil without LogPath
	crashes chan error

	change sync.Mutex // serializes Start, Stop and Kill

	mu      sync.Mutex // guards the fields below
	state   State
	process *Process
	since   time.Time
}

// New returns a stopped unit.
func New(cfg Config) *Unit {
	cfg.StopSignal = cmp.Or[os.Signal](cfg.StopSignal, syscall.SIGTERM)
	cfg.Grace, cfg.ReadyTimeout = cmp.Or(cfg.Grace, 15*time.Second), cmp.Or(cfg.ReadyTimeout, time.Minute)
	u := &Unit{cfg: cfg, crashes: make(chan error, 1), state: Stopped}
	if cfg.LogPath != "" {
		u.log = NewLog(cfg.LogPath)
	}
	return u
}

// LogSize is the size in MiB from which a log is renamed to <name>-<time>.log and a new one is started. One renamed file
// is kept.
const LogSize = 10

// NewLog returns a writer that appends to the file at path, and creates it with the first line. After Close, the next
// write reopens it.
func NewLog(path string) io.WriteCloser {
	return &lumberjack.Logger{Filename: path, MaxSize: LogSize, MaxBackups: 1}
}

// Name returns the unit's name in messages and in the control API.
func (u *Unit) Name() string { return u.cfg.Name }

// Crashes returns a channel that receives the result of the process whenever it ends without a request while Running. A
// crash that has not been received yet is not repeated.
func (u *Unit) Crashes() <-chan error { return u.crashes }

// Status returns the current status. It does not wait for a running start or stop.
func (u *Unit) Status() Status {
	u.mu.Lock()
	defer u.mu.Unlock()
	status := Status{State: u.state, Since: u.since}
	if u.process != nil {
		status.PID = u.process.PID()
	}
	return status
}

// Start starts the unit and returns when it is ready. It does nothing for a running unit. On an error, it leaves
// nothing running.
func (u *Unit) Start(ctx context.Context) error { return u.start(ctx, true) }

// StartTimed is Start with a report of the duration.
func (u *Unit) StartTimed(ctx context.Context, report func(message string)) error {
	begin := time.Now()
	err := u.Start(ctx)
	if err == nil {
		report(fmt.Sprintf("%s is ready (%.1f s)", u.cfg.Name, time.Since(begin).Seconds()))
	}
	return err
}

// Launch is Start without the wait for readiness, for a unit that may have to wait for others.
func (u *Unit) Launch(ctx context.Context) error { return u.start(ctx, false) }

func (u *Unit) start(ctx context.Context, wait bool) error {
	u.change.Lock()
	defer u.change.Unlock()
	before := u.Status().State
	if before == Running {
		return nil
	}
	spec, err := u.cfg.Launch(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", u.cfg.Name, err)
	}
	if u.log != nil && spec.Stdout == nil {
		spec.Stdout, spec.Stderr = u.log, u.log
	}
	started, err := Start(spec)
	if err != nil {
		return fmt.Errorf("%s: %w", u.cfg.Name, err)
	}
	u.set(Starting, started)
	if wait {
		err = u.becomeReady(ctx, started)
	}
	if err != nil {
		err = errors.Join(err, started.Kill())
		u.set(before, nil)
		return fmt.Errorf("%s: %w%s", u.cfg.Name, err, logTail(u.cfg.LogPath))
	}
	u.set(Running, started)
	go u.watch(started)
	return nil
}

// becomeReady probes the unit until it succeeds, its time is over or the process has ended.
func (u *Unit) becomeReady(ctx context.Context, started *Process) error {
	const probeEvery, probeTimeout = 25 * time.Millisecond, 2 * time.Second
	ready, cancel := context.WithTimeout(ctx, u.cfg.ReadyTimeout)
	defer cancel()
	for {
		probe, cancel := context.WithTimeout(ready, probeTimeout)
		err := u.cfg.Probe(probe)
		cancel()
		if err == nil {
			break
		}
		select {
		case <-started.Done():
			return fmt.Errorf("%w: the process ended (%w)", ErrNotReady, cmp.Or(started.Err(), errEnded))
		case <-ready.Done():
			return fmt.Errorf("%w: %w; last response: %w", ErrNotReady, ready.Err(), err)
		case <-time.After(probeEvery):
		}
	}
	if u.cfg.Prepare == nil {
		return nil
	}
	return u.cfg.Prepare(ready)
}

// watch records a crash when the process ends without a request.
func (u *Unit) watch(watched *Process) {
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
	case u.crashes <- cmp.Or(watched.Err(), errEnded):
	default:
	}
}

// Stop stops the unit gracefully with its usual signal. It does nothing for a stopped unit.
func (u *Unit) Stop(ctx context.Context) error { return u.StopWith(ctx, u.cfg.StopSignal) }

// StopWith is Stop with another signal.
func (u *Unit) StopWith(ctx context.Context, signal os.Signal) error {
	return u.end(func(p *Process) error { return p.Stop(ctx, signal, u.cfg.Grace) })
}

// Kill kills the unit and all its descendants with SIGKILL, as a power failure would.
func (u *Unit) Kill() error { return u.end((*Process).Kill) }

func (u *Unit) end(how func(*Process) error) error {
	u.change.Lock()
	defer u.change.Unlock()
	u.mu.Lock()
	current := u.process
	u.state, u.process, u.since = Stopped, nil, time.Now()
	u.mu.Unlock()
	if current == nil {
		return nil
	}
	return how(current)
}

func (u *Unit) set(state State, current *Process) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.state, u.process, u.since = state, current, time.Now()
}

// logTail returns the last lines of a log for an error message, or "" if there is no log. It leaves out the middle of a
// long line, for example of a Temporal error with its stack.
func logTail(path string) string {
	const lines, kept = 8, 600
	raw, err := os.ReadFile(path) //nolint:gosec // the stack's own log, of bounded size
	text := strings.TrimSpace(string(raw))
	if err != nil || text == "" {
		return ""
	}
	tail, all := "\nthe end of "+path+":", strings.Split(text, "\n")
	for _, line := range all[max(0, len(all)-lines):] {
		if len(line) > 2*kept {
			line = line[:kept] + " … " + line[len(line)-kept:]
		}
		tail += "\n  " + line
	}
	return tail
}
