package bootstrap

import (
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/otlptranslator"
	"go.opentelemetry.io/otel/attribute"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/opentelemetry"
)

// The metrics of Temporal's SDK that programs export, and their labels. The SDK has more of both, and each of its labels
// multiplies the series by the number of task queues, workflows or operations.
const (
	labelOperation = attribute.Key("operation")
	labelStatus    = attribute.Key("status_code")
	labelQueue     = attribute.Key("task_queue")
	labelWorker    = attribute.Key("worker_type")
	labelPoller    = attribute.Key("poller_type")
	labelWorkflow  = attribute.Key("workflow_type")
	labelActivity  = attribute.Key("activity_type")
	labelReason    = attribute.Key("failure_reason")

	// workflowTasksFailed counts the workflow tasks that failed, and failures of replay among them.
	workflowTasksFailed = "temporal_workflow_task_execution_failed"
	workflowsFailed     = "temporal_workflow_failed"
	activitiesFailed    = "temporal_activity_execution_failed"
)

// sdkMetric is a metric of the SDK, which has no texts of help.
type sdkMetric struct {
	help   string
	labels []attribute.Key
}

func sdkMetrics() map[string]sdkMetric {
	return map[string]sdkMetric{
		"temporal_request":              {"Calls to Temporal.", []attribute.Key{labelOperation}},
		"temporal_request_failure":      {"Failed calls to Temporal.", []attribute.Key{labelOperation, labelStatus}},
		"temporal_request_latency":      {"Duration of calls to Temporal.", []attribute.Key{labelOperation}},
		"temporal_long_request_failure": {"Failed polls.", []attribute.Key{labelOperation, labelStatus}},
		"temporal_workflow_completed":   {"Completed workflows.", []attribute.Key{labelWorkflow}},
		workflowsFailed:                 {"Failed workflows.", []attribute.Key{labelWorkflow}},
		workflowTasksFailed:             {"Failed workflow tasks, by reason.", []attribute.Key{labelWorkflow, labelReason}},
		"temporal_workflow_task_schedule_to_start_latency": {
			"Time for which workflow tasks waited for a worker.", []attribute.Key{labelQueue},
		},
		"temporal_activity_schedule_to_start_latency": {
			"Time for which activities waited for a worker, without those that start at once where they were scheduled.",
			[]attribute.Key{labelQueue},
		},
		"temporal_activity_execution_latency":         {"Duration of activities.", []attribute.Key{labelActivity}},
		activitiesFailed:                              {"Failed activities.", []attribute.Key{labelActivity}},
		"temporal_worker_task_slots_available":        {"Free places for tasks.", []attribute.Key{labelQueue, labelWorker}},
		"temporal_worker_task_slots_used":             {"Tasks in progress.", []attribute.Key{labelQueue, labelWorker}},
		"temporal_num_pollers":                        {"Open polls.", []attribute.Key{labelQueue, labelPoller}},
		"temporal_sticky_cache_hit":                   {"Workflow tasks whose workflow was in memory.", nil},
		"temporal_sticky_cache_miss":                  {"Workflow tasks whose workflow was replayed.", nil},
		"temporal_sticky_cache_total_forced_eviction": {"Workflows removed from memory for others.", nil},
		"temporal_sticky_cache_size":                  {"Workflows in memory.", nil},
	}
}

// sdkBuckets returns the bounds of the SDK's histograms, in seconds.
func sdkBuckets() []float64 { return []float64{.01, .05, .1, .5, 1, 5, 30} }

// taskFailures returns the values of failure_reason.
func taskFailures() []string { return []string{"NonDeterminismError", "WorkflowError"} }

// temporalMetrics returns the handler of the SDK's metrics, which are registered with reg.
func temporalMetrics(reg prometheus.Registerer, logger *slog.Logger) (client.MetricsHandler, error) {
	reader, err := otelprometheus.New(
		otelprometheus.WithRegisterer(reg), otelprometheus.WithoutScopeInfo(), otelprometheus.WithoutTargetInfo(),
		otelprometheus.WithTranslationStrategy(otlptranslator.UnderscoreEscapingWithSuffixes),
	)
	if err != nil {
		return nil, fmt.Errorf("metrics of the Temporal client: %w", err)
	}
	provider := metric.NewMeterProvider(metric.WithReader(reader), metric.WithView(sdkView()))
	return opentelemetry.NewMetricsHandler(opentelemetry.MetricsHandlerOptions{
		Meter: provider.Meter("go.temporal.io/sdk"), UseMonotonicCounters: true,
		OnError: func(err error) { logger.Error("a metric of the Temporal client failed", slog.Any("error", err)) },
	}), nil
}

// sdkView selects the metrics and their labels. It is one view: of several that match an instrument, the first decides
// whether it is dropped.
func sdkView() metric.View {
	known := sdkMetrics()
	return func(i metric.Instrument) (metric.Stream, bool) {
		selected, kept := known[i.Name]
		stream := metric.Stream{Name: i.Name, Description: selected.help, Unit: i.Unit}
		if !kept {
			stream.Aggregation = metric.AggregationDrop{}
			return stream, true
		}
		stream.AttributeFilter = attribute.NewAllowKeysFilter(selected.labels...)
		if i.Kind == metric.InstrumentKindHistogram {
			stream.Aggregation = metric.AggregationExplicitBucketHistogram{Boundaries: sdkBuckets(), NoMinMax: true}
		}
		return stream, true
	}
}

// Expect initializes the counters of failed workflows, of their failed tasks, and of failed activities at zero, so that
// alerts on their increase see the first failure. It is called after Temporal.
func (p *Process) Expect(workflows, activities []string) {
	if p.temporal == nil {
		return
	}
	zero := func(metric string, tags map[string]string) { p.temporal.WithTags(tags).Counter(metric).Inc(0) }
	for _, workflow := range workflows {
		zero(workflowsFailed, map[string]string{string(labelWorkflow): workflow})
		for _, reason := range taskFailures() {
			zero(workflowTasksFailed, map[string]string{string(labelWorkflow): workflow, string(labelReason): reason})
		}
	}
	for _, activity := range activities {
		zero(activitiesFailed, map[string]string{string(labelActivity): activity})
	}
}
