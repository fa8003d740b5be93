package health_test

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

	"fencepost.internal/shared/infra/telemetry/health"
	"fencepost.internal/shared/kernel/clock/clocktest"
)

type bundle struct {
	clock *clocktest.Fake
	log   *bytes.Buffer
}

func setup(t *testing.T, list ...health.Check) (*health.Checks, *bundle) {
	t.Helper()

	b := &bundle{clock: clocktest.New(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)), log: &bytes.Buffer{}}
	checks, err := health.New(health.Config{
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

			checks, b := setup(t,
				health.Check{Name: "database", Probe: func(context.Context) error { return test.err }},
				health.Check{Name: "temporal", Probe: fine})

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

	checks, _ := setup(t, health.Check{Name: "database", Probe: fine})
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
	checks, _ := setup(t, health.Check{Name: "database", Probe: func(context.Context) error {
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
	checks, b := setup(t, health.Check{Name: "database", Probe: func(context.Context) error {
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
	require.Equal(t, health.StatusOK, checks.Report(t.Context()).Status)

	b.clock.Advance(time.Second)
	require.Equal(t, health.StatusUnavailable, checks.Report(t.Context()).Status)
	b.clock.Advance(time.Second)
	require.Equal(t, health.StatusUnavailable, checks.Report(t.Context()).Status)

	broken.Store(false)
	b.clock.Advance(-time.Hour)
	require.Equal(t, health.StatusOK, checks.Report(t.Context()).Status, "a clock that jumps back keeps no result alive")

	require.EqualValues(t, 4, calls.Load())
	require.Equal(t, 1, strings.Count(b.log.String(), "readiness check failed"), "only changes are logged")
	require.Equal(t, 1, strings.Count(b.log.String(), "readiness check recovered"))
}

func TestCanceledCallerDoesNotFailProbe(t *testing.T) {
	t.Parallel()

	checks, _ := setup(t, health.Check{Name: "database", Probe: func(ctx context.Context) error { return ctx.Err() }})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	require.Equal(t, health.StatusOK, checks.Report(ctx).Status)
}

func TestHangingProbe(t *testing.T) {
	t.Parallel()

	release := make(chan struct{})
	var running atomic.Int64
	checks, b := setup(t,
		health.Check{Name: "heeds", Timeout: 10 * time.Millisecond, Probe: func(ctx context.Context) error {
			<-ctx.Done()

			return ctx.Err()
		}},
		health.Check{Name: "stuck", Timeout: 10 * time.Millisecond, Probe: func(context.Context) error {
			running.Add(1)
			<-release
			running.Add(-1)

			return nil
		}},
	)

	for range 3 {
		report := checks.Report(t.Context())
		require.Equal(t, health.Result{Error: "timeout"}, report.Checks["heeds"])
		require.Equal(t, health.Result{Error: "timeout"}, report.Checks["stuck"])
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

	good := health.Config{Clock: clocktest.New(time.Now()), Logger: slog.New(slog.DiscardHandler)}
	_, err := health.New(good)
	require.NoError(t, err)

	tests := map[string]func(*health.Config){
		"no clock":         func(c *health.Config) { c.Clock = nil },
		"no logger":        func(c *health.Config) { c.Logger = nil },
		"no name":          func(c *health.Config) { c.Checks = []health.Check{{Probe: fine}} },
		"malformed name":   func(c *health.Config) { c.Checks = []health.Check{{Name: "Data Base", Probe: fine}} },
		"no probe":         func(c *health.Config) { c.Checks = []health.Check{{Name: "a"}} },
		"negative timeout": func(c *health.Config) { c.Checks = []health.Check{{Name: "a", Probe: fine, Timeout: -1}} },
		"name twice": func(c *health.Config) {
			c.Checks = []health.Check{
				{Name: "a", Probe: fine}, {Name: "a", Probe: fine},
			}
		},
	}

	for name, breakIt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			config := good
			breakIt(&config)
			_, err := health.New(config)
			require.Error(t, err)
		})
	}
}

func TestCollector(t *testing.T) {
	t.Parallel()

	checks, _ := setup(t,
		health.Check{Name: "database", Probe: func(context.Context) error { return nil }},
		health.Check{Name: "store", Probe: func(context.Context) error { return errors.New("down") }})
	require.NoError(t, testutil.CollectAndCompare(checks.Collector(), strings.NewReader(
		`# HELP check_passes 1 if the check of /readyz passes, otherwise 0.
# TYPE check_passes gauge
check_passes{check="database"} 1
check_passes{check="store"} 0
`)))
}
