package web

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/domain/channel"
)

type metrics struct {
	requests *prometheus.CounterVec
	storing  prometheus.Histogram
}

func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inbound_requests_total", Help: "Requests, by the network of their address, and by outcome.",
		}, []string{"network", "outcome"}),
		storing: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "inbound_store_seconds", Help: "Time to store the events of a request.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5},
		}),
	}
	for _, network := range []channel.Network{channel.NetworkTelegram, channel.NetworkWhatsApp} {
		for _, outcome := range []string{forged.outcome, busy.outcome, unavailable.outcome, unread} {
			m.requests.WithLabelValues(string(network), outcome) // so that alerts on its increase see the first one
		}
	}
	return m, errors.Join(registry.Register(m.requests), registry.Register(m.storing))
}

// count counts a request; a network that is empty means that it was for no network's address.
func (m *metrics) count(network channel.Network, outcome string) {
	if network == "" {
		network = "none"
	}
	m.requests.WithLabelValues(string(network), outcome).Inc()
}
