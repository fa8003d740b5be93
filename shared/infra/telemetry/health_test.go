package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/kernel/clock/clocktest"
)

type healthBundle struct {
	clock *clocktest.Fake
	log   *bytes.Buffer
}

func setupHealth(t *testing.T, list ...telemetry.Check) (*telemetry.Checks, *healthBundle) {
	t.Helper()

	b := &healthBundle{clock: clocktest.New(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)), log: &bytes.Buffer{}}
	checks, err := telemetry.NewHealth(telemetry.HealthConfig{
		Checks: list, CacheFor: time.Second, Clock: b.clock, Logger: slog.New(slog.NewTextHandler(b.log, nil)),
	})
	require.NoError(t, err)

	return checks, b
}

func fine(context.Context) error { return nil }

func get(t *testing.T, handler http.Handler) (int, string) {
	t.Helper()
	return getURL(t, handler, "/")
}

func getURL(t *testing.T, handler http.Handler, url string) (int, string) {
	t.Helper()

	response := httptest.NewRecorder()
	handler.ServeHTTP(response, httptest.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody))
	require.Equal(t, "application/json", response.Header().Get("Content-Type"))
	require.Equal(t, "no-store", response.Header().Get("Cache-Control"))

	return response.Code, response.Body.String()
}

type classified struct{ class string }

func (c classified) Error() string { return "internal detail" }
func (c classified) Class() string { return c.class }

func TestReady(t *testing.T) {
	t.Parallel()

	tests := map[string]struct {
		err  error
		want string
	}{
		"plain error":     {errors.New("dial tcp 10.0.0.5:5432: refused"), "unavailable"},
		"timeout":         {fmt.Errorf("query: %w", context.DeadlineExceeded), "timeout"},
		"own class":       {fmt.Errorf("check: %w", classified{"migrations_pending"}), "migrations_pending"},
		"malformed class": {classified{"host db-1 is down"}, "unavailable"},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			checks, b := setupHealth(t,
				telemetry.Check{Name: "database", Probe: func(context.Context) error { return test.err }},
				telemetry.Check{Name: "temporal", Probe: fine})

			code, body := get(t, checks.ReadyHandler())
			require.Equal(t, http.StatusServiceUnavailable, code)
			require.JSONEq(t, `{"status":"unavailable","checks":{"database":{"ok":false,"error":"`+test.want+
				`"},"temporal":{"ok":true}}}`, body)
			require.Contains(t, b.log.String(), test.err.Error(), "the cause goes to the log")

			code, body = get(t, checks.LiveHandler())
			require.Equal(t, http.StatusOK, code)
			require.JSONEq(t, `{"status":"ok","checks":{}}`, body)
		})
	}
}

func TestDraining(t *testing.T) {
	t.Parallel()

	checks, _ := setupHealth(t, telemetry.Check{Name: "database", Probe: fine})
	code, _ := get(t, checks.ReadyHandler())
	require.Equal(t, http.StatusOK, code)

	checks.StartDraining()
	code, body := get(t, checks.ReadyHandler())
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.JSONEq(t, `{"status":"draining","checks":{"database":{"ok":true}}}`, body)

	code, _ = get(t, checks.LiveHandler())
	require.Equal(t, http.StatusOK, code)
}

// TestReadinessExcludesChecks checks the readiness for a load balancer: a dependency that fails takes no process out.
func TestReadinessExcludesChecks(t *testing.T) {
	t.Parallel()

	const path = "/readyz?exclude=checks"
	probed := false
	checks, _ := setupHealth(t, telemetry.Check{Name: "database", Probe: func(context.Context) error {
		probed = true
		return errors.New("refused")
	}})

	code, body := getURL(t, checks.ReadyHandler(), path)
	require.Equal(t, http.StatusOK, code)
	require.JSONEq(t, `{"status":"ok","checks":{}}`, body)
	require.False(t, probed)

	checks.StartDraining()
	code, body = getURL(t, checks.ReadyHandler(), path)
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.JSONEq(t, `{"status":"draining","checks":{}}`, body)
}

