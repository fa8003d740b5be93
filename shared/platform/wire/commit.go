package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"

	"socialpub.internal/shared/failpoint"
	"socialpub.internal/shared/platform"
)

// CommitCall makes the irrevocable call, once, on a connection of its own. It returns the whole answer, whatever its
// status. Without one, its *platform.Failure tells what is certain: class transient promises that no byte of the
// request left this process (no connection, the sender's window closed, the caller gave up in time); class unknown
// says that some did.
//
// The caller's cancellation counts only until the first byte. After it the call runs to its own timeout, because an
// answer is worth more than a quick end; callers leave it that time.
func (c *Client) CommitCall(ctx context.Context, request Request) (Response, error) {
	started := c.Now()
	gate := &gate{ctx: ctx, clock: c.config.Clock}
	call, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeoutOf(request, c.config.CommitTimeout))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		if gate.shut(context.Cause(ctx)) {
			cancel()
		}
	})()

	transport := c.commitTransport(gate)
	defer transport.CloseIdleConnections()
	response, err := c.exchange(call, httpClient(transport), request)
	response.commit = true
	c.observe(ctx, request, response, started, err)
	if err != nil {
		return Response{}, c.commitFailure(gate, err)
	}
	if err := failpoint.Hit(ctx, pointAfterResponse); err != nil {
		return Response{}, c.OutcomeUnknown(err)
	}
	return response, nil
}

// commitTransport makes one HTTP/1.1 connection for one request. The request is never repeated by the library: it
// only repeats on connections that were used before.
func (c *Client) commitTransport(gate *gate) *http.Transport {
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := c.config.Dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &gatedConn{Conn: conn, gate: gate}, nil
		},
		DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := c.dialTLS(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &gatedConn{Conn: conn, gate: gate}, nil
		},
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxAnswerHeader,
	}
}

func (c *Client) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*c.config.DialTimeout)
	defer cancel()
	raw, err := c.config.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	conn := tls.Client(raw, c.tlsConfig(c.base.Hostname()))
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, fmt.Errorf("TLS handshake: %w", err)
	}
	return conn, nil
}

func (c *Client) commitFailure(gate *gate, err error) error {
	nothingSent, refusal := gate.seal()
	switch {
	case errors.Is(err, errNotBuilt):
		return c.notBuilt(err)
	case !nothingSent:
		return c.OutcomeUnknown(err)
	case errors.Is(refusal, errWindowClosed):
		return &platform.Failure{
			Class: platform.ClassTransient, Code: CodeSendWindowClosed,
			Message: "The post was not sent in its time window; the service will try again.", Cause: refusal,
		}
	case refusal != nil:
		return c.Unavailable(refusal)
	default:
		return c.Unavailable(err)
	}
}
