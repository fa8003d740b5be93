package mailing

import (
	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/domain/mail"
)

// Outcomes of tries.
const (
	outcomeSent    = "sent"
	outcomeFailed  = "failed"
	outcomeGivenUp = "given_up"
	outcomeUnknown = "unknown_address"
)

// Metrics counts tries to send mails.
type Metrics struct{ tries *prometheus.CounterVec }

// NewMetrics returns Metrics registered with reg, with every counter at zero.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{tries: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mails_total",
		Help: "Tries to send a mail, by kind and outcome: sent, failed (tried again), given_up, or unknown_address (a " +
			"password reset for an address without a user).",
	}, []string{"kind", "outcome"})}
	reg.MustRegister(m.tries)
	for _, kind := range mail.Kinds() {
		for _, outcome := range []string{outcomeSent, outcomeFailed, outcomeGivenUp, outcomeUnknown} {
			m.tries.WithLabelValues(string(kind), outcome)
		}
	}
	return m
}

func (m *Metrics) count(kind mail.Kind, outcome string) {
	m.tries.WithLabelValues(string(kind), outcome).Inc()
}
