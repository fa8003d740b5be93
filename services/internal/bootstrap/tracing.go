package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/interceptor"

	"fencepost.internal/shared/infra/config"
)

// flushTimeout is the time limit for sending the last spans of a process.
const flushTimeout = 3 * time.Second

// startTracing sends the spans of this process to the collector, if one is configured. The exporter and the provider read
// the other standard variables themselves. The returned function sends the last spans.
func startTracing(ctx context.Context, cfg config.Tracing, p *Process) (stop func(), err error) {
	if cfg.Endpoint == "" {
		return func() {}, nil
	}
	var exporter *otlptrace.Exporter
	if cfg.Protocol == config.ProtocolGRPC {
		exporter, err = otlptracegrpc.New(ctx)
	} else {
		exporter, err = otlptracehttp.New(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.namespace", "fencepost"), attribute.String("service.name", p.Name),
		attribute.String("service.version", p.Version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		p.Logger.WarnContext(context.WithoutCancel(ctx), "spans cannot be sent", slog.Any("error", err))
	}))
	otel.SetTracerProvider(provider)
	p.traced = true
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			p.Logger.WarnContext(ctx, "the last spans are lost", slog.Any("error", err))
		}
	}, nil
}

// tracing returns the interceptors that carry traces through Temporal; none without traces. They add a header to
// workflows and activities, which replay ignores.
func (p *Process) tracing() ([]interceptor.ClientInterceptor, error) {
	if !p.traced {
		return nil, nil
	}
	spans, err := opentelemetry.NewTracingInterceptor(opentelemetry.TracerOptions{
		Tracer: otel.Tracer("go.temporal.io/sdk"), TextMapPropagator: propagation.TraceContext{}, DisableBaggage: true,
		DisableQueryTracing: true, AllowInvalidParentSpans: true,
	})
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	return []interceptor.ClientInterceptor{spans}, nil
}
