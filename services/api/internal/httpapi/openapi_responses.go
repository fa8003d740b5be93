package httpapi

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/gate"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/apperr"
)

// Path prefixes of shared components.
const (
	componentExamples  = "#/components/examples/"
	componentHeaders   = "#/components/headers/"
	componentParameter = "#/components/parameters/"
	componentResponses = "#/components/responses/"
)

const (
	// statusDefault is the key of the response for all other statuses.
	statusDefault = "default"
	// responseProblem is the component name of that response.
	responseProblem = "Problem"
	// maxShared is the maximum number of codes of a shared response, which is named after them.
	maxShared = 3
)

// describeResponses completes the responses of every operation: their headers, their examples, and shared components for
// error responses.
func describeResponses(document *huma.OpenAPI) {
	parts := document.Components
	parts.Headers, parts.Responses, parts.Examples = responseHeaders(), map[string]*huma.Response{}, map[string]*huma.Example{}
	for _, op := range operationsOf(document) {
		for status, response := range op.Responses {
			describeHeaders(op, status, response)
			codes := exampleCodes(response)
			for _, code := range codes {
				kind := problem.KindOf(apperr.Code(code))
				parts.Examples[code] = &huma.Example{Summary: kind.Title, Value: exampleProblem(kind)}
			}
			if name := componentOf(status, codes); name != "" {
				parts.Responses[name] = response
				op.Responses[status] = &huma.Response{Ref: componentResponses + name}
			}
		}
	}
}

// componentOf returns the component name of an error response that operations can share, or "" for a response that
// stays in its operation.
func componentOf(status string, codes []string) string {
	switch {
	case status == statusDefault:
		return responseProblem
	case len(codes) > maxShared:
		return ""
	}
	names := make([]string, len(codes))
	for i, code := range codes {
		names[i] = apiforms.Pascal(code)
	}
	return strings.Join(names, "Or")
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

// exampleCodes returns the codes of an error response.
func exampleCodes(response *huma.Response) []string {
	content := response.Content[problem.MediaType]
	if content == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(content.Examples))
}

// responseHeaders returns the response headers by component name.
func responseHeaders() map[string]*huma.Header {
	describe := func(kind, description string, example any) *huma.Header {
		return &huma.Header{Description: description, Schema: &huma.Schema{Type: kind, Examples: []any{example}}}
	}
	headers := limitHeaders()
	headers[gate.HeaderRequestID] = describe(huma.TypeString,
		"ID of the request: the X-Request-Id of the request if it is valid (up to 128 letters, digits, dots, underscores "+
			"and hyphens), otherwise a new ID.", exampleRequest)
	headers[headerReplayed] = describe(huma.TypeString, "true if this is the stored response to an earlier request "+
		"with the same Idempotency-Key; omitted otherwise.", "true")
	headers[fiber.HeaderRetryAfter] = describe(huma.TypeInteger, "Seconds to wait before sending the request again.", 2)
	headers[fiber.HeaderWWWAuthenticate] = describe(huma.TypeString, "The missing credential or scope (RFC 6750).", realm)
	return headers
}

// describeHeaders documents the headers of a response. Headers of every response (X-Request-Id and the limits) are
// documented only for successful responses. A problem document repeats the request's id. Generated clients have code
// for each header of each status, so documenting all headers everywhere would double their size.
func describeHeaders(op *huma.Operation, status string, response *huma.Response) {
	var names []string
	codes := exampleCodes(response)
	switch {
	case status == "401", slices.Contains(codes, string(apperr.InsufficientScope)):
		names = []string{fiber.HeaderWWWAuthenticate}
	case status == "429", status == statusDefault, slices.Contains(codes, string(apperr.IdempotencyInProgress)):
		names = []string{fiber.HeaderRetryAfter}
	case len(codes) == 0:
		names = append(slices.Collect(maps.Keys(limitHeaders())), gate.HeaderRequestID)
	}
	if strings.HasPrefix(status, "2") && takesKey(op) {
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
	return slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool {
		return p.Ref == componentParameter+
			headerIdempotencyKey
	})
}

// openResponses allows additional properties in responses, because new ones are added without notice. Requests stay
// closed.
func openResponses(document *huma.OpenAPI) {
	closed := requestSchemas(document)
	for name, schema := range document.Components.Schemas.Map() {
		if !closed[name] {
			open(schema)
		}
	}
}

// requestSchemas returns the names of the schemas used in request bodies.
func requestSchemas(document *huma.OpenAPI) map[string]bool {
	found := make(map[string]bool)
	for _, op := range operationsOf(document) {
		if op.RequestBody != nil {
			apiforms.RefersTo(document.Components.Schemas.Map(), op.RequestBody.Content[mediaJSON].Schema, found)
		}
	}
	return found
}

// open allows additional properties in a schema and in the objects of its lists.
func open(s *huma.Schema) {
	s.AdditionalProperties = nil
	for _, member := range s.Properties {
		if member.Items != nil && member.Items.Ref == "" {
			member.Items.AdditionalProperties = nil
		}
	}
}

// documentOperation documents the path of the OpenAPI document, which is served as a file.
func documentOperation(schemas huma.Registry) *huma.Operation {
	op := &huma.Operation{
		OperationID: "get-openapi", Method: http.MethodGet, Path: pathDocument, Tags: []string{tagDocument},
		Summary:     "Get this document",
		Description: "Returns the OpenAPI 3.0 document of the API, for client generators.\n\nPublic: needs no credential.",
		Security:    []map[string][]string{}, // explicitly no security
		Extensions:  map[string]any{extensionPublic: true},
		Responses: map[string]*huma.Response{
			"200": {
				Description: "The document.",
				Content:     map[string]*huma.MediaType{mediaJSON: {Schema: &huma.Schema{Type: huma.TypeObject}}},
			},
			"304": {Description: "Not modified: If-None-Match names the current version."},
		},
	}
	declareProblems(op, schemas, []apperr.Code{apperr.ValidationFailed, apperr.RateLimited})
	return op
}

// exampleProblem returns an example of an error of the kind.
func exampleProblem(kind problem.Kind) *problem.Problem {
	p := problem.New(kind, problem.Occurrence{
		BaseURL: exampleBase, Path: "/v1/posts/" + exampleID, RequestID: exampleRequest,
		Detail: strings.ReplaceAll(kind.Meaning, "`", ""),
	})
	switch kind.Code { //nolint:exhaustive // the others have no properties of their own
	case apperr.ValidationFailed:
		p.Detail, p.Instance = "/channelIds is missing", "/v1/posts"
		p.Errors = []problem.Fault{{Pointer: "/channelIds", Message: "is missing"}}
	case apperr.InvalidState:
		p.Detail = "A post in status PUBLISHED does not allow this."
		p.CurrentStatus = "PUBLISHED"
	case apperr.ApprovalRequired:
		p.CurrentStatus = "DRAFT"
	case apperr.PublishInProgress:
		p.CurrentStatus = "SCHEDULED"
	case apperr.ExternalIDInUse:
		p.PostID = exampleID
	case apperr.MediaInUse:
		p.Instance = "/v1/media/" + exampleMedia
		p.References = []problem.Reference{
			{Type: string(media.OwnerPost), ID: exampleID, Name: "Our spring collection is here."},
		}
	}
	return p
}
