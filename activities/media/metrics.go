package media

import (
	"cmp"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/apperr"
)

// Metrics counts the outcomes of imports and of processing.
type Metrics struct {
	imports   *prometheus.CounterVec
	bytes     prometheus.Counter
	processed *prometheus.CounterVec
	duration  *prometheus.HistogramVec
}

// NewMetrics returns Metrics registered with reg.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		imports: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "media_imports_total", Help: "Ended imports by URL, by outcome.",
		}, []string{"outcome"}),
		bytes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "media_imported_bytes_total", Help: "Bytes of imported files.",
		}),
		processed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "media_processed_total", Help: "Processed files, by type and outcome.",
		}, []string{"type", "outcome"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "media_processing_seconds", Help: "Time to process a file, including its transfer from and to storage.",
			Buckets: []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300},
		}, []string{"type"}),
	}
	reg.MustRegister(m.imports, m.bytes, m.processed, m.duration)
	m.imports.WithLabelValues(outcomeSuccess)
	for _, code := range []apperr.Code{apperr.ImportFailed, apperr.QuotaExceeded, apperr.Unavailable} {
		m.imports.WithLabelValues(label(code))
	}
	for _, kind := range media.Types() {
		for _, outcome := range []string{outcomeSuccess, media.ProblemGone, media.ProblemChanged, media.ProblemUnavailable} {
			m.processed.WithLabelValues(string(kind), outcome)
		}
	}
	return m
}

const outcomeSuccess = "success"

func (m *Metrics) imported(size int64) {
	m.imports.WithLabelValues(outcomeSuccess).Inc()
	m.bytes.Add(float64(size))
}

func (m *Metrics) refused(code apperr.Code) { m.imports.WithLabelValues(label(code)).Inc() }

func label(code apperr.Code) string { return strings.ToLower(string(code)) }

// seen counts a processed file; an empty problem means success.
func (m *Metrics) seen(kind media.Type, problem string, elapsed time.Duration) {
	problem = cmp.Or(problem, outcomeSuccess)
	m.processed.WithLabelValues(string(kind), problem).Inc()
	if elapsed > 0 {
		m.duration.WithLabelValues(string(kind)).Observe(elapsed.Seconds())
	}
}
