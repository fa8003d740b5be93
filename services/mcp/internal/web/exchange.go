package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"socialpub.internal/services/internal/app"
	"socialpub.internal/services/internal/gate"
	"socialpub.internal/services/mcp/internal/tools"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/infra/telemetry"
)

// exchange is the state of one request.
type exchange struct {
	requestID  string
	principal  app.Principal
	credential bool // a credential was sent, valid or not
	challenge  []credential.Scope
	method     string // of the message
	tool       string
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	e, _ := ctx.Value(exchangeKey{}).(*exchange)
	return e
}

// statusWriter records the status of a response.
type statusWriter struct {
	http.ResponseWriter

	status int
}

func (s *statusWriter) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

// Unwrap returns the wrapped writer for http.ResponseController.
func (s *statusWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// observed assigns an id to each request and logs it when it has finished.
func (w *Web) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		began := w.cfg.Clock.Now()
		e := &exchange{requestID: gate.RequestID(r.Header.Get(gate.HeaderRequestID))}
		ctx := telemetry.With(context.WithValue(r.Context(), exchangeKey{}, e), slog.String("request_id", e.requestID))
		header := rw.Header()
		header.Set(gate.HeaderRequestID, e.requestID)
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		out := &statusWriter{ResponseWriter: rw, status: http.StatusOK}
		next.ServeHTTP(out, r.WithContext(ctx))
		w.record(ctx, e, out.status, w.cfg.Clock.Now().Sub(began))
	})
}

func (w *Web) record(ctx context.Context, e *exchange, status int, took time.Duration) {
	const microseconds = 1000
	attrs := []slog.Attr{
		slog.String("method", known(e.method)), slog.String("tool", w.tools.Known(e.tool)), slog.Int("status", status),
		slog.Float64("duration_ms", float64(took.Microseconds())/microseconds),
	}
	if !e.principal.WorkspaceID.IsZero() {
		attrs = append(attrs, slog.String("workspace_id", e.principal.WorkspaceID.String()))
	}
	w.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "request handled", attrs...)
}

// otherMethod replaces every unknown method in logs.
const otherMethod = "other"

// known returns the method if it is one of the protocol, and otherwise otherMethod, so that logs contain no client
// input.
func known(method string) string {
	switch method {
	case "", "initialize", "notifications/initialized", "server/discover", "ping", "tools/list", "tools/call":
		return method
	default:
		return otherMethod
	}
}

// metrics counts and times calls by tool and outcome.
type metrics struct{ duration *prometheus.HistogramVec }

func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	m := &metrics{duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "tool_call_duration_seconds",
		Help:    "Duration of tool calls, by name and outcome: ok, or the error code.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"tool", "outcome"})}
	return m, registry.Register(m.duration)
}

func (m *metrics) report(_ context.Context, tool string, outcome tools.Outcome, took time.Duration) {
	m.duration.WithLabelValues(tool, string(outcome)).Observe(took.Seconds())
}
