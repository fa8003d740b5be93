// Package load sends calls to one address repeatedly over persistent connections.
package load

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"fencepost.internal/shared/kernel/clock"
)

// Connections is the number of concurrent calls, each on its own connection.
const Connections = 16

// Call is an HTTP call to repeat.
type Call struct {
	Method string
	URL    string
	Key    string // API key; empty: none
	Body   []byte
	Want   int  // status of success
	Once   bool // each call has its own Idempotency-Key

	Headers map[string]string // additional headers

	Idempotency string // Idempotency-Key of a call that may be repeated; empty: none
}

// Run repeats the call for the duration and returns the number of successful calls per second. It stops at the first
// failure.
func Run(ctx context.Context, c clock.Clock, call Call, d time.Duration) (float64, error) {
	client := newClient(10 * time.Second)
	defer client.CloseIdleConnections()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	begin := c.Now()
	var (
		done    atomic.Int64
		callers sync.WaitGroup
	)
	for range Connections {
		callers.Go(func() {
			for ctx.Err() == nil && c.Now().Sub(begin) < d {
				if _, err := call.Make(ctx, client); err != nil {
					stop(err)
					return
				}
				done.Add(1)
			}
		})
	}
	callers.Wait()
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	return float64(done.Load()) / c.Now().Sub(begin).Seconds(), nil
}

// All makes each of the calls once, in their order, as fast as the server responds to Connections callers. It stops at
// the first failure.
func All(ctx context.Context, calls []Call) error {
	client := newClient(time.Minute)
	defer client.CloseIdleConnections()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(Connections)
	for _, call := range calls {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			_, err := call.Make(ctx, client)
			return err
		})
	}
	return group.Wait()
}

func newClient(timeout time.Duration) *http.Client {
	return &http.Client{Timeout: timeout, Transport: &http.Transport{
		DialContext:         (&net.Dialer{}).DialContext,
		MaxIdleConnsPerHost: Connections, MaxConnsPerHost: Connections, DisableCompression: true,
	}}
}

// Make makes the call once. It returns an error unless the status is Want. The error is a *StatusError if the server
// responded with another status.
func (call Call) Make(ctx context.Context, client *http.Client) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, call.Method, call.URL, bytes.NewReader(call.Body))
	if err != nil {
		return nil, err
	}
	if call.Key != "" {
		request.Header.Set("Authorization", "Bearer "+call.Key)
	}
	if len(call.Body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range call.Headers {
		request.Header.Set(name, value)
	}
	switch {
	case call.Idempotency != "":
		request.Header.Set("Idempotency-Key", call.Idempotency)
	case call.Once:
		request.Header.Set("Idempotency-Key", rand.Text())
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err == nil && answer.StatusCode != call.Want {
		const shown = 500
		err = &StatusError{
			Status: answer.StatusCode,
			Text:   fmt.Sprintf("%s %s: %s: %s", call.Method, call.URL, answer.Status, raw[:min(len(raw), shown)]),
		}
	}
	return raw, err
}

// StatusError is a response with an unexpected status.
type StatusError struct {
	Status int
	Text   string
}

// Error returns the call, the status and the start of the response's body.
func (e *StatusError) Error() string { return e.Text }

// Get decodes the JSON response of one GET request.
func Get(ctx context.Context, url, key string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	answer, err := (&http.Client{Timeout: 10 * time.Second}).Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", url, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}
