package faults_test

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/faults/infra"
	"fencepost.internal/services/e2e/faults/lab"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
)

// runWith is lab.Run with additional environment for the API and the workers.
func runWith(l *lab.Lab, workers int, env ...string) {
	l.APIProcess = l.Start("api", "", env...)
	for range workers {
		l.Workers = append(l.Workers, l.Start("worker", "", env...))
	}
	l.APIProcess.Ready()
	for _, w := range l.Workers {
		w.Ready()
	}
	l.Subscribe()
	l.Watch()
}

// through returns the address of a server with the proxy's host and port, and sets the server as the proxy's target.
func through(t *testing.T, p *infra.Proxy, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	p.To(u.Host)
	u.Host = p.Address()
	return u.String()
}

// load creates posts one after another, with retries, until stop is called.
func load(l *lab.Lab, every time.Duration, types ...channel.Type) (stop func()) {
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for i := 0; ; i++ {
			l.AcceptOne(time.Now().Add(time.Second), types[i%len(types)])
			select {
			case <-done:
				return
			case <-time.After(every):
			}
		}
	})
	return sync.OnceFunc(func() { close(done); running.Wait() })
}

// probe is a client without retries that repeatedly lists posts.
type probe struct {
	mu        sync.Mutex
	responses map[int]int // by status; 0: no response
	silent    int         // refusals without a Retry-After header
	slowest   time.Duration
	lastBad   time.Time
	stop      func()
}

// probing starts a probe that sends a request at every interval until it is stopped.
func probing(t *testing.T, l *lab.Lab, every time.Duration) *probe {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	p := &probe{responses: make(map[int]int)}
	var running sync.WaitGroup
	p.stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(p.stop)
	running.Go(func() {
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				p.ask(ctx, l)
			}
		}
	})
	return p
}

func (p *probe) ask(ctx context.Context, l *lab.Lab) {
	begin, header := time.Now(), http.Header{}
	err := l.API.Request(ctx, http.MethodGet, "/v1/posts", nil, nil, nil, fencepost.ResponseHeader(&header))
	status := harness.Status(err, http.StatusOK)
	if ctx.Err() != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.responses[status]++
	p.slowest = max(p.slowest, time.Since(begin))
	if status != http.StatusOK {
		p.lastBad = time.Now()
		if n, err := strconv.Atoi(header.Get("Retry-After")); err != nil || n < 1 {
			p.silent++
		}
	}
}

// bad returns the time of the last request without a response of status 200.
func (p *probe) bad() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lastBad
}

// requireHonest checks that every response was 200 or 503 with Retry-After, that both occurred, and that none was late.
func (p *probe) requireHonest(t *testing.T, within time.Duration) {
	t.Helper()
	p.stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	t.Logf("the responses to reads were %v, the slowest after %s", p.responses, p.slowest.Round(time.Millisecond))
	for status := range maps.Keys(p.responses) {
		require.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable}, status, "%v", p.responses)
	}
	require.Zero(t, p.silent, "503 without Retry-After")
	require.Positive(t, p.responses[http.StatusOK])
	require.Positive(t, p.responses[http.StatusServiceUnavailable], "no request met the outage")
	require.Less(t, p.slowest, within)
}

// requireAlive checks that the fault crashed no program.
func requireAlive(t *testing.T, l *lab.Lab) {
	t.Helper()
	for _, p := range l.Processes() {
		require.Equal(t, 1, p.Starts(), "%s crashed", p.Name())
	}
}

// three returns a channel type whose network is queried by text, one whose network is queried by handle, and one whose
// network cannot be queried.
func three() []channel.Type {
	return []channel.Type{channel.Twitter, channel.Threads, channel.TelegramChannel}
}

// temporalAddress returns the address of Temporal.
func temporalAddress(t *testing.T) string { t.Helper(); return variable(t, "TEST_TEMPORAL_ADDRESS") }

// endpoint returns the address of the object store.
func endpoint(t *testing.T) string { t.Helper(); return variable(t, "TEST_S3_ENDPOINT") }

func variable(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	require.NotEmpty(t, value, "%s is not set: run the tests with `make faults`", name)
	return value
}
