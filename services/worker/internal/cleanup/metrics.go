package cleanup

import "github.com/prometheus/client_golang/prometheus"

// Metrics counts what the cleanup deletes, by kind.
type Metrics struct {
	deleted  *prometheus.CounterVec
	failures *prometheus.CounterVec
}

// NewMetrics returns Metrics registered with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		deleted: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cleanup_deleted_total", Help: "Expired rows and objects that were deleted, by kind.",
		}, []string{"kind"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cleanup_failures_total", Help: "Rounds of the cleanup that failed, by kind.",
		}, []string{"kind"}),
	}
	reg.MustRegister(m.deleted, m.failures)
	return m
}

// expect initializes the counters of a kind at zero, so that alerts on their increase see the first failure.
func (m *Metrics) expect(kind string) {
	m.deleted.WithLabelValues(kind)
	m.failures.WithLabelValues(kind)
}

// count adds the result of a round.
func (m *Metrics) count(kind string, deleted int, err error) {
	m.deleted.WithLabelValues(kind).Add(float64(deleted))
	if err != nil {
		m.failures.WithLabelValues(kind).Inc()
	}
}
