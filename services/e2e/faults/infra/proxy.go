package infra

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/proctest"
)

// Proxy forwards connections subject to its Fault. It is safe for concurrent use.
type Proxy struct {
	address string
	wait    sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener // nil while the proxy does not listen
	target   string
	fault    Fault
	befallen int
	passed   int64
	healed   chan struct{} // closed when the current fault ends
	pairs    map[*pair]struct{}
}

// NewProxy listens until the test ends and forwards to the server at target, "host:port". An empty target must be set with
// To later.
func NewProxy(t testing.TB, target string) *Proxy {
	t.Helper()
	address, err := proctest.NewPorts().Address(t.Context())
	require.NoError(t, err)
	p := &Proxy{address: address, target: target, healed: make(chan struct{}), pairs: make(map[*pair]struct{})}
	p.open()
	require.NotNil(t, p.listener, "cannot listen on %s", address)
	t.Cleanup(func() {
		p.Break(Fault{Closed: true})
		p.Sever()
		p.wait.Wait()
	})
	return p
}

// Address returns "host:port". Configure it instead of the server's address.
func (p *Proxy) Address() string { return p.address }

// To sets the server for new connections.
func (p *Proxy) To(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
}

// Break sets the fault for current and new connections. It replaces the previous fault and resets the counters.
func (p *Proxy) Break(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.become(f)
	p.befallen, p.passed = 0, 0
}

// Heal ends the fault. Bytes that a silent fault dropped stay lost with their connection.
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

// open starts to listen. No other process takes the port meanwhile, because it is below the range of outgoing
// connections.
func (p *Proxy) open() {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", p.address)
	if err != nil {
		return
	}
	p.listener = listener
	p.wait.Go(func() { p.serve(listener) })
}

// Befallen returns the number of connections that the last fault affected. Tests use it to verify that the fault took
// effect.
func (p *Proxy) Befallen() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.befallen
}

// Passed returns the number of bytes forwarded since the last fault started.
func (p *Proxy) Passed() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.passed
}

// Sever resets every current connection.
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

// join forwards bytes in both directions until both have ended.
func (p *Proxy) join(joined *pair) {
	p.mu.Lock()
	p.pairs[joined] = struct{}{}
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { joined.carry(joined.client, joined.server, joined.sent) })
	both.Go(func() { joined.carry(joined.server, joined.client, joined.responded) })
	both.Wait()
	_, _ = joined.client.Close(), joined.server.Close()
	p.mu.Lock()
	delete(p.pairs, joined)
	p.mu.Unlock()
}

// present returns the current fault and a channel that is closed when it ends.
func (p *Proxy) present() (Fault, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault, p.healed
}

// count adds forwarded bytes.
func (p *Proxy) count(bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passed += int64(bytes)
}

// befall counts an affected connection. It returns false if the fault already affected as many as it should.
func (p *Proxy) befall() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault.Times > 0 && p.befallen >= p.fault.Times {
		return false
	}
	p.befallen++
	return true
}
