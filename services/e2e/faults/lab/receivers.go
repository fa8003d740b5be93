package lab

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/webhook"
)

// Got is one received request.
type Got struct {
	Endpoint string // the name in the URL
	N        int    // 1 for the endpoint's first request
	ID       string // of the event
	Type     string
	Header   http.Header
	Body     []byte
	At       time.Time
}

// Farm serves any number of webhook endpoints with all kinds of misbehavior, each with its own name. It records each request
// in a journal before it responds, so that the received requests are known for any behavior.
type Farm struct {
	address   string
	mu        sync.Mutex
	behaviors map[string]Behavior
	other     Behavior // of endpoints without their own
	journal   []Got
	counts    map[string]int
	now       map[string]int
	most      map[string]int
}

// NewFarm starts a farm whose endpoints accept all requests, until the test ends.
func NewFarm(t testing.TB) *Farm {
	t.Helper()
	f := &Farm{
		behaviors: make(map[string]Behavior), other: Accept(), counts: make(map[string]int), now: make(map[string]int),
		most: make(map[string]int),
	}
	listener := listen(t)
	f.address = listener.Addr().String()
	const timeout = time.Minute
	server := &http.Server{Handler: http.HandlerFunc(f.serve), ReadHeaderTimeout: timeout}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return f
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	// Not the test's context: the listener lives until the clean-up.
	listener, err := (&net.ListenConfig{}).Listen(context.WithoutCancel(t.Context()), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return listener
}

// URL returns the address of an endpoint.
func (f *Farm) URL(name string) string { return "http://" + f.address + "/" + name }

// Behave sets how an endpoint responds from its next request on.
func (f *Farm) Behave(name string, behavior Behavior) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.behaviors[name] = behavior
}

// BehaveAll sets how all endpoints respond from their next request on.
func (f *Farm) BehaveAll(behavior Behavior) {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.behaviors)
	f.other = behavior
}

func (f *Farm) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // not a complete request
	}
	got, behavior := f.keep(r, body)
	defer f.remaining(got.Endpoint)
	behavior(w, r, got)
}

// keep records a request in the journal.
func (f *Farm) keep(r *http.Request, body []byte) (Got, Behavior) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[name]++
	f.now[name]++
	f.most[name] = max(f.most[name], f.now[name])
	got := Got{
		Endpoint: name, N: f.counts[name], ID: r.Header.Get(webhook.HeaderDelivery), Type: r.Header.Get(webhook.HeaderEvent),
		Header: r.Header.Clone(), Body: bytes.Clone(body), At: time.Now(),
	}
	f.journal = append(f.journal, got)
	behavior, known := f.behaviors[name]
	if !known {
		behavior = f.other
	}
	return got, behavior
}

func (f *Farm) remaining(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now[name]--
}

// Got returns the requests of an endpoint so far, in order.
func (f *Farm) Got(name string) (all []Got) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, g := range f.journal {
		if g.Endpoint == name {
			all = append(all, g)
		}
	}
	return all
}

// Journal returns the requests of all endpoints so far.
func (f *Farm) Journal() []Got {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Got(nil), f.journal...)
}

// Count returns the number of requests to an endpoint so far.
func (f *Farm) Count(name string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[name]
}

// Most returns the maximum number of concurrent requests to an endpoint.
func (f *Farm) Most(name string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.most[name]
}

// UnderWay returns the current number of requests at all endpoints.
func (f *Farm) UnderWay() (count int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range f.now {
		count += n
	}
	return count
}
