package objectstore

import (
	"context"
	"io"
	"time"
)

// watchdog ends a transfer on which the store makes no progress. It runs only while waiting for the store: a slow
// producer or consumer on this side is not the store's fault.
type watchdog struct {
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// watch returns a context that the watchdog cancels, and starts waiting for the store.
func watch(ctx context.Context, limit time.Duration) (context.Context, *watchdog) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &watchdog{timer: time.AfterFunc(limit, func() { cancel(errStalled) }), cancel: cancel}
}

// expect starts waiting for the store, for at most the limit.
func (w *watchdog) expect(limit time.Duration) { w.timer.Reset(limit) }

// rest stops the timer while this side works.
func (w *watchdog) rest() { w.timer.Stop() }

// end releases the resources of watch. Classify a failure before calling it.
func (w *watchdog) end() {
	w.timer.Stop()
	w.cancel(nil)
}

// watchedBody is the body of a request. The watchdog is paused during a read and runs between reads.
type watchedBody struct {
	body  io.Reader
	dog   *watchdog
	limit time.Duration
}

// Read reads the body with the watchdog paused.
func (b *watchedBody) Read(p []byte) (int, error) {
	b.dog.rest()
	n, err := b.body.Read(p)
	b.dog.expect(b.limit)
	return n, err
}
