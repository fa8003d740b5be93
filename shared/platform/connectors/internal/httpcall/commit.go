package httpcall

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"

	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/platform"
)

// CommitCall makes the irrevocable call once, on its own connection. It returns the complete response of any status. If
// there is none, the class of its *platform.Failure states the outcome. Transient guarantees that the network did not
// receive the request (no connection, the send window closed, the caller canceled in time, a body that ended early).
// Unknown means that the network may have received it.
//
// The caller can cancel the call only until the first byte is sent. After that the call runs to its own timeout,
// because a response is worth more than a quick end. Callers must allow for that time, plus platform.TransferTime for a
// body.
//
// A streamed body is opened before the call connects. If opening fails, or the body fails because of the service's own
// file, the Failure is that of the file.
func (c *Client) CommitCall(ctx context.Context, request Request) (Response, error) {
	started := c.Now()
	body, err := c.outgoing(request)
	if err != nil {
		return Response{}, err
	}
	gate := &gate{ctx: ctx, clock: c.config.Clock}
	timeout := timeoutOf(request, c.config.CommitTimeout) + body.transferTime()
	call, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		if gate.shut(context.Cause(ctx)) {
			cancel()
		}
	})()

	transport := c.oneConnection(func(conn net.Conn) net.Conn { return &gatedConn{Conn: conn, gate: gate} })
	defer transport.CloseIdleConnections() // also cancels a pending connection attempt
	response, err := c.exchange(call, httpClient(transport), request, body)
	response.commit = true
	c.observe(ctx, request, response, started, err)
	failure := c.commitFailure(gate, request, body, err)
	if failure != nil {
		return Response{}, failure
	}
	if err := failpoint.Hit(ctx, pointAfterResponse); err != nil {
		return Response{}, c.OutcomeUnknown(err)
	}
	return response, nil
}

// oneConnection returns a transport that uses a new HTTP/1.1 connection for its request. net/http does not repeat the
// request, because it only repeats requests on reused connections. The function wrap wraps every connection, above TLS
// if TLS is used.
func (c *Client) oneConnection(wrap func(net.Conn) net.Conn) *http.Transport {
	wrapped := func(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
		return func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return wrap(conn), nil
		}
	}
	return &http.Transport{
		DialContext:            wrapped(c.config.Dial),
		DialTLSContext:         wrapped(c.dialTLS),
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxResponseHeader,
	}
}

func (c *Client) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*c.config.DialTimeout)
	defer cancel()
	raw, err := c.config.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		_ = raw.Close()
		return nil, fmt.Errorf("host of the certificate: %w", err)
	}
	conn := tls.Client(raw, c.tlsConfig(host))
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, fmt.Errorf("TLS handshake: %w", err)
	}
	return conn, nil
}

// commitFailure classifies a call without a complete response. It returns nil if there was one.
//
// A request whose last body byte did not reach the connection is incomplete: a server that receives less than
// Content-Length must treat the request as incomplete and close the connection (RFC 9112, 6.3 and 8). Therefore nothing
// was published, although bytes were sent. This does not apply once the network has started its response, because it
// then did not wait for the end of the request.
func (c *Client) commitFailure(gate *gate, request Request, body *stream, err error) error {
	nothingSent, refusal := gate.seal()
	incomplete, broken := body.finish()
	if err == nil {
		return nil
	}
	incomplete = incomplete && !responseBegun(err)
	switch {
	case errors.Is(err, errNotBuilt):
		return c.notBuilt(err)
	case !nothingSent && !incomplete:
		return c.OutcomeUnknown(err)
	case errors.Is(refusal, errWindowClosed):
		return &platform.Failure{
			Class: platform.ClassTransient, Code: platform.CodeSendWindowClosed,
			Message: "The post was not sent in its time window.", Cause: refusal,
		}
	case broken != nil:
		return c.unreadable(request, broken)
	case refusal != nil:
		return c.Unavailable(refusal)
	default:
		return c.Unavailable(err)
	}
}
