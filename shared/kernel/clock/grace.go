package clock

import (
	"context"
	"time"
)

// Grace returns a context with the values of ctx that is canceled the given time after it. release cancels it at once;
// the caller must call it when the work has ended.
func Grace(ctx context.Context, period time.Duration) (longer context.Context, release func()) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(period, cancel) })
	return longer, func() { stop(); cancel() }
}
