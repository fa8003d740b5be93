package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// errStuck means that the previous probe is still running after its timeout.
var errStuck = errors.New("telemetry: the previous probe has not returned")

// probe runs one check, at most once at a time, and caches its result. However often the process is queried, the load
// on the dependency behind the check stays constant.
type probe struct {
	check  Check
	config HealthConfig
	slot   chan struct{} // held by the run in progress, beyond its timeout if it is stuck

	mu        sync.Mutex // held while a result is computed, so that other callers wait for it
	last      HealthResult
	at        time.Time
	requested bool
}

func newProbe(check Check, config HealthConfig) *probe {
	return &probe{check: check, config: config, slot: make(chan struct{}, 1)}
}

func (p *probe) result(ctx context.Context) HealthResult {
	p.mu.Lock()
	defer p.mu.Unlock()

	now := p.config.Clock.Now()
	if p.requested && now.Sub(p.at) < p.config.CacheFor && !now.Before(p.at) {
		return p.last
	}

	// Other callers wait for this result and it is cached, so it must not fail because one caller disconnects.
	err := p.run(context.WithoutCancel(ctx))

	result := HealthResult{OK: err == nil}
	if err != nil {
		result.Error = classOf(err)
	}

	p.logChange(ctx, result, err)
	p.last, p.at, p.requested = result, p.config.Clock.Now(), true

	return result
}

// run runs the probe until its timeout, whether or not the probe respects the context.
func (p *probe) run(ctx context.Context) error {
	select {
	case p.slot <- struct{}{}:
	default:
		return errors.Join(errStuck, context.DeadlineExceeded)
	}

	ctx, cancel := context.WithTimeout(ctx, p.check.Timeout)
	done := make(chan error, 1)

	go func() {
		defer cancel()

		err := p.check.Probe(ctx)
		<-p.slot // before sending the result: its receiver may start the next run at once
		done <- err
	}()

	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return p.late(ctx, done)
	}
}

// late prefers the result of a probe that returned at the moment of its timeout.
func (p *probe) late(ctx context.Context, done <-chan error) error {
	select {
	case err := <-done:
		return err
	default:
		return ctx.Err()
	}
}

func (p *probe) logChange(ctx context.Context, result HealthResult, err error) {
	name := slog.String("check", p.check.Name)

	switch {
	case !result.OK && (!p.requested || p.last.OK):
		p.config.Logger.WarnContext(ctx, "readiness check failed", name, slog.Any("error", err))
	case result.OK && p.requested && !p.last.OK:
		p.config.Logger.InfoContext(ctx, "readiness check recovered", name)
	}
}
