package platform

import (
	"context"
	"time"
)

type sendByKey struct{}

// WithSendBy sets the instant by which the irrevocable call must start. The publish protocol sets it when it records
// its intent. A worker that is paused after that must not send when it resumes, because another worker may have already
// decided the outcome of the attempt.
func WithSendBy(ctx context.Context, until time.Time) context.Context {
	return context.WithValue(ctx, sendByKey{}, until)
}

// SendBy returns the instant by which the irrevocable call must start. It returns false if there is no limit.
func SendBy(ctx context.Context) (time.Time, bool) {
	until, ok := ctx.Value(sendByKey{}).(time.Time)
	return until, ok
}
