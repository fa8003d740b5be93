package main

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// pythonType is a schema of the document. Name is empty for the members that are optional.
type pythonType struct {
	Name, Description  string
	Alias              string // of what is no object
	Required, Optional []pythonMember
}

type pythonMember struct{ Name, Type, Description string }

type pythonResource struct {
	Name, Class string
	Methods     []pythonMethod
}

// pythonMethod is an operation. Item is the type of the elements of a list with pages.
type pythonMethod struct {
	Name, Summary, Verb, Path string
	Paths, Queries            []pythonMember // Name is the parameter's, which pythonName makes that of the argument
	Body, Returns, Item       string
	BodyOptional, Keyed       bool
	Condition                 string // the header of conditional requests
}

// pythonResources are the beginnings of paths, the resources of the client to which they belong, and the words of
// operation IDs that the resource's name has already.
var pythonResources = []struct{ path, name, words string }{
	{"/v1/analytics", "analytics", "analytics"},
	{"/v1/channels", "channels", "channel channels"},
	{"/v1/events", "events", "event events"},
	{"/v1/idea-boards", "ideas", "idea"},
	{"/v1/link-pages", "link_pages", "link page pages"},
	{"/v1/media", "media", "media"},
	{"/v1/posts", "posts", "post posts"},
	{"/v1/webhooks", "webhooks", "webhook webhooks"},
	{"/v1/workspace", "workspace", "workspace"},
}

