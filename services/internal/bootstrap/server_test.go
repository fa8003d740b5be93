package bootstrap_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/framing"
	"fencepost.internal/shared/kernel/clock"
)

// journal records events in order.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) note(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
}

func (j *journal) read() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]string(nil), j.lines...)
}

// program serves one handler that responds when it is released.
type program struct {
	journal
	bootstrap.Server
	server  *http.Server
	base    string
	arrived chan struct{} // a request has arrived
	release chan struct{}
	end     context.CancelFunc
	ended   chan error
}

func setup(t *testing.T, drain time.Duration) (*program, net.Listener) {
	t.Helper()
	p := &program{arrived: make(chan struct{}, 1), release: make(chan struct{}), ended: make(chan error, 1)}
	p.server = &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			p.arrived <- struct{}{}
			select {
			case <-p.release:
			case <-r.Context().Done():
				p.note("aborted")
				return
			}
			p.note("answered")
			_, _ = io.WriteString(w, "done")
		}),
	}
	guard, err := framing.New(framing.Config{Clock: clock.System(), Registerer: prometheus.NewRegistry()})
	require.NoError(t, err)
	p.Server = bootstrap.Server{
		Guard: guard, Serve: p.server.Serve, Drain: drain,
		Shutdown: func(ctx context.Context) error {
			p.note("shutdown")
			return p.server.Shutdown(ctx)
		},
		Beside: []func(context.Context){func(ctx context.Context) {
			<-ctx.Done()
			p.note("beside ended")
		}},
		Close: func() error {
			p.note("closed")
			return nil
		},
	}
	listener, err := bootstrap.Listen(t.Context(), "TEST_ADDR", "127.0.0.1:0")
	require.NoError(t, err)
	p.base = "http://" + listener.Addr().String()
	return p, listener
}

func (p *program) run(t *testing.T, listener net.Listener) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	p.end = cancel
	go func() { p.ended <- p.Run(ctx, listener) }()
}

// ask sends a request. The channel receives its response, or "" if there is none.
func (p *program) ask(t *testing.T) <-chan string {
	t.Helper()
	result := make(chan string, 1)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.base, http.NoBody)
	require.NoError(t, err)
	go func() {
		defer close(result)
		response, err := new(http.Client).Do(request)
		if err != nil {
			return
		}
		defer func() { _ = response.Body.Close() }()
		body, _ := io.ReadAll(response.Body)
		result <- string(body)
	}()
	<-p.arrived
	return result
}

func TestGracefulShutdown(t *testing.T) {
	t.Parallel()
	p, listener := setup(t, time.Minute)
	draining := make(chan struct{})
	p.server.RegisterOnShutdown(func() { close(draining) })
	p.run(t, listener)
	response := p.ask(t)
	p.end()
	<-draining
	_, err := new(net.Dialer).DialContext(t.Context(), "tcp", listener.Addr().String())
	require.Error(t, err, "no more requests are taken")
	close(p.release)
	require.Equal(t, "done", <-response)
	require.NoError(t, <-p.ended)
	require.Equal(t, []string{"shutdown", "answered", "beside ended", "closed"}, p.read())
}

func TestShutdownTimesOut(t *testing.T) {
	t.Parallel()
	p, listener := setup(t, time.Millisecond)
	p.run(t, listener)
	response := p.ask(t)
	p.end()
	require.ErrorIs(t, <-p.ended, context.DeadlineExceeded)
	require.Equal(t, []string{"shutdown", "beside ended", "closed"}, p.read())
	close(p.release)
	<-response

	p, listener = setup(t, time.Millisecond)
	p.Abort = p.server.Close
	p.run(t, listener)
	response = p.ask(t)
	p.end()
	require.NoError(t, <-p.ended)
	require.Empty(t, <-response)
}

func TestServeFails(t *testing.T) {
	t.Parallel()
	p, listener := setup(t, time.Minute)
	refused, unclosed := errors.New("refused"), errors.New("unclosed")
	p.Serve = func(net.Listener) error { return refused }
	p.Close = func() error { return unclosed }
	err := p.Run(t.Context(), listener)
	require.ErrorIs(t, err, refused)
	require.ErrorIs(t, err, unclosed)
	require.Equal(t, []string{"beside ended"}, p.read())
	require.ErrorIs(t, listener.Close(), net.ErrClosed)
}

// TestShutdownBeforeServe covers a library that does not know its listener yet.
func TestShutdownBeforeServe(t *testing.T) {
	t.Parallel()
	p, listener := setup(t, time.Minute)
	p.Beside, p.Close = nil, nil
	stopped := make(chan struct{})
	p.Serve = func(l net.Listener) error {
		<-stopped
		_, err := l.Accept()
		return err
	}
	p.Shutdown = func(context.Context) error {
		close(stopped)
		return nil
	}
	p.run(t, listener)
	p.end()
	require.NoError(t, <-p.ended)
}

func TestListenAndRunErrors(t *testing.T) {
	t.Parallel()
	_, listener := setup(t, time.Minute)
	_, err := bootstrap.Listen(t.Context(), "TEST_ADDR", listener.Addr().String())
	require.ErrorContains(t, err, "TEST_ADDR: ")
	require.ErrorContains(t, err, "another process uses the address")
	require.ErrorContains(t, bootstrap.Server{}.Run(t.Context(), listener), "lifecycle: ")
	require.ErrorIs(t, listener.Close(), net.ErrClosed)
}
