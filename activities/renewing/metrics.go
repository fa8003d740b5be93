package renewing

import (
	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/domain/channel"
)

// Outcomes of tries.
const (
	outcomeOK      = "ok"
	outcomeFailed  = "failed"
	outcomeRefused = "refused"
)

// Metrics counts renewals.
type Metrics struct {
	started prometheus.Counter
	tries   *prometheus.CounterVec
}

// NewMetrics returns Metrics registered with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		started: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "token_renewals_found_total", Help: "Due renewals of credentials that sweeps found.",
		}),
		tries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "token_renewals_total",
			Help: "Tries to renew credentials, by network and outcome: ok, failed (tried again), or refused for good.",
		}, []string{"network", "outcome"}),
	}
	reg.MustRegister(m.started, m.tries)
	return m
}

// Expect initializes the counters of a network at zero.
func (m *Metrics) Expect(n channel.Network) {
	for _, outcome := range []string{outcomeOK, outcomeFailed, outcomeRefused} {
		m.tries.WithLabelValues(string(n), outcome)
	}
}

func (m *Metrics) count(n channel.Network, outcome string) {
	m.tries.WithLabelValues(string(n), outcome).Inc()
}