func TestResultsAreCached(t *testing.T) {
	t.Parallel()

	var (
		calls  atomic.Int64
		broken atomic.Bool
	)
	checks, b := setupHealth(t, telemetry.Check{Name: "database", Probe: func(context.Context) error {
		calls.Add(1)
		if broken.Load() {
			return errors.New("down")
		}

		return nil
	}})

	var group sync.WaitGroup
	for range 20 {
		group.Go(func() { checks.Report(t.Context()) })
	}
	group.Wait()
	require.EqualValues(t, 1, calls.Load(), "many askers, one probe")

	broken.Store(true)
	require.Equal(t, telemetry.StatusOK, checks.Report(t.Context()).Status)

	b.clock.Advance(time.Second)
	require.Equal(t, telemetry.StatusUnavailable, checks.Report(t.Context()).Status)
	b.clock.Advance(time.Second)
	require.Equal(t, telemetry.StatusUnavailable, checks.Report(t.Context()).Status)

	broken.Store(false)
	b.clock.Advance(-time.Hour)
	require.Equal(t, telemetry.StatusOK, checks.Report(t.Context()).Status, "a clock that jumps back keeps no result alive")

	require.EqualValues(t, 4, calls.Load())
	require.Equal(t, 1, strings.Count(b.log.String(), "readiness check failed"), "only changes are logged")
	require.Equal(t, 1, strings.Count(b.log.String(), "readiness check recovered"))
}

func TestCanceledCallerDoesNotFailProbe(t *testing.T) {
	t.Parallel()

	checks, _ := setupHealth(t, telemetry.Check{Name: "database", Probe: func(ctx context.Context) error { return ctx.Err() }})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	require.Equal(t, telemetry.StatusOK, checks.Report(ctx).Status)
}

func TestHangingProbe(t *testing.T) {
	t.Parallel()

	release := make(chan struct{})
	var running atomic.Int64
	checks, b := setupHealth(t,
		telemetry.Check{Name: "heeds", Timeout: 10 * time.Millisecond, Probe: func(ctx context.Context) error {
			<-ctx.Done()

			return ctx.Err()
		}},
		telemetry.Check{Name: "stuck", Timeout: 10 * time.Millisecond, Probe: func(context.Context) error {
			running.Add(1)
			<-release
			running.Add(-1)

			return nil
		}},
	)

	for range 3 {
		report := checks.Report(t.Context())
		require.Equal(t, telemetry.HealthResult{Error: "timeout"}, report.Checks["heeds"])
		require.Equal(t, telemetry.HealthResult{Error: "timeout"}, report.Checks["stuck"])
		require.EqualValues(t, 1, running.Load(), "no second probe beside a stuck one")
		b.clock.Advance(time.Minute)
	}

	close(release)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		b.clock.Advance(time.Minute)
		require.True(c, checks.Report(t.Context()).Checks["stuck"].OK)
	}, 5*time.Second, time.Millisecond)
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()

	good := telemetry.HealthConfig{Clock: clocktest.New(time.Now()), Logger: slog.New(slog.DiscardHandler)}
	_, err := telemetry.NewHealth(good)
	require.NoError(t, err)

	tests := map[string]func(*telemetry.HealthConfig){
		"no clock":         func(c *telemetry.HealthConfig) { c.Clock = nil },
		"no logger":        func(c *telemetry.HealthConfig) { c.Logger = nil },
		"no name":          func(c *telemetry.HealthConfig) { c.Checks = []telemetry.Check{{Probe: fine}} },
		"malformed name":   func(c *telemetry.HealthConfig) { c.Checks = []telemetry.Check{{Name: "Data Base", Probe: fine}} },
		"no probe":         func(c *telemetry.HealthConfig) { c.Checks = []telemetry.Check{{Name: "a"}} },
		"negative timeout": func(c *telemetry.HealthConfig) { c.Checks = []telemetry.Check{{Name: "a", Probe: fine, Timeout: -1}} },
		"name twice": func(c *telemetry.HealthConfig) {
			c.Checks = []telemetry.Check{
				{Name: "a", Probe: fine}, {Name: "a", Probe: fine},
			}
		},
	}

	for name, breakIt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			config := good
			breakIt(&config)
			_, err := telemetry.NewHealth(config)
			require.Error(t, err)
		})
	}
}

func TestCollector(t *testing.T) {
	t.Parallel()

	checks, _ := setupHealth(t,
		telemetry.Check{Name: "database", Probe: func(context.Context) error { return nil }},
		telemetry.Check{Name: "store", Probe: func(context.Context) error { return errors.New("down") }})
	require.NoError(t, testutil.CollectAndCompare(checks.Collector(), strings.NewReader(
		`# HELP check_passes 1 if the check of /readyz passes, otherwise 0.
# TYPE check_passes gauge
check_passes{check="database"} 1
check_passes{check="store"} 0
`)))
}
