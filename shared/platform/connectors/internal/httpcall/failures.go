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

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// CodeRequestInvalid is the code of a request that could not be built.
const CodeRequestInvalid = "REQUEST_INVALID"

// longestText is the maximum length of a network's text in a log, in bytes.
const longestText = 300

var errNotBuilt = errors.New("the request could not be built")

// wireError replaces a transport's error. It keeps the text without credentials, and the kind. It does not keep the
// original, because a url.Error prints the URL, and a URL may contain a token.
type wireError struct {
	text  string
	kind  error
	begun bool // the response had started
}

func (e *wireError) Error() string { return e.text }
func (e *wireError) Unwrap() error { return e.kind }

// clean keeps the kind of the error (timeout or cancellation) and a text that is safe to log.
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

// begun marks the error as one of an incomplete response.
func begun(err *wireError) error {
	err.begun = true
	return err
}

func responseBegun(err error) bool {
	cut, ok := errors.AsType[*wireError](err)
	return ok && cut.begun
}

// Unavailable returns the failure of a call that had no effect: the network could not be reached, or reported that it
// is unavailable.
func (c *Client) Unavailable(cause error) *platform.Failure {
	return c.Fail(platform.ClassTransient, post.ErrorPlatformDown, cause,
		"%s could not be reached.", c.config.Name)
}

// OutcomeUnknown returns the failure of an irrevocable call that may have taken effect.
func (c *Client) OutcomeUnknown(cause error) *platform.Failure {
	return c.Fail(platform.ClassUnknown, post.ErrorOutcomeUnknown, cause,
		"%s did not confirm whether the post was published.", c.config.Name)
}

// Unclear returns the failure for a response that does not show the outcome: unknown for the irrevocable call,
// transient for any other.
func (c *Client) Unclear(response Response, reason string) *platform.Failure {
	if response.commit {
		return c.OutcomeUnknown(response.Cause(reason))
	}
	return c.Unavailable(response.Cause(reason))
}

// RateLimited returns the failure of a call that must wait. The time until is zero if the network did not report it.
func (c *Client) RateLimited(until time.Time, cause error) *platform.Failure {
	failure := c.Fail(platform.ClassRateLimited, post.ErrorRateLimited, cause,
		"%s limits how often this account may publish.", c.config.Name)
	failure.Until = until
	return failure
}

// Refresh returns the failure for an access token that is no longer accepted.
func (c *Client) Refresh(cause error) *platform.Failure {
	return c.Fail(platform.ClassRefresh, "TOKEN_EXPIRED", cause, "The connection to %s has to be renewed.", c.config.Name)
}

// Reconnect returns the failure for a connection that only a user can restore.
func (c *Client) Reconnect(cause error) *platform.Failure {
	return c.Fail(platform.ClassReconnect, post.ErrorNeedsReconnect, cause,
		"%s no longer accepts this connection. Connect the channel again.", c.config.Name)
}

// ReadRefused returns the failure for a list of the account's posts that the network does not show to this connection,
// given the failure as classified for other calls and the permission that the list needs. Publishing may work without
// that permission, so the refusal says nothing about the connection. Any other failure is returned unchanged.
func (c *Client) ReadRefused(failure *platform.Failure, permission string) *platform.Failure {
	if failure.Class != platform.ClassReconnect {
		return failure
	}
	return c.Fail(platform.ClassUser, platform.CodeReadRefused, failure.Cause,
		"%s does not show this connection the account's posts. Connect the channel again with the permission %s.",
		c.config.Name, permission)
}

// Fail returns a failure with a message for the tenant.
func (c *Client) Fail(class platform.Class, code string, cause error, format string, args ...any) *platform.Failure {
	return &platform.Failure{Class: class, Code: code, Message: fmt.Sprintf(format, args...), Cause: cause}
}

func (c *Client) notBuilt(cause error) *platform.Failure {
	return c.Fail(platform.ClassRejected, CodeRequestInvalid, cause,
		"The request to %s could not be built from this channel's data. Connect the channel again.", c.config.Name)
}

// Cause describes the response for the log: the reason, the status and, for an error, the start of the body. The body
// of a success contains tenants' content and is not logged.
func (r Response) Cause(reason string) error {
	if r.OK() {
		return fmt.Errorf("%s: status %d, body of %d bytes", reason, r.Status, len(r.Body))
	}
	return fmt.Errorf("%s: status %d, body %s", reason, r.Status, r.Excerpt())
}

// Excerpt returns the start of the body, quoted, without credentials, on one line.
func (r Response) Excerpt() string {
	text := string(r.Body)
	if r.hide != nil {
		text = r.hide.Replace(text)
	}
	return fmt.Sprintf("%q", text[:min(len(text), longestText)])
}

// printable replaces control characters with spaces.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
