package delivering

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/infra/egress"
)

// Metrics counts the outcomes of webhook attempts.
type Metrics struct {
	attempts *prometheus.CounterVec
	latency  prometheus.Histogram
	outage   atomic.Pointer[outage] // read by the gauge
	excused  prometheus.Counter

	express    *prometheus.CounterVec
	expressAge prometheus.Histogram
}

// outcomeSuccess is the outcome of an acknowledged attempt. The others are the class of the response's status, or of the
// failure.
const outcomeSuccess = "success"

// The outcomes of deliveries that the express lane claimed.
const (
	expressSettled    = "settled"     // recorded, or found to have ended
	expressHandedOver = "handed_over" // left to a workflow
)

// NewMetrics returns Metrics registered with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "webhook_attempts_total", Help: "Webhook attempts, by outcome.",
		}, []string{"outcome"}),
		latency: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "webhook_delivery_latency_seconds",
			Help:    "Time from the commit of an event to its acknowledgement by a receiver.",
			Buckets: []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 600, 3600},
		}),
		excused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "webhook_failures_excused_total",
			Help: "Failed deliveries that did not count towards disabling their endpoint, because of a network outage of the " +
				"service.",
		}),
		express: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "webhook_express_total", Help: "Deliveries of the express lane, by outcome.",
		}, []string{"outcome"}),
		expressAge: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "webhook_express_age_seconds",
			Help:    "Age of deliveries when the express lane claims them.",
			Buckets: []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 600, 3600},
		}),
	}
	outage := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "webhook_outage",
		Help: "1 while connections to most endpoints fail, which indicates a fault of the service's DNS or network.",
	}, m.outageNow)
	reg.MustRegister(m.attempts, m.latency, outage, m.excused, m.express, m.expressAge)
	for _, outcome := range append([]string{outcomeSuccess, "status_1xx", "status_3xx", "status_4xx", "status_5xx"}, classes()...) {
		m.attempts.WithLabelValues(outcome)
	}
	for _, outcome := range []string{expressSettled, expressHandedOver} {
		m.express.WithLabelValues(outcome)
	}
	return m
}

// outageNow returns the value of webhook_outage. It is computed when it is read, because an outage also ends when the
// attempts that showed it are over a minute ago.
func (m *Metrics) outageNow() float64 {
	if o := m.outage.Load(); o != nil && o.lasts() {
		return 1
	}
	return 0
}

// classes returns the classes of attempts that got no response.
func classes() []string {
	return []string{
		string(egress.ClassBlockedURL), string(egress.ClassBlockedAddress), string(egress.ClassDNS),
		string(egress.ClassTimeout), string(egress.ClassTLS), string(egress.ClassConnectionRefused),
		string(egress.ClassConnectionReset), string(egress.ClassTooLarge), string(egress.ClassProtocol),
	}
}
