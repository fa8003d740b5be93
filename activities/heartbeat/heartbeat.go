// Package heartbeat keeps Temporal told that an activity is alive.
package heartbeat

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

// every is how often Temporal is told: several times within the shortest heartbeat timeout of the workflows, 15 seconds.
const every = 4 * time.Second

// Keep sends heartbeats until the returned function is called or the context ends. With how far, each says how far the activity
// is. Outside an activity, as in tests, it does nothing.
func Keep(ctx context.Context, howFar ...func() any) (stop func()) {
	if !activity.IsActivity(ctx) {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-ticker.C:
				details := make([]any, len(howFar))
				for i, read := range howFar {
					details[i] = read()
				}
				activity.RecordHeartbeat(ctx, details...)
			}
		}
	}()
	return func() { close(done) }
}
