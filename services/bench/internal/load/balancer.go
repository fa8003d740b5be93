package load

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"
)

// Balancer distributes calls over several servers in turn. If one is down, it retries on the next, as a load balancer
// with retries does.
type Balancer struct {
	client *http.Client
	bases  []string
	turn   atomic.Int64
	again  atomic.Int64
}

const (
	balancerPatience = 30 * time.Second // per call, over all tries
	balancerPause    = 100 * time.Millisecond
	balancerTimeout  = 20 * time.Second // per try
)

// NewBalancer creates a balancer for servers at addresses such as http://127.0.0.1:8080.
func NewBalancer(bases ...string) *Balancer {
	return &Balancer{bases: bases, client: &http.Client{
		Timeout: balancerTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: Connections, DisableCompression: true},
	}}
}

// Retried returns the number of failed tries that were repeated on another server.
func (b *Balancer) Retried() int { return int(b.again.Load()) }

// Close closes idle connections.
func (b *Balancer) Close() { b.client.CloseIdleConnections() }

// Do makes the call, whose URL is a path. Calls that must not happen twice require an Idempotency-Key.
func (b *Balancer) Do(ctx context.Context, call Call) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, balancerPatience)
	defer cancel()
	path := call.URL
	for {
		call.URL = b.bases[int(b.turn.Add(1))%len(b.bases)] + path
		raw, err := call.Make(ctx, b.client)
		if err == nil || !down(err) {
			return raw, err
		}
		b.again.Add(1)
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(balancerPause):
		}
	}
}

// down reports whether a retry on another server can help: there was no response, or its status is 502 or 503.
func down(err error) bool {
	answer, answered := errors.AsType[*StatusError](err)
	return !answered || answer.Status == http.StatusServiceUnavailable || answer.Status == http.StatusBadGateway
}
