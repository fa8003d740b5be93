package telemetry

import (
	"context"
	"log/slog"
	"slices"
)

type contextKey struct{}

// With returns a context whose attributes are added to every record that is logged with it, together with those that
// the context already has. An attribute replaces an earlier one with the same key.
func With(ctx context.Context, attrs ...slog.Attr) context.Context {
	known := Attrs(ctx)
	merged := make([]slog.Attr, 0, len(known)+len(attrs))

	for _, attr := range slices.Concat(known, attrs) {
		at := slices.IndexFunc(merged, func(other slog.Attr) bool { return other.Key == attr.Key })
		if at >= 0 {
			merged[at] = attr
		} else {
			merged = append(merged, attr)
		}
	}

	return context.WithValue(ctx, contextKey{}, merged)
}

// Attrs returns the attributes of the context. The slice must not be changed.
func Attrs(ctx context.Context) []slog.Attr {
	attrs, _ := ctx.Value(contextKey{}).([]slog.Attr)

	return attrs
}

// contextHandler adds the attributes of the context at the root of a record, regardless of the groups that the logger
// has opened, so that request_id always has the same name.
type contextHandler struct {
	plain   slog.Handler // the output with the attributes added before the first group
	grouped slog.Handler // the output with everything
	ops     []func(slog.Handler) slog.Handler
}

func newContextHandler(output slog.Handler) *contextHandler {
	return &contextHandler{plain: output, grouped: output}
}

func (h *contextHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.plain.Enabled(ctx, level)
}

func (h *contextHandler) Handle(ctx context.Context, record slog.Record) error {
	attrs := missing(record, Attrs(ctx))
	if len(attrs) == 0 {
		return h.grouped.Handle(ctx, record)
	}

	output := h.plain.WithAttrs(attrs)
	for _, op := range h.ops {
		output = op(output)
	}

	return output.Handle(ctx, record)
}

func (h *contextHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(h.ops) == 0 {
		return newContextHandler(h.plain.WithAttrs(attrs))
	}

	return h.then(func(output slog.Handler) slog.Handler { return output.WithAttrs(attrs) })
}

func (h *contextHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}

	return h.then(func(output slog.Handler) slog.Handler { return output.WithGroup(name) })
}

func (h *contextHandler) then(op func(slog.Handler) slog.Handler) slog.Handler {
	return &contextHandler{plain: h.plain, grouped: op(h.grouped), ops: append(slices.Clip(h.ops), op)}
}

// missing returns the attributes whose keys are not in the record: the record's own attributes take precedence.
func missing(record slog.Record, attrs []slog.Attr) []slog.Attr {
	if len(attrs) == 0 || record.NumAttrs() == 0 {
		return attrs
	}

	kept := slices.Clone(attrs)
	record.Attrs(func(own slog.Attr) bool {
		kept = slices.DeleteFunc(kept, func(attr slog.Attr) bool { return attr.Key == own.Key })

		return true
	})

	return kept
}
