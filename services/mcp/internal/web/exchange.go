package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/gate"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/services/internal/requestlog"
	"fencepost.internal/services/mcp/internal/tools"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/infra/telemetry/traces"
	"fencepost.internal/shared/kernel/apperr"
)

// exchange is the state of one request.
type exchange struct {
	requestID  string
	principal  app.Principal
	credential bool // a credential was sent, valid or not
	challenge  []credential.Scope
	method     string // of the message
	tool       string
	problem    atomic.Pointer[string] // code of the problem, of the request or of the tool; nil: none. A call may outlive its request
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
		ctx, span := traces.Receive(r.Context(), r.Header.Get(traces.Header))
		ctx = telemetry.With(context.WithValue(ctx, exchangeKey{}, e), slog.String("request_id", e.requestID))
		header := rw.Header()
		header.Set(gate.HeaderRequestID, e.requestID)
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		out := &statusWriter{ResponseWriter: rw, status: http.StatusOK}
		next.ServeHTTP(out, r.WithContext(ctx))
		elapsed := w.cfg.Clock.Now().Sub(began)
		w.record(ctx, e, out.status, elapsed)
		w.logRequest(r, e, out.status, elapsed)
		span.End(strings.TrimSpace(known(e.method)+" "+w.tools.Known(e.tool)), http.MethodPost, out.status,
			attribute.String("request.id", e.requestID))
	})
}

func (w *Web) record(ctx context.Context, e *exchange, status int, elapsed time.Duration) {
	const microseconds, class = 1000, 100
	w.metrics.requests.WithLabelValues(strconv.Itoa(status/class) + "xx").Inc()
	attrs := []slog.Attr{
		slog.String("method", known(e.method)), slog.String("tool", w.tools.Known(e.tool)), slog.Int("status", status),
		slog.Float64("duration_ms", float64(elapsed.Microseconds())/microseconds),
	}
	if !e.principal.WorkspaceID.IsZero() {
		attrs = append(attrs, slog.String("workspace_id", e.principal.WorkspaceID.String()))
	}
	w.cfg.Logger.LogAttrs(ctx, slog.LevelInfo, "request handled", attrs...)
}

// logRequest adds the request to the log of its credential.
func (w *Web) logRequest(r *http.Request, e *exchange, status int, elapsed time.Duration) {
	if w.cfg.Requests == nil || e.principal.Key.ID.IsZero() {
		return
	}
	var code string
	if problem := e.problem.Load(); problem != nil {
		code = *problem
	}
	w.cfg.Requests.Add(credential.Request{
		WorkspaceID: e.principal.WorkspaceID, Credential: e.principal.Key.ID, At: w.cfg.Clock.Now().Add(-elapsed), Method: r.Method,
		Operation: strings.TrimSpace(known(e.method) + " " + w.tools.Known(e.tool)), Path: requestlog.Text(r.URL.Path),
		Query: requestlog.Query(nil, r.URL.RawQuery), Status: status, Code: code, Duration: elapsed, RequestID: e.requestID,
		Client: requestlog.Network(hosts.ClientOf(r, w.cfg.TrustedProxies)), Agent: requestlog.Text(r.UserAgent()),
	})
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

// metrics counts calls by tool and outcome, and times them by tool.
type metrics struct {
	requests *prometheus.CounterVec
	calls    *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newMetrics(registry prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tool_requests_total", Help: "Requests to the tool server, with or without a call, by class of status.",
		}, []string{"status"}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tool_calls_total", Help: "Tool calls, by name and outcome: ok, or the error code.",
		}, []string{"tool", "outcome"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tool_call_duration_seconds", Help: "Duration of tool calls, by name.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"tool"}),
	}
	for class := 2; class <= 5; class++ {
		m.requests.WithLabelValues(strconv.Itoa(class) + "xx")
	}
	return m, errors.Join(registry.Register(m.requests), registry.Register(m.calls), registry.Register(m.duration))
}

// expect initializes the counters of tools at zero, so that alerts on their increase see the first failure.
func (m *metrics) expect(names []string) {
	for _, name := range names {
		for _, outcome := range []string{string(tools.OutcomeDone), string(apperr.Internal), string(apperr.Unavailable)} {
			m.calls.WithLabelValues(name, outcome)
		}
	}
}

func (m *metrics) report(ctx context.Context, tool string, outcome tools.Outcome, elapsed time.Duration) {
	if e := exchangeOf(ctx); e != nil && outcome != tools.OutcomeDone {
		e.problem.Store(new(string(outcome)))
	}
	m.calls.WithLabelValues(tool, string(outcome)).Inc()
	m.duration.WithLabelValues(tool).Observe(elapsed.Seconds())
}
