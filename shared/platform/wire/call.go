package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// errTooLarge is the fault of an answer beyond the limit.
var errTooLarge = errors.New("the answer is larger than 1 MiB")

// Call makes a call that may be repeated. It returns the whole answer, whatever its status; a *platform.Failure of
// class transient when there is none.
func (c *Client) Call(ctx context.Context, request Request) (Response, error) {
	started := c.Now()
	ctx, cancel := context.WithTimeout(ctx, timeoutOf(request, c.config.CallTimeout))
	defer cancel()

	response, err := c.exchange(ctx, c.calls, request)
	c.observe(ctx, request, response, started, err)
	if errors.Is(err, errNotBuilt) {
		return Response{}, c.notBuilt(err)
	}
	if err != nil {
		return Response{}, c.Unavailable(err)
	}
	return response, nil
}

// exchange sends the request and reads the whole answer. Its error is free of credentials and raw text.
func (c *Client) exchange(ctx context.Context, client *http.Client, request Request) (Response, error) {
	built, err := c.build(ctx, request)
	if err != nil {
		return Response{}, &wireError{text: errNotBuilt.Error() + ": " + err.Error(), kind: errNotBuilt}
	}
	hide := request.replacer()
	answer, err := client.Do(built)
	if err != nil {
		return Response{}, clean(err, hide)
	}
	defer func() { _ = answer.Body.Close() }()

	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err != nil {
		return Response{}, clean(err, hide)
	}
	if len(body) > maxAnswer {
		return Response{}, &wireError{text: errTooLarge.Error(), kind: errTooLarge}
	}
	return Response{Status: answer.StatusCode, Header: answer.Header, Body: body, hide: hide}, nil
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
