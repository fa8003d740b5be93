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

	"socialpub.internal/services/e2e/faults/lab"
	"socialpub.internal/services/e2e/faults/proxy"
	"socialpub.internal/shared/domain/channel"
)

// runWith is lab.Run with further environment for the API and the workers.
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

// through is the address of a server with the proxy in its place; the proxy leads there.
func through(t *testing.T, p *proxy.Proxy, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	p.To(u.Host)
	u.Host = p.Address()
	return u.String()
}

// load has posts accepted, one after another, by a careful client, until stop is called.
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

// probe is a client without patience, which asks for a list again and again.
type probe struct {
	mu      sync.Mutex
	answers map[int]int // by status; 0: none came
	silent  int         // refusals that did not say when to come back
	slowest time.Duration
	lastBad time.Time
	stop    func()
}

// probing asks every so often until it is stopped.
func probing(t *testing.T, l *lab.Lab, every time.Duration) *probe {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	p := &probe{answers: make(map[int]int)}
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
	begin, status, retry := time.Now(), 0, ""
	if got, err := l.API.ListPostsWithResponse(ctx, nil); err == nil {
		status, retry = got.StatusCode(), got.HTTPResponse.Header.Get("Retry-After")
	}
	if ctx.Err() != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers[status]++
	p.slowest = max(p.slowest, time.Since(begin))
	if status != http.StatusOK {
		p.lastBad = time.Now()
		if n, err := strconv.Atoi(retry); err != nil || n < 1 {
			p.silent++
		}
	}
}

// bad is when an answer other than 200 came last.
func (p *probe) bad() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lastBad
}

// requireHonest checks that every answer was 200 or 503 with the time to come back, that there were both, and none came late.
func (p *probe) requireHonest(t *testing.T, within time.Duration) {
	t.Helper()
	p.stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	t.Logf("reads were answered %v, the slowest after %s", p.answers, p.slowest.Round(time.Millisecond))
	for status := range maps.Keys(p.answers) {
		require.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable}, status, "%v", p.answers)
	}
	require.Zero(t, p.silent, "503 without Retry-After")
	require.Positive(t, p.answers[http.StatusOK])
	require.Positive(t, p.answers[http.StatusServiceUnavailable], "nobody noticed the outage")
	require.Less(t, p.slowest, within)
}

// requireAlive checks that no program died of the fault.
func requireAlive(t *testing.T, l *lab.Lab) {
	t.Helper()
	for _, p := range l.Processes() {
		require.Equal(t, 1, p.Starts(), "%s crashed", p.Name())
	}
}

// three are channels of a network that is asked by text, of one that is asked by its handle, and of one that cannot be asked.
func three() []channel.Type {
	return []channel.Type{channel.Twitter, channel.Threads, channel.TelegramChannel}
}

// temporalAddress is where Temporal is.
func temporalAddress(t *testing.T) string { t.Helper(); return variable(t, "TEST_TEMPORAL_ADDRESS") }

// endpoint is where the object store is.
func endpoint(t *testing.T) string { t.Helper(); return variable(t, "TEST_S3_ENDPOINT") }

func variable(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	require.NotEmpty(t, value, "%s is not set: run the tests with `make faults`", name)
	return value
}
