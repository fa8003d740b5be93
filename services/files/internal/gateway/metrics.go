package gateway

import (
	"errors"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// Outcomes of an exchange, in addition to the codes of refusals.
const (
	outcomeOK        = "ok"
	outcomePreflight = "preflight"
	outcomeBrokenOff = "broken_off" // during the response, by either side
)

func (r *refusal) outcome() string { return strings.ToLower(r.Code) }

type metrics struct {
	requests *prometheus.CounterVec
	bytes    *prometheus.CounterVec
	open     prometheus.Gauge
}

func newMetrics(registerer prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "files_requests_total", Help: "Completed requests, by method and outcome.",
		}, []string{"method", "outcome"}),
		bytes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "files_bytes_total", Help: "Bytes of files that clients sent (in) and received (out).",
		}, []string{"direction"}),
		open: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "files_requests_open", Help: "Requests in progress.",
		}),
	}
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut} {
		for _, outcome := range []string{outcomeOK, outcomeBrokenOff, unavailable.outcome()} {
			m.requests.WithLabelValues(method, outcome)
		}
	}
	return m, errors.Join(registerer.Register(m.requests), registerer.Register(m.bytes), registerer.Register(m.open))
}

func (m *metrics) record(x *exchange) {
	m.open.Dec()
	m.requests.WithLabelValues(methodLabel(x.in.Method), x.outcome).Inc()
	m.bytes.WithLabelValues("in").Add(float64(x.sent.Load()))
	m.bytes.WithLabelValues("out").Add(float64(x.out.written))
}

// methodLabel returns the method, or "other" for a method that is not supported. That bounds the number of label
// values.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodOptions:
		return method
	default:
		return "other"
	}
}
