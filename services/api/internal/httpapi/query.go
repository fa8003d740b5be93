package httpapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/kernel/apperr"
)

// inQuery is OpenAPI's location of query parameters.
const inQuery = "query"

// pathAPI is the path prefix of every operation.
const pathAPI = "/v1"

// queryParameters returns the names of the query parameters of an operation.
func queryParameters(op *huma.Operation) (names []string) {
	for _, p := range op.Parameters {
		if p.In == inQuery {
			p.Style = "form"
			names = append(names, p.Name)
		}
	}
	return names
}

// repeatableParameters returns the names of the query parameters that may be repeated, and documents how: without a style,
// tools differ about the default.
func repeatableParameters(op *huma.Operation) (names []string) {
	for _, p := range op.Parameters {
		if p.In == inQuery && p.Schema.Type == huma.TypeArray {
			p.Style = "form"
			names = append(names, p.Name)
		}
	}
	return names
}

// parameterFaults returns a fault for each query parameter that is unknown, empty, or repeated unless it is repeatable
// (docs/contract.md, Query parameters). Otherwise a misspelled or empty filter would return everything, a repeated one
// only a part, and another API's paging parameter the first page forever.
func parameterFaults(c *fiber.Ctx, known, repeatable []string) (faults []apperr.Field) {
	seen := map[string]bool{}
	for key, value := range c.Context().QueryArgs().All() {
		name, again := string(key), seen[string(key)]
		seen[name] = true
		reported := func(f apperr.Field) bool { return f.Pointer == name }
		if slices.ContainsFunc(faults, reported) {
			continue
		}
		switch {
		case !slices.Contains(known, name):
			faults = append(faults, apperr.Field{
				Pointer: name, Message: problem.UnknownName(name, "query parameter of this operation", known, synonyms),
			})
		case len(value) == 0:
			faults = append(faults, apperr.Field{Pointer: name, Message: "is empty; send a value, or omit the parameter"})
		case again && !slices.Contains(repeatable, name):
			faults = append(faults, apperr.Field{Pointer: name, Message: "is sent twice; send it once"})
		}
	}
	return faults
}

// synonyms maps parameter names of other APIs, normalized, to known parameters.
var synonyms = map[string]string{
	"page": "cursor", "pagetoken": "cursor", "nextcursor": "cursor", "next": "cursor", "offset": "cursor",
	"after": "cursor", "startingafter": "cursor",
	"pagesize": "limit", "perpage": "limit", "size": "limit", "count": "limit", "first": "limit",
	"order": "sort", "orderby": "sort", "sortby": "sort", "state": "status", "since": "from", "until": "to",
}

// withUnknown adds the faults of parameterFaults to the other faults of the request.
func (e *exchange) withUnknown(err error) error {
	failure, ok := err.(*apperr.Error) //nolint:errorlint // created by ofHuma, not wrapped
	if !ok || failure.Code != apperr.ValidationFailed {
		return err
	}
	return apperr.Invalid(apiforms.AppendNew(slices.Clone(e.unknown), failure.Fields...))
}

// inRange replaces a message about a number in a query with one that states the whole range.
func inRange(op *huma.Operation, name, message string) string {
	for _, p := range op.Parameters {
		if p.In == inQuery && p.Name == name && p.Schema.Minimum != nil && p.Schema.Maximum != nil {
			return fmt.Sprintf("must be a whole number from %v to %v", *p.Schema.Minimum, *p.Schema.Maximum)
		}
	}
	return message
}

// nothingAt returns the text for an unknown path, with a hint when the path lacks the prefix.
func (s *Server) nothingAt(path string) string {
	const text = "There is no resource at this URL."
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if !s.collections[first] {
		return text
	}
	return text + " Paths of the API start with " + pathAPI + ": did you mean " + pathAPI + path + "?"
}

// collectionsOf returns the first segments of the paths below /v1.
func collectionsOf(document *huma.OpenAPI) map[string]bool {
	found := make(map[string]bool)
	for path := range document.Paths {
		first, _, _ := strings.Cut(strings.TrimPrefix(path, pathAPI+"/"), "/")
		found[first] = true
	}
	return found
}
