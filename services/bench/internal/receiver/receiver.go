// Package receiver receives webhook deliveries. It verifies all signatures of each, and records the arrival time and
// the hash of the body for comparison with the events.
package receiver

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/clock"
)

// Endpoint is one path of the receiver, with its behavior.
type Endpoint struct {
	Secret   string               // required signing secret; empty: no verification
	Standard bool                 // deliveries have only the headers of Standard Webhooks, as those of other senders
	Delay    func() time.Duration // delay of the response; nil: none
	Hangs    bool                 // never responds
	Status   int                  // of responses; 0: 200

	Arrived func(id string, at time.Time) // called at each event's first arrival; must not block
}

// Arrival records the deliveries of one event to one endpoint.
type Arrival struct {
	At    time.Time // of the first delivery
	Hash  [sha256.Size]byte
	Times int
}

// Receiver serves any number of endpoints, each at its own path.
type Receiver struct {
	server *http.Server
	url    string
	clock  clock.Clock

	mu        sync.Mutex
	endpoints map[string]Endpoint
	arrivals  map[string]map[string]Arrival // by path and event id
	refused   error
	total     int
	last      time.Time
}

// New starts a receiver.
func New(ctx context.Context, c clock.Clock) (*Receiver, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	const headerTimeout = 5 * time.Second
	r := &Receiver{url: "http://" + listener.Addr().String(), clock: c, endpoints: make(map[string]Endpoint)}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: headerTimeout}
	r.Reset()
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

// Close closes the receiver.
func (r *Receiver) Close() error { return r.server.Close() }

// URL returns the address of the endpoint with the name.
func (r *Receiver) URL(name string) string { return r.url + "/" + name }

// Serve opens an endpoint.
func (r *Receiver) Serve(name string, e Endpoint) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endpoints["/"+name] = e
}

// Reset deletes all recorded arrivals.
func (r *Receiver) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.arrivals, r.refused, r.total, r.last = make(map[string]map[string]Arrival), nil, 0, time.Time{}
}

// Got returns the number of arrived events, counted per endpoint without repetitions, and the time of the last one. The
// error reports a delivery with an invalid signature, or a repeated event with another body.
func (r *Receiver) Got() (n int, last time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total, r.last, r.refused
}

// Arrivals returns the events that arrived at an endpoint, by the ids that receivers see.
func (r *Receiver) Arrivals(name string) map[string]Arrival {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.arrivals["/"+name])
}

// ServeHTTP receives a delivery.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	now := r.clock.Now()
	r.mu.Lock()
	e, open := r.endpoints[request.URL.Path]
	r.mu.Unlock()
	if !open {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if err := e.verify(request, body, now); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.refused = fmt.Errorf("a delivery to %s: %w", request.URL.Path, err)
		w.WriteHeader(http.StatusForbidden)
		return
	}
	id := request.Header.Get(e.idHeader())
	if first := r.keep(strings.Clone(request.URL.Path), id, Arrival{At: now, Hash: sha256.Sum256(body)}); first &&
		e.Arrived != nil {
		e.Arrived(id, now)
	}
	e.answer(request.Context(), w)
}

func (e Endpoint) verify(request *http.Request, body []byte, now time.Time) error {
	switch {
	case e.Secret == "":
		return nil
	case e.Standard:
		return webhook.VerifyStandard(request.Header, body, e.Secret, now)
	}
	return errors.Join(
		webhook.Verify(request.Header.Get(webhook.HeaderSignature), body, e.Secret, now),
		webhook.VerifyStandard(request.Header, body, e.Secret, now))
}

func (e Endpoint) idHeader() string {
	if e.Standard {
		return webhook.HeaderID
	}
	return webhook.HeaderDelivery
}

func (r *Receiver) keep(path, id string, a Arrival) (first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.arrivals[path] == nil {
		r.arrivals[path] = make(map[string]Arrival)
	}
	before, again := r.arrivals[path][id]
	switch {
	case !again:
		r.total++
		r.last = a.At
	case before.Hash != a.Hash:
		r.refused = fmt.Errorf("event %s arrived at %s with a different body", id, path)
	default:
		a.At = before.At
	}
	a.Times = before.Times + 1
	r.arrivals[path][id] = a
	return !again
}

// answer responds as configured for the endpoint, unless the sender has disconnected by then.
func (e Endpoint) answer(ctx context.Context, w http.ResponseWriter) {
	var after <-chan time.Time // never
	switch {
	case e.Hangs:
	case e.Delay != nil:
		after = time.After(e.Delay())
	default:
		now := make(chan time.Time)
		close(now)
		after = now
	}
	select {
	case <-ctx.Done():
		return
	case <-after:
	}
	if e.Status != 0 {
		w.WriteHeader(e.Status)
		return
	}
	w.WriteHeader(http.StatusOK)
}
