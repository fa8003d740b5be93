package httpcall

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"fencepost.internal/shared/platform"
)

// DefaultStallTimeout is the longest time that a body may make no progress.
const DefaultStallTimeout = 30 * time.Second

// stalled returns the error of a call whose body made no progress.
func stalled(timeout time.Duration) error {
	return &wireError{text: fmt.Sprintf("the transfer stalled for %s", timeout), kind: context.DeadlineExceeded}
}

// because returns the context's cause if the end of the context ended the body, and err otherwise.
func because(ctx context.Context, err error) error {
	if errors.Is(err, errEnded) {
		return context.Cause(ctx)
	}
	return err
}

// outgoing opens the request's streamed body, if it has one. This happens first, because opening may be slow or fail,
// and neither may happen after the request has started.
func (c *Client) outgoing(request Request) (*stream, error) {
	body, err := request.streamed()
	if err != nil {
		return nil, c.notBuilt(&wireError{text: errNotBuilt.Error() + ": " + err.Error(), kind: errNotBuilt})
	}
	if len(body.sources) == 0 {
		return nil, nil //nolint:nilnil // nil means that there is no body, which is not a failure
	}
	opened, err := body.open()
	if err != nil {
		return nil, c.unreadable(request, err)
	}
	return opened, nil
}

// Unreadable returns the failure for a file of the service's own storage that the network has not received. It returns
// the Failure in cause's chain, unless that one is of ClassUnknown.
func (c *Client) Unreadable(cause error) *platform.Failure {
	if own, ok := errors.AsType[*platform.Failure](cause); ok && own.Class != platform.ClassUnknown {
		return own
	}
	return c.Fail(platform.ClassTransient, platform.CodeMediaUnreadable, cause,
		"A file of this post could not be read.")
}

func (c *Client) unreadable(request Request, err error) error {
	if _, ok := errors.AsType[*platform.Failure](err); !ok {
		err = clean(err, request.replacer())
	}
	return c.Unreadable(err)
}

// finish closes the body of a finished call and returns its outcome.
func (s *stream) finish() (incomplete bool, fault error) {
	if s == nil {
		return false, nil
	}
	_ = s.Close()
	return s.outcome()
}

// transferTime returns the time that the body adds to the call's timeout.
func (s *stream) transferTime() time.Duration {
	if s == nil {
		return 0
	}
	return platform.TransferTime(s.size)
}

// attach sets the stream as the request's body. The body is closed when the call's context ends. If it stalls, cancel
// is called. Because GetBody is not set, net/http cannot send the body a second time.
func (s *stream) attach(request *http.Request, timeout time.Duration, cancel context.CancelCauseFunc) {
	if s == nil {
		return
	}
	s.watched(timeout, cancel)
	context.AfterFunc(request.Context(), func() { _ = s.Close() })
	request.Header.Set("Content-Type", s.contentType)
	if s.size > 0 {
		request.Body, request.ContentLength = s, s.size
	}
}
