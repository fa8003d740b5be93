package httpapi

import (
	"cmp"
	stdjson "encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
)

// object is a JSON object of the document.
type object = map[string]any

// Keywords of the document that publish reads and writes.
const (
	keyAllOf       = "allOf"
	keyAnyOf       = "anyOf"
	keyDefault     = "default"
	keyDescription = "description"
	keyEnum        = "enum"
	keyExample     = "example"
	keyNullable    = "nullable"
	keyProperties  = "properties"
	keyRef         = "$ref"
	keySchemas     = "schemas"
	keyType        = "type"
	keyWebhooks    = "webhooks"

	// prefixNullable is the name prefix of a nullable copy of a schema that is not nullable everywhere.
	prefixNullable = "Nullable"
)

// publish returns the published document: OpenAPI 3.0.3, in constructs that client generators understand by default.
// Huma generates OpenAPI 3.1; its own downgrade replaces lists of types and of examples. This function does the rest:
//   - OpenAPI 3.0 ignores siblings of a reference, so that a reference with a description moves into an allOf;
//   - a schema that a nullable property refers to becomes nullable itself;
//   - generators make a property with a default mandatory in the type of a request, so that its description states
//     the default instead;
//   - enumerations and objects inside a schema become components, which generators name once;
//   - enumerations of responses are open (openEnums), and bodies of requests are named as such (nameRequests);
//   - OpenAPI 3.0 has no section webhooks: readers of 3.0 documents use x-webhooks.
func publish(document *huma.OpenAPI) ([]byte, error) {
	raw, err := document.Downgrade()
	if err != nil {
		return nil, fmt.Errorf("downgrade the OpenAPI document: %w", err)
	}
	var whole object
	if err := stdjson.Unmarshal(raw, &whole); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	p := &publisher{
		schemas: member(member(whole, "components"), keySchemas), uses: make(map[string]int),
		nullable: make(map[string]int),
	}
	for name := range requestSchemas(document) {
		p.stateDefaults(name)
	}
	p.nameParts()
	p.openEnums(whole)
	visit(whole, p.count)
	visit(whole, p.rewrite)
	p.dropUnused(whole)
	p.nameRequests(whole)
	whole["x-"+keyWebhooks] = whole[keyWebhooks]
	delete(whole, keyWebhooks)
	out, err := stdjson.Marshal(whole)
	if err != nil {
		return nil, fmt.Errorf("encode the OpenAPI document: %w", err)
	}
	return out, nil
}

// publisher rewrites the schemas of a document.
type publisher struct {
	schemas object
	// uses counts the references to each schema, nullable those that also allow null.
	uses, nullable map[string]int
}

// member returns an object inside an object, or nil.
func member(of object, name string) object {
	inner, _ := of[name].(object)
	return inner
}

// visit calls do for every object of the document except examples, outer objects first.
func visit(value any, do func(object)) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			visit(item, do)
		}
	case object:
		do(value)
		for key, inner := range value {
			switch key {
			case keyExample, "examples", "value":
			case keyProperties:
				for _, property := range member(value, keyProperties) {
					visit(property, do)
				}
			default:
				visit(inner, do)
			}
		}
	}
}

// stateDefaults moves the defaults of a request's properties into their descriptions.
func (p *publisher) stateDefaults(name string) {
	for property := range members(member(p.schemas, name)) {
		value, has := property.schema[keyDefault]
		if !has {
			continue
		}
		delete(property.schema, keyDefault)
		text, _ := property.schema[keyDescription].(string)
		property.schema[keyDescription] = fmt.Sprintf("%s Default: `%v`.", text, value)
	}
}

// property is a property of an object's schema.
type property struct {
	name   string
	schema object
}

// members yields the properties of a schema in the order of their names.
func members(schema object) func(yield func(property) bool) {
	return func(yield func(property) bool) {
		properties := member(schema, keyProperties)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if !yield(property{name: name, schema: member(properties, name)}) {
				return
			}
		}
	}
}

