// Package receiver is the other end of webhook deliveries: it verifies every signature and counts what it has not had yet.
package receiver

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"socialpub.internal/shared/clock"
	"socialpub.internal/shared/webhook"
)

// Receiver serves any number of endpoints, each at a path of its own.
type Receiver struct {
	server *http.Server
	url    string
	clock  clock.Clock

	mu      sync.Mutex
	secrets map[string]string
	seen    map[string]struct{}
	refused int
	last    time.Time
}

// New starts a receiver.
func New(ctx context.Context, c clock.Clock) (*Receiver, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	const headerTimeout = 5 * time.Second
	r := &Receiver{url: "http://" + listener.Addr().String(), clock: c, secrets: make(map[string]string)}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: headerTimeout}
	r.Reset()
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

// Close ends it.
func (r *Receiver) Close() error { return r.server.Close() }

// URL is the address of the endpoint with the name.
func (r *Receiver) URL(name string) string { return r.url + "/" + name }

// Trust sets the secret of an endpoint.
func (r *Receiver) Trust(name, secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets["/"+name] = secret
}

// Reset forgets what arrived.
func (r *Receiver) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen, r.refused, r.last = make(map[string]struct{}), 0, time.Time{}
}

// Got is how many deliveries arrived, repetitions not counted, and when the last of them did. An error says that a
// signature did not match.
func (r *Receiver) Got() (n int, last time.Time, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused > 0 {
		err = errors.New("a delivery's signature does not match")
	}
	return len(r.seen), r.last, err
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
	secret := r.secrets[request.URL.Path]
	r.mu.Unlock()
	verified := webhook.Verify(request.Header.Get(webhook.HeaderSignature), body, secret, now) == nil
	key := strings.Clone(request.URL.Path) + " " + request.Header.Get(webhook.HeaderDelivery)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !verified {
		r.refused++
		w.WriteHeader(http.StatusForbidden)
		return
	}
	if _, again := r.seen[key]; !again {
		r.seen[key], r.last = struct{}{}, now
	}
	w.WriteHeader(http.StatusOK)
}
