package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/apperr"
)

// Metadata keys of an operation, set by register and read at request time.
const (
	metadataRoute   = "route"
	metadataBody    = "body"
	metadataSchemas = "schemas"
)

// extensionScopes lists an operation's scopes for tools that do not read its security.
const extensionScopes = "x-required-scopes"

// operation is the declaration of one operation: its documentation and its enforced requirements.
type operation struct {
	id          string
	method      string
	path        string
	tag         string
	summary     string
	description string
	// anyOf lists alternative scopes, of which one is sufficient. If it is empty, any valid credential is sufficient.
	anyOf []credential.Scope
	// status is the status of a successful response; 0 means 200.
	status int
	// good describes a successful response.
	good string
	// response is an example of a successful response.
	response any
	// responses are example responses by the names of the examples in bodies. Missing ones default to response.
	responses map[string]any
	// ownMembers are response properties that share a name with a request property but have another meaning.
	ownMembers []string
	// errors are the codes of the use case, in addition to those of every operation of this form.
	errors []apperr.Code
	// reads reports that a POST changes nothing. All others, and every PATCH, take an Idempotency-Key.
	reads bool
	// single reports that an operation with a key has one change; see app.Once.
	single bool
	// conditional reports that the operation takes If-Match (RFC 9110, section 13.1.1).
	conditional bool
	// unchanged reports that the operation may respond with 304 Not Modified (RFC 9110, section 13.1.2).
	unchanged bool
	// keepsKey reports that the use case itself handles the key, because it takes longer than a transaction may.
	keepsKey bool
	// repeatable reports that a request with a key may be performed before its key is stored; see app.Once.
	repeatable bool
	// timeout is the time limit of the operation; 0 means the server's default.
	timeout time.Duration
	// itemScopes reports that the result of an item depends on the client's scopes.
	itemScopes bool
	// bodies are examples of the request body by name.
	bodies map[string]*huma.Example
}

// once reports that the operation takes an Idempotency-Key (docs/contract.md, Idempotency).
func (o operation) once() bool {
	return (o.method == http.MethodPost || o.method == http.MethodPatch) && !o.reads
}

// registrar adds operations to an API and collects errors.
type registrar struct {
	api    huma.API
	server *Server
	errs   []error
}

// handler serves an operation. Its client is authenticated and has one of the declared scopes.
type handler[I, O any] = func(ctx context.Context, p app.Principal, in *I) (*O, error)

// creator serves an operation that creates posts, by the given Creator alone.
type creator[I, O any] = func(ctx context.Context, p app.Principal, create app.Creator, in *I) (*O, error)

// add registers an operation.
func add[I, O any](r *registrar, op operation, handle handler[I, O]) {
	addCreation(r, op, func(ctx context.Context, p app.Principal, _ app.Creator, in *I) (*O, error) {
		return handle(ctx, p, in)
	})
}

// addCreation registers an operation that creates posts.
func addCreation[I, O any](r *registrar, op operation, handle creator[I, O]) {
	declared := op.declare()
	access, err := accessOf(declared)
	if err != nil {
		r.errs = append(r.errs, err)
		return
	}
	route := r.server.metrics.route(op.id, op.path)
	route.access, route.once, route.conditional, route.unchanged = access, op.once(), op.conditional, op.unchanged
	if op.once() && !op.keepsKey {
		handle = once(op, handle)
	}
	declared.Metadata[metadataRoute] = route
	declared.Metadata[metadataSchemas] = r.api.OpenAPI().Components.Schemas
	var request *huma.RequestBody
	if in, ok := any(new(I)).(bodied); ok {
		reader, schema, err := in.describe(r.api.OpenAPI().Components.Schemas, op.method == http.MethodPatch)
		if err != nil {
			r.errs = append(r.errs, fmt.Errorf("operation %s: %w", op.id, err))
			return
		}
		declared.Metadata[metadataBody] = reader
		request = &huma.RequestBody{
			Required: in.required(),
			Content:  map[string]*huma.MediaType{mediaJSON: {Schema: schema, Examples: op.bodies}},
		}
	}
	op.declareErrors(declared, r.api.OpenAPI().Components.Schemas)
	huma.Register(r.api, *declared, func(ctx context.Context, in *I) (*O, error) {
		e := exchangeOf(ctx)
		if err := apperr.Invalid(e.unknown); err != nil {
			return nil, e.problemOf(ctx, err)
		}
		ctx, done := op.patiently(ctx, e.server)
		defer done()
		if len(e.ifMatch) > 0 {
			ctx = app.Expecting(ctx, e.ifMatch)
		}
		out, err := handle(ctx, e.principal, e.server.app.CreatePosts, in)
		if err != nil {
			if stopped, ok := errors.AsType[*apperr.Error](context.Cause(ctx)); ok && ctx.Err() != nil {
				err = stopped
			}
			return nil, e.problemOf(ctx, err)
		}
		return out, nil
	})
	registered := documented(r.api.OpenAPI(), op.method, op.path)
	route.parameters, route.repeatable = queryParameters(registered), repeatableParameters(registered)
	// Set after registration: otherwise Huma would read the body itself.
	registered.RequestBody = request
}

// patiently returns a context with the operation's own time limit. It is canceled when the server stops.
func (o operation) patiently(ctx context.Context, s *Server) (longer context.Context, done context.CancelFunc) {
	if o.timeout == 0 {
		return ctx, func() {}
	}
	longer, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.timeout)
	longer, interrupt := context.WithCancelCause(longer)
	release := context.AfterFunc(s.stopping, func() { interrupt(stopping()) })
	return longer, func() {
		release()
		interrupt(nil)
		cancel()
	}
}

