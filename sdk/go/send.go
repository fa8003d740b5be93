package fencepost

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// request is sent by every try.
type request struct {
	method, url string
	header      http.Header
	body        func() io.Reader // nil for no body
	size        int64
	repeatable  bool
}

type response struct {
	status int
	header http.Header
	body   []byte
}

// decode decodes a success.
func (r *response) decode(into any) error {
	if err := json.Unmarshal(r.body, into); err != nil {
		return &Error{
			Kind: KindDecode, Status: r.status, RequestID: r.header.Get("X-Request-Id"),
			Detail: "the response is not the expected JSON", cause: err,
		}
	}
	return nil
}

// send makes tries until one succeeds, another one cannot help, or all are used. The response is nil without one.
func (c *Client) send(ctx context.Context, r request) (*response, error) {
	lost := false // a try without a response may have taken effect
	for n := 0; ; n++ {
		got, err := c.try(ctx, r)
		if err == nil {
			return got, nil
		}
		err.Attempts = n + 1
		if r.method == http.MethodDelete && err.Status == http.StatusNotFound && lost {
			return got, nil // the lost try has deleted it
		}
		lost = lost || err.Kind == KindTimeout || err.Kind == KindConnection && !notSent(err)
		if !r.mayRepeat(err) || n+1 >= c.maxAttempts || err.RetryAfter > longestRetryAfter {
			return got, err
		}
		if cause := c.clock.Sleep(ctx, wait(n, err)); cause != nil {
			return got, ended(cause)
		}
	}
}

// mayRepeat reports whether another try can succeed and has no second effect.
func (r *request) mayRepeat(err *Error) bool {
	if !err.transient() {
		return false
	}
	return r.repeatable || err.Kind == KindConnection && notSent(err)
}

// notSent reports whether no connection was made.
func notSent(err error) bool {
	var failed *net.OpError
	return errors.As(err, &failed) && failed.Op == "dial"
}

// try sends the request once.
func (c *Client) try(ctx context.Context, r request) (*response, *Error) {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(c.timeout, func() { cancel(errTimeout) })
	defer watch.Stop()
	got, err := c.roundTrip(limited, r, func() { watch.Reset(c.timeout) })
	switch {
	case err == nil && got.status < http.StatusMultipleChoices:
		return got, nil
	case err == nil:
		return got, c.problem(got)
	case ctx.Err() != nil:
		return nil, ended(ctx.Err())
	case errors.Is(context.Cause(limited), errTimeout):
		return nil, &Error{Kind: KindTimeout, Detail: "no response within " + c.timeout.String(), cause: err}
	default:
		return nil, &Error{Kind: KindConnection, Detail: "the connection failed", cause: err}
	}
}

var errTimeout = errors.New("the try took too long")

// roundTrip sends the request and reads the response. Progress is called when bytes of the body are sent.
func (c *Client) roundTrip(ctx context.Context, r request, progress func()) (*response, error) {
	var body io.Reader
	if r.body != nil {
		body = &movingReader{from: r.body(), moved: progress}
	}
	out, err := http.NewRequestWithContext(ctx, r.method, r.url, body)
	if err != nil {
		return nil, err
	}
	out.Header = r.header.Clone()
	out.Header.Set("User-Agent", "fencepost-go/"+Version)
	out.ContentLength = r.size
	got, err := c.http.Do(out)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close()
	raw, err := io.ReadAll(got.Body)
	return &response{status: got.StatusCode, header: got.Header, body: raw}, err
}

// movingReader reports every read.
type movingReader struct {
	from  io.Reader
	moved func()
}

func (m *movingReader) Read(into []byte) (int, error) {
	n, err := m.from.Read(into)
	m.moved()
	return n, err
}
