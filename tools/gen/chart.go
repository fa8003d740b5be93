package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// declaration is a variable in files/variables.json. Helm parses the file often, so that it contains only the defaults
// that the templates use: ports, and addresses on this machine, which a cluster must replace.
type declaration struct {
	Default  string `json:"default,omitempty"`
	Required bool   `json:"required,omitempty"`
	Secret   bool   `json:"secret,omitempty"`
}

var usedDefault = regexp.MustCompile(`^:\d+$|localhost|127\.0\.0\.1`)

// chart writes the generated files of the Helm chart in a folder: files/variables.json, which has the variables of each
// program, values.schema.json, and the table of the values in README.md.
func chart(folder string, paths []string) error {
	programs, err := readPrograms(paths)
	if err != nil {
		return err
	}
	slices.SortFunc(programs, func(a, b program) int { return cmp.Compare(a.Name, b.Name) })
	declarations := make(map[string]map[string]declaration)
	for _, p := range programs {
		declarations[p.Name] = make(map[string]declaration)
		for _, v := range p.Variables {
			d := declaration{Required: v.Required, Secret: v.Secret}
			if usedDefault.MatchString(v.Default) || strings.HasSuffix(v.Name, "_PORT") {
				d.Default = v.Default
			}
			declarations[p.Name][v.Name] = d
		}
	}
	values, err := valuesSchema(programs)
	raw, err2 := os.ReadFile(filepath.Join(folder, "values.yaml"))
	var root yaml.Node
	if err := errors.Join(err, err2, yaml.Unmarshal(raw, &root)); err != nil {
		return err
	}
	return errors.Join(writeJSON(filepath.Join(folder, "files", "variables.json"), declarations),
		writeJSON(filepath.Join(folder, "values.schema.json"), values),
		writeSection(filepath.Join(folder, "README.md"), "values", describedValues(root.Content[0], "")))
}

// members is an object of JSON.
type members = map[string]any

// valuesSchema completes the schema of the chart's values by the variables of each program and by the values of each
// program, which are those of every program and those in the definition with its name.
func valuesSchema(programs []program) (members, error) {
	var document members
	if err := readJSON("tools/chart/values.schema.json", &document); err != nil {
		return nil, err
	}
	definitions, properties := document["definitions"].(members), document["properties"].(members)
	common := definitions["program"].(members)["properties"].(members)
	delete(definitions, "program")
	schemas := make(members) // of the variables
	var all []variable
	for _, p := range programs {
		for _, v := range p.Variables {
			if schemas[v.Name] == nil { // the first program's default is kept
				schemas[v.Name], all = variableSchema(v), append(all, v)
			}
		}
		parts := []members{common}
		if own, ok := definitions[p.Name].(members); ok {
			parts = append(parts, own["properties"].(members))
		}
		definitions[p.Name] = programSchema(p.Variables, parts...)
		properties[p.Name] = members{"$ref": "#/definitions/" + p.Name}
	}
	definitions["variables"] = schemas
	definitions["defaults"] = programSchema(all, common)
	properties["config"] = configSchema(all)
	group := maps.Clone(definitions["worker"].(members))
	group["type"] = []string{"object", "null"}
	group["properties"] = maps.Clone(group["properties"].(members))
	delete(group["properties"].(members), "groups")
	definitions["group"] = group
	return document, nil
}

// programSchema returns the schema of a program's values: those of the parts, and its variables.
func programSchema(variables []variable, parts ...members) members {
	properties := members{}
	for _, part := range append(parts, members{"config": configSchema(variables)}) {
		maps.Copy(properties, part)
	}
	return members{"type": "object", "additionalProperties": false, "properties": properties}
}

// configSchema allows the variables that are no secrets.
func configSchema(variables []variable) members {
	properties := make(members)
	for _, v := range variables {
		if !v.Secret {
			properties[v.Name] = members{"$ref": "#/definitions/variables/" + v.Name}
		}
	}
	return members{"type": "object", "additionalProperties": false, "properties": properties}
}

func variableSchema(v variable) members {
	schema := members{
		"description": v.Description,
		"type":        []string{"string", "number", "boolean", "array", "null"},
		"items":       members{"type": []string{"string", "number"}},
		"examples":    []string{v.Example},
	}
	if v.Default != "" {
		schema["default"] = v.Default
	}
	return schema
}

// describedValue is a row of the table of values.
type describedValue struct {
	Name, Description string
	node              *yaml.Node
	parent            bool // whether values in it have descriptions
}

// describedValues returns the values in a map, at any depth, that have a description: a comment above the key that
// begins with "# -- ".
func describedValues(parent *yaml.Node, path string) []describedValue {
	var all []describedValue
	for i := 0; i+1 < len(parent.Content) && parent.Kind == yaml.MappingNode; i += 2 {
		key, node := parent.Content[i], parent.Content[i+1]
		below := describedValues(node, path+key.Value+".")
		if _, text, found := strings.Cut("\n"+key.HeadComment, "\n# -- "); found {
			text = strings.Join(strings.Fields(strings.ReplaceAll(text, "\n# ", " ")), " ")
			all = append(all, describedValue{Name: path + key.Value, Description: text, node: node, parent: len(below) > 0})
		}
		all = append(all, below...)
	}
	return all
}

// Default returns the default as JSON.
func (v describedValue) Default() (string, error) {
	var decoded any
	if err := v.node.Decode(&decoded); err != nil || v.parent {
		return "", err
	}
	raw, err := json.Marshal(decoded)
	return string(raw), err
}
