package docs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// document is the part of the OpenAPI document that the pages show.
type document struct {
	Info struct {
		Version     string `json:"version"`
		Description string `json:"description"`
	} `json:"info"`
	Tags []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"tags"`
	Paths      map[string]map[string]*operation `json:"paths"`
	Components struct {
		Schemas    map[string]*schema    `json:"schemas"`
		Parameters map[string]*parameter `json:"parameters"`
		Responses  map[string]*response  `json:"responses"`
	} `json:"components"`
}

// operation is an operation of the document.
type operation struct {
	ID          string               `json:"operationId"`
	Summary     string               `json:"summary"`
	Description string               `json:"description"`
	Tags        []string             `json:"tags"`
	Parameters  []*parameter         `json:"parameters"`
	RequestBody *body                `json:"requestBody"`
	Responses   map[string]*response `json:"responses"`
	Deprecated  bool                 `json:"deprecated"`
	Sunset      string               `json:"x-sunset"`      //nolint:tagliatelle // an extension of OpenAPI
	Public      bool                 `json:"x-public"`      //nolint:tagliatelle // an extension of OpenAPI
	Samples     []codeSample         `json:"x-codeSamples"` //nolint:tagliatelle // an extension of OpenAPI

	Method string `json:"-"`
	Path   string `json:"-"`
}

// codeSample is an entry of x-codeSamples.
type codeSample struct {
	Lang   string `json:"lang"`
	Label  string `json:"label"`
	Source string `json:"source"`
}

type parameter struct {
	Ref         string  `json:"$ref"`
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Description string  `json:"description"`
	Required    bool    `json:"required"`
	Deprecated  bool    `json:"deprecated"`
	Sunset      string  `json:"x-sunset"` //nolint:tagliatelle // an extension of OpenAPI
	Schema      *schema `json:"schema"`
}

type body struct {
	Required bool             `json:"required"`
	Content  map[string]media `json:"content"`
}

type response struct {
	Ref         string           `json:"$ref"`
	Description string           `json:"description"`
	Content     map[string]media `json:"content"`
}

type media struct {
	Schema   *schema            `json:"schema"`
	Example  json.RawMessage    `json:"example"`
	Examples map[string]example `json:"examples"`
}

type example struct {
	Summary string          `json:"summary"`
	Value   json.RawMessage `json:"value"`
}

type schema struct {
	Ref         string             `json:"$ref"`
	Type        string             `json:"type"`
	Format      string             `json:"format"`
	Description string             `json:"description"`
	Enum        []any              `json:"enum"`
	Values      []any              `json:"x-extensible-enum"` //nolint:tagliatelle // an extension of OpenAPI
	Nullable    bool               `json:"nullable"`
	Deprecated  bool               `json:"deprecated"`
	Sunset      string             `json:"x-sunset"` //nolint:tagliatelle // an extension of OpenAPI
	Items       *schema            `json:"items"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	AllOf       []*schema          `json:"allOf"`
	AnyOf       []*schema          `json:"anyOf"`
	OneOf       []*schema          `json:"oneOf"`
	Additional  json.RawMessage    `json:"additionalProperties"`
	Minimum     *float64           `json:"minimum"`
	Maximum     *float64           `json:"maximum"`
	MinLength   *int               `json:"minLength"`
	MaxLength   *int               `json:"maxLength"`
	MinItems    *int               `json:"minItems"`
	MaxItems    *int               `json:"maxItems"`
}

// methods are the keys of a path, in the order of the reference.
var methods = []string{"get", "post", "put", "patch", "delete"}

func readDocument(raw []byte) (document, error) {
	var d document
	if err := json.Unmarshal(raw, &d); err != nil {
		return d, fmt.Errorf("docs: the OpenAPI document: %w", err)
	}
	for path, item := range d.Paths {
		for method, op := range item {
			op.Method, op.Path = strings.ToUpper(method), path
			for i, p := range op.Parameters {
				if named, ok := d.Components.Parameters[last(p.Ref)]; ok {
					op.Parameters[i] = named
				}
			}
			for status, r := range op.Responses {
				if named, ok := d.Components.Responses[last(r.Ref)]; ok {
					op.Responses[status] = named
				}
			}
		}
	}
	return d, nil
}

// last returns the name that a reference ends with.
func last(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// group is the operations of a tag.
type group struct {
	Name        string
	Description string
	Operations  []*operation
}

// Anchor returns the ID of the group on the page of the reference.
func (g group) Anchor() string { return strings.ReplaceAll(strings.ToLower(g.Name), " ", "-") }

// Has reports whether a page is that of one of the operations.
func (g group) Has(path string) bool {
	return slices.ContainsFunc(g.Operations, func(op *operation) bool { return op.Page() == path })
}

// groups returns the operations by their first tag.
func (d document) groups() []group {
	var list []group
	for _, tag := range d.Tags {
		g := group{Name: tag.Name, Description: tag.Description}
		for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
			for _, method := range methods {
				if op := d.Paths[path][method]; op != nil && len(op.Tags) > 0 && op.Tags[0] == tag.Name {
					g.Operations = append(g.Operations, op)
				}
			}
		}
		if len(g.Operations) > 0 {
			list = append(list, g)
		}
	}
	return list
}

// Page returns the path of the operation's page.
func (op *operation) Page() string { return pathReference + "/" + op.ID }

// good returns the successful response with its status.
func (op *operation) good() (status string, of *response) {
	for _, code := range slices.Sorted(maps.Keys(op.Responses)) {
		if strings.HasPrefix(code, "2") {
			return code, op.Responses[code]
		}
	}
	return "", nil
}

// json returns the JSON content of a body or of a response; false: there is none.
func jsonOf(content map[string]media) (media, bool) {
	m, ok := content[typeJSON]
	return m, ok
}

// examplesOf returns the examples of a content in the order of their names.
func examplesOf(content map[string]media) []sample {
	m, ok := jsonOf(content)
	if !ok {
		return nil
	}
	if len(m.Example) > 0 {
		return []sample{{Source: indented(m.Example)}}
	}
	list := make([]sample, 0, len(m.Examples))
	for _, name := range slices.Sorted(maps.Keys(m.Examples)) {
		of := m.Examples[name]
		list = append(list, sample{Title: cmp.Or(of.Summary, name), Source: indented(of.Value)})
	}
	return list
}

func indented(raw json.RawMessage) string {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return string(raw)
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return string(raw)
	}
	return strings.TrimSpace(out.String())
}
