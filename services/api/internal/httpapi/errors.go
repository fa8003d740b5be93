package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/framing"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/kernel/apperr"
)

const (
	realm = `Bearer realm="Fencepost API"`
	// maxFaultsInDetail is the maximum number of faults in the detail text. The property errors has all of them.
	maxFaultsInDetail = 5
)

// problemOf converts an error to a problem document. All errors become HTTP responses here. Internal errors, and errors
// without a code, are logged here, once, and not exposed.
func (e *exchange) problemOf(ctx context.Context, err error) *problem.Problem {
	failure, status := e.classify(err)
	kind, known := e.server.kinds[failure.Code]
	if !known {
		kind = e.server.kinds[apperr.Internal]
	}
	o := problem.Occurrence{
		BaseURL: e.server.baseURL, Path: e.path, RequestID: e.requestID, Detail: failure.Message, Status: status,
	}
	if kind.Code == apperr.Internal {
		o.Detail = problem.DetailOfInternal
	}
	if len(failure.Fields) > maxFaultsInDetail {
		o.Detail = fmt.Sprintf("The request has %d faults; errors lists them.", len(failure.Fields))
	}
	e.logFailure(ctx, kind, err)
	e.problem = string(kind.Code)
	p := problem.New(kind, o).WithFaults(failure.Fields)
	p.CurrentStatus, p.PostID = failure.CurrentStatus, failure.PostID
	for _, r := range failure.References {
		p.References = append(p.References, problem.Reference(r))
	}
	e.setHeaders(p, failure)
	return p
}

func (e *exchange) logFailure(ctx context.Context, kind problem.Kind, err error) {
	switch {
	case kind.Code == apperr.Unavailable:
		e.server.log.WarnContext(ctx, "request refused: unavailable", slog.Any("error", err))
	case kind.Status >= http.StatusInternalServerError:
		e.server.log.ErrorContext(ctx, "request failed", slog.Any("error", err))
	}
}

// setHeaders sets the response headers that RFC 9110 and RFC 6750 require for the error.
func (e *exchange) setHeaders(p *problem.Problem, failure *apperr.Error) {
	switch failure.Code { //nolint:exhaustive // the others have no headers of their own
	case apperr.Unauthenticated:
		challenge := realm
		if e.credential {
			challenge += `, error="invalid_token"`
		}
		p.SetHeader(fiber.HeaderWWWAuthenticate, challenge)
	case apperr.InsufficientScope:
		challenge := realm + `, error="insufficient_scope"`
		if failure.Scope != "" { // empty: no scope would help
			challenge += `, scope="` + failure.Scope + `"`
		}
		p.SetHeader(fiber.HeaderWWWAuthenticate, challenge)
	case apperr.PreconditionFailed:
		p.SetHeader(fiber.HeaderETag, failure.ETag)
	case apperr.Unavailable, apperr.RateLimited, apperr.IdempotencyInProgress:
		p.SetHeader(fiber.HeaderRetryAfter, problem.RetryAfter(failure))
	}
}

// classify returns the error with its code. The status is 0 unless it differs from the code's status.
func (e *exchange) classify(err error) (failure *apperr.Error, status int) {
	if violation := new(framing.Violation); errors.As(err, &violation) {
		return apperr.New(apperr.MalformedRequest, "%s", violation.Detail), violation.Status
	}
	if framework := new(fiber.Error); !errors.As(err, &failure) && errors.As(err, &framework) {
		return e.ofFramework(framework.Code)
	}
	return problem.Failure(err, "request"), 0
}

// ofFramework converts the errors of Fiber and fasthttp. Their own texts repeat parts of the request and are not
// exposed.
func (e *exchange) ofFramework(code int) (failure *apperr.Error, status int) {
	switch code {
	case http.StatusNotFound:
		return apperr.New(apperr.NotFound, "%s", e.server.nothingAt(e.path)), 0
	case http.StatusMethodNotAllowed:
		return apperr.New(apperr.MethodNotAllowed, "This URL does not support this method. Use one of the methods in the "+
			"header Allow."), 0
	case http.StatusRequestEntityTooLarge:
		return apperr.New(apperr.PayloadTooLarge, "The body is larger than %d bytes. Send a smaller body.", maxBody), 0
	case http.StatusRequestHeaderFieldsTooLarge:
		return apperr.New(apperr.PayloadTooLarge, "The request line and the headers together are larger than %d bytes. "+
			"Send fewer or shorter headers.", maxHeader), code
	case http.StatusRequestTimeout:
		return apperr.New(apperr.MalformedRequest, "The request was not received in time. Send it again."), code
	default:
		return apperr.New(apperr.MalformedRequest, "The request is not valid HTTP."), 0
	}
}

// ofHuma converts the errors that Huma found before the handler ran: its own errors about parameters, and the errors of
// resolvers.
func ofHuma(op *huma.Operation, status int, message string, found []error) error {
	var fields []apperr.Field // Huma and a resolver may report the same parameter
	for _, err := range found {
		if failure := new(apperr.Error); errors.As(err, &failure) {
			if failure.Code != apperr.ValidationFailed {
				return failure
			}
			fields = apiforms.AppendNew(fields, failure.Fields...)
			continue
		}
		detailer, ok := err.(huma.ErrorDetailer)
		if !ok {
			return err
		}
		detail := detailer.ErrorDetail()
		_, name, _ := strings.Cut(detail.Location, ".") // for example query.limit
		name, _, _ = strings.Cut(name, "[")             // of a repeated parameter
		fields = apiforms.AppendNew(fields, apperr.Field{Pointer: name, Message: inRange(op, name, detail.Message)})
	}
	if len(fields) > 0 {
		return apperr.Invalid(fields)
	}
	return fmt.Errorf("refused by the framework with status %d: %s", status, message)
}
