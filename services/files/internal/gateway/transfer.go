package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"socialpub.internal/shared/kernel/clock"
)

// leastRate is the slowest transfer that is waited for, in bytes a second.
const leastRate = 1 << 10

// errTooSlow ends a transfer that moves, but in drops.
var errTooSlow = errors.New("the client is too slow")

// pace judges a client by the time that was spent waiting for it. One goroutine uses it at a time.
type pace struct {
	clock  clock.Clock
	stall  time.Duration
	waited time.Duration
	moved  int64
}

func newPace(c clock.Clock, stall time.Duration) *pace { return &pace{clock: c, stall: stall} }

// deadline is until when to wait for the client's next step: as long as a stall may be, and less when the client has used
// up the time that it had for all bytes until now.
func (p *pace) deadline() (time.Time, error) {
	left := 2*p.stall + time.Duration(p.moved/leastRate)*time.Second - p.waited
	if left <= 0 {
		return time.Time{}, errTooSlow
	}
	return p.clock.Now().Add(min(p.stall, left)), nil
}

func (p *pace) step(n int, began time.Time) {
	p.moved += int64(n)
	p.waited += p.clock.Now().Sub(began)
}

// answer is the way back to the client.
type answer struct {
	http.ResponseWriter

	control *http.ResponseController
	pace    *pace
	status  int
	written int64
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader begins the answer. What a store says before its answer (1xx) is not the client's.
func (a *answer) WriteHeader(status int) {
	if status < http.StatusOK || a.status != 0 {
		return
	}
	a.status = status
	protect(a.Header())
	a.ResponseWriter.WriteHeader(status)
}

// Write sends bytes, for as long as the client takes them.
func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	deadline, err := a.pace.deadline()
	if err == nil {
		err = a.control.SetWriteDeadline(deadline)
	}
	if err != nil {
		return 0, err
	}
	began := a.pace.clock.Now()
	n, err := a.ResponseWriter.Write(p)
	a.pace.step(n, began)
	a.written += int64(n)
	return n, err
}

// renew gives what is written next its time; the deadline of the connection's last answer stands until then.
func (a *answer) renew() { _ = a.control.SetWriteDeadline(a.pace.clock.Now().Add(a.pace.stall)) }

// upload is the body of a request: its reads wait for the client, and between them the store is waited for.
type upload struct {
	exchange *exchange
	body     io.ReadCloser
	pace     *pace
}

// Read reads.
func (u *upload) Read(p []byte) (int, error) {
	x := u.exchange
	x.dog.rest()
	n, err := u.read(p)
	x.sent.Add(int64(n))
	switch {
	case errors.Is(err, io.EOF):
		// The server now waits for the next request, or for the end of the connection, and should do so without a limit.
		_ = x.control.SetReadDeadline(time.Time{})
	case err != nil:
		x.slow.Store(errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, errTooSlow))
		x.cut.Store(true)
		err = errors.Join(errBrokenOff, err)
	case x.sent.Load() < x.in.ContentLength:
		x.dog.expect(x.gateway.stall)
	}
	return n, err
}

func (u *upload) read(p []byte) (int, error) {
	deadline, err := u.pace.deadline()
	if err == nil {
		err = u.exchange.control.SetReadDeadline(deadline)
	}
	if err != nil {
		return 0, err
	}
	began := u.pace.clock.Now()
	n, err := u.body.Read(p)
	u.pace.step(n, began)
	return n, err
}

// Close ends it.
func (u *upload) Close() error { return u.body.Close() }

// download is the body of an answer: its reads wait for the store.
type download struct {
	body  io.ReadCloser
	dog   *watchdog
	limit time.Duration
}

// Read reads.
func (d *download) Read(p []byte) (int, error) {
	d.dog.expect(d.limit)
	n, err := d.body.Read(p)
	d.dog.rest()
	return n, err
}

// Close ends it.
func (d *download) Close() error { return d.body.Close() }

// watchdog ends an exchange in which the store makes no progress. It runs only while the store is waited for.
type watchdog struct {
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// watch returns a context that the watchdog ends, and lets it rest.
func watch(ctx context.Context, limit time.Duration) (context.Context, *watchdog) {
	ctx, cancel := context.WithCancelCause(ctx)
	dog := &watchdog{timer: time.AfterFunc(limit, func() { cancel(errStoreStalled) }), cancel: cancel}
	dog.rest()
	return ctx, dog
}

func (w *watchdog) expect(limit time.Duration) { w.timer.Reset(limit) }

func (w *watchdog) rest() { w.timer.Stop() }

func (w *watchdog) end() {
	w.timer.Stop()
	w.cancel(nil)
}
