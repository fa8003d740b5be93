// Package engine decides and does what a fail point does. It is apart from package failpoint so that its
// tests run in every build while ordinary binaries do not contain it.
package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Config says where the entries come from. All but Injected may be empty.
type Config struct {
	Entries  string // armed from the start
	File     string // path of entries that may change while the process runs
	Log      string // path of the record of what acted
	Injected error  // what the action error returns
}

// Engine holds the armed entries. It is safe for concurrent use.
type Engine struct {
	fixed    []*entry
	file     *file
	journal  *journal
	injected error
}

// New parses the fixed entries. The file is read at the hits.
func New(config Config) (*Engine, error) {
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

// Hit counts a hit of the name in every entry for it and lets the first entry that is due act.
// It returns the injected error, the error of a context that ended during a sleep, a malformed
// file, or a log that cannot be written.
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
