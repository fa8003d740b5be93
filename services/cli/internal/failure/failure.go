// Package failure has the exit codes of the command line, and prints errors with their remedies.
package failure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/cli/internal/plain"
)

// The exit codes (docs/reference/cli.md, Exit codes).
const (
	OK          = 0
	Failed      = 1 // no response, an error of the service, or of this machine
	Usage       = 2 // the command line is wrong; nothing was sent
	Refused     = 3 // the service refused the request
	SignedOut   = 4 // no credential, or one that is not valid
	RateLimited = 5
	PostFailed  = 6 // the network did not publish a post
)

// Error is an error with its exit code and a remedy.
type Error struct {
	Code   int
	Text   string
	Remedy string // may be empty
}

func (e *Error) Error() string { return e.Text }

// Misused returns the error of a wrong command line.
func Misused(format string, args ...any) *Error {
	return &Error{Code: Usage, Text: fmt.Sprintf(format, args...)}
}

// With returns the error with a remedy.
func (e *Error) With(format string, args ...any) *Error {
	e.Remedy = fmt.Sprintf(format, args...)
	return e
}

// Code returns the exit code of an error.
func Code(err error) int {
	if err == nil {
		return OK
	}
	if own, ok := errors.AsType[*Error](err); ok {
		return own.Code
	}
	got, ok := errors.AsType[*fencepost.Error](err)
	if !ok {
		return Failed
	}
	switch {
	case got.Kind == fencepost.KindConfiguration:
		return SignedOut
	case got.Kind == fencepost.KindValidation:
		return Usage
	case got.Kind != fencepost.KindAPI || got.Status >= http.StatusInternalServerError:
		return Failed
	case got.Status == http.StatusUnauthorized:
		return SignedOut
	case got.Status == http.StatusTooManyRequests && got.Code != fencepost.ProblemCodeQuotaExceeded:
		return RateLimited
	default:
		return Refused
	}
}

// Print writes an error: its detail, the faults of the fields, the request for support, and a remedy.
func Print(w io.Writer, err error) {
	var b strings.Builder
	got, api := errors.AsType[*fencepost.Error](err)
	own, ours := errors.AsType[*Error](err)
	if ours && own.Text == "" {
		return // the results say it
	}
	switch {
	case ours:
		fmt.Fprintf(&b, "fencepost: %s\n", own.Text)
	case api:
		printAPI(&b, got)
	case errors.Is(err, context.Canceled):
		b.WriteString("fencepost: interrupted\n")
	default:
		fmt.Fprintf(&b, "fencepost: %s\n", err)
	}
	if fix := remedy(own, got); fix != "" {
		fmt.Fprintf(&b, "Remedy: %s\n", fix)
	}
	_, _ = io.WriteString(w, plain.Text(b.String()))
}

func printAPI(b *strings.Builder, got *fencepost.Error) {
	switch {
	case got.Kind == fencepost.KindCanceled:
		b.WriteString("fencepost: interrupted\n")
		return
	case got.Kind != fencepost.KindAPI:
		text := got.Detail
		if cause := errors.Unwrap(got); cause != nil {
			text += ": " + cause.Error()
		}
		fmt.Fprintf(b, "fencepost: %s\n", text)
	case got.Code == "":
		fmt.Fprintf(b, "fencepost: status %d: %s\n", got.Status, got.Detail)
	default:
		fmt.Fprintf(b, "fencepost: %s (%d %s)\n", got.Detail, got.Status, got.Code)
	}
	for _, fault := range got.Errors {
		fmt.Fprintf(b, "  %s: %s\n", strings.TrimPrefix(fault.Pointer, "/"), fault.Message)
	}
	for _, use := range got.References {
		fmt.Fprintf(b, "  used by %s %s %s\n", use.Type, use.ID, use.Name)
	}
	if got.PostID != "" {
		fmt.Fprintf(b, "  post: %s\n", got.PostID)
	}
	if got.RequestID != "" {
		fmt.Fprintf(b, "Request: %s\n", got.RequestID)
	}
}

// remedies are those of the API's problems.
var remedies = map[fencepost.ProblemCode]string{
	fencepost.ProblemCodeUnauthenticated:     "sign in with \"fencepost auth login\", or set FENCEPOST_API_KEY to a valid key",
	fencepost.ProblemCodeInsufficientScope:   "\"fencepost auth status\" lists the scopes; sign in with another key, or with \"fencepost auth login --scope SCOPE\"",
	fencepost.ProblemCodeApprovalRequired:    "create a draft with --draft; a person approves it in the application",
	fencepost.ProblemCodeExternalIDInUse:     "\"fencepost posts get ID\" shows the post that has the external ID",
	fencepost.ProblemCodeNoFreeSlot:          "add slots to the queue of the channel in the application, or choose a time with --at",
	fencepost.ProblemCodeChannelDisconnected: "reconnect the channel in the application, under Channels",
	fencepost.ProblemCodeQueuePaused:         "resume the channel in the application, under Channels",
	fencepost.ProblemCodeScheduledInPast:     "choose a later time with --at, or --now",
	fencepost.ProblemCodePublishInProgress:   "wait for the outcome: \"fencepost posts timeline ID\"",
	fencepost.ProblemCodePreconditionFailed:  "the resource has changed meanwhile: run the command again",
}

func remedy(own *Error, got *fencepost.Error) string {
	switch {
	case own != nil:
		return own.Remedy
	case got == nil:
		return ""
	case got.Kind == fencepost.KindConnection || got.Kind == fencepost.KindTimeout:
		return "check the address and the network with \"fencepost doctor\""
	case Code(got) == RateLimited && got.RetryAfter > 0:
		return fmt.Sprintf("run the command again in %s", got.RetryAfter)
	default:
		return remedies[got.Code]
	}
}
