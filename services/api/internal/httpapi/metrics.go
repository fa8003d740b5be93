package httpapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
)

// metrics counts and times requests by operation and status class. The labels do not depend on client input.
type metrics struct {
	duration  *prometheus.HistogramVec
	unmatched *route
}

const classes = 6 // 1xx to 5xx, by the first digit

func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	m := &metrics{duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "http_request_duration_seconds",
		Help:    "Time from the arrival of a request to its response, by operation and class of status.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"operation", "status"})}
	if err := registry.Register(m.duration); err != nil {
		return nil, fmt.Errorf("httpapi: %w", err)
	}
	m.unmatched = m.route("unmatched", "unmatched")
	return m, nil
}

// route is the matched operation or page of a request.
type route struct {
	name     string // of the operation
	path     string // the template, not the requested path
	observer [classes]prometheus.Observer
	access   access
	once     bool // takes an Idempotency-Key
	// conditional reports that the operation takes If-Match.
	conditional bool
	parameters  []string // query parameters
}

// route returns a route with its metrics resolved, so that requests need no lookup.
func (m *metrics) route(name, path string) *route {
	r := &route{name: name, path: path}
	for class := 1; class < classes; class++ {
		r.observer[class] = m.duration.WithLabelValues(name, fmt.Sprintf("%dxx", class))
	}
	return r
}

// record adds one measurement and one log line for a finished request.
func (s *Server) record(c *fiber.Ctx, e *exchange, took time.Duration) {
	status := c.Response().StatusCode()
	r := e.route
	if r == nil {
		r = s.metrics.unmatched
	}
	if observer := r.observer[min(max(status/100, 1), classes-1)]; observer != nil {
		observer.Observe(took.Seconds())
	}
	if !s.log.Enabled(e, slog.LevelInfo) {
		return
	}
	attrs := [...]slog.Attr{
		slog.String("request_id", e.requestID), slog.String("method", methodName(c)), slog.String("route", r.path),
		slog.Int("status", status), slog.Float64("duration_ms", float64(took.Microseconds())/1000),
		{},
	}
	filled := attrs[:5]
	if !e.principal.WorkspaceID.IsZero() {
		attrs[5] = slog.String("workspace_id", e.principal.WorkspaceID.String())
		filled = attrs[:]
	}
	s.log.LogAttrs(e, slog.LevelInfo, "request handled", filled...)
}

// methodName returns the method, or "other" for a nonstandard one.
func methodName(c *fiber.Ctx) string {
	switch method := c.Method(); method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	default:
		return "other"
	}
}
