package httpcall

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"

	"socialpub.internal/shared/kernel/failpoint"
	"socialpub.internal/shared/platform"
)

// CommitCall makes the irrevocable call, once, on a connection of its own. It returns the whole answer, whatever its
// status. Without one, its *platform.Failure tells what is certain: class transient promises that the network did not
// get the request (no connection, the sender's window closed, the caller gave up in time, a body that broke off); class
// unknown says that it may have.
//
// The caller's cancellation counts only until the first byte. After it the call runs to its own timeout, because an
// answer is worth more than a quick end; callers leave it that time, and platform.TransferTime for a body.
//
// A body that is streamed is opened before the call connects. When that fails, or the body breaks off for our own sake,
// the Failure is that of the file.
func (c *Client) CommitCall(ctx context.Context, request Request) (Response, error) {
	started := c.Now()
	body, err := c.outgoing(request)
	if err != nil {
		return Response{}, err
	}
	gate := &gate{ctx: ctx, clock: c.config.Clock}
	timeout := timeoutOf(request, c.config.CommitTimeout) + body.timeout()
	call, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		if gate.shut(context.Cause(ctx)) {
			cancel()
		}
	})()

	transport := c.oneConnection(func(conn net.Conn) net.Conn { return &gatedConn{Conn: conn, gate: gate} })
	defer transport.CloseIdleConnections() // ends an attempt to connect too
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

// oneConnection makes one HTTP/1.1 connection for one request. The request is never repeated by the library: it only
// repeats on connections that were used before. Every connection is wrapped: above TLS, where there is TLS.
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

// commitFailure says what is certain about a call that got no whole answer; nil when it got one.
//
// A body whose last byte never reached the connection is no request: whoever gets less than its Content-Length must take
// it for incomplete and close the connection (RFC 9112, 6.3 and 8). So nothing was published, although bytes were sent.
// That is not claimed once the network has begun to answer: then it spoke without waiting for the end.
func (c *Client) commitFailure(gate *gate, request Request, body *stream, err error) error {
	nothingSent, refusal := gate.seal()
	incomplete, broken := body.finish()
	if err == nil {
		return nil
	}
	incomplete = incomplete && !answerBegun(err)
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
