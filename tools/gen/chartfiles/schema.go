package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
)

type schema = map[string]any

// schemaOf completes the schema of the chart's values: the variables of each program, and the values of each program,
// which are those of every program and those in the definition with its name.
func schemaOf(base string, programs map[string][]variable) (schema, error) {
	raw, err := os.ReadFile(base)
	if err != nil {
		return nil, err
	}
	var document schema
	if err := json.Unmarshal(raw, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", base, err)
	}
	definitions, _ := document["definitions"].(schema)
	properties, _ := document["properties"].(schema)
	shared, _ := definitions["program"].(schema)
	if definitions == nil || properties == nil || shared == nil {
		return nil, fmt.Errorf("%s lacks definitions.program", base)
	}
	variables, all := make(schema), make([]variable, 0)
	for _, program := range slices.Sorted(maps.Keys(programs)) { // the first program's default is kept
		declared := programs[program]
		for _, v := range declared {
			if variables[v.Name] == nil {
				variables[v.Name], all = variableSchema(v), append(all, v)
			}
		}
		own, _ := definitions[program].(schema)
		definitions[program] = programSchema(shared, own, declared)
		properties[program] = schema{"$ref": "#/definitions/" + program}
	}
	definitions["variables"] = variables
	delete(definitions, "program")
	definitions["defaults"] = programSchema(shared, nil, all)
	properties["config"] = configSchema(all)
	if worker, ok := definitions["worker"].(schema); ok {
		group := maps.Clone(worker)
		group["properties"] = maps.Clone(worker["properties"].(schema))
		delete(group["properties"].(schema), "groups")
		group["type"] = []string{"object", "null"}
		definitions["group"] = group
	}
	return document, nil
}

// programSchema returns the schema of a program's values.
func programSchema(shared, own schema, declared []variable) schema {
	properties, _ := shared["properties"].(schema)
	properties = maps.Clone(properties)
	if more, ok := own["properties"].(schema); ok {
		maps.Copy(properties, more)
	}
	properties["config"] = configSchema(declared)
	return schema{"type": "object", "additionalProperties": false, "properties": properties}
}

// configSchema allows the variables that are no secrets.
func configSchema(declared []variable) schema {
	properties := make(schema, len(declared))
	for _, v := range declared {
		if !v.Secret {
			properties[v.Name] = schema{"$ref": "#/definitions/variables/" + v.Name}
		}
	}
	return schema{"type": "object", "additionalProperties": false, "properties": properties}
}

func variableSchema(v variable) schema {
	s := schema{
		"description": v.Description,
		"type":        []string{"string", "number", "boolean", "array", "null"},
		"items":       schema{"type": []string{"string", "number"}},
	}
	if v.Default != "" {
		s["default"] = v.Default
	}
	if v.Example != "" {
		s["examples"] = []string{v.Example}
	}
	return s
}
