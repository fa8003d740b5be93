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

// Kinds of errors, to be matched with errors.Is. An error of none of these kinds is a fault of the configuration or of the
// call: a missing bucket, refused credentials, an invalid key.
var (
	// ErrNotFound means that there is no object under the key. Stores that do not let the credentials list the bucket
	// refuse access instead.
	ErrNotFound = errors.New("no such object")
	// ErrUnavailable means that the store gave no answer, or one that promises success at another time. What the call
	// should have changed may have happened nevertheless.
	ErrUnavailable = errors.New("object store unavailable")
	// ErrFull means that the store has no room for the object.
	ErrFull = errors.New("object store full")
	// ErrChanged means that the object is not the one the caller spoke of.
	ErrChanged = errors.New("object changed")
)

// Why a call ended before its caller's context did.
var (
	errNoAnswer = errors.New("no answer in time")
	errStalled  = errors.New("the transfer stalled")
)

const longestText = 300

// codePattern is the form of an S3 error code. What has another form came from something else on the way.
var codePattern = regexp.MustCompile(`^[A-Za-z0-9]{3,64}$`)

// storeError is what is left of an error of the library: its kinds, and a text without addresses and credentials. The
// original is dropped, because its parts print what they know.
type storeError struct {
	text  string
	kinds []error
}

func (e *storeError) Error() string   { return e.text }
func (e *storeError) Unwrap() []error { return e.kinds }

// failure classifies what the library returned for a call with this context.
func (s *Store) failure(call context.Context, operation, subject string, err error) error {
	text, kinds := explain(call, err)
	return &storeError{text: "objectstore: " + operation + " " + subject + ": " + text, kinds: kinds}
}

func explain(call context.Context, err error) (string, []error) {
	var answer minio.ErrorResponse
	switch cause := context.Cause(call); {
	case errors.Is(cause, errNoAnswer), errors.Is(cause, errStalled):
		return cause.Error(), []error{ErrUnavailable}
	case errors.Is(cause, context.DeadlineExceeded):
		return "no answer before the deadline", []error{ErrUnavailable, context.DeadlineExceeded}
	case cause != nil:
		return "cancelled", []error{context.Canceled}
	case errors.As(err, &answer):
		return describe(answer), kindsOf(answer)
	case isConnection(err):
		return connectionText(err), []error{ErrUnavailable}
	}
	return printable(err.Error()), nil
}

// isConnection tells errors of the way to the store from answers that make no sense.
func isConnection(err error) bool {
	var address *url.Error
	var network net.Error
	return errors.As(err, &address) || errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF)
}

// connectionText leaves out the address: its path is the subject, its host says what the operator configured.
func connectionText(err error) string {
	if wrapper, ok := errors.AsType[*url.Error](err); ok {
		err = wrapper.Err
	}
	return printable(err.Error())
}

func kindsOf(answer minio.ErrorResponse) []error {
	switch answer.Code {
	case "NoSuchKey":
		return []error{ErrNotFound}
	case "PreconditionFailed":
		return []error{ErrChanged}
	case "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded":
		return []error{ErrFull}
	case "RequestTimeout", "SlowDown":
		return []error{ErrUnavailable}
	}
	switch status := answer.StatusCode; {
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

// describe shows the store's own words only when the answer has the form of S3: a page of a proxy might echo the request.
func describe(answer minio.ErrorResponse) string {
	if !codePattern.MatchString(answer.Code) {
		return fmt.Sprintf("status %d", answer.StatusCode)
	}
	text := fmt.Sprintf("%s (status %d)", answer.Code, answer.StatusCode)
	if answer.Message != "" {
		text += ": " + printable(answer.Message)
	}
	if codePattern.MatchString(answer.RequestID) {
		text += ", request " + answer.RequestID
	}
	return text
}

// printable puts text on one short line without control characters.
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
