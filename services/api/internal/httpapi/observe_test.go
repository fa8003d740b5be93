package httpapi_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi"
	"fencepost.internal/shared/infra/telemetry"
)

func TestAccessLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	for name, r := range map[string]request{
		"read": {method: http.MethodGet, path: "/v1/posts/" + id + "?secret=canary", key: b.ours.key},
		"written": {
			method: http.MethodPost, path: "/v1/posts", key: b.ours.key, contentType: "application/json", body: `{"canary":1}`,
		},
		"refused":   {method: http.MethodGet, path: "/v1/posts", key: "canary"},
		"unmatched": {method: http.MethodGet, path: "/canary"},
	} {
		r.header = map[string]string{"X-Request-Id": name}
		b.do(t, r)
		lines := b.logs.with(t, "request_id", name)
		require.Len(t, lines, 1, name)
		line := lines[0]
		require.Equal(t, "INFO", line["level"])
		require.Equal(t, "request handled", line["msg"])
		require.Equal(t, r.method, line["method"])
		require.Contains(t, line, "duration_ms")
		require.Contains(t, line, "status")
		switch name {
		case "read":
			require.Equal(t, "/v1/posts/{id}", line["route"])
			require.Equal(t, b.ours.id.String(), line["workspace_id"])
		case "refused":
			require.Equal(t, "/v1/posts", line["route"])
			require.NotContains(t, line, "workspace_id")
		case "unmatched":
			require.Equal(t, "unmatched", line["route"])
		}
	}
	require.NotContains(t, b.logs.String(), "canary")
	require.NotContains(t, b.logs.String(), b.ours.key)
}

func TestFailuresAreLoggedOnce(t *testing.T) {
	t.Parallel()
	lines := &logLines{}
	logger, err := telemetry.NewLogger(telemetry.LogConfig{
		Output: lines, Level: slog.LevelInfo, Format: "json", Service: "api", Version: "test",
	})
	require.NoError(t, err)
	b := setup(t, func(c *httpapi.Config) { c.Logger = logger })
	require.NoError(t, b.db.Close())
	b.do(t, request{
		method: http.MethodGet, path: "/v1/posts", key: b.ours.key, header: map[string]string{"X-Request-Id": "failing"},
	})
	var levels []any
	for _, line := range lines.with(t, "request_id", "failing") {
		levels = append(levels, line["level"])
	}
	require.Equal(t, []any{"WARN", "INFO"}, levels, "the failure with its cause, and the request")
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.draft(t, b.ours)
	b.get(t, "/v1/posts")
	b.get(t, "/v1/posts?limit=0")
	b.get(t, "/v1/posts/x")
	b.get(t, "/nothing/of/this/name")
	b.do(t, request{method: "BREW", path: "/v1/posts"})
	families, err := b.registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, 3)
	require.Equal(t, "http_malformed_requests_total", families[0].GetName())
	families = families[1:]
	require.Equal(t, "http_request_duration_seconds", families[0].GetName())
	require.Equal(t, "http_requests_total", families[1].GetName())
	require.Len(t, families[0].GetMetric(), 4, "operations without a request have no histogram")
	observed := map[string]uint64{}
	for _, metric := range families[0].GetMetric() {
		observed[labelsOf(metric)] = metric.GetHistogram().GetSampleCount()
	}
	require.Equal(t, map[string]uint64{
		"operation=create-posts": 1, "operation=list-posts": 2, "operation=get-post": 1, "operation=unmatched": 2,
	}, observed)
	counts, zeros := map[string]float64{}, map[string]bool{}
	for _, metric := range families[1].GetMetric() {
		if n := metric.GetCounter().GetValue(); n > 0 {
			counts[labelsOf(metric)] = n
		} else {
			zeros[labelsOf(metric)] = true
		}
	}
	require.Equal(t, map[string]float64{
		"operation=create-posts,status=2xx": 1, "operation=list-posts,status=2xx": 1, "operation=list-posts,status=4xx": 1,
		"operation=get-post,status=4xx": 1, "operation=unmatched,status=4xx": 2,
	}, counts)
	require.Contains(t, zeros, "operation=delete-post,status=5xx", "an alert on the increase sees the first failure")
}

func labelsOf(metric *dto.Metric) string {
	labels := make([]string, len(metric.GetLabel()))
	for i, label := range metric.GetLabel() {
		labels[i] = label.GetName() + "=" + label.GetValue()
	}
	return strings.Join(labels, ",")
}
