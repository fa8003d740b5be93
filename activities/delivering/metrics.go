package delivering

import "github.com/prometheus/client_golang/prometheus"

// Metrics count what became of webhook attempts.
type Metrics struct {
	attempts *prometheus.CounterVec
	latency  prometheus.Histogram
}

// NewMetrics registers the metrics.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "webhook_attempts_total", Help: "Webhook attempts, by outcome.",
		}, []string{"outcome"}),
		latency: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "webhook_delivery_latency_seconds", Help: "Time from the commit of an event to its acknowledgement by a receiver.",
			Buckets: []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 600, 3600},
		}),
	}
	reg.MustRegister(m.attempts, m.latency)
	return m
}
