package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"fencepost.internal/services/api/internal/httpapi/docs"
	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/apiforms/jsonbody"
)

// extensionSunset is the day on which a deprecated part ends. OpenAPI has no field for it.
const extensionSunset = "x-sunset"

const (
	headerDeprecation = "Deprecation" // RFC 9745
	headerSunset      = "Sunset"      // RFC 8594
)

// deprecations declares what will end (docs/reference/deprecation.md). The document, the reference and the headers of the
// responses follow from it.
func deprecations() []deprecation {
	return []deprecation{
		{schema: "CreateTikTok", member: "privacyLevel", since: time.Date(2026, time.November, 22, 0, 0, 0, 0, time.UTC)},
	}
}

// deprecation declares that an operation, one of its query parameters, or a member of bodies will end. A member belongs to a
// schema that is the body or the response of operations, or the item of such a list.
type deprecation struct {
	operation      string // ID
	parameter      string // of the operation; empty: the operation itself
	schema, member string
	since          time.Time
	sunset         time.Time // zero: no end is set
	instead        string    // a sentence that names the replacement; empty: none
}

// use is a deprecation that concerns an operation.
type use struct {
	deprecation

	sent bool // only requests that have the member in their body use it
}

// declareDeprecations marks the deprecated parts of the document, and stores with each route what concerns it. It returns an
// error for a declaration of something that does not exist.
func declareDeprecations(document *huma.OpenAPI, list []deprecation) error {
	for _, d := range list {
		found := false
		for _, op := range operationsOf(document) {
			route, _ := op.Metadata[metadataRoute].(*route)
			if route == nil {
				continue
			}
			for _, u := range d.uses(op) {
				found = true
				route.deprecations = append(route.deprecations, u)
			}
		}
		if !found || !d.mark(document) {
			return fmt.Errorf("httpapi: the deprecation of %s%s %s%s concerns no operation", d.operation, d.schema, d.parameter, d.member)
		}
	}
	return nil
}

// uses returns how an operation is concerned.
func (d deprecation) uses(op *huma.Operation) (list []use) {
	if d.schema == "" {
		if op.OperationID == d.operation {
			list = append(list, use{deprecation: d})
		}
		return list
	}
	if op.RequestBody != nil && isOf(op.RequestBody.Content, d.schema) {
		list = append(list, use{deprecation: d, sent: true})
	}
	for status, response := range op.Responses {
		if strings.HasPrefix(status, "2") && isOf(response.Content, d.schema) {
			list = append(list, use{deprecation: d})
		}
	}
	return list
}

// isOf reports whether a JSON body has a schema, or is a list of it.
func isOf(content map[string]*huma.MediaType, name string) bool {
	of := content[mediaJSON]
	if of == nil || of.Schema == nil {
		return false
	}
	ref := apiforms.ComponentSchemas + name
	return of.Schema.Ref == ref || of.Schema.Items != nil && of.Schema.Items.Ref == ref
}

// mark marks the part in the document; false if it does not exist.
func (d deprecation) mark(document *huma.OpenAPI) bool {
	if d.schema != "" {
		schema := document.Components.Schemas.Map()[d.schema]
		if schema == nil || schema.Properties[d.member] == nil {
			return false
		}
		property := schema.Properties[d.member]
		property.Deprecated, property.Extensions = true, d.extended(property.Extensions)
		property.Description = d.described(property.Description)
		return true
	}
	for _, op := range operationsOf(document) {
		if op.OperationID != d.operation {
			continue
		}
		if d.parameter == "" {
			op.Deprecated, op.Extensions, op.Description = true, d.extended(op.Extensions), d.described(op.Description)
			return true
		}
		for _, p := range op.Parameters {
			if p.Name == d.parameter {
				p.Deprecated, p.Extensions, p.Description = true, d.extended(p.Extensions), d.described(p.Description)
				return true
			}
		}
	}
	return false
}

func (d deprecation) described(text string) string { return strings.TrimSpace(text + " " + d.instead) }

func (d deprecation) extended(extensions map[string]any) map[string]any {
	if d.sunset.IsZero() {
		return extensions
	}
	if extensions == nil {
		extensions = map[string]any{}
	}
	extensions[extensionSunset] = d.sunset.Format(time.DateOnly)
	return extensions
}

// concerns reports whether a request uses the deprecated part.
func (u use) concerns(c *fiber.Ctx, e *exchange) bool {
	switch {
	case u.parameter != "":
		return c.Context().QueryArgs().Has(u.parameter)
	case u.sent:
		var members map[string]json.RawMessage
		if err := json.Unmarshal(jsonbody.WithoutMark(e.body), &members); err != nil {
			return false
		}
		return members[u.member] != nil
	default:
		return true
	}
}

// announce sets the headers of a response to a request that uses deprecated parts: those of the part that ends first.
func (s *Server) announce(c *fiber.Ctx, e *exchange) {
	if e.route == nil || len(e.route.deprecations) == 0 {
		return
	}
	used := slices.DeleteFunc(slices.Clone(e.route.deprecations), func(u use) bool { return !u.concerns(c, e) })
	if len(used) == 0 {
		return
	}
	first := slices.MinFunc(used, func(a, b use) int {
		if a.sunset.IsZero() != b.sunset.IsZero() { // parts without an end come last
			return b.sunset.Compare(a.sunset)
		}
		return a.sunset.Compare(b.sunset)
	})
	c.Set(headerDeprecation, "@"+strconv.FormatInt(first.since.Unix(), 10))
	if !first.sunset.IsZero() {
		c.Set(headerSunset, first.sunset.UTC().Format(http.TimeFormat))
	}
	c.Append(fiber.HeaderLink, "<"+s.baseURL+docs.PathDeprecation+`>; rel="deprecation"; type="text/html"`)
}
