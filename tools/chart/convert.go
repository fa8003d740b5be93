package main

import "strings"

const (
	reference = "#/definitions/"
	quantity  = "io.k8s.apimachinery.pkg.api.resource.Quantity"
)

// convert returns a schema of OpenAPI as a strict JSON schema. Definitions that it refers to are added to reached.
func convert(s schema, definitions map[string]schema, reached schema) schema {
	if s["x-kubernetes-int-or-string"] == true || s["format"] == "int-or-string" {
		return schema{"type": []any{"string", "integer"}}
	}
	converted := make(schema)
	for _, key := range []string{
		"type", "enum", "required", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems",
		"const",
	} {
		if value, ok := s[key]; ok {
			converted[key] = value
		}
	}
	if ref, ok := s["$ref"].(string); ok {
		return referTo(strings.TrimPrefix(ref, reference), definitions, reached)
	}
	for _, key := range []string{"items", "additionalProperties", "not"} {
		if value, ok := s[key].(map[string]any); ok {
			converted[key] = convert(value, definitions, reached)
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		if alternatives := list(s[key]); len(alternatives) > 0 {
			converted[key] = convertAll(alternatives, definitions, reached)
		}
	}
	properties, ok := s["properties"].(map[string]any)
	if !ok {
		return converted
	}
	fields := make(schema, len(properties))
	for name, value := range properties {
		field, _ := value.(map[string]any)
		fields[name] = convert(field, definitions, reached)
	}
	converted["properties"] = fields
	// A part of allOf, anyOf or oneOf has no type, and describes some of the fields.
	if s["type"] == "object" && s["x-kubernetes-preserve-unknown-fields"] != true && s["additionalProperties"] == nil {
		converted["additionalProperties"] = false
	}
	return converted
}

// convertAll converts the parts of allOf, anyOf or oneOf.
func convertAll(alternatives []schema, definitions map[string]schema, reached schema) []any {
	converted := make([]any, 0, len(alternatives))
	for _, alternative := range alternatives {
		converted = append(converted, convert(alternative, definitions, reached))
	}
	return converted
}

// referTo returns a reference to a definition, which it adds to reached.
func referTo(name string, definitions map[string]schema, reached schema) schema {
	if reached[name] == nil {
		reached[name] = schema{} // ends recursion
		if name == quantity {
			reached[name] = schema{"type": []any{"string", "number"}}
		} else {
			reached[name] = convert(definitions[name], definitions, reached)
		}
	}
	return schema{"$ref": reference + name}
}
