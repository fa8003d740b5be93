package insights

import (
	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
)

// Outcomes of steps, in addition to the failure classes.
const (
	outcomeRead     = "read"
	outcomeFinished = "finished"
	outcomeIdle     = "idle"
)

// Kinds of snapshots.
const (
	kindDays  = "channel"
	kindPosts = "post"
)

// Metrics counts the outcomes of collection steps.
type Metrics struct {
	steps     *prometheus.CounterVec
	snapshots *prometheus.CounterVec
	stopped   *prometheus.CounterVec
}

// NewMetrics returns Metrics registered with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		steps: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "insight_steps_total",
			Help: "Steps of collections of figures, by network and outcome: read, finished, idle, or the class of a failure.",
		}, []string{"network", "outcome"}),
		snapshots: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "insight_snapshots_total", Help: "Snapshots recorded, by network and kind: channel or post.",
		}, []string{"network", "kind"}),
		stopped: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "insight_stops_total", Help: "Channels whose collection stopped until they are reconnected, by network.",
		}, []string{"network"}),
	}
	reg.MustRegister(m.steps, m.snapshots, m.stopped)
	return m
}

// Expect initializes the counters of a network at zero.
func (m *Metrics) Expect(n channel.Network) {
	for _, outcome := range []string{outcomeRead, outcomeFinished, outcomeIdle} {
		m.steps.WithLabelValues(string(n), outcome)
	}
	for _, class := range platform.Classes() {
		m.steps.WithLabelValues(string(n), string(class))
	}
	for _, kind := range []string{kindDays, kindPosts} {
		m.snapshots.WithLabelValues(string(n), kind)
	}
	m.stopped.WithLabelValues(string(n))
}

func (m *Metrics) read(n channel.Network, kind string, snapshots int) {
	m.steps.WithLabelValues(string(n), outcomeRead).Inc()
	m.snapshots.WithLabelValues(string(n), kind).Add(float64(snapshots))
}