// nameParts creates components for nested enumerations and objects. Equal enumerations share one component, named after
// the schema with the shortest name.
func (p *publisher) nameParts() {
	known := make(map[string]string) // names of enumerations by their values
	for name, schema := range p.schemas {
		if schema, ok := schema.(object); ok && schema[keyEnum] != nil {
			known[valuesOf(schema)] = name
		}
	}
	shortestFirst := func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }
	for _, name := range slices.SortedFunc(maps.Keys(p.schemas), shortestFirst) {
		for property := range members(member(p.schemas, name)) {
			part := name + strings.ToUpper(property.name[:1]) + property.name[1:]
			switch values, _ := property.schema[keyEnum].([]any); {
			case len(values) > 1:
				key := valuesOf(property.schema)
				if known[key] == "" {
					known[key] = part
				}
				p.nameEnum(known[key], property.schema)
			case property.schema[keyProperties] != nil:
				p.nameObject(part, property.schema)
			}
		}
	}
}

// valuesOf returns the identity of an enumeration.
func valuesOf(schema object) string { return fmt.Sprint(schema[keyEnum]) }

func (p *publisher) nameEnum(name string, schema object) {
	if p.schemas[name] == nil {
		p.schemas[name] = maps.Clone(schema)
	}
	refer30(schema, name)
}

func (p *publisher) nameObject(name string, schema object) {
	p.schemas[name] = maps.Clone(schema)
	nullable := schema[keyNullable]
	refer30(schema, name)
	if nullable == true {
		schema[keyType], schema[keyNullable] = huma.TypeObject, true
	}
}

// refer30 replaces a schema with a reference, and keeps its description.
func refer30(schema object, name string) {
	description := schema[keyDescription]
	clear(schema)
	schema[keyAllOf], schema[keyDescription] = []any{object{keyRef: apiforms.ComponentSchemas + name}}, description
}

// count counts the references to schemas.
func (p *publisher) count(s object) {
	if name := referred(s); name != "" {
		p.uses[name]++
	}
	if name := referredOrNull(s); name != "" {
		p.nullable[name]++
	}
}

// referred returns the name of the schema that s is a reference to, or "".
func referred(s object) string {
	ref, _ := s[keyRef].(string)
	name, ok := strings.CutPrefix(ref, apiforms.ComponentSchemas)
	if !ok {
		return ""
	}
	return name
}

// referredOrNull returns the schema name if s is an anyOf of a reference and null, or "".
func referredOrNull(s object) string {
	forms, _ := s[keyAnyOf].([]any)
	if len(forms) != 2 {
		return ""
	}
	first, _ := forms[0].(object)
	second, _ := forms[1].(object)
	if second[keyType] != "null" {
		return ""
	}
	return referred(first)
}

// rewrite converts one schema to its OpenAPI 3.0 form.
func (p *publisher) rewrite(s object) {
	if _, list := s["examples"].([]any); list {
		delete(s, "examples") // the downgrade keeps the first one as example
	}
	if name := referredOrNull(s); name != "" {
		p.allowNull(s, name)
		return
	}
	if ref := s[keyRef]; referred(s) != "" && len(s) > 1 {
		delete(s, keyRef)
		s[keyAllOf] = []any{object{keyRef: ref}}
	}
}

// allowNull converts a property of a schema or null to its OpenAPI 3.0 form. An enumeration would have to list null
// among its values, which generators treat as a text. Such a property becomes a text whose description lists the
// values.
func (p *publisher) allowNull(s object, name string) {
	delete(s, keyAnyOf)
	s[keyNullable] = true
	target := member(p.schemas, name)
	if values, ok := valuesIn(target); ok {
		s[keyType] = huma.TypeString
		s[keyExample] = target[keyExample]
		s[keyDescription] = fmt.Sprintf("%s One of %s. Tolerate new values.", s[keyDescription], listed(values))
		return
	}
	if p.uses[name] > p.nullable[name] {
		name = prefixNullable + name
		p.schemas[name] = maps.Clone(target)
	}
	member(p.schemas, name)[keyNullable] = true
	s[keyType], s[keyAllOf] = huma.TypeObject, []any{object{keyRef: apiforms.ComponentSchemas + name}}
}

// valuesIn returns the values of an enumeration, closed or open.
func valuesIn(s object) ([]any, bool) {
	if values, ok := s[keyEnum].([]any); ok {
		return values, true
	}
	values, ok := s[extensionValues].([]any)
	return values, ok
}

// listed joins values with commas.
func listed(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ", ")
}

// dropUnused deletes the enumerations without references.
func (p *publisher) dropUnused(whole object) {
	clear(p.uses)
	visit(whole, p.count)
	maps.DeleteFunc(p.schemas, func(name string, schema any) bool {
		s, _ := schema.(object)
		return (s[keyEnum] != nil || s[extensionValues] != nil) && p.uses[name] == 0
	})
}
