package main

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is the part of the OpenAPI document that the SDKs are generated from. Its lists have the document's order.
type document struct {
	Paths      ordered[ordered[operation]] `yaml:"paths"`
	Components struct {
		Parameters map[string]parameter `yaml:"parameters"`
		Schemas    ordered[*model]      `yaml:"schemas"`
	} `yaml:"components"`
}

type operation struct {
	ID          string      `yaml:"operationId"`
	Summary     string      `yaml:"summary"`
	Parameters  []parameter `yaml:"parameters"`
	RequestBody struct {
		Required bool    `yaml:"required"`
		Content  content `yaml:"content"`
	} `yaml:"requestBody"`
	Responses map[string]struct {
		Content content `yaml:"content"`
	} `yaml:"responses"`
}

// content has the schemas of a body by its media type.
type content map[string]struct {
	Schema model `yaml:"schema"`
}

type parameter struct {
	Ref         string `yaml:"$ref"`
	Name        string `yaml:"name"`
	In          string `yaml:"in"`
	Description string `yaml:"description"`
	Schema      model  `yaml:"schema"`
}

// model is a schema of OpenAPI 3.0.
type model struct {
	Ref           string          `yaml:"$ref"`
	AllOf         []model         `yaml:"allOf"`
	OneOf         []model         `yaml:"oneOf"`
	Description   string          `yaml:"description"`
	Type          string          `yaml:"type"`
	Format        string          `yaml:"format"`
	Nullable      bool            `yaml:"nullable"`
	Enum          []string        `yaml:"enum"`
	Values        []string        `yaml:"x-extensible-enum"`
	Required      []string        `yaml:"required"`
	Properties    ordered[*model] `yaml:"properties"`
	Items         *model          `yaml:"items"`
	Additional    additional      `yaml:"additionalProperties"`
	Discriminator struct {
		Property string          `yaml:"propertyName"`
		Mapping  ordered[string] `yaml:"mapping"`
	} `yaml:"discriminator"`
}

// additional is the schema of the values of an object with any members; nil if there is none.
type additional struct{ *model }

// UnmarshalYAML ignores true and false.
func (a *additional) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return nil
	}
	a.model = new(model)
	return node.Decode(a.model)
}

// ordered is a mapping in the order of the document.
type ordered[T any] []entry[T]

type entry[T any] struct {
	Name  string
	Value T
}

// UnmarshalYAML keeps the order of the members.
func (o *ordered[T]) UnmarshalYAML(node *yaml.Node) error {
	for i := 0; i+1 < len(node.Content); i += 2 {
		one := entry[T]{Name: node.Content[i].Value}
		if err := node.Content[i+1].Decode(&one.Value); err != nil {
			return fmt.Errorf("%s: %w", one.Name, err)
		}
		*o = append(*o, one)
	}
	return nil
}

func (o ordered[T]) get(name string) (value T, ok bool) {
	at := slices.IndexFunc(o, func(e entry[T]) bool { return e.Name == name })
	if at < 0 {
		return value, false
	}
	return o[at].Value, true
}

// sorted returns the members in the order of their names.
func (o ordered[T]) sorted() ordered[T] {
	return slices.SortedFunc(slices.Values(o), func(a, b entry[T]) int { return strings.Compare(a.Name, b.Name) })
}

// schema returns the schema that a reference means; nil if there is none.
func (d document) schema(ref string) *model {
	schema, _ := d.Components.Schemas.get(strings.TrimPrefix(ref, "#/components/schemas/"))
	return schema
}

// goSDK writes the types and the operations of the Go SDK from the OpenAPI document.
func goSDK(folder, source string) error {
	doc, err := readDocument(source)
	if err != nil {
		return err
	}
	sdk := goNames{document: doc, changes: map[string]bool{}}
	for _, schema := range doc.Components.Schemas {
		if mergePatch.MatchString(schema.Name) {
			sdk.markChange(schema.Name)
		}
	}
	for _, name := range []string{"models", "operations"} {
		text, err := render(name+".go.tmpl", sdk)
		if err != nil {
			return err
		}
		formatted, err := format.Source([]byte(text))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, name+".gen.go"), formatted, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func readDocument(path string) (document, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return document{}, err
	}
	var doc document
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		return document{}, fmt.Errorf("%s: %w", path, err)
	}
	return doc, nil
}

// mergePatch matches the schemas of merge patches, in which an absent member and null differ.
var mergePatch = regexp.MustCompile(`^(Edit|Update)|Change$`)

// goNames translates the document to Go.
type goNames struct {
	document
	changes map[string]bool
}

// markChange marks a schema and those below it.
func (g goNames) markChange(name string) {
	schema, ok := g.Components.Schemas.get(name)
	if !ok || g.changes[name] {
		return
	}
	g.changes[name] = true
	for _, property := range schema.Properties {
		for _, below := range append([]model{*property.Value}, property.Value.AllOf...) {
			if below.Items != nil {
				below = *below.Items
			}
			if below.Ref != "" {
				g.markChange(g.Target(below.Ref))
			}
		}
	}
}

// handWritten are the schemas that the SDK has types of its own for.
var handWritten = regexp.MustCompile(`^(LoggedEvent|LoggedEventData|.*Page)$`)

// Models returns the schemas that become types. Pages are iterators, except link pages.
func (g goNames) Models() ordered[*model] {
	var out ordered[*model]
	for _, schema := range g.Components.Schemas {
		if g.Target(schema.Name) != schema.Name || handWritten.MatchString(schema.Name) && !strings.HasSuffix(schema.Name, "LinkPage") {
			continue
		}
		out = append(out, schema)
	}
	return out
}

