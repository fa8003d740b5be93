package httpapi

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"

	"fencepost.internal/services/internal/requestlog"
	"fencepost.internal/shared/domain/credential"
)

// metrics counts and times requests by operation and status class. The labels do not depend on client input.
type metrics struct {
	requests  *prometheus.CounterVec
	duration  *prometheus.HistogramVec
	unmatched *route
}

const (
	classes = 6 // 1xx to 5xx, by the first digit
	// firstClass is the least class that operations respond with. Others are counted under it.
	firstClass = 2
)

func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "http_requests_total", Help: "Requests, by operation and class of status.",
		}, []string{"operation", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "http_request_duration_seconds", Help: "Time from the arrival of a request to its response, by operation.",
			Buckets: []float64{.0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"operation"}),
	}
	if err := errors.Join(registry.Register(m.requests), registry.Register(m.duration)); err != nil {
		return nil, fmt.Errorf("httpapi: %w", err)
	}
	m.unmatched = m.route("unmatched", "unmatched")
	return m, nil
}

// route is the matched operation or page of a request.
type route struct {
	name     string // of the operation
	path     string // the template, not the requested path
	counters [classes]prometheus.Counter
	// observer returns the histogram, which has no series before the first request.
	observer func() prometheus.Observer
	access   access
	once     bool // takes an Idempotency-Key
	// conditional reports that the operation takes If-Match.
	conditional bool
	// unchanged reports that the operation takes If-None-Match.
	unchanged  bool
	parameters []string // query parameters
	repeatable []string // those that may be repeated
	// deprecations are the deprecated parts of the operation.
	deprecations []use
}

// route returns a route with its metrics resolved, so that requests need no lookup. Its counters start at zero, so that
// alerts on their increase see the first failure.
func (m *metrics) route(name, path string) *route {
	r := &route{name: name, path: path, observer: sync.OnceValue(func() prometheus.Observer {
		return m.duration.WithLabelValues(name)
	})}
	for class := firstClass; class < classes; class++ {
		r.counters[class] = m.requests.WithLabelValues(name, fmt.Sprintf("%dxx", class))
	}
	return r
}

// record adds one measurement and one log line for a finished request.
func (s *Server) record(c *fiber.Ctx, e *exchange, elapsed time.Duration) {
	status := c.Response().StatusCode()
	r := e.route
	if r == nil {
		r = s.metrics.unmatched
	}
	r.counters[min(max(status/100, firstClass), classes-1)].Inc()
	r.observer().Observe(elapsed.Seconds())
	s.logRequest(c, e, r, elapsed)
	e.span.End(methodName(c)+" "+r.path, methodName(c), status, attribute.String("request.id", e.requestID))
	if !s.log.Enabled(e, slog.LevelInfo) {
		return
	}
	attrs := [...]slog.Attr{
		slog.String("request_id", e.requestID), slog.String("method", methodName(c)), slog.String("route", r.path),
		slog.Int("status", status), slog.Float64("duration_ms", float64(elapsed.Microseconds())/1000),
		{},
	}
	filled := attrs[:5]
	if !e.principal.WorkspaceID.IsZero() {
		attrs[5] = slog.String("workspace_id", e.principal.WorkspaceID.String())
		filled = attrs[:]
	}
	s.log.LogAttrs(e, slog.LevelInfo, "request handled", filled...)
}

// logRequest adds the request to the log of its credential.
func (s *Server) logRequest(c *fiber.Ctx, e *exchange, r *route, elapsed time.Duration) {
	if s.requests == nil || e.principal.Key.ID.IsZero() {
		return
	}
	s.requests.Add(credential.Request{
		WorkspaceID: e.principal.WorkspaceID, Credential: e.principal.Key.ID, At: s.clock.Now().Add(-elapsed), Method: methodName(c),
		Operation: r.name, Path: requestlog.Path(r.path, e.path), Status: c.Response().StatusCode(), Code: e.problem, Duration: elapsed,
		Query:     requestlog.Query(r.parameters, string(c.Request().URI().QueryString())),
		RequestID: e.requestID, Client: requestlog.Network(s.remoteAddress(c)), Agent: requestlog.Text(c.Get(fiber.HeaderUserAgent)),
	})
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
