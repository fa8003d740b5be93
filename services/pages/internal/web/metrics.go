package web

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// register registers the metrics of the shelf.
func (s *Shelf) register(registry prometheus.Registerer) error {
	gauge := func(name, help string, read func() float64) error {
		return registry.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			s.mu.Lock()
			defer s.mu.Unlock()
			return read()
		}))
	}
	return errors.Join(
		gauge("pages_documents", "Published pages in memory.", func() float64 { return float64(len(s.entries)) }),
		gauge("pages_document_bytes", "Memory that those pages take, about.", func() float64 { return float64(s.bytes) }),
		gauge("pages_compared_seconds",
			"Time since the pages in memory were last held against the database: how long a publication may have been missed.",
			func() float64 { return s.config.Clock.Now().Sub(s.compared).Seconds() }),
	)
}
