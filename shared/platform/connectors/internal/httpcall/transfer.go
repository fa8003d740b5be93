package httpcall

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"socialpub.internal/shared/platform"
)

// DefaultStallTimeout is how long a body may make no progress.
const DefaultStallTimeout = 30 * time.Second

// stalled is the end of a call whose body made no progress.
func stalled(patience time.Duration) error {
	return &wireError{text: fmt.Sprintf("the transfer stalled for %s", patience), kind: context.DeadlineExceeded}
}

// because is why the context ended where that is what ended the body, and the error otherwise.
func because(ctx context.Context, err error) error {
	if errors.Is(err, errEnded) {
		return context.Cause(ctx)
	}
	return err
}

// outgoing opens the request's body, if it has one to be streamed: before anything else, because opening may take its
// time and may fail, and neither must happen to a request that is on its way.
func (c *Client) outgoing(request Request) (*stream, error) {
	body, err := request.streamed()
	if err != nil {
		return nil, c.notBuilt(&wireError{text: errNotBuilt.Error() + ": " + err.Error(), kind: errNotBuilt})
	}
	if len(body.sources) == 0 {
		return nil, nil //nolint:nilnil // no body is no failure
	}
	opened, err := body.open()
	if err != nil {
		return nil, c.unreadable(request, err)
	}
	return opened, nil
}

// Unreadable is the failure of a file of our own, which the network has not received: the error's own Failure, unless that
// does not know that nothing was published.
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

// finish ends the body of a call that is over.
func (s *stream) finish() (incomplete bool, fault error) {
	if s == nil {
		return false, nil
	}
	_ = s.Close()
	return s.outcome()
}

// timeout is what the body adds to the call's.
func (s *stream) timeout() time.Duration {
	if s == nil {
		return 0
	}
	return platform.TransferTime(s.size)
}

// attach makes the stream the request's body, which ends with the call's context or is given up by cancel when it stalls.
// Without GetBody no library can send it a second time.
func (s *stream) attach(request *http.Request, patience time.Duration, cancel context.CancelCauseFunc) {
	if s == nil {
		return
	}
	s.watched(patience, cancel)
	context.AfterFunc(request.Context(), func() { _ = s.Close() })
	request.Header.Set("Content-Type", s.contentType)
	if s.size > 0 {
		request.Body, request.ContentLength = s, s.size
	}
}
