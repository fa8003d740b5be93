package tools

import (
	"context"

	"socialpub.internal/services/internal/app"
)

// Caller is the client on whose behalf a tool is called.
type Caller struct {
	Principal app.Principal
	RequestID string
}

type callerKey struct{}

// WithCaller puts the client into the context of a call. It has been authenticated; scopes are checked by each tool.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

func callerOf(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}
