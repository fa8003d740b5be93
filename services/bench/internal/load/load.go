// Package load calls one address over and over on connections that are kept open.
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

	"socialpub.internal/shared/clock"
)

// Connections is how many calls are under way at a time, each on a connection of its own.
const Connections = 16

// Call is what is called.
type Call struct {
	Method string
	URL    string
	Key    string // API key; none when empty
	Body   []byte
	Want   int  // status of success
	Once   bool // each call carries an Idempotency-Key of its own
}

// Run calls for the time, and returns how many calls per second succeeded. The first failure ends it.
func Run(ctx context.Context, c clock.Clock, call Call, d time.Duration) (float64, error) {
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		DialContext: (&net.Dialer{}).DialContext, MaxIdleConnsPerHost: Connections, MaxConnsPerHost: Connections, DisableCompression: true,
	}}
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
				if err := call.once(ctx, client); err != nil {
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

func (call Call) once(ctx context.Context, client *http.Client) error {
	request, err := http.NewRequestWithContext(ctx, call.Method, call.URL, bytes.NewReader(call.Body))
	if err != nil {
		return err
	}
	if call.Key != "" {
		request.Header.Set("Authorization", "Bearer "+call.Key)
	}
	if len(call.Body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	if call.Once {
		request.Header.Set("Idempotency-Key", rand.Text())
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err == nil && answer.StatusCode != call.Want {
		const shown = 500
		err = fmt.Errorf("%s %s: %s: %s", call.Method, call.URL, answer.Status, raw[:min(len(raw), shown)])
	}
	return err
}

// Get reads one answer.
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
