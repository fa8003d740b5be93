package httpcall

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// errTooLarge is the error for a response above the size limit.
var errTooLarge = errors.New("the response is larger than 1 MiB")

// Call makes a call that may be repeated. It returns the complete response of any status. If there is none, it returns
// a *platform.Failure of class transient.
//
// A streamed body is sent once, on its own connection. If the body fails because of the service's own file, the Failure
// is that of the file.
func (c *Client) Call(ctx context.Context, request Request) (Response, error) {
	started := c.Now()
	body, err := c.outgoing(request)
	if err != nil {
		return Response{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeoutOf(request, c.config.CallTimeout)+body.transferTime())
	defer cancel()

	client := c.calls
	if body != nil {
		transport := c.oneConnection(func(conn net.Conn) net.Conn { return conn })
		defer transport.CloseIdleConnections() // also cancels a pending connection attempt
		client = httpClient(transport)
	}
	response, err := c.exchange(ctx, client, request, body)
	c.observe(ctx, request, response, started, err)
	_, broken := body.finish()
	switch {
	case err == nil:
		return response, nil
	case errors.Is(err, errNotBuilt):
		return Response{}, c.notBuilt(err)
	case broken != nil:
		return Response{}, c.unreadable(request, broken)
	default:
		return Response{}, c.Unavailable(err)
	}
}

// exchange sends the request and reads the complete response. Its error contains no credentials and no raw text.
func (c *Client) exchange(ctx context.Context, client *http.Client, request Request, body *stream) (Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	built, err := c.build(ctx, request)
	if err != nil {
		return Response{}, &wireError{text: errNotBuilt.Error() + ": " + err.Error(), kind: errNotBuilt}
	}
	body.attach(built, c.config.StallTimeout, cancel)
	hide := request.replacer()
	response, err := client.Do(built)
	if err != nil {
		return Response{}, clean(because(ctx, err), hide)
	}
	defer func() { _ = response.Body.Close() }()

	received, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err != nil {
		return Response{}, begun(clean(because(ctx, err), hide))
	}
	if len(received) > maxResponse {
		return Response{}, begun(&wireError{text: errTooLarge.Error(), kind: errTooLarge})
	}
	return Response{Status: response.StatusCode, Header: response.Header, Body: received, hide: hide}, nil
}

func (c *Client) observe(ctx context.Context, request Request, response Response, started time.Time, err error) {
	if c.config.Observe == nil {
		return
	}
	c.config.Observe(ctx, Exchange{
		Network:   c.config.Network,
		Operation: request.Operation,
		Commit:    response.commit,
		Status:    response.Status,
		Duration:  c.Now().Sub(started),
		Err:       err,
	})
}

func timeoutOf(request Request, preset time.Duration) time.Duration {
	if request.Timeout > 0 {
		return min(request.Timeout, preset)
	}
	return preset
}
