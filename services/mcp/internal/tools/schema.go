package tools

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"

	"fencepost.internal/services/internal/apiforms/jsonbody"
)

// Tool schemas are self-contained (JSON Schema 2020-12). Schemas of the API refer to other parts of its document.

const (
	keyRef         = "$ref"
	keyProperties  = "properties"
	keyNull        = "null"
	keyAdditional  = "additionalProperties"
	keyDescription = "description"
	// maxInlined is the maximum nesting depth of schemas. No schema is recursive.
	maxInlined = 16
)

// inline returns the input schema of a tool, with references expanded and one type per value, because some clients pass
// it to models that support neither references nor several types. Null means the same as an omitted value, and is
// accepted but not mentioned.
func inline(schemas huma.Registry, s *huma.Schema) (map[string]any, error) {
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
	oneTyped(object)
	compact(object, 0)
	return object, nil
}

// oneTyped replaces the type lists of two types, one of which is null, with the other type.
func oneTyped(node any) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			oneTyped(item)
		}
	case map[string]any:
		delete(node, jsonbody.ExtensionOrOne)
		types, _ := node["type"].([]any)
		if i := slices.IndexFunc(types, func(t any) bool { return t != keyNull }); len(types) == 2 &&
			slices.Contains(types, any(keyNull)) && i >= 0 {
			node["type"] = types[i]
		}
		for _, value := range node {
			oneTyped(value)
		}
	}
}

// refer shortens the arguments that another tool describes, because every request of a model carries the schemas of all
// tools. Calls are still checked against the whole schema.
func refer(input map[string]any, name string, other map[string]any) {
	members, _ := input[keyProperties].(map[string]any)
	described, _ := other[keyProperties].(map[string]any)
	for member, value := range members {
		_, ok := described[member]
		if !ok || member == memberKey {
			continue
		}
		value, _ := value.(map[string]any)
		short := map[string]any{"type": cmp.Or(value["type"], any(huma.TypeObject)), keyDescription: "As in " + name + "."}
		if items, ok := value["items"].(map[string]any); ok {
			short["items"] = map[string]any{"type": items["type"]}
		}
		members[member] = short
	}
}

// within returns the object at a path.
func within(object map[string]any, path ...string) (map[string]any, bool) {
	for _, name := range path {
		next, ok := object[name].(map[string]any)
		if !ok {
			return nil, false
		}
		object = next
	}
	return object, true
}

// restate replaces descriptions of arguments, and of members of the items of a list: list/member. That of an object, or of a list of
// objects, replaces those of its members.
func restate(input map[string]any, says map[string]string) error {
	for name, description := range says {
		path := []string{keyProperties}
		if list, member, nested := strings.Cut(name, "/"); nested {
			path = append(path, list, "items", keyProperties, member)
		} else {
			path = append(path, name)
		}
		member, ok := within(input, path...)
		if !ok {
			return fmt.Errorf("there is no argument %s", name)
		}
		member[keyDescription] = description
		of := member
		if items, list := member["items"].(map[string]any); list {
			of = items
		}
		if of["type"] == huma.TypeObject {
			delete(of, keyProperties)
			delete(of, keyAdditional)
		}
	}
	return nil
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
			// the description of the use is more specific than that of the type
			if description, ok := node[keyDescription]; ok {
				found[keyDescription] = description
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

// outline returns the output schema of a tool: the fields of the result with their descriptions. Nested fields are
// omitted, because every request of a model carries the schemas of all tools, and results are self-explanatory.
func outline(schemas huma.Registry, s *huma.Schema) (map[string]any, error) {
	whole, err := target(schemas, s.Ref)
	if err != nil {
		return nil, err
	}
	members, _ := whole[keyProperties].(map[string]any)
	for name, value := range members {
		member, _ := value.(map[string]any)
		kept := map[string]any{keyDescription: member[keyDescription]}
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

// compact removes parts of a schema that do not help a model: integer widths, the form of IDs, that entries differ,
// examples, the length of a text that is not empty, and below the top level of the arguments also other lengths and the
// refusal of other members. Calls are checked for them anyway.
func compact(node any, depth int) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			compact(item, depth)
		}
	case map[string]any:
		if node["format"] == "int64" || node["format"] == "uuid" {
			delete(node, "format")
		}
		delete(node, "uniqueItems")
		delete(node, "examples")
		delete(node, "minLength")
		if depth > 1 {
			delete(node, "maxLength")
		}
		if depth > 0 && node[keyAdditional] == false {
			delete(node, keyAdditional)
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

// plain returns a schema as JSON, without keywords that apply only to documents of the API.
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
