package unit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

const (
	probeEvery   = 25 * time.Millisecond
	probeTimeout = 2 * time.Second
)

// errEnded stands for an exit status of 0, which is just as unexpected as any other when nobody asked for it.
var errEnded = errors.New("exit status 0")

func orCleanExit(err error) error {
	if err == nil {
		return errEnded
	}
	return err
}

// poll calls probe until it succeeds, ctx ends or the process is done. The error is the last one the probe gave.
func poll(ctx context.Context, probe func(context.Context) error, done <-chan struct{}) error {
	ticker := time.NewTicker(probeEvery)
	defer ticker.Stop()
	for {
		err := probeOnce(ctx, probe)
		if err == nil {
			return nil
		}
		select {
		case <-done:
			return err
		case <-ctx.Done():
			return fmt.Errorf("%w; last answer: %w", context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}

func probeOnce(ctx context.Context, probe func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	return probe(ctx)
}

// logTail quotes the last lines of a log for an error message, or nothing when there is none.
func logTail(path string) string {
	const lines, widest = 8, 4000
	if path == "" {
		return ""
	}
	raw, err := os.ReadFile(path) //nolint:gosec // the stack's own log
	if err != nil || len(strings.TrimSpace(string(raw))) == 0 {
		return ""
	}
	if len(raw) > widest {
		_, whole, _ := bytes.Cut(raw[len(raw)-widest:], []byte("\n"))
		raw = whole
	}
	all := strings.Split(strings.TrimSpace(string(raw)), "\n")
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	return "\nthe end of " + path + ":\n  " + strings.Join(all, "\n  ")
}
