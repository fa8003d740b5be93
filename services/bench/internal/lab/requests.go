package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// callers is the number of concurrent requests, each on its own connection.
const callers = 16

// callTimeout limits a request.
const callTimeout = time.Minute

// shown limits the response's body in an error.
const shown = 500

// Request returns a request with an API key, unless it is empty, and a JSON body, unless it is nil.
func (r *Run) Request(method, url, key string, body any) vegeta.Target {
	target := vegeta.Target{Method: method, URL: url, Header: make(http.Header)}
	if key != "" {
		target.Header.Set("Authorization", "Bearer "+key)
	}
	if body != nil {
		raw, err := json.Marshal(body)
		r.Check(err)
		target.Body = raw
		target.Header.Set("Content-Type", "application/json")
	}
	return target
}

// Call makes one request and decodes the response into a value, unless it is nil.
func (r *Run) Call(target vegeta.Target, into any) {
	request, err := target.Request()
	r.Check(err)
	response, err := r.client.Do(request.WithContext(r.ctx))
	r.Check(err)
	raw, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	r.Check(err)
	if response.StatusCode >= http.StatusBadRequest {
		r.Failf("%s %s: %s: %s", target.Method, target.URL, response.Status, raw[:min(len(raw), shown)])
	}
	if into != nil {
		r.Check(json.NewDecoder(bytes.NewReader(raw)).Decode(into))
	}
}

// Rate repeats requests for the duration and returns the number per second.
func (r *Run) Rate(d time.Duration, requests vegeta.Targeter) float64 {
	begin := time.Now()
	return float64(r.attack(requests, d)) / time.Since(begin).Seconds()
}

// CallAll makes each of the requests once, in their order, as fast as the server responds.
func (r *Run) CallAll(requests []vegeta.Target) {
	var started atomic.Int64
	r.attack(func(target *vegeta.Target) error {
		i := int(started.Add(1)) - 1
		if i >= len(requests) {
			return vegeta.ErrNoTargets
		}
		*target = requests[i]
		return nil
	}, 0)
}

// attack makes requests until the duration has passed or there are no more, and returns their number. The measurement
// ends at the first failure.
func (r *Run) attack(requests vegeta.Targeter, d time.Duration) (n int) {
	ctx, stop := context.WithCancelCause(r.ctx)
	defer stop(nil)
	unlimited := vegeta.ConstantPacer{}
	r.Attack(ctx, requests, unlimited, callers, d, func(result *vegeta.Result) {
		n++
		if result.Error != "" {
			stop(fmt.Errorf("%s %s: %s: %s", result.Method, result.URL, result.Error, result.Body))
		}
	})
	r.Check(context.Cause(ctx))
	return n
}

// Attack makes requests at a pace with at most workers concurrent ones, until the duration has passed (zero: none), there
// are no more, or the context ends. It calls done after each.
func (r *Run) Attack(ctx context.Context, requests vegeta.Targeter, pace vegeta.Pacer, workers uint64, d time.Duration,
	done func(*vegeta.Result),
) {
	attacker := vegeta.NewAttacker(vegeta.Workers(callers), vegeta.MaxWorkers(workers), vegeta.MaxBody(shown),
		vegeta.Client(r.client))
	defer context.AfterFunc(ctx, func() { attacker.Stop() })()
	for result := range attacker.Attack(requests, pace, d, "") {
		if result.Error != vegeta.ErrNoTargets.Error() {
			done(result)
		}
	}
}

func newClient() *http.Client {
	return &http.Client{
		Timeout: callTimeout,
		Transport: &http.Transport{
			MaxIdleConnsPerHost: callers, MaxConnsPerHost: callers, DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
