package platform

import (
	"context"
	"time"
)

type sendByKey struct{}

// WithSendBy sets the instant until which the irrevocable call may begin. The publish protocol sets it when it
// records its intent: a worker that was paused after that and wakes later, when another one has already decided
// what became of the attempt, must not send any more.
func WithSendBy(ctx context.Context, until time.Time) context.Context {
	return context.WithValue(ctx, sendByKey{}, until)
}

// SendBy is the instant until which the irrevocable call may begin; false when there is no limit.
func SendBy(ctx context.Context) (time.Time, bool) {
	until, ok := ctx.Value(sendByKey{}).(time.Time)
	return until, ok
}
