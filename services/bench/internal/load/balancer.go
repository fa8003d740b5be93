package load

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"
)

// Balancer calls several servers in turn, and the next one when one is down, as a load balancer that retries does.
type Balancer struct {
	client *http.Client
	bases  []string
	turn   atomic.Int64
	again  atomic.Int64
}

const (
	balancerPatience = 30 * time.Second // with one call, over all tries
	balancerPause    = 100 * time.Millisecond
	balancerTimeout  = 20 * time.Second // of one try
)

// NewBalancer makes a balancer over servers at addresses such as http://127.0.0.1:8080.
func NewBalancer(bases ...string) *Balancer {
	return &Balancer{bases: bases, client: &http.Client{
		Timeout: balancerTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: Connections, DisableCompression: true},
	}}
}

// Retried is how many tries failed and were made again elsewhere.
func (b *Balancer) Retried() int { return int(b.again.Load()) }

// Close closes the connections that nobody uses.
func (b *Balancer) Close() { b.client.CloseIdleConnections() }

// Do makes the call, whose URL is a path. Calls that must not happen twice carry an Idempotency-Key.
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

// down reports that another server may do better: there was no answer, or one that says so.
func down(err error) bool {
	answer, answered := errors.AsType[*StatusError](err)
	return !answered || answer.Status == http.StatusServiceUnavailable || answer.Status == http.StatusBadGateway
}
