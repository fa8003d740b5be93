package objectstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/minio/minio-go/v7"
)

// Kinds of errors, for use with errors.Is. Any other error is a problem of the configuration or of the call: a missing
// bucket, rejected credentials, an invalid key.
var (
	// ErrNotFound means that no object exists under the key. If the credentials may not list the bucket, some stores
	// deny access instead.
	ErrNotFound = errors.New("no such object")
	// ErrUnavailable means that the store did not respond, or that its response promises success later. The call may
	// have taken effect nevertheless.
	ErrUnavailable = errors.New("object store unavailable")
	// ErrFull means that the store has no space for the object.
	ErrFull = errors.New("object store full")
	// ErrChanged means that the object is not the version that the caller expected.
	ErrChanged = errors.New("object changed")
)

// The reasons why a call ended before its caller's context did.
var (
	errNoResponse = errors.New("no response in time")
	errStalled    = errors.New("the transfer stalled")
)

const longestText = 300

// codePattern is the form of an S3 error code. Other codes come from another server on the way.
var codePattern = regexp.MustCompile(`^[A-Za-z0-9]{3,64}$`)

// storeError keeps the kinds of a library error and a text without URLs and credentials. The original is dropped,
// because its parts print such details.
type storeError struct {
	text  string
	kinds []error
}

func (e *storeError) Error() string   { return e.text }
func (e *storeError) Unwrap() []error { return e.kinds }

// failure classifies the library's error for a call with this context.
func (s *Store) failure(call context.Context, operation, subject string, err error) error {
	text, kinds := explain(call, err)
	return &storeError{text: "objectstore: " + operation + " " + subject + ": " + text, kinds: kinds}
}

func explain(call context.Context, err error) (string, []error) {
	var response minio.ErrorResponse
	switch cause := context.Cause(call); {
	case errors.Is(cause, errNoResponse), errors.Is(cause, errStalled):
		return cause.Error(), []error{ErrUnavailable}
	case errors.Is(cause, context.DeadlineExceeded):
		return "no response before the deadline", []error{ErrUnavailable, context.DeadlineExceeded}
	case cause != nil:
		return "cancelled", []error{context.Canceled}
	case errors.As(err, &response):
		return describe(response), kindsOf(response)
	case isConnection(err):
		return connectionText(err), []error{ErrUnavailable}
	}
	return printable(err.Error()), nil
}

// isConnection reports whether the error comes from the connection to the store, not from an invalid response.
func isConnection(err error) bool {
	var address *url.Error
	var network net.Error
	return errors.As(err, &address) || errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF)
}

// connectionText returns the error without the URL: the subject already names the path, and the operator configured the
// host.
func connectionText(err error) string {
	if wrapper, ok := errors.AsType[*url.Error](err); ok {
		err = wrapper.Err
	}
	return printable(err.Error())
}

func kindsOf(response minio.ErrorResponse) []error {
	switch response.Code {
	case "NoSuchKey":
		return []error{ErrNotFound}
	case "PreconditionFailed":
		return []error{ErrChanged}
	case "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded":
		return []error{ErrFull}
	case "RequestTimeout", "SlowDown":
		return []error{ErrUnavailable}
	}
	switch status := response.StatusCode; {
	case status == http.StatusInsufficientStorage:
		return []error{ErrFull}
	case status == http.StatusPreconditionFailed:
		return []error{ErrChanged}
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests,
		status >= http.StatusInternalServerError && status != http.StatusNotImplemented:
		return []error{ErrUnavailable}
	}
	return nil
}

// describe includes the store's own message only if the response has the form of S3, because a proxy's error page might
// echo the request.
func describe(response minio.ErrorResponse) string {
	if !codePattern.MatchString(response.Code) {
		return fmt.Sprintf("status %d", response.StatusCode)
	}
	text := fmt.Sprintf("%s (status %d)", response.Code, response.StatusCode)
	if response.Message != "" {
		text += ": " + printable(response.Message)
	}
	if codePattern.MatchString(response.RequestID) {
		text += ", request " + response.RequestID
	}
	return text
}

// printable converts text to one short line without control characters.
func printable(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if len(text) > longestText {
		text = strings.ToValidUTF8(text[:longestText], "") + "…"
	}
	return text
}