// python writes the generated modules of the Python SDK into the folder of its package: the types of the API, and its
// operations for the client and for the asynchronous client.
func python(source, folder string) error {
	doc, err := readDocument(source)
	if err != nil {
		return err
	}
	resources, types := doc.pythonResources(), doc.pythonTypes()
	for _, file := range []struct {
		name, template string
		data           any
	}{
		{"types.py", "python_types.py.tmpl", types},
		{"_resources.py", "python_resources.py.tmpl", map[string]any{"Resources": resources}},
		{"_async_resources.py", "python_resources.py.tmpl", map[string]any{"Resources": resources, "Async": true}},
	} {
		text, err := render(file.template, file.data)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, file.name), []byte(text), 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pythonTypes returns the schemas in the order of their names.
func (d document) pythonTypes() []pythonType {
	var types []pythonType
	for _, one := range d.Components.Schemas.sorted() {
		name, schema := one.Name, one.Value
		if d.pythonReference(name) != name {
			continue
		}
		t := pythonType{Name: name, Description: schema.Description}
		if schema.Properties == nil {
			t.Alias = d.pythonAlias(schema)
			if values := schema.Open(); len(values) > 0 {
				t.Description = strings.TrimSpace(t.Description + " Known values: " + strings.Join(values, ", ") + ".")
			}
		}
		for _, member := range schema.Properties.sorted() {
			m := pythonMember{member.Name, d.pythonValue(member.Value), member.Value.Description}
			if slices.Contains(schema.Required, member.Name) {
				t.Required = append(t.Required, m)
			} else {
				t.Optional = append(t.Optional, m)
			}
		}
		types = append(types, t)
	}
	return types
}

// Reads reports whether the operation changes nothing although it is a POST.
func (m pythonMethod) Reads() bool { return m.Verb == "POST" && !m.Keyed }

// Functional reports whether a name of a member is a keyword, which the class syntax does not allow.
func (t pythonType) Functional() bool {
	return slices.ContainsFunc(t.Required, func(m pythonMember) bool { return pythonKeyword(m.Name) })
}

// pythonReference returns the name of the type of a schema. The schema NullablePost is Post, beside which null is
// possible.
func (d document) pythonReference(name string) string {
	name = strings.TrimPrefix(name, "#/components/schemas/")
	plain := strings.TrimPrefix(name, "Nullable")
	if _, known := d.Components.Schemas.get(plain); known {
		return plain
	}
	return name
}

// pythonValue returns the type of a value.
func (d document) pythonValue(s *model) string {
	text := d.pythonPlain(s)
	if d.nullable(s) && text != "Any" {
		return "Optional[" + text + "]"
	}
	return text
}

func (d document) nullable(s *model) bool {
	if s.Ref != "" {
		return d.nullable(d.schema(s.Ref))
	}
	return s.Nullable || len(s.AllOf) == 1 && d.nullable(&s.AllOf[0])
}

var pythonScalars = map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool"}

func (d document) pythonPlain(s *model) string {
	switch {
	case s.Ref != "":
		return `"` + d.pythonReference(s.Ref) + `"`
	case len(s.AllOf) == 1:
		return d.pythonPlain(&s.AllOf[0])
	case s.Type == "array":
		return "List[" + d.pythonValue(s.Items) + "]"
	case s.Type == "object":
		value := ""
		if s.Additional.model != nil {
			value = pythonScalars[s.Additional.Type]
		}
		return "Dict[str, " + cmp.Or(value, "Any") + "]"
	}
	return cmp.Or(pythonScalars[s.Type], "Any")
}

// pythonAlias returns the type of a schema without members.
func (d document) pythonAlias(s *model) string {
	if len(s.OneOf) == 0 {
		return d.pythonPlain(s)
	}
	names := make([]string, len(s.OneOf))
	for i := range s.OneOf {
		names[i] = d.pythonPlain(&s.OneOf[i])
	}
	return "Union[\n    " + strings.Join(names, ",\n    ") + ",\n]"
}

var upperCase = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// pythonName returns the name of an argument or a method.
func pythonName(name string) string {
	name = strings.ToLower(upperCase.ReplaceAllString(strings.ReplaceAll(name, "-", "_"), "${1}_$2"))
	if pythonKeyword(name) {
		name += "_"
	}
	return name
}

func pythonKeyword(name string) bool { return name == "from" || name == "import" }

// pythonComment returns a text as lines of a comment.
func pythonComment(indent, text string) string {
	if text = wrapped(indent+"#", text); text != "" {
		text += "\n"
	}
	return text
}

// pythonResources returns the operations by resource, in the order of their paths. The operation that returns the
// document itself has no method.
func (d document) pythonResources() []pythonResource {
	resources := make([]pythonResource, len(pythonResources))
	for i, known := range pythonResources {
		class := strings.ReplaceAll(known.name, "_", " ")
		for _, word := range strings.Fields(class) {
			resources[i].Class += strings.ToUpper(word[:1]) + word[1:]
		}
		resources[i].Name = known.name
		for _, path := range d.Paths.sorted() {
			if !strings.HasPrefix(path.Name+"/", known.path+"/") {
				continue
			}
			for _, verb := range path.Value.sorted() {
				method := d.pythonMethod(path.Name, verb.Name, verb.Value, strings.Fields(known.words))
				resources[i].Methods = append(resources[i].Methods, method)
			}
		}
	}
	return resources
}

// pythonMethod returns the method of an operation. Its name is the operation ID without words.
func (d document) pythonMethod(path, verb string, of operation, words []string) pythonMethod {
	parts := slices.DeleteFunc(strings.Split(of.ID, "-"), func(part string) bool { return slices.Contains(words, part) })
	method := pythonMethod{
		Name: pythonName(strings.Join(parts, "_")), Summary: of.Summary, Verb: strings.ToUpper(verb), Path: path,
		Returns: "None",
	}
	for _, parameter := range of.Parameters {
		switch header := strings.TrimPrefix(parameter.Ref, "#/components/parameters/"); {
		case header == "Idempotency-Key":
			method.Keyed = true
		case header != "":
			method.Condition = header
		case parameter.In == "path":
			method.Paths = append(method.Paths, pythonMember{parameter.Name, "str", ""})
		default:
			method.Queries = append(method.Queries, pythonMember{parameter.Name, d.pythonArgument(&parameter.Schema), ""})
		}
	}
	// The IDs in the order of the path.
	slices.SortFunc(method.Paths, func(a, b pythonMember) int {
		return cmp.Compare(strings.Index(path, "{"+a.Name+"}"), strings.Index(path, "{"+b.Name+"}"))
	})
	if body := of.RequestBody; body.Content != nil {
		method.Body = d.pythonPublic(new(body.Content["application/json"].Schema))
		method.BodyOptional = !body.Required
	}
	for status, response := range of.Responses {
		if content, ok := response.Content["application/json"]; ok && status[0] == '2' {
			method.Returns, method.Item = d.pythonPublic(&content.Schema), d.pythonItem(&content.Schema)
		}
	}
	if method.Condition == "If-None-Match" {
		method.Returns = "Optional[" + method.Returns + "]"
	}
	return method
}

// pythonItem returns the type of the elements of a page, or nothing for what is no page.
func (d document) pythonItem(s *model) string {
	page := d.schema(s.Ref)
	if page == nil {
		return ""
	}
	_, more := page.Properties.get("nextCursor")
	data, _ := page.Properties.get("data")
	if !more || data == nil {
		return ""
	}
	return d.pythonPublic(data.Items)
}

var quotedType = regexp.MustCompile(`"(\w+)"`)

// pythonPublic returns a type as other modules name it.
func (d document) pythonPublic(s *model) string {
	return quotedType.ReplaceAllString(d.pythonValue(s), "types.$1")
}

// pythonArgument returns the type of a parameter of the query.
func (d document) pythonArgument(s *model) string {
	switch {
	case s.Type == "array":
		return "Union[str, Sequence[str]]"
	case s.Format == "date" || s.Format == "date-time":
		return "Union[str, date]"
	}
	return cmp.Or(pythonScalars[s.Type], "str")
}
