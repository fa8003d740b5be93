package httpapi

import (
	"errors"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"socialpub.internal/services/api/internal/httpapi/problem"
	"socialpub.internal/shared/apperr"
)

const (
	documentVersion = "1.0.0-preview"
	exampleBase     = "https://api.example.com"
	headerRefID     = "RequestId"
)

var typeOfProblem = reflect.TypeFor[problem.Problem]()

// OpenAPI returns the document of the API as YAML. It needs nothing to run.
func OpenAPI() ([]byte, error) {
	measured, err := newMetrics(prometheus.NewRegistry())
	if err != nil {
		return nil, err
	}
	document, err := register(fiber.New(), &Server{metrics: measured})
	if err != nil {
		return nil, err
	}
	return document.YAML()
}

// register puts every operation on the Fiber application and returns the finished document.
func register(f *fiber.App, s *Server) (*huma.OpenAPI, error) {
	api := newHuma(f, &huma.Info{Title: "Social Publishing API", Version: documentVersion, Description: introduction})
	api.UseMiddleware(s.admit)
	r := &registrar{api: api, server: s}
	r.workspace()
	r.channels()
	r.channelHelpers()
	r.postCreation()
	r.platforms()
	r.posts()
	r.postEdits()
	r.postActions()
	r.webhooks()
	document := api.OpenAPI()
	if s.items, _ = createPostsReader(document.Components.Schemas); s.items == nil {
		r.errs = append(r.errs, errors.New("httpapi: the items of bulk requests cannot be read"))
	}
	describe(document)
	return document, errors.Join(r.errs...)
}

// describe completes the document with what belongs to no single operation.
func describe(document *huma.OpenAPI) {
	document.Servers = []*huma.Server{{URL: "/", Description: "The service that serves this document."}}
	document.Tags = tags()
	document.Components.SecuritySchemes = map[string]*huma.SecurityScheme{securityScheme: { //nolint:gosec // a description, no credential
		Type: "http", Scheme: "bearer", BearerFormat: "svc_live_…",
		Description: "An API key of the workspace, made in the developer settings of the application: `Authorization: Bearer <API_KEY>`. It is bound to one workspace and has the scopes it was given; `GET /v1/workspace` lists them.",
	}}
	document.Components.Headers = map[string]*huma.Header{headerRefID: {
		Description: "Id of the request: the client's own X-Request-Id if it sent a sane one (up to 128 letters, digits, dots, underscores and hyphens), otherwise a new one.",
		Schema:      &huma.Schema{Type: huma.TypeString, Examples: []any{exampleRequest}},
	}}
	for name, header := range limitHeaders() {
		document.Components.Headers[name] = header
	}
	document.Components.Parameters = map[string]*huma.Param{headerIdempotencyKey: idempotencyParameter()}
	document.Components.Examples = map[string]*huma.Example{}
	for _, kind := range problem.Kinds() {
		document.Components.Examples[string(kind.Code)] = &huma.Example{Summary: kind.Title, Value: exampleProblem(kind)}
	}
	document.AddOperation(documentOperation())
	document.Webhooks = map[string]*huma.PathItem{"event": {Post: eventOperation(document.Components.Schemas)}}
	for _, item := range document.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Patch, item.Delete} {
			if op != nil {
				describeHeaders(op)
			}
		}
	}
	openAnswers(document)
}

// describeHeaders documents the headers of an operation's answers.
func describeHeaders(op *huma.Operation) {
	text := func(description, example string) *huma.Header {
		return &huma.Header{Description: description, Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{example}}}
	}
	for status, response := range op.Responses {
		if response.Headers == nil {
			response.Headers = map[string]*huma.Header{}
		}
		response.Headers[headerRequestID] = &huma.Header{Ref: "#/components/headers/" + headerRefID}
		for name := range limitHeaders() {
			response.Headers[name] = &huma.Header{Ref: "#/components/headers/" + name}
		}
		switch status {
		case "401", "403":
			response.Headers[fiber.HeaderWWWAuthenticate] = text("What is missing (RFC 6750).", realm)
		case "429", "503":
			response.Headers[fiber.HeaderRetryAfter] = text("Seconds to wait before trying again.", "2")
		}
	}
}

// openAnswers lets answers have further members: new ones are added without notice. Requests stay closed.
func openAnswers(document *huma.OpenAPI) {
	closed := map[string]bool{}
	for _, item := range document.Paths {
		for _, op := range []*huma.Operation{item.Post, item.Patch} {
			if op != nil && op.RequestBody != nil {
				closed[op.RequestBody.Content[mediaJSON].Schema.Ref] = true
			}
		}
	}
	for name, schema := range document.Components.Schemas.Map() {
		if !closed["#/components/schemas/"+name] {
			schema.AdditionalProperties = nil
		}
	}
}

// idempotencyParameter describes the header that makes a request take effect once.
func idempotencyParameter() *huma.Param {
	longest := maxIdempotencyKey
	return &huma.Param{
		Name: headerIdempotencyKey, In: "header",
		Description: "Any string of 1 to 255 visible ASCII characters, unique to the operation you mean, such as a UUID. When the request is sent again with the same key within 24 hours, nothing is done a second time: the first good answer is given again, with `Idempotent-Replayed: true`. Answers that are no success are not kept. The key is the workspace's, whichever credential sends it.",
		Schema:      &huma.Schema{Type: huma.TypeString, MinLength: new(int), MaxLength: &longest, Examples: []any{exampleRequest}},
	}
}

// documentOperation describes the address of the document itself, which is served as a file.
func documentOperation() *huma.Operation {
	return &huma.Operation{
		OperationID: "get-openapi", Method: fiber.MethodGet, Path: pathDocument, Tags: []string{tagDocument},
		Summary:     "Get this document",
		Description: "The OpenAPI 3.1 document of the API.\n\nPublic: needs no credential.",
		Extensions:  map[string]any{extensionPublic: true},
		Responses: map[string]*huma.Response{"200": {
			Description: "The document.",
			Content:     map[string]*huma.MediaType{mediaJSON: {Schema: &huma.Schema{Type: huma.TypeObject}}},
		}},
	}
}

// exampleProblem is how an error of the kind looks.
func exampleProblem(kind problem.Kind) *problem.Problem {
	p := problem.New(kind, problem.Occurrence{BaseURL: exampleBase, Path: "/v1/posts/" + exampleID, RequestID: exampleRequest, Detail: strings.ReplaceAll(kind.Meaning, "`", "")})
	switch kind.Code { //nolint:exhaustive // the others have no members of their own
	case apperr.ValidationFailed:
		p.Detail, p.Instance = "/channelIds is missing", "/v1/posts"
		p.Errors = []problem.Fault{{Pointer: "/channelIds", Message: "is missing"}}
	case apperr.InvalidState:
		p.Detail = "A post in status PUBLISHED does not allow this."
		p.CurrentStatus = "PUBLISHED"
	case apperr.PublishInProgress:
		p.CurrentStatus = "SCHEDULED"
	}
	return p
}
