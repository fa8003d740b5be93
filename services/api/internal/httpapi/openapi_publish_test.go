package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// plain is a JSON object of the document.
type plain = map[string]any

// TestDocumentSuitsGenerators rejects constructs that make client generators fail or generate wrong types.
func TestDocumentSuitsGenerators(t *testing.T) {
	t.Parallel()
	doc := setup(t).get(t, "/v1/openapi.json").object(t)
	require.Equal(t, "3.0.3", doc["openapi"])
	require.NotContains(t, doc, "webhooks", "OpenAPI 3.0 has no such section")
	schemas := inner(inner(doc, "components"), "schemas")
	require.Empty(t, flaws(doc, schemas))
	require.Empty(t, withDefaults(doc, schemas), "generators make a member with a default mandatory in requests")
}

// TestMediaInUseExampleHasReferences checks the only property of MEDIA_IN_USE.
func TestMediaInUseExampleHasReferences(t *testing.T) {
	t.Parallel()
	doc := setup(t).get(t, "/v1/openapi.json").object(t)
	example := inner(inner(inner(inner(doc, "components"), "examples"), "MEDIA_IN_USE"), "value")
	references := objects(t, example["references"])
	require.Len(t, references, 1)
	require.Equal(t, "POST", references[0]["type"])
	require.Contains(t, example["instance"], "/v1/media/")
}

// TestGeneratorCheckFindsFlaws tests the check above with each construct.
func TestGeneratorCheckFindsFlaws(t *testing.T) {
	t.Parallel()
	for flaw, broken := range map[string]string{
		"a list of types":              `{"type": ["string", "null"]}`,
		"a list of examples":           `{"type": "string", "examples": ["a"]}`,
		"the type null":                `{"type": "null"}`,
		"anyOf":                        `{"anyOf": [{"type": "string"}, {"type": "integer"}]}`,
		"const":                        `{"const": "a"}`,
		"something beside a reference": `{"$ref": "#/components/schemas/A", "description": "b"}`,
		"an enumeration that is null":  `{"type": "string", "nullable": true, "enum": ["a", "b"]}`,
		"nullable without a type":      `{"nullable": true}`,
		"a nullable reference to " +
			"what is not": `{"type": "object", "nullable": true, "allOf": [{"$ref": "#/components/schemas/A"}]}`,
		"a union without a discriminator": `{"oneOf": [{"$ref": "#/components/schemas/A"}]}`,
		"an object inside " +
			"a schema": `{"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}}}}}`,
		"an object inside a list": `{"type": "array", "items": {"type": "object", "properties": {"b": {"type": "string"}}}}`,
		"an enumeration inside " +
			"a schema": `{"type": "object", "properties": {"a": {"type": "string", "enum": ["a", "b"]}}}`,
		"a number without a format": `{"type": "number"}`,
	} {
		var schema plain
		require.NoError(t, json.Unmarshal([]byte(broken), &schema), flaw)
		schemas := plain{"A": plain{"type": "object"}, "B": schema}
		require.NotEmpty(t, flaws(plain{"components": plain{"schemas": schemas}}, schemas), flaw)
	}
	request := plain{"A": plain{"properties": plain{"a": plain{"default": 1}}}}
	body := plain{
		"paths": plain{"/a": plain{"post": plain{"requestBody": plain{"schema": plain{"$ref": "#/components/schemas/A"}}}}},
	}
	require.Len(t, withDefaults(body, request), 1)
}

func inner(of plain, name string) plain {
	object, _ := of[name].(plain)
	return object
}

// flaws returns the constructs of a document that generators do not support.
func flaws(doc, schemas plain) []string {
	var found []string
	each(doc, "", func(place string, s plain) {
		for flaw, has := range map[string]bool{
			"lists types":            is[[]any](s["type"]),
			"lists examples":         is[[]any](s["examples"]),
			"is of type null":        s["type"] == "null",
			"has anyOf":              s["anyOf"] != nil,
			"has const":              s["const"] != nil,
			"refers with siblings":   is[string](s["$ref"]) && len(s) > 1,
			"is null and enumerated": s["nullable"] == true && s["enum"] != nil,
			"is null without a type": s["nullable"] == true && s["type"] == nil,
			"refers to what is not null": s["nullable"] == true && slices.ContainsFunc(list(s["allOf"]), func(ref any) bool {
				return referred(schemas, ref)["nullable"] != true
			}),
			"is a union without a discriminator": s["oneOf"] != nil &&
				len(inner(inner(s, "discriminator"), "mapping")) != len(list(s["oneOf"])),
			"has an unnamed object": inner(s, "items")["properties"] != nil,
			"has no format":         s["type"] == "number" && s["format"] == nil,
		} {
			if has {
				found = append(found, place+" "+flaw)
			}
		}
		for name := range inner(s, "properties") {
			property := inner(inner(s, "properties"), name)
			if property["properties"] != nil || len(list(property["enum"])) > 1 {
				found = append(found, place+"/"+name+" is not named")
			}
		}
	})
	return found
}

