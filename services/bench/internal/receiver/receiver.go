// Package receiver is the other end of webhook deliveries: it verifies both signatures of each and keeps when it arrived and
// the hash of its body, to be held against the events.
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

	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/kernel/clock"
)

// Endpoint is one address of the receiver and how it behaves.
type Endpoint struct {
	Secret string               // what deliveries must be signed with; when empty, anything is taken
	Delay  func() time.Duration // how long its answer takes; nil: none
	Hangs  bool                 // it never answers
	Status int                  // of its answers; 0: 200

	Arrived func(id string, at time.Time) // hears of each event's first arrival; must not block
}

// Arrival is one event at one endpoint.
type Arrival struct {
	At    time.Time // of the first time
	Hash  [sha256.Size]byte
	Times int
}

// Receiver serves any number of endpoints, each at a path of its own.
type Receiver struct {
	server *http.Server
	url    string
	clock  clock.Clock

	mu        sync.Mutex
	endpoints map[string]Endpoint
	arrivals  map[string]map[string]Arrival // by path and the event's id
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

// Close ends it.
func (r *Receiver) Close() error { return r.server.Close() }

// URL is the address of the endpoint with the name.
func (r *Receiver) URL(name string) string { return r.url + "/" + name }

// Serve opens an endpoint.
func (r *Receiver) Serve(name string, e Endpoint) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endpoints["/"+name] = e
}

// Reset forgets what arrived.
func (r *Receiver) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.arrivals, r.refused, r.total, r.last = make(map[string]map[string]Arrival), nil, 0, time.Time{}
}

// Got is how many events arrived, counted at each endpoint and without repetitions, and when the last of them did. The error
// is about a delivery that was not signed as it must be.
func (r *Receiver) Got() (n int, last time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total, r.last, r.refused
}

// Arrivals are the events that an endpoint has had, by the ids that receivers see.
func (r *Receiver) Arrivals(name string) map[string]Arrival {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.arrivals["/"+name])
}

// ServeHTTP takes a delivery.
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
	id := request.Header.Get(webhook.HeaderDelivery)
	if first := r.keep(strings.Clone(request.URL.Path), id, Arrival{At: now, Hash: sha256.Sum256(body)}); first && e.Arrived != nil {
		e.Arrived(id, now)
	}
	e.answer(request.Context(), w)
}

func (e Endpoint) verify(request *http.Request, body []byte, now time.Time) error {
	if e.Secret == "" {
		return nil
	}
	return errors.Join(
		webhook.Verify(request.Header.Get(webhook.HeaderSignature), body, e.Secret, now),
		webhook.VerifyStandard(request.Header, body, e.Secret, now))
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
		r.refused = fmt.Errorf("event %s came to %s with another body than before", id, path)
	default:
		a.At = before.At
	}
	a.Times = before.Times + 1
	r.arrivals[path][id] = a
	return !again
}

// answer answers as the endpoint does, unless the sender has given up by then.
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
