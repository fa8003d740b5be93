package httpapi

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"socialpub.internal/services/internal/admission"
	"socialpub.internal/services/internal/problem"
	"socialpub.internal/services/internal/wire"
	"socialpub.internal/shared/apperr"
)

// Where parts that several operations have stand in the document.
const (
	componentExamples  = "#/components/examples/"
	componentHeaders   = "#/components/headers/"
	componentParameter = "#/components/parameters/"
	componentResponses = "#/components/responses/"
)

// describeAnswers completes the answers of every operation: their headers, their examples, and each kind of error that
// stands alone under its status once for all.
func describeAnswers(document *huma.OpenAPI) {
	parts := document.Components
	parts.Headers, parts.Responses, parts.Examples = answerHeaders(), map[string]*huma.Response{}, map[string]*huma.Example{}
	for _, op := range operationsOf(document) {
		for status, response := range op.Responses {
			describeHeaders(op, status, response)
			codes := exampleCodes(response)
			for _, code := range codes {
				kind := problem.KindOf(apperr.Code(code))
				parts.Examples[code] = &huma.Example{Summary: kind.Title, Value: exampleProblem(kind)}
			}
			if len(codes) == 1 {
				name := wire.Pascal(codes[0])
				parts.Responses[name] = response
				op.Responses[status] = &huma.Response{Ref: componentResponses + name}
			}
		}
	}
}

func operationsOf(document *huma.OpenAPI) []*huma.Operation {
	var all []*huma.Operation
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		item := document.Paths[path]
		for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Patch, item.Delete} {
			if op != nil {
				all = append(all, op)
			}
		}
	}
	return all
}

// exampleCodes lists the codes of an error answer.
func exampleCodes(response *huma.Response) []string {
	content := response.Content[problem.MediaType]
	if content == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(content.Examples))
}

// answerHeaders are the headers of answers, by the names that their components have.
func answerHeaders() map[string]*huma.Header {
	describe := func(kind, description string, example any) *huma.Header {
		return &huma.Header{Description: description, Schema: &huma.Schema{Type: kind, Examples: []any{example}}}
	}
	headers := limitHeaders()
	headers[admission.HeaderRequestID] = describe(huma.TypeString,
		"Id of the request: the client's own X-Request-Id if it sent a sane one (up to 128 letters, digits, dots, underscores and hyphens), otherwise a new one.", exampleRequest)
	headers[headerReplayed] = describe(huma.TypeString, "true when this is the kept answer to an earlier request with the same Idempotency-Key; left out otherwise.", "true")
	headers[fiber.HeaderRetryAfter] = describe(huma.TypeInteger, "Seconds to wait before trying again.", 2)
	headers[fiber.HeaderWWWAuthenticate] = describe(huma.TypeString, "What is missing (RFC 6750).", realm)
	return headers
}

// describeHeaders documents the headers of an answer.
func describeHeaders(op *huma.Operation, status string, response *huma.Response) {
	names := slices.Collect(maps.Keys(limitHeaders()))
	names = append(names, admission.HeaderRequestID)
	codes := exampleCodes(response)
	switch {
	case status == "401", slices.Contains(codes, string(apperr.InsufficientScope)):
		names = append(names, fiber.HeaderWWWAuthenticate)
	case status == "429", status == "503", slices.Contains(codes, string(apperr.IdempotencyInProgress)):
		names = append(names, fiber.HeaderRetryAfter)
	case strings.HasPrefix(status, "2") && takesKey(op):
		names = append(names, headerReplayed)
	}
	if response.Headers == nil {
		response.Headers = map[string]*huma.Header{}
	}
	for _, name := range names {
		response.Headers[name] = &huma.Header{Ref: componentHeaders + name}
	}
}

// takesKey reports whether an operation takes an Idempotency-Key.
func takesKey(op *huma.Operation) bool {
	return slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.Ref == componentParameter+headerIdempotencyKey })
}

// openAnswers lets answers have further members: new ones are added without notice. Requests stay closed.
func openAnswers(document *huma.OpenAPI) {
	schemas, closed := document.Components.Schemas.Map(), map[string]bool{}
	for _, op := range operationsOf(document) {
		if op.RequestBody != nil {
			wire.RefersTo(schemas, op.RequestBody.Content[mediaJSON].Schema, closed)
		}
	}
	for name, schema := range schemas {
		if !closed[name] {
			open(schema)
		}
	}
}

// open lets a schema have further members, and so those of the objects in its lists.
func open(s *huma.Schema) {
	s.AdditionalProperties = nil
	for _, member := range s.Properties {
		if member.Items != nil && member.Items.Ref == "" {
			member.Items.AdditionalProperties = nil
		}
	}
}

// documentOperation describes the address of the document itself, which is served as a file.
func documentOperation(schemas huma.Registry) *huma.Operation {
	op := &huma.Operation{
		OperationID: "get-openapi", Method: http.MethodGet, Path: pathDocument, Tags: []string{tagDocument},
		Summary:     "Get this document",
		Description: "The OpenAPI 3.1 document of the API.\n\nPublic: needs no credential.",
		Security:    []map[string][]string{}, // nothing, and says so
		Extensions:  map[string]any{extensionPublic: true},
		Responses: map[string]*huma.Response{
			"200": {
				Description: "The document.",
				Content:     map[string]*huma.MediaType{mediaJSON: {Schema: &huma.Schema{Type: huma.TypeObject}}},
			},
			"304": {Description: "The client has it already: If-None-Match names the present version."},
		},
	}
	declareProblems(op, schemas, []apperr.Code{apperr.ValidationFailed, apperr.RateLimited})
	return op
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
