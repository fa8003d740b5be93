package httpcall

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/platform"
)

// CodeRequestInvalid is the code of a request that could not be built.
const CodeRequestInvalid = "REQUEST_INVALID"

// longestText bounds what of a network's words enters a log, in bytes.
const longestText = 300

var errNotBuilt = errors.New("the request could not be built")

// wireError is what is left of a transport's error: its text without credentials, and its kind. The original is not
// kept, because a url.Error prints the address, and an address may hold a token.
type wireError struct {
	text  string
	kind  error
	begun bool // the answer had begun
}

func (e *wireError) Error() string { return e.text }
func (e *wireError) Unwrap() error { return e.kind }

// clean keeps the kind of the error (timeout, cancellation, dial) and a text that is safe to log.
func clean(err error, hide *strings.Replacer) *wireError {
	if wrapper, ok := errors.AsType[*url.Error](err); ok {
		err = wrapper.Err
	}
	text := printable(hide.Replace(err.Error()))
	cleaned := &wireError{text: text[:min(len(text), longestText)]}
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled):
		cleaned.kind = context.Canceled
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		cleaned.kind = context.DeadlineExceeded
	}
	return cleaned
}

// begun marks the error of an answer that was cut.
func begun(err *wireError) error {
	err.begun = true
	return err
}

func answerBegun(err error) bool {
	cut, ok := errors.AsType[*wireError](err)
	return ok && cut.begun
}

// Unavailable is the failure of a call that did nothing: the network could not be reached, or it said so.
func (c *Client) Unavailable(cause error) *platform.Failure {
	return c.Fail(platform.ClassTransient, post.ErrorPlatformDown, cause,
		"%s could not be reached.", c.config.Name)
}

// OutcomeUnknown is the failure of an irrevocable call that may have taken effect.
func (c *Client) OutcomeUnknown(cause error) *platform.Failure {
	return c.Fail(platform.ClassUnknown, post.ErrorOutcomeUnknown, cause,
		"%s did not confirm whether the post was published.", c.config.Name)
}

// Unclear is the failure of an answer that does not tell what happened: unknown for the irrevocable call, transient
// for any other.
func (c *Client) Unclear(response Response, reason string) *platform.Failure {
	if response.commit {
		return c.OutcomeUnknown(response.Cause(reason))
	}
	return c.Unavailable(response.Cause(reason))
}

// RateLimited is the failure of a call that must wait; until is zero when the network did not say how long.
func (c *Client) RateLimited(until time.Time, cause error) *platform.Failure {
	failure := c.Fail(platform.ClassRateLimited, post.ErrorRateLimited, cause,
		"%s limits how often this account may publish.", c.config.Name)
	failure.Until = until
	return failure
}

// Refresh is the failure of an access token that is no longer accepted.
func (c *Client) Refresh(cause error) *platform.Failure {
	return c.Fail(platform.ClassRefresh, "TOKEN_EXPIRED", cause, "The connection to %s has to be renewed.", c.config.Name)
}

// Reconnect is the failure of a connection that only a person can restore.
func (c *Client) Reconnect(cause error) *platform.Failure {
	return c.Fail(platform.ClassReconnect, post.ErrorNeedsReconnect, cause,
		"%s no longer accepts this connection. Connect the channel again.", c.config.Name)
}

// Fail makes a failure with a message for the tenant.
func (c *Client) Fail(class platform.Class, code string, cause error, format string, args ...any) *platform.Failure {
	return &platform.Failure{Class: class, Code: code, Message: fmt.Sprintf(format, args...), Cause: cause}
}

func (c *Client) notBuilt(cause error) *platform.Failure {
	return c.Fail(platform.ClassRejected, CodeRequestInvalid, cause,
		"The request to %s could not be built from this channel's data. Connect the channel again.", c.config.Name)
}

// Cause describes the answer for the log: why it was not taken, its status and, of an error, the start of its body. The
// body of a success holds what tenants wrote and stays out of logs.
func (r Response) Cause(reason string) error {
	if r.OK() {
		return fmt.Errorf("%s: status %d, body of %d bytes", reason, r.Status, len(r.Body))
	}
	return fmt.Errorf("%s: status %d, body %s", reason, r.Status, r.Excerpt())
}

// Excerpt is the start of the body in quotes, without credentials, on one line.
func (r Response) Excerpt() string {
	text := string(r.Body)
	if r.hide != nil {
		text = r.hide.Replace(text)
	}
	return fmt.Sprintf("%q", text[:min(len(text), longestText)])
}

// printable puts text on one line without control characters.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
