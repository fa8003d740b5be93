package objectstore

import (
	"context"
	"io"
	"time"
)

// watchdog ends a transfer on which the store makes no progress. It runs only while the store is waited for: a slow
// producer or consumer on our side is not the store's fault.
type watchdog struct {
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// watch returns a context that the watchdog ends, and waits for the store from now on.
func watch(ctx context.Context, limit time.Duration) (context.Context, *watchdog) {
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &watchdog{timer: time.AfterFunc(limit, func() { cancel(errStalled) }), cancel: cancel}
}

// expect waits for the store, for at most the limit.
func (w *watchdog) expect(limit time.Duration) { w.timer.Reset(limit) }

// rest waits for our own side.
func (w *watchdog) rest() { w.timer.Stop() }

// end releases what watch took. A failure is classified before.
func (w *watchdog) end() {
	w.timer.Stop()
	w.cancel(nil)
}

// watchedBody is the body of a request: while it is being read, the store is not waited for; between two reads it is.
type watchedBody struct {
	body  io.Reader
	dog   *watchdog
	limit time.Duration
}

// Read reads.
func (b *watchedBody) Read(p []byte) (int, error) {
	b.dog.rest()
	n, err := b.body.Read(p)
	b.dog.expect(b.limit)
	return n, err
}
