package fencepost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind distinguishes errors by the part that failed.
type Kind string

// The kinds of errors.
const (
	KindAPI           Kind = "api"           // the API refused the request: Status, and mostly Code
	KindConnection    Kind = "connection"    // there was no complete response
	KindTimeout       Kind = "timeout"       // Options.Timeout, the caller's deadline, or the time of a wait ended
	KindCanceled      Kind = "cancelled"     // the caller's context was canceled
	KindDecode        Kind = "decode"        // a success was not the expected JSON
	KindValidation    Kind = "validation"    // the call was refused before it was sent
	KindConfiguration Kind = "configuration" // an option of the client is missing or invalid
	KindSignature     Kind = "signature"     // a delivery of a webhook is not genuine
)

// Error is every error of this package.
type Error struct {
	Kind Kind
	// Status is the HTTP status; 0 without a response.
	Status int
	// Code is that of the problem; empty if the response had none. Treat unknown ones by their status.
	Code   ProblemCode
	Detail string
	// Errors are the faults of a VALIDATION_FAILED.
	Errors []Fault
	// CurrentStatus is that of the resource, for INVALID_STATE.
	CurrentStatus string
	// References are the uses of a file, for MEDIA_IN_USE.
	References []Reference
	// PostID is the post that has the external ID, for EXTERNAL_ID_IN_USE.
	PostID string
	// RequestID is the X-Request-Id of the response, for support.
	RequestID string
	// RetryAfter is the wait that the service demands.
	RetryAfter time.Duration
	// Attempts is the number of tries.
	Attempts int

	hasRetryAfter bool
	byCaller      bool // the caller's deadline ended
	cause         error
}

// Error implements error.
func (e *Error) Error() string {
	text := []string{"fencepost"}
	if e.Kind == KindAPI {
		text = append(text, strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, e.Code)))
	}
	if e.Detail != "" {
		text = append(text, e.Detail)
	}
	if e.cause != nil {
		text = append(text, e.cause.Error())
	}
	if e.RequestID != "" {
		text = append(text, "request "+e.RequestID)
	}
	return strings.Join(text, ": ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Timeout reports whether time ran out, as net.Error has it.
func (e *Error) Timeout() bool { return e.Kind == KindTimeout }

// Temporary reports whether the same call may succeed later.
func (e *Error) Temporary() bool { return e.transient() }

// ended returns the error of a call whose context ended.
func ended(cause error) *Error {
	if errors.Is(cause, context.DeadlineExceeded) {
		return &Error{Kind: KindTimeout, Detail: "the deadline of the caller has passed", byCaller: true, cause: cause}
	}
	return &Error{Kind: KindCanceled, Detail: "the caller canceled the call", byCaller: true, cause: cause}
}

// problem returns the error of a response.
func (c *Client) problem(got *response) *Error {
	var problem Problem
	if json.Unmarshal(got.body, &problem) != nil {
		problem = Problem{} // a page of a proxy
	}
	out := &Error{
		Kind: KindAPI, Status: got.status, Code: problem.Code, Detail: problem.Detail, Errors: problem.Errors,
		CurrentStatus: problem.CurrentStatus, References: problem.References, PostID: problem.PostID, RequestID: problem.RequestID,
	}
	if out.RequestID == "" {
		out.RequestID = got.header.Get("X-Request-Id")
	}
	if problem.Code == "" {
		out.Detail = "the response has no problem document"
	}
	out.RetryAfter, out.hasRetryAfter = retryAfter(got.header, c.clock.Now())
	return out
}
