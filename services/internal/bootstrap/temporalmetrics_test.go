package bootstrap_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/bootstrap/cloudtest"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/kernel/clock"
)

// TestMetricsOfTemporalClient checks that failures of workflows and activities start at zero, and that calls are counted with
// the selected labels only.
func TestMetricsOfTemporalClient(t *testing.T) {
	t.Parallel()
	front := cloudtest.Start(t, cloudtest.Options{})
	registry := prometheus.NewRegistry()
	p := &bootstrap.Process{
		Name: "test", Logger: slog.New(slog.DiscardHandler), Libraries: registry, Clock: clock.System(),
	}
	p.Expect([]string{"Post"}, []string{"Publish"}) // before there is a client
	c, err := bootstrap.Temporal(config.Temporal{
		Address: front.Address, Namespace: namespace, CAFile: front.Authority.File,
	}, p)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	p.Expect([]string{"Post"}, []string{"Publish"})
	require.NoError(t, bootstrap.TemporalCheck(c, namespace).Probe(t.Context()))
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(
		`# HELP temporal_activity_execution_failed_total Failed activities.
# TYPE temporal_activity_execution_failed_total counter
temporal_activity_execution_failed_total{activity_type="Publish"} 0
# HELP temporal_request_total Calls to Temporal.
# TYPE temporal_request_total counter
temporal_request_total{operation="DescribeNamespace"} 1
# HELP temporal_workflow_failed_total Failed workflows.
# TYPE temporal_workflow_failed_total counter
temporal_workflow_failed_total{workflow_type="Post"} 0
# HELP temporal_workflow_task_execution_failed_total Failed workflow tasks, by reason.
# TYPE temporal_workflow_task_execution_failed_total counter
temporal_workflow_task_execution_failed_total{failure_reason="NonDeterminismError",workflow_type="Post"} 0
temporal_workflow_task_execution_failed_total{failure_reason="WorkflowError",workflow_type="Post"} 0
`), "temporal_request_total", "temporal_workflow_task_execution_failed_total", "temporal_workflow_failed_total",
		"temporal_activity_execution_failed_total"))
	buckets, err := testutil.GatherAndCount(registry, "temporal_request_latency_seconds")
	require.NoError(t, err)
	require.Equal(t, 1, buckets)
	attempts, err := testutil.GatherAndCount(registry, "temporal_request_attempt_total")
	require.NoError(t, err)
	require.Zero(t, attempts, "a metric that is not selected")
}
