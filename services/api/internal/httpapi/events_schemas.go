package httpapi

import (
	"bytes"
	stdjson "encoding/json"
	"maps"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
)

const (
	schemaDialect     = "https://json-schema.org/draft/2020-12/schema"
	schemaDefinitions = "#/$defs/"
)

// EventSchemas returns the schemas of all events as one JSON Schema. Every delivered event matches it. It needs no
// running service.
func EventSchemas() ([]byte, error) {
	measured, err := newMetrics(prometheus.NewRegistry())
	if err != nil {
		return nil, err
	}
	document, err := register(fiber.New(), &Server{metrics: measured, app: new(app.App)})
	if err != nil {
		return nil, err
	}
	e := extract{from: make(map[string]any), found: make(map[string]any)}
	raw, err := stdjson.Marshal(document.Components.Schemas.Map())
	if err != nil {
		return nil, err
	}
	if err := stdjson.Unmarshal(raw, &e.from); err != nil {
		return nil, err
	}
	var types []any
	for _, kind := range eventKinds() {
		types = append(types, map[string]any{"$ref": e.definition(kind.schemaName())})
	}
	var out bytes.Buffer
	encoder := stdjson.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(map[string]any{
		"$schema": schemaDialect, "title": "Events",
		"description": "The events that webhooks receive, for generating types and examples. New fields, enumeration " +
			"values and event types are added without notice; a receiver must accept them.",
		"oneOf": types, "$defs": e.found,
	})
	return out.Bytes(), err
}

// extract copies schemas of the document with all schemas that they refer to.
type extract struct{ from, found map[string]any }

// definition copies a schema, once, and returns the reference to the copy.
func (e extract) definition(name string) string {
	if _, done := e.found[name]; !done {
		e.found[name] = nil // ends recursive references
		e.found[name] = e.copied(e.from[name])
	}
	return schemaDefinitions + name
}

func (e extract) copied(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := maps.Clone(value)
		for member, inner := range out {
			ref, isText := inner.(string)
			if name, ours := strings.CutPrefix(ref, apiforms.ComponentSchemas); member == "$ref" && isText && ours {
				out[member] = e.definition(name)
				continue
			}
			out[member] = e.copied(inner)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, inner := range value {
			out[i] = e.copied(inner)
		}
		return out
	default:
		return value
	}
}
