package lab

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"

	"fencepost.internal/shared/domain/webhook"
)

// Endpoint is one path of the receiver, with its behavior.
type Endpoint struct {
	Secret   string               // required signing secret; empty: no verification
	Standard bool                 // deliveries have only the headers of Standard Webhooks, as those of other senders
	Delay    func() time.Duration // delay of the response; nil: none
	Hangs    bool                 // never responds
	Status   int                  // of responses; 0: 200
}

// Arrival records the deliveries of one event to one endpoint.
type Arrival struct {
	At   time.Time // of the first delivery
	Hash [sha256.Size]byte
}

// Receiver receives webhook deliveries at any number of endpoints, each at its own path. It verifies all signatures of each
// delivery, and records the arrival time and the hash of the body for comparison with the events.
type Receiver struct {
	server *http.Server
	url    string

	mu        sync.Mutex
	endpoints map[string]Endpoint
	arrivals  map[string]map[string]Arrival // by path and event id
	failure   error
	total     int
	last      time.Time
}

// NewReceiver starts a receiver.
func NewReceiver(ctx context.Context) (*Receiver, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Receiver{url: "http://" + listener.Addr().String(), endpoints: make(map[string]Endpoint)}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	r.Reset()
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

// Close closes the receiver.
func (r *Receiver) Close() { _ = r.server.Close() }

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
	r.arrivals, r.failure, r.total, r.last = make(map[string]map[string]Arrival), nil, 0, time.Time{}
}

// Total returns the number of arrived events, counted per endpoint without repetitions, and the time of the last one. The
// error reports a delivery with an invalid signature, or a repeated event with another body.
func (r *Receiver) Total() (n int, last time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.total, r.last, r.failure
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
	status, e := r.receive(request, body, time.Now())
	if status == http.StatusOK {
		e.respond(request.Context(), w)
		return
	}
	w.WriteHeader(status)
}

// receive verifies and records a delivery.
func (r *Receiver) receive(request *http.Request, body []byte, now time.Time) (status int, e Endpoint) {
	r.mu.Lock()
	e, open := r.endpoints[request.URL.Path]
	r.mu.Unlock()
	if !open {
		return http.StatusNotFound, e
	}
	err, hash := e.verify(request, body, now), sha256.Sum256(body) // not under the lock: they take most of the time
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.failure = fmt.Errorf("a delivery to %s: %w", request.URL.Path, err)
		return http.StatusForbidden, e
	}
	header := webhook.HeaderDelivery
	if e.Standard {
		header = webhook.HeaderID
	}
	r.record(request.URL.Path, request.Header.Get(header), Arrival{At: now, Hash: hash})
	return http.StatusOK, e
}

func (e Endpoint) verify(request *http.Request, body []byte, now time.Time) error {
	if e.Secret == "" {
		return nil
	}
	err := webhook.VerifyStandard(request.Header, body, e.Secret, now)
	if e.Standard {
		return err
	}
	return errors.Join(err, webhook.Verify(request.Header.Get(webhook.HeaderSignature), body, e.Secret, now))
}

func (r *Receiver) record(path, id string, a Arrival) {
	if r.arrivals[path] == nil {
		r.arrivals[path] = make(map[string]Arrival)
	}
	first, repeated := r.arrivals[path][id]
	switch {
	case !repeated:
		r.total++
		r.last = a.At
	case first.Hash != a.Hash:
		r.failure = fmt.Errorf("event %s arrived at %s with a different body", id, path)
	default:
		a.At = first.At
	}
	r.arrivals[path][id] = a
}

// respond responds as configured for the endpoint, unless the sender has disconnected by then.
func (e Endpoint) respond(ctx context.Context, w http.ResponseWriter) {
	switch {
	case e.Hangs:
		<-ctx.Done()
		return
	case e.Delay != nil:
		select {
		case <-ctx.Done():
			return
		case <-time.After(e.Delay()):
		}
	}
	if e.Status != 0 {
		w.WriteHeader(e.Status)
	}
}
