// Package heartbeat sends activity heartbeats to Temporal. It is a package of its own, because the packages of activities do
// not import each other.
package heartbeat

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

// every is the interval between heartbeats: well below 15 seconds, the shortest heartbeat timeout of the workflows.
const every = 4 * time.Second

// Keep sends heartbeats until the returned function is called or ctx ends. The results of the howFar functions are sent
// as the details of each heartbeat. Outside an activity, such as in tests, Keep does nothing.
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