// Target returns the schema that a reference means: enumerations of requests and nullable variants of schemas are the
// same types in Go.
func (g goNames) Target(ref string) string {
	name := ref[strings.LastIndex(ref, "/")+1:]
	for _, other := range []string{strings.TrimSuffix(name, "Input"), strings.TrimPrefix(name, "Nullable")} {
		schema, ok := g.Components.Schemas.get(other)
		if ok && (schema.Type == "string" || other != strings.TrimSuffix(name, "Input")) {
			return other
		}
	}
	return name
}

// Open returns the values of an enumeration.
func (m model) Open() []string { return append(slices.Clone(m.Enum), m.Values...) }

// Fields returns the properties of an object, the required ones first.
func (m model) Fields() ordered[*model] {
	var out ordered[*model]
	for _, name := range m.Required {
		if property, ok := m.Properties.get(name); ok {
			out = append(out, entry[*model]{name, property})
		}
	}
	for _, property := range m.Properties {
		if !slices.Contains(m.Required, property.Name) {
			out = append(out, property)
		}
	}
	return out
}

// Field returns the type and the tag of a property.
func (g goNames) Field(schema, name string, property *model) string {
	owner, _ := g.Components.Schemas.get(schema)
	kind := g.Type(*property)
	reference := strings.HasPrefix(kind, "[]") || strings.HasPrefix(kind, "map[")
	if slices.Contains(owner.Required, name) {
		if property.Nullable && !reference {
			kind = "*" + kind
		}
		return fmt.Sprintf("%s `json:%q`", kind, name)
	}
	switch {
	case g.changes[schema]:
		return fmt.Sprintf("Optional[%s] `json:%q`", kind, name+",omitzero")
	case kind == "time.Time":
		return fmt.Sprintf("%s `json:%q`", kind, name+",omitzero")
	case kind != "string" && !reference && !g.text(*property):
		kind = "*" + kind
	}
	return fmt.Sprintf("%s `json:%q`", kind, name+",omitempty")
}

// text reports whether a schema is an enumeration.
func (g goNames) text(m model) bool {
	if len(m.AllOf) == 1 {
		m = m.AllOf[0]
	}
	schema, ok := g.Components.Schemas.get(g.Target(m.Ref))
	return ok && schema.Type == "string"
}

// Type returns the Go type of a schema.
func (g goNames) Type(m model) string {
	switch {
	case m.Ref != "":
		return g.Target(m.Ref)
	case len(m.AllOf) == 1:
		return g.Type(m.AllOf[0])
	case m.Type == "array":
		return "[]" + g.Type(*m.Items)
	case m.Type == "object" && m.Additional.model != nil && m.Additional.Nullable:
		return "map[string]*" + g.Type(*m.Additional.model)
	case m.Type == "object" && m.Additional.model != nil:
		return "map[string]" + g.Type(*m.Additional.model)
	case m.Type == "string" && m.Format == "date-time":
		return "time.Time"
	}
	return map[string]string{"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}[m.Type]
}

// initialisms are the words that Go writes in capitals.
var initialisms = map[string]string{"Id": "ID", "Ids": "IDs", "Url": "URL", "Seo": "SEO", "Openapi": "OpenAPI", "Linkedin": "LinkedIn", "Tiktok": "TikTok", "Youtube": "YouTube"}

var words = regexp.MustCompile(`[A-Za-z][a-z0-9]*|[0-9]+`)

// Name returns the exported name of a member or an operation.
func (goNames) Name(text string) string {
	var out strings.Builder
	for _, word := range words.FindAllString(text, -1) {
		word = strings.ToUpper(word[:1]) + word[1:]
		if other, ok := initialisms[word]; ok {
			word = other
		}
		out.WriteString(word)
	}
	return out.String()
}

// Value returns the name of a value of an enumeration, without that of its type.
func (g goNames) Value(text string) string {
	switch {
	case text == "*":
		return "All"
	case strings.HasPrefix(text, "-"):
		return g.Name(text[1:]) + "Descending"
	case strings.ToUpper(text) == text && len(text) > 4 && !strings.HasPrefix(text, "PT"):
		text = strings.ToLower(text)
	}
	return g.Name(text)
}

// Comment returns a text as a comment. The name of the declaration comes first, as Go's documentation has it.
func (goNames) Comment(indent, name, text string) string {
	if text == "" {
		return ""
	}
	switch {
	case strings.HasPrefix(text, "is "):
		text = name + " " + text
	case name != "":
		text = name + ": " + text
	}
	return wrapped(indent+"//", text)
}

// wrapped returns a text as lines of a comment, each with the prefix; nothing for a text without words.
func wrapped(prefix, text string) string {
	const width = 118
	var lines []string
	line := prefix
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > width {
			lines, line = append(lines, line), prefix
		}
		line += " " + word
	}
	if line != prefix {
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Query returns the parameters of an operation in its query.
func (g goNames) Query(o operation) []parameter {
	return slices.DeleteFunc(slices.Clone(o.Parameters), func(p parameter) bool { return p.In != "query" })
}

// Keyed reports whether an operation takes an Idempotency-Key.
func (g goNames) Keyed(o operation) bool {
	return slices.ContainsFunc(o.Parameters, func(p parameter) bool {
		return g.Components.Parameters[g.last(p.Ref)].Name == "Idempotency-Key"
	})
}

func (goNames) last(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// Upper writes the method of an operation.
func (goNames) Upper(method string) string { return strings.ToUpper(method) }
