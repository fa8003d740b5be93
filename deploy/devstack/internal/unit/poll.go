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

// errEnded represents exit status 0, which is also unexpected if no stop was requested.
var errEnded = errors.New("exit status 0")

func orCleanExit(err error) error {
	if err == nil {
		return errEnded
	}
	return err
}

// poll calls probe until it succeeds, ctx ends or the process is done. It returns the last error of probe.
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
			return fmt.Errorf("%w; last response: %w", context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}

// patient returns a context that ends when ReadyTimeout has passed without progress.
func (u *Unit) patient(ctx context.Context, pid int) (context.Context, context.CancelFunc) {
	if u.cfg.Progress == nil {
		return context.WithTimeout(ctx, u.cfg.ReadyTimeout)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		u.awaitStandstill(ctx, pid)
		cancel(context.DeadlineExceeded)
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// awaitStandstill returns when the description of the progress has not changed for ReadyTimeout, or ctx ends.
func (u *Unit) awaitStandstill(ctx context.Context, pid int) {
	const looks = 20 // in one ReadyTimeout
	ticker := time.NewTicker(u.cfg.ReadyTimeout / looks)
	defer ticker.Stop()
	last, since := u.cfg.Progress(pid), time.Now()
	for time.Since(since) < u.cfg.ReadyTimeout {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if now := u.cfg.Progress(pid); now != last {
			last, since = now, time.Now()
		}
	}
}

func probeOnce(ctx context.Context, probe func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	return probe(ctx)
}

// logTail returns the last lines of a log for an error message, or "" if there is no log. It leaves out the middle of a
// long line, for example of a Temporal error with its stack.
func logTail(path string) string {
	const lines, kept = 8, 600
	if path == "" {
		return ""
	}
	raw, err := os.ReadFile(path) //nolint:gosec // the stack's own log, of bounded size
	if err != nil || len(bytes.TrimSpace(raw)) == 0 {
		return ""
	}
	tail := "\nthe end of " + path + ":"
	all := strings.Split(strings.TrimSpace(string(raw)), "\n")
	for _, line := range all[max(0, len(all)-lines):] {
		if len(line) > 2*kept {
			line = line[:kept] + " … " + line[len(line)-kept:]
		}
		tail += "\n  " + line
	}
	return tail
}
