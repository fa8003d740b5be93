package telemetry

import (
	"fmt"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Prefix begins the name of every metric of this service. Metrics of libraries keep the names that their users know.
const Prefix = "fencepost_"

// Prefixed returns a registerer that registers metrics with registry and adds Prefix to their names.
func Prefixed(registry prometheus.Registerer) prometheus.Registerer {
	return prometheus.WrapRegistererWithPrefix(Prefix, registry)
}

// NewRegistry returns a new registry with the metrics of the Go runtime and of the process. The global registry of the
// Prometheus client is never used.
func NewRegistry() (*prometheus.Registry, error) {
	registry := prometheus.NewRegistry()

	for _, collector := range []prometheus.Collector{
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	} {
		if err := registry.Register(collector); err != nil {
			return nil, fmt.Errorf("telemetry: %w", err)
		}
	}

	return registry, nil
}

// OpsHandler serves /livez, /readyz and /metrics on OPS_ADDR, separate from the public addresses. Errors while
// collecting metrics are logged.
func OpsHandler(registry *prometheus.Registry, checks *Checks, logger *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /livez", checks.LiveHandler())
	mux.Handle("GET /readyz", checks.ReadyHandler())
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog:      slog.NewLogLogger(logger.Handler(), slog.LevelError),
		ErrorHandling: promhttp.ContinueOnError,
		Registry:      registry,
	}))

	return mux
}
