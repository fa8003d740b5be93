package traces_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"fencepost.internal/shared/infra/telemetry/traces"
)

const remote = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// record sets a provider that records every span. Tests with it do not run in parallel.
func record(t *testing.T) *tracetest.InMemoryExporter {
	t.Helper()
	spans := tracetest.NewInMemoryExporter()
	otel.SetTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)))
	t.Cleanup(func() { otel.SetTracerProvider(trace.NewNoopTracerProvider()) }) //nolint:staticcheck // the provider of programs without traces
	return spans
}

func TestNothingIsPropagatedWithoutProvider(t *testing.T) { //nolint:paralleltest // the provider is global
	require.Empty(t, traces.Parent(t.Context()))
	require.Equal(t, t.Context(), traces.With(t.Context(), ""))
	ctx, request := traces.Receive(t.Context(), "")
	require.Empty(t, traces.Parent(ctx))
	request.End("GET /", http.MethodGet, http.StatusOK)
	ctx, span := traces.Start(t.Context(), "work")
	span.End()
	require.Empty(t, traces.Parent(ctx))
}

func TestRowContinuesTrace(t *testing.T) { //nolint:paralleltest // the provider is global
	spans := record(t)
	ctx, request := traces.Receive(t.Context(), "")
	row := traces.Parent(ctx)
	request.End("POST /v1/posts", http.MethodPost, http.StatusServiceUnavailable, attribute.String("request.id", "1"))
	_, span := traces.Start(traces.With(t.Context(), row), "later")
	span.End()
	got := spans.GetSpans()
	require.Len(t, got, 2)
	require.Equal(t, "POST /v1/posts", got[0].Name)
	require.Equal(t, codes.Error, got[0].Status.Code)
	require.Contains(t, got[0].Attributes, attribute.Int("http.response.status_code", 503))
	require.Contains(t, got[0].Attributes, attribute.String("request.id", "1"))
	require.Equal(t, got[0].SpanContext.TraceID(), got[1].SpanContext.TraceID())
	require.Equal(t, got[0].SpanContext.SpanID(), got[1].Parent.SpanID())
}

func TestClientsTraceIsLinkedOnly(t *testing.T) { //nolint:paralleltest // the provider is global
	spans := record(t)
	for _, parent := range []string{remote, "nonsense"} {
		_, request := traces.Receive(t.Context(), parent)
		request.End("GET /", http.MethodGet, http.StatusOK)
	}
	got := spans.GetSpans()
	require.Len(t, got, 2)
	require.NotEqual(t, "4bf92f3577b34da6a3ce929d0e0e4736", got[0].SpanContext.TraceID().String())
	require.Len(t, got[0].Links, 1)
	require.Equal(t, "4bf92f3577b34da6a3ce929d0e0e4736", got[0].Links[0].SpanContext.TraceID().String())
	require.Empty(t, got[1].Links)
}

type refusing struct{ cause error }

func (r refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, r.cause }

func TestTransport(t *testing.T) { //nolint:paralleltest // the provider is global
	spans := record(t)
	var heard http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		heard = r.Header
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	call := func(ctx context.Context, next http.RoundTripper) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/bot123:secret?token=canary", http.NoBody)
		require.NoError(t, err)
		response, err := traces.Transport(next).RoundTrip(request)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, response.Body)
		return errors.Join(err, response.Body.Close())
	}
	require.NoError(t, call(t.Context(), new(http.Transport)))
	require.Empty(t, spans.GetSpans(), "outside of a trace")

	ctx, span := traces.Start(t.Context(), "work")
	require.NoError(t, call(ctx, new(http.Transport)))
	require.Empty(t, heard.Get(traces.Header), "other servers do not see the trace")
	require.Error(t, call(ctx, refusing{errors.New("Get https://x.test/canary: refused")}))
	require.Error(t, call(ctx, refusing{context.Canceled}))
	span.End()
	got := spans.GetSpans()
	require.Len(t, got, 4)
	require.Equal(t, "GET 127.0.0.1", got[0].Name)
	require.Contains(t, got[0].Attributes, attribute.Int("http.response.status_code", http.StatusTeapot))
	for _, one := range got[:3] {
		require.Equal(t, codes.Error, one.Status.Code)
		require.NotContains(t, one.Status.Description, "canary")
		for _, a := range one.Attributes {
			require.NotContains(t, a.Value.String(), "secret")
			require.NotContains(t, a.Value.String(), "canary")
		}
	}
}

// BenchmarkWithoutTraces measures what a request and a call cost while traces are off.
func BenchmarkWithoutTraces(b *testing.B) {
	for b.Loop() {
		ctx, request := traces.Receive(b.Context(), "")
		ctx = traces.With(ctx, traces.Parent(ctx))
		request.End("GET /", http.MethodGet, http.StatusOK)
		if ctx.Err() != nil {
			b.Fatal(ctx.Err())
		}
	}
}
