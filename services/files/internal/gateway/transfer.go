package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"fencepost.internal/shared/kernel/clock"
)

// leastRate is the slowest accepted transfer rate, in bytes per second.
const leastRate = 1 << 10

// errTooSlow ends a transfer that makes progress but below leastRate.
var errTooSlow = errors.New("the client is too slow")

// pace measures the time spent waiting for a client. It is for use by one goroutine at a time.
type pace struct {
	clock  clock.Clock
	stall  time.Duration
	waited time.Duration
	moved  int64
}

func newPace(c clock.Clock, stall time.Duration) *pace { return &pace{clock: c, stall: stall} }

// deadline returns the deadline of the client's next step: the stall timeout, or less if the client has used up the
// time allowed for all bytes so far.
func (p *pace) deadline() (time.Time, error) {
	remaining := 2*p.stall + time.Duration(p.moved/leastRate)*time.Second - p.waited
	if remaining <= 0 {
		return time.Time{}, errTooSlow
	}
	return p.clock.Now().Add(min(p.stall, remaining)), nil
}

func (p *pace) step(n int, began time.Time) {
	p.moved += int64(n)
	p.waited += p.clock.Now().Sub(began)
}

// response is the response to the client.
type response struct {
	http.ResponseWriter

	control *http.ResponseController
	pace    *pace
	status  int
	written int64
}

// Unwrap supports http.ResponseController.
func (a *response) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader starts the response. Informational responses (1xx) from the store are not forwarded.
func (a *response) WriteHeader(status int) {
	if status < http.StatusOK || a.status != 0 {
		return
	}
	a.status = status
	protect(a.Header())
	a.ResponseWriter.WriteHeader(status)
}

// Write sends bytes to the client within the deadlines of pace.
func (a *response) Write(p []byte) (int, error) {
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

// renew sets the deadline of the next write. Until then, the connection still has the deadline of its previous
// response.
func (a *response) renew() { _ = a.control.SetWriteDeadline(a.pace.clock.Now().Add(a.pace.stall)) }

// upload is the body of a request. Its reads wait for the client; between reads, the watchdog times the store.
type upload struct {
	exchange *exchange
	body     io.ReadCloser
	pace     *pace
}

// Read reads from the client.
func (u *upload) Read(p []byte) (int, error) {
	x := u.exchange
	x.dog.rest()
	n, err := u.read(p)
	x.sent.Add(int64(n))
	switch {
	case errors.Is(err, io.EOF):
		// The server now waits, without a limit, for the next request or for the end of the connection.
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

// Close closes the body.
func (u *upload) Close() error { return u.body.Close() }

// download is the body of a response. Its reads wait for the store.
type download struct {
	body  io.ReadCloser
	dog   *watchdog
	limit time.Duration
}

// Read reads from the store.
func (d *download) Read(p []byte) (int, error) {
	d.dog.expect(d.limit)
	n, err := d.body.Read(p)
	d.dog.rest()
	return n, err
}

// Close closes the body.
func (d *download) Close() error { return d.body.Close() }

// watchdog cancels an exchange in which the store makes no progress. It runs only while the exchange waits for the
// store.
type watchdog struct {
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// watch returns a context that the watchdog cancels, and a stopped watchdog.
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
