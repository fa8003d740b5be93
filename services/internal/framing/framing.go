// Package framing refuses requests whose framing breaks RFC 9112, before a server of any HTTP library reads them.
//
// Servers differ in how they read a malformed request, and from the proxy in front of them. An attacker uses the
// difference to hide a request inside another one (request smuggling). A Guard wraps the listener of a program and
// scans the bytes of each connection as the server reads them. It follows request lines, header fields and bodies, so
// that it always knows where the next request starts. It copies nothing and delays nothing. The end of a head reaches
// the server only after the head was found to be valid.
//
// A violation ends the connection. A server with an error handler (fasthttp) receives the *Violation as a read error
// and responds to it. For a server without one (net/http) the guard responds itself. Both respond with status 400, or
// 501 or 505 where the RFC names them, with problem details and with Connection: close.
package framing

import (
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/kernel/clock"
)

// Config holds the dependencies of a guard.
type Config struct {
	// BaseURL is the prefix of the addresses of problem pages; empty for a program without a public API address.
	BaseURL string
	// ServerResponds is set for a server that responds to the *Violation itself. Without it the guard responds.
	ServerResponds bool
	Clock          clock.Clock
	Registerer     prometheus.Registerer
}

// Guard wraps the listeners of a program. It is safe for concurrent use.
type Guard struct {
	config   Config
	refusals *prometheus.CounterVec
}

// New returns a guard. Several guards may share a registerer: they count into one metric.
func New(cfg Config) (*Guard, error) {
	if cfg.Clock == nil || cfg.Registerer == nil {
		return nil, errors.New("framing: Clock and Registerer are required")
	}
	refusals := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "http_malformed_requests_total", Help: "Requests refused because their framing breaks RFC 9112, by reason.",
	}, []string{"reason"})
	if err := cfg.Registerer.Register(refusals); err != nil {
		known := prometheus.AlreadyRegisteredError{}
		if !errors.As(err, &known) {
			return nil, fmt.Errorf("framing: %w", err)
		}
		if refusals, _ = known.ExistingCollector.(*prometheus.CounterVec); refusals == nil {
			return nil, fmt.Errorf("framing: %w", err)
		}
	}
	for _, v := range violations() {
		refusals.WithLabelValues(v.Reason)
	}
	return &Guard{config: cfg, refusals: refusals}, nil
}

// Listener returns a listener whose connections are guarded. It can be closed more than once.
func (g *Guard) Listener(inner net.Listener) net.Listener {
	return &listener{Listener: inner, guard: g}
}

type listener struct {
	net.Listener

	guard  *Guard
	closed sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &Conn{Conn: conn, guard: l.guard}, nil
}

func (l *listener) Close() (err error) {
	l.closed.Do(func() { err = l.Listener.Close() })
	return err
}
