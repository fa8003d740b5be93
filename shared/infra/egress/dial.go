package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"
)

const (
	// connectTimeout bounds one attempt to connect to one address.
	connectTimeout = 5 * time.Second
	// maxAddresses bounds the number of addresses of a name that are tried; all of them are checked.
	maxAddresses = 8
)

// Gate has the signature of net.Dialer.ControlContext.
type Gate = func(ctx context.Context, network, address string, conn syscall.RawConn) error

// DialGate returns a check of sockets for net.Dialer.ControlContext. It allows only TCP to a port of the profile and an
// address that the policy allows. It rejects anything that it cannot parse.
func (p *Policy) DialGate(profile Profile) Gate {
	return func(_ context.Context, network, address string, _ syscall.RawConn) error {
		return p.checkDial(profile, network, address)
	}
}

func (p *Policy) checkDial(profile Profile, network, address string) error {
	if network != "tcp4" && network != "tcp6" {
		return newError(ClassBlockedAddress, StageDial, fmt.Errorf("egress: network %q", network))
	}

	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return newError(ClassBlockedAddress, StageDial, err)
	}

	if err := p.checkAddr(target.Addr(), StageDial); err != nil {
		return err
	}

	if !profile.allowsPort(target.Port()) && !p.allowed(target.Addr().Unmap()) {
		return newError(ClassBlockedAddress, StageDial, fmt.Errorf("egress: port %d", target.Port()))
	}

	return nil
}

// dialer connects to hosts that passed the parse gate.
type dialer struct {
	policy    *Policy
	profile   Profile
	resolver  Resolver
	total     time.Duration // bounds connecting including the TLS handshake
	reach     time.Duration // bounds resolution and connecting to all addresses; zero means only total applies
	handshake time.Duration // bounds the TLS handshake; zero means only total applies
	roots     *x509.CertPool
	connect   func(ctx context.Context, network, address string, gate Gate) (net.Conn, error)
}

// connect opens a socket to an IP address, with the gate's check.
func connect(ctx context.Context, network, address string, gate Gate) (net.Conn, error) {
	return (&net.Dialer{ControlContext: gate}).DialContext(ctx, network, address)
}

// dialPlain connects without TLS. It has the signature of http.Transport.DialContext.
func (d *dialer) dialPlain(ctx context.Context, _, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.total)
	defer cancel()

	conn, err := d.dial(ctx, address)
	if err != nil {
		return nil, err
	}

	return &countingConn{Conn: conn}, nil
}

// dialTLS connects and performs the TLS handshake. It has the signature of http.Transport.DialTLSContext. It performs
// the handshake itself, because otherwise TLS failures could be distinguished from others only by their text.
func (d *dialer) dialTLS(ctx context.Context, _, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.total)
	defer cancel()

	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, newError(ClassBlockedAddress, StageDial, err)
	}

	conn, err := d.dial(ctx, address)
	if err != nil {
		return nil, err
	}

	secure := tls.Client(conn, &tls.Config{
		ServerName: host,
		RootCAs:    d.roots,
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
	})

	shaking, cancel := bounded(ctx, d.handshake)
	defer cancel()

	if err := secure.HandshakeContext(shaking); err != nil {
		_ = conn.Close()

		return nil, classifyHandshake(shaking, err)
	}

	return &countingConn{Conn: secure}, nil
}

// bounded adds a timeout to a context, unless the limit is zero.
func bounded(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}

	return context.WithTimeout(ctx, limit)
}

func classifyHandshake(ctx context.Context, err error) *Error {
	if ctx.Err() == nil && !isTimeout(err) && !isReset(err) {
		return newError(ClassTLS, StageExchange, err)
	}

	return classify(ctx, err)
}

// dial resolves the host of an address once and connects to the first of its addresses that responds.
func (d *dialer) dial(ctx context.Context, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, newError(ClassBlockedAddress, StageDial, err)
	}

	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, newError(ClassBlockedAddress, StageDial, err)
	}

	ctx, cancel := bounded(ctx, d.reach)
	defer cancel()

	addrs, err := d.resolve(ctx, host)
	if err != nil {
		return nil, err
	}

	addrs = addrs[:min(len(addrs), maxAddresses)]

	var first error

	for i, addr := range addrs {
		conn, err := d.dialAddr(ctx, netip.AddrPortFrom(addr, uint16(number)), len(addrs)-i)
		if err == nil {
			return conn, nil
		}

		if first == nil {
			first = err
		}

		if ctx.Err() != nil {
			break
		}
	}

	return nil, first
}

// dialAddr connects to one address. The dial gate checks it twice: here, so that no socket is created for a blocked
// address, and in the dialer, immediately before the connection.
func (d *dialer) dialAddr(ctx context.Context, target netip.AddrPort, remaining int) (net.Conn, error) {
	target = netip.AddrPortFrom(target.Addr().Unmap(), target.Port())

	network := "tcp6"
	if target.Addr().Is4() {
		network = "tcp4"
	}

	if err := d.policy.checkDial(d.profile, network, target.String()); err != nil {
		return nil, err
	}

	attempt, cancel := context.WithTimeout(ctx, share(ctx, remaining))
	defer cancel()

	conn, err := d.connect(attempt, network, target.String(), d.policy.DialGate(d.profile))
	if err == nil {
		return conn, nil
	}

	var known *Error

	switch {
	case errors.As(err, &known):
		return nil, known
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, newError(ClassCanceled, StageDial, err)
	case attempt.Err() != nil || isTimeout(err):
		return nil, newError(ClassTimeout, StageDial, err)
	default:
		return nil, newError(ClassConnectionRefused, StageDial, err)
	}
}

// share divides the remaining time equally among the remaining addresses.
func share(ctx context.Context, remaining int) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok || remaining < 1 {
		return connectTimeout
	}

	return min(connectTimeout, time.Until(deadline)/time.Duration(remaining))
}
