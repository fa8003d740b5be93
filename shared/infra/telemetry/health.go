package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"fencepost.internal/shared/kernel/clock"
)

const (
	defaultTimeout  = 2 * time.Second
	defaultCacheFor = time.Second
)

// Check is one dependency of a process.
type Check struct {
	Name    string                      // snake_case, part of the response
	Probe   func(context.Context) error // nil means healthy; must respect the context
	Timeout time.Duration               // 0 means 2 seconds
}

// HealthConfig configures the checks of a process.
type HealthConfig struct {
	Checks   []Check
	CacheFor time.Duration // how long a result is reused; 0 means 1 second
	Clock    clock.Clock
	Logger   *slog.Logger // logs each change between healthy and unhealthy, with the cause
}

// Checks runs the checks of a process. It is safe for concurrent use.
type Checks struct {
	probes   []*probe
	draining atomic.Bool
}

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// NewHealth returns the checks of a process. It returns an error for a missing clock, logger or probe, and for names that are
// malformed or occur twice.
func NewHealth(config HealthConfig) (*Checks, error) {
	if config.Clock == nil || config.Logger == nil {
		return nil, errors.New("telemetry: HealthConfig.Clock and HealthConfig.Logger are required")
	}

	config.CacheFor = cmp.Or(config.CacheFor, defaultCacheFor)

	checks := &Checks{}

	for _, check := range config.Checks {
		if !namePattern.MatchString(check.Name) || check.Probe == nil || check.Timeout < 0 {
			return nil, fmt.Errorf("telemetry: check %q is malformed", check.Name)
		}

		if slices.ContainsFunc(checks.probes, func(p *probe) bool { return p.check.Name == check.Name }) {
			return nil, fmt.Errorf("telemetry: check %q occurs twice", check.Name)
		}

		check.Timeout = cmp.Or(check.Timeout, defaultTimeout)

		checks.probes = append(checks.probes, newProbe(check, config))
	}

	return checks, nil
}

// StartDraining makes the process permanently not ready: it is stopping and accepts no new work.
func (c *Checks) StartDraining() { c.draining.Store(true) }

// Report is the response body of /readyz.
type Report struct {
	Status Status                  `json:"status"`
	Checks map[string]HealthResult `json:"checks"`
}

// Status is the overall status of a report.
type Status string

// The states of a process.
const (
	StatusOK          Status = "ok"
	StatusUnavailable Status = "unavailable" // a check failed
	StatusDraining    Status = "draining"    // the process is stopping
)

// HealthResult is the outcome of one check.
type HealthResult struct {
	OK bool `json:"ok"`
	// Error is the class of the failure, never its text.
	Error string `json:"error,omitempty"`
}

// Report runs the checks concurrently, or returns results that are recent enough. It takes at most as long as the
// longest timeout.
func (c *Checks) Report(ctx context.Context) Report {
	results := make([]HealthResult, len(c.probes))

	var group sync.WaitGroup
	for i, p := range c.probes {
		group.Go(func() { results[i] = p.result(ctx) })
	}
	group.Wait()

	report := c.state()
	for i, result := range results {
		report.Checks[c.probes[i].check.Name] = result
		if !result.OK && report.Status == StatusOK {
			report.Status = StatusUnavailable
		}
	}

	return report
}

// state returns the report without the checks.
func (c *Checks) state() Report {
	report := Report{Status: StatusOK, Checks: map[string]HealthResult{}}
	if c.draining.Load() {
		report.Status = StatusDraining
	}

	return report
}

// Classified is an error that provides its own class for the response of /readyz.
type Classified interface {
	error
	// Class returns a snake_case word that reveals nothing internal, for example migrations_pending.
	Class() string
}

// classOf reduces an error to a word.
func classOf(err error) string {
	var classified Classified

	switch {
	case errors.As(err, &classified) && namePattern.MatchString(classified.Class()):
		return classified.Class()
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	default:
		return "unavailable"
	}
}
