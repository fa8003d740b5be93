package relay

import "github.com/prometheus/client_golang/prometheus"

// Metrics shows whether the relay keeps up.
type Metrics struct {
	depth      prometheus.Gauge
	oldest     prometheus.Gauge
	patient    prometheus.Gauge
	waiting    prometheus.Gauge
	renewals   prometheus.Gauge
	swept      prometheus.Counter
	unreadable prometheus.Counter
	failures   *prometheus.CounterVec

	renewalAge prometheus.Gauge
}

// NewMetrics registers the metrics. Those of the sweep are registered only in processes that run the sweep.
func NewMetrics(reg prometheus.Registerer, sweeps bool) *Metrics {
	m := &Metrics{
		depth: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "outbox_depth", Help: "Messages that Temporal should have received by now.",
		}),
		oldest: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "outbox_oldest_seconds", Help: "How long the oldest due message has been waiting.",
		}),
		patient: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "outbox_patient", Help: "Messages about posts that are due later.",
		}),
		waiting: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "webhook_deliveries_waiting", Help: "Deliveries that wait in the queue of their endpoint.",
		}),
		renewals: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "token_renewals_due", Help: "Channels whose credentials should have been renewed by now.",
		}),
		renewalAge: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "token_renewals_oldest_seconds", Help: "How long the oldest due renewal has been waiting.",
		}),
		swept: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "sweep_found_total",
			Help: "Missing workflows of overdue work that the sweep started: each was lost on its way.",
		}),
		unreadable: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "outbox_unreadable_total", Help: "Reads of a message that this version cannot decode. It is kept, and read again each minute.",
		}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "relay_failures_total", Help: "Rounds of a relay loop that failed because a dependency was unavailable.",
		}, []string{"loop"}),
	}
	reg.MustRegister(m.failures, m.swept, m.unreadable)
	for _, loop := range []string{loopEvents, loopQueues, laneUrgent, laneFirst, laneDeliveries, lanePatient} {
		m.failures.WithLabelValues(loop)
	}
	if sweeps {
		m.failures.WithLabelValues(loopSweep)
		reg.MustRegister(m.depth, m.oldest, m.patient, m.waiting, m.renewals, m.renewalAge)
	}
	return m
}
