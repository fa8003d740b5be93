package tools

import (
	"context"

	"fencepost.internal/services/internal/app"
)

// Caller is the client that calls a tool.
type Caller struct {
	Principal app.Principal
	RequestID string
}

type callerKey struct{}

// WithCaller returns a context with the authenticated client of a call. Each tool checks the scopes itself.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

func callerOf(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}
