// Package apperr defines the service's errors: a code, a message that is safe to show to a tenant, and a wrapped cause
// that never leaves the process.
package apperr

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code identifies an error condition that a client can act on. The set is closed: one table maps codes to HTTP.
type Code string

// Error codes (docs/contract.md, Error codes).
const (
	MalformedRequest      Code = "MALFORMED_REQUEST"
	Unauthenticated       Code = "UNAUTHENTICATED"
	InsufficientScope     Code = "INSUFFICIENT_SCOPE"
	QuotaExceeded         Code = "QUOTA_EXCEEDED"
	NotFound              Code = "NOT_FOUND"
	MethodNotAllowed      Code = "METHOD_NOT_ALLOWED"
	NotAcceptable         Code = "NOT_ACCEPTABLE"
	UnsupportedMediaType  Code = "UNSUPPORTED_MEDIA_TYPE"
	MisdirectedRequest    Code = "MISDIRECTED_REQUEST"
	InvalidState          Code = "INVALID_STATE"
	ApprovalRequired      Code = "APPROVAL_REQUIRED"
	PublishInProgress     Code = "PUBLISH_IN_PROGRESS"
	MediaInUse            Code = "MEDIA_IN_USE"
	ExternalIDInUse       Code = "EXTERNAL_ID_IN_USE"
	IdempotencyInProgress Code = "IDEMPOTENCY_IN_PROGRESS"
	UploadNotReceived     Code = "UPLOAD_NOT_RECEIVED"
	PreconditionFailed    Code = "PRECONDITION_FAILED"
	PayloadTooLarge       Code = "PAYLOAD_TOO_LARGE"
	ValidationFailed      Code = "VALIDATION_FAILED"
	InvalidCursor         Code = "INVALID_CURSOR"
	ChannelNotPublishable Code = "CHANNEL_NOT_PUBLISHABLE"
	ChannelDisconnected   Code = "CHANNEL_DISCONNECTED"
	ChannelTypeMismatch   Code = "CHANNEL_TYPE_MISMATCH"
	ScheduledInPast       Code = "SCHEDULED_IN_PAST"
	NoFreeSlot            Code = "NO_FREE_SLOT"
	QueuePaused           Code = "QUEUE_PAUSED"
	IdempotencyKeyReused  Code = "IDEMPOTENCY_KEY_REUSED"
	UploadMismatch        Code = "UPLOAD_MISMATCH"
	ImportFailed          Code = "IMPORT_FAILED"
	RateLimited           Code = "RATE_LIMITED"
	Unavailable           Code = "UNAVAILABLE"
	Internal              Code = "INTERNAL"
)

// Field is one validation error of a request: its location (a JSON Pointer into the body, or a parameter's name) and a
// message.
type Field struct {
	Pointer string
	Message string
}

// Reference is a resource that uses the asset to be deleted.
type Reference struct {
	Type string
	ID   string
	Name string
}

// Error is an error with a code. Message is shown to the tenant; Cause is logged, never shown.
type Error struct {
	Code          Code
	Message       string
	Fields        []Field       // VALIDATION_FAILED: all errors at once
	CurrentStatus string        // state conflicts: the current status
	Scope         string        // INSUFFICIENT_SCOPE: the missing scope
	RetryAfter    time.Duration // UNAVAILABLE, RATE_LIMITED, IDEMPOTENCY_IN_PROGRESS: when to retry
	References    []Reference   // MEDIA_IN_USE: the resources that use the asset
	PostID        string        // EXTERNAL_ID_IN_USE: the post that has the ID
	ETag          string        // PRECONDITION_FAILED: the current entity tag
	Cause         error
}

// New returns an error with a message for the tenant.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap is like New, with a cause for the log.
func Wrap(cause error, code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Cause: cause}
}

// InUse returns a MEDIA_IN_USE error for an asset, with the resources that use it. The message lists them too
// (docs/contract.md, Media in use).
func InUse(id string, references []Reference) error {
	parts := make([]string, len(references))
	for i, r := range references {
		parts[i] = fmt.Sprintf("%s %s (%s)", strings.ToLower(strings.ReplaceAll(r.Type, "_", " ")), r.ID, r.Name)
	}
	used := strings.Join(parts, ", ")
	used = cmp.Or(used, "a resource that was created at the same time")
	return &Error{
		Code: MediaInUse, Message: fmt.Sprintf("Media asset %s is used by %s; remove it there first.", id, used),
		References: references,
	}
}

// Invalid returns a VALIDATION_FAILED error with the given fields. It returns nil if there are none, so that callers
// can collect fields first.
func Invalid(fields []Field) error {
	if len(fields) == 0 {
		return nil
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = strings.TrimSpace(f.Pointer + " " + f.Message)
	}
	return &Error{Code: ValidationFailed, Message: strings.Join(parts, "; "), Fields: fields}
}

// Error returns the text for the log: code, message, cause.
func (e *Error) Error() string {
	text := string(e.Code) + ": " + e.Message
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// CodeOf returns the code of err, or Internal for an error without one.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}

// Is reports whether err carries the code.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }

// FieldsOf returns the fields of a VALIDATION_FAILED error; none for another error.
func FieldsOf(err error) []Field {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Fields
	}
	return nil
}