// withDefaults returns the request properties with a default.
func withDefaults(doc, schemas plain) []string {
	var found []string
	seen := make(map[string]bool)
	var follow func(place string, s plain)
	follow = func(place string, s plain) {
		if s["default"] != nil {
			found = append(found, place)
		}
		if ref, ok := s["$ref"].(string); ok && !seen[ref] {
			seen[ref] = true
			each(referred(schemas, s), ref, follow)
		}
	}
	for path := range inner(doc, "paths") {
		for method := range inner(inner(doc, "paths"), path) {
			each(inner(inner(inner(inner(doc, "paths"), path), method), "requestBody"), path, follow)
		}
	}
	return found
}

// referred returns the target of a reference.
func referred(schemas plain, ref any) plain {
	object, _ := ref.(plain)
	path, _ := object["$ref"].(string)
	return inner(schemas, strings.TrimPrefix(path, "#/components/schemas/"))
}

// each calls do for every object except examples and property maps.
func each(value any, place string, do func(place string, s plain)) {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			each(item, fmt.Sprint(place, "/", i), do)
		}
	case plain:
		do(place, value)
		for key, part := range value {
			switch key {
			case "example", "examples", "value":
			case "properties":
				for name, property := range inner(value, key) {
					each(property, place+"/"+name, do)
				}
			default:
				each(part, place+"/"+key, do)
			}
		}
	}
}

func list(value any) []any {
	items, _ := value.([]any)
	return items
}

func is[T any](value any) bool {
	_, ok := value.(T)
	return ok
}

// TestResponsesAllowAdditions checks what clients receive: a new value of an enumeration is one that the document allows, and
// the data of a logged event has the fields of all events.
func TestResponsesAllowAdditions(t *testing.T) {
	t.Parallel()
	doc := setup(t).get(t, "/v1/openapi.json").object(t)
	schemas := inner(inner(doc, "components"), "schemas")
	seen := make(map[string]bool)
	var follow func(place string, s plain)
	follow = func(place string, s plain) {
		require.LessOrEqual(t, len(list(s["enum"])), 1, place)
		if ref, ok := s["$ref"].(string); ok && !seen[ref] && strings.HasPrefix(ref, "#/components/schemas/") {
			seen[ref] = true
			each(referred(schemas, s), ref, follow)
		}
	}
	each(inner(inner(doc, "components"), "responses"), "", follow)
	each(doc["x-webhooks"], "", follow)
	for path := range inner(doc, "paths") {
		for method, op := range inner(inner(doc, "paths"), path) {
			op, _ := op.(plain)
			each(op["responses"], method+" "+path, follow)
			if created := inner(inner(op, "responses"), "201"); created != nil {
				require.Contains(t, inner(created, "headers"), "Location", path)
			}
			body := inner(inner(inner(inner(op, "requestBody"), "content"), "application/json"), "schema")
			if ref, ok := body["$ref"].(string); ok {
				require.True(t, strings.HasSuffix(ref, "Request"), ref)
			}
		}
	}
	require.Contains(t, inner(schemas, "PostStatus"), "x-extensible-enum")
	require.Contains(t, inner(schemas, "PostStatusInput"), "enum", "requests stay closed")
	for _, name := range []string{"postId", "channelId", "lead", "previous_stage", "webhookId"} {
		require.Contains(t, inner(inner(schemas, "LoggedEventData"), "properties"), name)
	}
	require.Contains(t, schemas, "PinterestBoard")
	require.Contains(t, schemas, "MediaUpload")
	require.Equal(t, []any{plain{"url": baseURL, "description": "This installation."}}, doc["servers"])
}
