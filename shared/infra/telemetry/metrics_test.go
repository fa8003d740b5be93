package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/kernel/clock/clocktest"
)

type brokenCollector struct{ desc *prometheus.Desc }

func (c brokenCollector) Describe(descs chan<- *prometheus.Desc) { descs <- c.desc }

func (c brokenCollector) Collect(metrics chan<- prometheus.Metric) {
	metrics <- prometheus.NewInvalidMetric(c.desc, errors.New("cannot collect"))
}

func TestOpsHandler(t *testing.T) {
	t.Parallel()

	registry, err := telemetry.NewRegistry()
	require.NoError(t, err)

	published := prometheus.NewCounter(prometheus.CounterOpts{Name: "posts_published_total", Help: "Posts that went out."})
	require.NoError(t, registry.Register(published))
	published.Add(3)

	b := setup(t, "json")
	checks, err := telemetry.NewHealth(telemetry.HealthConfig{
		Checks: []telemetry.Check{{Name: "database", Probe: func(context.Context) error { return nil }}},
		Clock:  clocktest.New(time.Now()),
		Logger: b.logger,
	})
	require.NoError(t, err)

	handler := telemetry.OpsHandler(registry, checks, b.logger)
	get := func(method, path string) *httptest.ResponseRecorder {
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, httptest.NewRequestWithContext(t.Context(), method, path, http.NoBody))

		return response
	}

	require.JSONEq(t, `{"status":"ok","checks":{}}`, get(http.MethodGet, "/livez").Body.String())
	require.JSONEq(t, `{"status":"ok","checks":{"database":{"ok":true}}}`, get(http.MethodGet, "/readyz").Body.String())

	metrics := get(http.MethodGet, "/metrics")
	require.Equal(t, http.StatusOK, metrics.Code)
	require.Contains(t, metrics.Body.String(), "posts_published_total 3")
	require.Contains(t, metrics.Body.String(), "go_goroutines")
	require.Contains(t, metrics.Body.String(), "process_resident_memory_bytes")

	require.Equal(t, http.StatusNotFound, get(http.MethodGet, "/debug/pprof/").Code)
	require.Equal(t, http.StatusMethodNotAllowed, get(http.MethodPost, "/readyz").Code)

	require.NoError(t, registry.Register(brokenCollector{prometheus.NewDesc("broken", "Never works.", nil, nil)}))
	metrics = get(http.MethodGet, "/metrics")
	require.Equal(t, http.StatusOK, metrics.Code, "one broken collector hides no other")
	require.Contains(t, metrics.Body.String(), "posts_published_total 3")
	require.True(t, bytes.Contains(b.output.Bytes(), []byte("cannot collect")))
	require.Contains(t, b.output.String(), slog.LevelError.String())
}
