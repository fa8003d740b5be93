// Package proxy stands between two parts of a system under test, on TCP, and makes the way between them bad: slow, silent,
// cut off, or deaf for one answer.
package proxy

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"socialpub.internal/services/e2e/freeport"
)

// Proxy forwards connections, as well as its Fault allows. It is safe for concurrent use.
type Proxy struct {
	address string
	wait    sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener // nil while nobody listens
	target   string
	fault    Fault
	befallen int
	passed   int64
	healed   chan struct{} // closed when the present fault ends
	pairs    map[*pair]struct{}
}

// New listens until the test ends and forwards to the server at target, "host:port". An empty target is set by To later.
func New(t testing.TB, target string) *Proxy {
	t.Helper()
	address, err := freeport.New().Address(t.Context())
	require.NoError(t, err)
	p := &Proxy{address: address, target: target, healed: make(chan struct{}), pairs: make(map[*pair]struct{})}
	p.open()
	require.NotNil(t, p.listener, "nobody can listen on %s", address)
	t.Cleanup(func() {
		p.Break(Fault{Closed: true})
		p.Sever()
		p.wait.Wait()
	})
	return p
}

// Address is "host:port", to be configured instead of the server's.
func (p *Proxy) Address() string { return p.address }

// To sets the server that connections from now on lead to.
func (p *Proxy) To(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
}

// Break makes the way bad, for the connections of this moment and for those to come. It replaces the fault before it and
// begins to count anew.
func (p *Proxy) Break(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.become(f)
	p.befallen, p.passed = 0, 0
}

// Heal makes the way a good one again. What a silent way had swallowed stays lost with its connection.
func (p *Proxy) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.become(Fault{})
}

func (p *Proxy) become(f Fault) {
	close(p.healed)
	p.fault, p.healed = f, make(chan struct{})
	switch {
	case f.Closed && p.listener != nil:
		_ = p.listener.Close()
		p.listener = nil
	case !f.Closed && p.listener == nil:
		p.open()
	}
}

// open begins to listen. Nobody else takes the port meanwhile: it lies below those of outgoing connections.
func (p *Proxy) open() {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", p.address)
	if err != nil {
		return
	}
	p.listener = listener
	p.wait.Go(func() { p.serve(listener) })
}

// Befallen is how many connections the last fault did something to. A test that broke nothing proves nothing.
func (p *Proxy) Befallen() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.befallen
}

// Passed is how many bytes have passed since the last fault began.
func (p *Proxy) Passed() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.passed
}

// Sever resets every connection of this moment.
func (p *Proxy) Sever() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for open := range p.pairs {
		open.reset()
	}
}

func (p *Proxy) serve(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		if client, ok := conn.(*net.TCPConn); ok {
			p.wait.Go(func() { p.accepted(client) })
		}
	}
}

func (p *Proxy) accepted(client *net.TCPConn) {
	fault, _ := p.present()
	if fault.Refuse && p.befall() {
		abort(client)
		return
	}
	server, err := p.dial()
	if err != nil {
		abort(client)
		return
	}
	p.join(&pair{proxy: p, client: client, server: server})
}

func (p *Proxy) dial() (*net.TCPConn, error) {
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	const limit = 5 * time.Second
	conn, err := (&net.Dialer{Timeout: limit}).DialContext(context.Background(), "tcp", target)
	if err != nil {
		return nil, err
	}
	server, ok := conn.(*net.TCPConn)
	if !ok {
		return nil, net.ErrClosed
	}
	return server, nil
}

// join carries bytes between the two ends until one of them is done.
func (p *Proxy) join(joined *pair) {
	p.mu.Lock()
	p.pairs[joined] = struct{}{}
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { joined.carry(joined.client, joined.server, joined.sent) })
	both.Go(func() { joined.carry(joined.server, joined.client, joined.answered) })
	both.Wait()
	_, _ = joined.client.Close(), joined.server.Close()
	p.mu.Lock()
	delete(p.pairs, joined)
	p.mu.Unlock()
}

// present is the fault of this moment and what is closed when it ends.
func (p *Proxy) present() (Fault, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault, p.healed
}

// count adds bytes that pass.
func (p *Proxy) count(bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passed += int64(bytes)
}

// befall counts a connection that the fault does something to; false when it has befallen as many as it should.
func (p *Proxy) befall() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault.Times > 0 && p.befallen >= p.fault.Times {
		return false
	}
	p.befallen++
	return true
}