// stopping returns the error of an operation that was interrupted by the shutdown.
func stopping() error {
	return &apperr.Error{
		Code: apperr.Unavailable, RetryAfter: time.Second, Message: "The service is restarting. The operation continues; " +
			"send the request again.",
	}
}

func documented(document *huma.OpenAPI, method, path string) *huma.Operation {
	item := document.Paths[path]
	switch method {
	case http.MethodPost:
		return item.Post
	case http.MethodPatch:
		return item.Patch
	case http.MethodPut:
		return item.Put
	case http.MethodDelete:
		return item.Delete
	default:
		return item.Get
	}
}

// declare returns the Huma operation.
func (o operation) declare() *huma.Operation {
	declared := &huma.Operation{
		OperationID: o.id, Method: o.method, Path: o.path, Tags: []string{o.tag}, Summary: o.summary,
		Description: o.description + "\n\n" + o.needs(), DefaultStatus: o.status,
		// An invalid id in the path is not found, not a validation error.
		SkipValidateParams: strings.Contains(o.path, "{id}"),
		Metadata:           map[string]any{}, Responses: map[string]*huma.Response{},
		Extensions: map[string]any{extensionScopes: scopeNames(o.anyOf)},
	}
	good := &huma.Response{Description: o.good}
	if o.response != nil {
		good.Content = map[string]*huma.MediaType{mediaJSON: o.exampleResponses()}
	}
	declared.Responses[strconv.Itoa(max(o.status, http.StatusOK))] = good
	if o.unchanged {
		declared.Responses[strconv.Itoa(http.StatusNotModified)] = &huma.Response{Description: "Not modified: " +
			"If-None-Match has the current ETag."}
		declared.Parameters = append(declared.Parameters, &huma.Param{Ref: componentParameter + componentIfNoneMatch})
	}
	if o.once() {
		declared.Parameters = append(declared.Parameters, &huma.Param{Ref: componentParameter + headerIdempotencyKey})
	}
	if o.conditional {
		declared.Parameters = append(declared.Parameters, &huma.Param{Ref: componentParameter + componentIfMatch})
	}
	if len(o.anyOf) == 0 {
		declared.Security = []map[string][]string{{securityScheme: {}}}
	}
	for _, scope := range o.anyOf {
		declared.Security = append(declared.Security, map[string][]string{securityScheme: {string(scope)}})
	}
	return declared
}

// needs returns a sentence about the required scopes.
func (o operation) needs() string {
	if len(o.anyOf) == 0 {
		return "Needs any valid credential."
	}
	return "Needs the scope `" + strings.Join(scopeNames(o.anyOf), "` or `") + "`."
}

func scopeNames(scopes []credential.Scope) []string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}
	return names
}

// declareErrors documents the error responses of the operation.
func (o operation) declareErrors(declared *huma.Operation, registry huma.Registry) {
	codes := slices.Concat(o.errors, []apperr.Code{
		apperr.ValidationFailed, // for unknown parameters
		apperr.Unauthenticated, apperr.RateLimited,
	})
	if len(o.anyOf) > 0 {
		codes = append(codes, apperr.InsufficientScope)
	}
	if strings.Contains(o.path, "{id}") {
		codes = append(codes, apperr.NotFound)
	}
	if o.once() {
		codes = append(codes, apperr.IdempotencyInProgress, apperr.IdempotencyKeyReused)
	}
	if o.conditional {
		codes = append(codes, apperr.PreconditionFailed, apperr.MalformedRequest)
	}
	if o.method == http.MethodPost || o.method == http.MethodPatch || o.method == http.MethodPut {
		codes = append(codes, apperr.MalformedRequest)
	}
	declareProblems(declared, registry, codes)
	declareProblems(declared, registry, commonProblems())
}

// commonProblems returns the problems that any operation can have and whose status is self-explanatory. They are
// documented once, as the default response.
func commonProblems() []apperr.Code {
	return []apperr.Code{
		apperr.NotAcceptable, apperr.MisdirectedRequest, apperr.PayloadTooLarge, apperr.UnsupportedMediaType,
		apperr.Internal, apperr.Unavailable,
	}
}

// declareProblems documents error responses: one response per status, with its codes.
func declareProblems(declared *huma.Operation, registry huma.Registry, codes []apperr.Code) {
	schema := registry.Schema(typeOfProblem, true, "")
	for _, kind := range problem.Kinds() { // in the table's order, each once
		if !slices.Contains(codes, kind.Code) {
			continue
		}
		status := strconv.Itoa(kind.Status)
		if slices.Contains(commonProblems(), kind.Code) {
			status = statusDefault
		}
		response := declared.Responses[status]
		if response == nil {
			response = &huma.Response{Content: map[string]*huma.MediaType{problem.MediaType: {
				Schema: schema, Examples: map[string]*huma.Example{},
			}}}
			declared.Responses[status] = response
		}
		line := kind.Title + ": [`" + string(kind.Code) + "`](" + problem.Path + kind.Slug() + ")"
		response.Description = strings.TrimPrefix(response.Description+" · "+line, " · ")
		response.Content[problem.MediaType].Examples[string(kind.Code)] = &huma.Example{
			Ref: componentExamples + string(kind.Code),
		}
	}
}
