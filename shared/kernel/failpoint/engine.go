package failpoint

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// EngineConfig holds the sources of the entries. All fields except Injected may be empty.
type EngineConfig struct {
	Entries  string // armed from the start
	File     string // path of entries that may change while the process runs
	Log      string // path of the log of executed actions
	Injected error  // the error returned by the action error
}

// Engine holds the armed entries. It is safe for concurrent use.
type Engine struct {
	fixed    []*entry
	file     *file
	journal  *journal
	injected error
}

// NewEngine parses the fixed entries. The file is read at each hit.
func NewEngine(config EngineConfig) (*Engine, error) {
	if config.Injected == nil {
		return nil, errors.New("failpoint: Config.Injected is missing")
	}

	fixed, err := parseEntries(config.Entries)
	if err != nil {
		return nil, err
	}

	return &Engine{
		fixed:    fixed,
		file:     &file{path: config.File},
		journal:  &journal{path: config.Log},
		injected: config.Injected,
	}, nil
}

// Hit counts a hit in every entry with the name and executes the first entry that is due. It returns the injected
// error, the error of a context that ended during a sleep, or an error for a malformed file or a log that cannot be
// written.
func (e *Engine) Hit(ctx context.Context, name string) error {
	fromFile, err := e.file.current()
	if err != nil {
		return err
	}

	var due *entry

	for _, list := range [][]*entry{e.fixed, fromFile} {
		for _, candidate := range list {
			if candidate.name == name && candidate.due() && due == nil {
				due = candidate
			}
		}
	}

	if due == nil {
		return nil
	}

	fresh, err := e.journal.record(due)
	if err != nil || !fresh {
		return err
	}

	return e.act(ctx, due)
}

func (e *Engine) act(ctx context.Context, due *entry) error {
	switch due.kind {
	case kill:
		return killSelf()
	case stop:
		return stopSelf()
	case sleep:
		return pause(ctx, due.pause)
	case injected:
		return fmt.Errorf("%w at %s", e.injected, due.name)
	default:
		return fmt.Errorf("%w: action %q", ErrSyntax, due.kind)
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()

	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
