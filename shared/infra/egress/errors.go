package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
)

// Class is the kind of a failure, as a word that may be shown to the tenant and used as a metric label.
type Class string

// The classes of failures.
const (
	ClassBlockedURL        Class = "blocked_url"        // the text of the URL violates a rule
	ClassBlockedAddress    Class = "blocked_address"    // the URL leads to an address that is not public
	ClassDNS               Class = "dns_error"          // the name does not resolve
	ClassTimeout           Class = "timeout"            // the time was exceeded
	ClassTLS               Class = "tls_error"          // no trusted TLS connection could be made
	ClassConnectionRefused Class = "connection_refused" // no connection could be made
	ClassConnectionReset   Class = "connection_reset"   // the connection ended before the response was complete
	ClassTooLarge          Class = "too_large"          // the response or its header exceeds its limit
	ClassProtocol          Class = "protocol_error"     // the response is not valid HTTP
	ClassCanceled          Class = "canceled"           // the caller canceled; not caused by the destination
	ClassRedirects         Class = "too_many_redirects" // a download was redirected too often
	ClassStatus            Class = "unexpected_status"  // a download received a status other than 200
)

// Stage is the stage that a request reached.
type Stage string

// The stages of a request, in order.
const (
	StageParse    Stage = "parse"
	StageResolve  Stage = "resolve"
	StageDial     Stage = "dial"
	StageExchange Stage = "exchange" // TLS and HTTP
)

// Error is the failure of a request. Its text is safe to show: it consists of the class and Reason, and never contains
// a resolved address or the text of Cause.
type Error struct {
	Class  Class
	Stage  Stage
	Reason string // a fixed sentence
	Status int    // status of the response if the class is unexpected_status; otherwise zero
	Cause  error  // for the operators' log; may contain addresses; may be nil
}

// Error returns the class and the reason.
func (e *Error) Error() string { return string(e.Class) + ": " + e.Reason }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// ClassOf returns the class of an error of this package, and an empty class for any other error.
func ClassOf(err error) Class {
	var known *Error
	if errors.As(err, &known) {
		return known.Class
	}

	return ""
}

// reasons holds the sentences of classes that need no specific reason.
var reasons = map[Class]string{
	ClassBlockedAddress:    "the address is not public",
	ClassDNS:               "the host name does not resolve",
	ClassTimeout:           "no complete response arrived in time",
	ClassTLS:               "the TLS handshake or the certificate failed",
	ClassConnectionRefused: "the connection failed",
	ClassConnectionReset:   "the connection was closed before the response was complete",
	ClassTooLarge:          "the header of the response is too large",
	ClassProtocol:          "the response is not valid HTTP",
	ClassCanceled:          "the request was canceled",
	ClassRedirects:         "it has too many redirects",
}

func newError(class Class, stage Stage, cause error) *Error {
	return &Error{Class: class, Stage: stage, Reason: reasons[class], Cause: cause}
}

// because is newError with a specific reason.
func because(class Class, reason string, cause error) *Error {
	return &Error{Class: class, Stage: StageExchange, Reason: reason, Cause: cause}
}

// blockedURL returns the error of a URL that the parse gate rejects.
func blockedURL(reason string) *Error {
	return &Error{Class: ClassBlockedURL, Stage: StageParse, Reason: reason}
}

// classify converts the failure of an exchange to an *Error. The context is that of the exchange: if it has ended, that
// is the reason, whatever failed as a result.
func classify(ctx context.Context, err error) *Error {
	var known *Error

	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(ctx.Err(), context.Canceled):
		return newError(ClassCanceled, StageExchange, err)
	case ctx.Err() != nil || isTimeout(err):
		return newError(ClassTimeout, StageExchange, err)
	case isAlert(err):
		return newError(ClassTLS, StageExchange, err)
	case isReset(err):
		return newError(ClassConnectionReset, StageExchange, err)
	default:
		return newError(ClassProtocol, StageExchange, err)
	}
}

func isTimeout(err error) bool {
	var timed net.Error

	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timed) && timed.Timeout()
}

// isAlert reports whether the error is a TLS alert, sent or received. It checks the name of the operation, because the
// alert type is not exported.
func isAlert(err error) bool {
	var failed *net.OpError

	return errors.As(err, &failed) && (failed.Op == "remote error" || failed.Op == "local error")
}

func isReset(err error) bool {
	for _, sign := range []error{
		io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE,
	} {
		if errors.Is(err, sign) {
			return true
		}
	}

	return false
}
