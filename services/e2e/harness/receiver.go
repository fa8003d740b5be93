package harness

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"fencepost.internal/shared/domain/webhook"
)

// Received is one received delivery.
type Received struct {
	ID       string
	Type     string
	Verified bool
	Headers  http.Header
	Body     []byte
	Data     map[string]any
	At       time.Time
}

// Receiver is a webhook endpoint that verifies and records its deliveries.
type Receiver struct {
	server   *httptest.Server
	mu       sync.Mutex
	secret   string
	all      []Received
	response func(n int) int // status of the n-th request; nil means 200
}

func newReceiver(t testing.TB) *Receiver {
	t.Helper()
	r := &Receiver{}
	r.server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.server.Close)
	return r
}

// URL returns the endpoint's address.
func (r *Receiver) URL() string { return r.server.URL }

// Trust sets the secret with which deliveries are verified.
func (r *Receiver) Trust(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = secret
}

// Secret returns the secret with which deliveries are verified. It is empty before a subscription.
func (r *Receiver) Secret() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.secret
}

// Response sets the status of the response to the n-th request (1-based).
func (r *Receiver) Response(status func(n int) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.response = status
}

func (r *Receiver) serve(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	now := time.Now()
	got := Received{
		ID: request.Header.Get(webhook.HeaderDelivery), Type: request.Header.Get(webhook.HeaderEvent),
		Headers: request.Header, Body: body, At: now,
	}
	var envelope struct {
		Data map[string]any `json:"data"`
	}
	_ = json.Unmarshal(body, &envelope)
	got.Data = envelope.Data
	r.mu.Lock()
	got.Verified = webhook.Verify(request.Header.Get(webhook.HeaderSignature), body, r.secret, now) == nil
	r.all = append(r.all, got)
	status := http.StatusOK
	if r.response != nil {
		status = r.response(len(r.all))
	}
	r.mu.Unlock()
	w.WriteHeader(status)
}

// All returns all received deliveries.
func (r *Receiver) All() []Received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Received(nil), r.all...)
}
