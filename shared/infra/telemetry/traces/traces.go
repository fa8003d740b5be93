// Package traces connects the spans of a request across rows of the database, workflows and calls to other servers. It
// uses the global provider of OpenTelemetry. Until a program sets one, spans record nothing.
package traces

import (
	"context"
	"errors"
	"net/http"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Header is the header of W3C Trace Context, and the key of its text in a row.
const Header = "traceparent"

const scope = "fencepost.internal"

// Parent returns the position of ctx in its trace, for a row that continues it; empty without a trace.
func Parent(ctx context.Context) string {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier[Header]
}

// With returns a context that continues the trace of a row. It returns ctx itself if the row has none.
func With(ctx context.Context, parent string) context.Context {
	if parent == "" {
		return ctx
	}
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{Header: parent})
}

// Start starts a span within the trace of ctx.
func Start(ctx context.Context, name string) (context.Context, trace.Span) {
	return otel.Tracer(scope).Start(ctx, name)
}

// Request is the span of a request from outside.
type Request struct{ span trace.Span }

// Receive starts the span of a request. A trace of the client is only linked, because a client must not decide what
// is recorded.
func Receive(ctx context.Context, parent string) (context.Context, Request) {
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer), trace.WithNewRoot()}
	if remote := trace.SpanContextFromContext(With(context.Background(), parent)); remote.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: remote}))
	}
	ctx, span := otel.Tracer(scope).Start(ctx, "request", options...)
	return ctx, Request{span}
}

// End ends the span with the name of the operation, which does not depend on the client's input, and the status.
func (r Request) End(name, method string, status int, attributes ...attribute.KeyValue) {
	if r.span == nil || !r.span.IsRecording() {
		return
	}
	r.span.SetName(name)
	r.span.SetAttributes(append(attributes,
		attribute.String("http.request.method", method), attribute.Int("http.response.status_code", status))...)
	if status >= http.StatusInternalServerError {
		r.span.SetStatus(codes.Error, http.StatusText(status))
	}
	r.span.End()
}

// Transport returns a transport that records each request within a trace as a span. The span has the host, but neither
// the path nor the query: those of some networks contain tokens. The other server does not see the trace.
func Transport(next http.RoundTripper) http.RoundTripper { return transport{next} }

type transport struct{ next http.RoundTripper }

// CloseIdleConnections closes those of the other transport, for http.Client.CloseIdleConnections.
func (t transport) CloseIdleConnections() {
	if closer, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !trace.SpanContextFromContext(r.Context()).IsValid() {
		return t.next.RoundTrip(r)
	}
	ctx, span := otel.Tracer(scope).Start(r.Context(), r.Method+" "+r.URL.Hostname(),
		trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
			attribute.String("http.request.method", r.Method), attribute.String("server.address", r.URL.Hostname())))
	defer span.End()
	response, err := t.next.RoundTrip(r.WithContext(ctx))
	switch {
	case errors.Is(err, context.Canceled):
		span.SetStatus(codes.Error, "canceled")
	case err != nil: // its text may contain the URL
		span.SetStatus(codes.Error, "no response")
	default:
		span.SetAttributes(attribute.Int("http.response.status_code", response.StatusCode))
		if response.StatusCode >= http.StatusBadRequest {
			span.SetStatus(codes.Error, http.StatusText(response.StatusCode))
		}
	}
	return response, err
}
