package objectstoretest

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Proxy is a TCP proxy between a store and its server that makes the connection fail.
type Proxy struct {
	target   string
	listener net.Listener
	wait     sync.WaitGroup

	mu      sync.Mutex
	stalled chan struct{} // closed while bytes pass
	pairs   map[net.Conn]struct{}
}

// NewProxy forwards to the server at the endpoint until the test ends.
func NewProxy(t testing.TB, endpoint string) *Proxy {
	t.Helper()
	address, err := url.Parse(endpoint)
	require.NoError(t, err)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	open := make(chan struct{})
	close(open)
	p := &Proxy{target: address.Host, listener: listener, stalled: open, pairs: map[net.Conn]struct{}{}}
	p.wait.Go(p.serve)
	t.Cleanup(func() {
		_ = listener.Close()
		p.Resume()
		p.Cut()
		p.wait.Wait()
	})
	return p
}

// Endpoint returns the URL to configure instead of the server's.
func (p *Proxy) Endpoint() string { return "http://" + p.listener.Addr().String() }

// Cut closes all current connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.pairs {
		_ = conn.Close()
	}
	clear(p.pairs)
}

// Stall stops all data until Resume; connections stay open.
func (p *Proxy) Stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.stalled:
		p.stalled = make(chan struct{})
	default:
	}
}

// Resume lets data pass again.
func (p *Proxy) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.stalled:
	default:
		close(p.stalled)
	}
}

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := new(net.Dialer).DialContext(context.Background(), "tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.pairs[client], p.pairs[server] = struct{}{}, struct{}{}
		p.mu.Unlock()
		p.wait.Go(func() { p.pipe(server, client) })
		p.wait.Go(func() { p.pipe(client, server) })
	}
}

func (p *Proxy) pipe(to, from net.Conn) {
	defer func() { _, _ = to.Close(), from.Close() }()
	const chunk = 16 << 10
	buffer := make([]byte, chunk)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		pass := p.stalled
		p.mu.Unlock()
		<-pass
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
	}
}

// After returns the body's bytes and calls do once when the given number of bytes has been read, for example to cut or
// stall the proxy.
func After(body io.Reader, bytes int64, do func()) io.Reader {
	return &trigger{body: body, remaining: bytes, do: do}
}

type trigger struct {
	body      io.Reader
	remaining int64
	do        func()
}

// Read reads from the body and calls do at the threshold.
func (r *trigger) Read(b []byte) (int, error) {
	n, err := r.body.Read(b)
	if r.remaining > 0 && r.remaining <= int64(n) {
		r.do()
	}
	r.remaining -= int64(n)
	return n, err
}
