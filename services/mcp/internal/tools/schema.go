package tools

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
)

// Schemas of tools stand alone (JSON Schema 2020-12), whereas those of the API refer to parts of its document.

const (
	keyRef        = "$ref"
	keyProperties = "properties"
	keyNull       = "null"
	// maxInlined is how deep schemas may lie in each other; none of ours contains itself.
	maxInlined = 16
)

// inline writes the schema of what a tool takes, with everything it refers to in its place and one type for each value: some clients
// hand it to models that know neither references nor several types. null is named where it takes something away (clears); elsewhere it
// means the same as nothing, and is taken without a word.
func inline(schemas huma.Registry, s *huma.Schema, clears bool) (map[string]any, error) {
	out, err := plain(s)
	if err != nil {
		return nil, err
	}
	expanded, err := expand(schemas, out, 0)
	if err != nil {
		return nil, err
	}
	object, ok := expanded.(map[string]any)
	if !ok {
		return nil, errors.New("a tool takes an object")
	}
	oneTyped(object, clears)
	compact(object, 0)
	return object, nil
}

// oneTyped puts schemas with one type each in the place of those with two, of which one is null.
func oneTyped(node any, clears bool) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			oneTyped(item, clears)
		}
	case map[string]any:
		types, _ := node["type"].([]any)
		if i := slices.IndexFunc(types, func(t any) bool { return t != keyNull }); len(types) == 2 && slices.Contains(types, any(keyNull)) && i >= 0 {
			node["type"] = types[i]
			if clears {
				withNull(node)
			}
		}
		for _, value := range node {
			oneTyped(value, clears)
		}
	}
}

// withNull makes a schema that also takes null; what is said of the member stays at its top.
func withNull(node map[string]any) {
	value := maps.Clone(node)
	clear(node)
	for _, key := range []string{"description", "examples"} {
		if said, ok := value[key]; ok {
			node[key] = said
			delete(value, key)
		}
	}
	node["anyOf"] = []any{value, map[string]any{"type": keyNull}}
}

func expand(schemas huma.Registry, node any, depth int) (any, error) {
	if depth > maxInlined {
		return nil, errors.New("a schema contains itself")
	}
	var err error
	switch node := node.(type) {
	case []any:
		for i := range node {
			if node[i], err = expand(schemas, node[i], depth); err != nil {
				return nil, err
			}
		}
		return node, nil
	case map[string]any:
		if ref, ok := node[keyRef].(string); ok {
			found, err := target(schemas, ref)
			if err != nil {
				return nil, err
			}
			if description, ok := node["description"]; ok { // the place says more than the type
				found["description"] = description
			}
			return expand(schemas, found, depth+1)
		}
		for key := range node {
			if node[key], err = expand(schemas, node[key], depth); err != nil {
				return nil, err
			}
		}
	}
	return node, nil
}

// outline writes what a tool returns: the members of the result with what each is for. Their own members are left out, because
// every request of a model carries the schemas of all tools, and results explain themselves.
func outline(schemas huma.Registry, s *huma.Schema) (map[string]any, error) {
	whole, err := target(schemas, s.Ref)
	if err != nil {
		return nil, err
	}
	members, _ := whole[keyProperties].(map[string]any)
	for name, value := range members {
		member, _ := value.(map[string]any)
		kept := map[string]any{"description": member["description"]}
		if ref, ok := member[keyRef].(string); ok {
			if member, err = target(schemas, ref); err != nil {
				return nil, err
			}
		}
		if of, ok := member["type"]; ok {
			kept["type"] = of
		}
		members[name] = kept
	}
	out := map[string]any{"type": whole["type"], keyProperties: members}
	if required, ok := whole["required"]; ok {
		out["required"] = required
	}
	return out, nil
}

// compact takes out of a schema what tells a model nothing: the width of integers, and examples of ids and of what lies deeper than
// the arguments themselves.
func compact(node any, depth int) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			compact(item, depth)
		}
	case map[string]any:
		if node["format"] == "int64" {
			delete(node, "format")
		}
		if depth > 1 || node["format"] == "uuid" {
			delete(node, "examples")
		}
		for key, value := range node {
			if key != keyProperties {
				compact(value, depth+1)
				continue
			}
			members, _ := value.(map[string]any)
			for _, member := range members {
				compact(member, depth+1)
			}
		}
	}
}

func target(schemas huma.Registry, ref string) (map[string]any, error) {
	found := schemas.SchemaFromRef(ref)
	if found == nil {
		return nil, fmt.Errorf("there is no schema %s", ref)
	}
	return plain(found)
}

// plain is a schema as JSON, without what only documents of the API know.
func plain(s *huma.Schema) (map[string]any, error) {
	raw, err := s.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encode a schema: %w", err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("decode a schema: %w", err)
	}
	strip(out)
	return out, nil
}

func strip(node any) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			strip(item)
		}
	case map[string]any:
		for key, value := range node {
			switch {
			case key == "discriminator" || strings.HasPrefix(key, "x-"):
				delete(node, key)
			case key == keyProperties:
				members, _ := value.(map[string]any)
				for _, member := range members {
					strip(member)
				}
			default:
				strip(value)
			}
		}
	}
}
