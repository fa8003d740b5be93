package docs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// field is a row of a table of fields.
type field struct {
	Name       string
	Kind       string // type, in words
	Required   bool
	Deprecated bool
	Sunset     string
	Text       string // Markdown
	Values     []string
	Limits     string
	Inner      []field
	Forms      []form // alternatives of which one applies
}

// form is one of several forms of an object.
type form struct {
	Name   string
	Fields []field
}

// resolved follows references and joins the parts of a schema. Name is that of the component, or empty.
func (d document) resolved(s *schema) (name string, of *schema) {
	if s == nil {
		return "", &schema{}
	}
	if s.Ref != "" {
		name = last(s.Ref)
		if of = d.Components.Schemas[name]; of == nil {
			return name, &schema{}
		}
		_, of = d.resolved(of)
		return name, of
	}
	if len(s.AllOf) == 0 {
		return "", s
	}
	joined := *s
	joined.AllOf, joined.Properties = nil, maps.Clone(s.Properties)
	for _, part := range s.AllOf {
		partName, of := d.resolved(part)
		name = cmp.Or(name, partName)
		if joined.Properties == nil {
			joined.Properties = map[string]*schema{}
		}
		maps.Copy(joined.Properties, of.Properties)
		joined.Required = append(joined.Required, of.Required...)
		joined.Type = cmp.Or(of.Type, joined.Type)
		joined.Format = cmp.Or(joined.Format, of.Format)
		joined.Description = cmp.Or(joined.Description, of.Description)
		joined.Items = cmp.Or(joined.Items, of.Items)
		joined.Enum = append(joined.Enum, of.Enum...)
		joined.Values = append(joined.Values, of.Values...)
		joined.OneOf = append(joined.OneOf, of.OneOf...)
		joined.AnyOf = append(joined.AnyOf, of.AnyOf...)
		if joined.Additional == nil {
			joined.Additional = of.Additional
		}
	}
	return name, &joined
}

// fields returns the fields of an object, the required ones first. Open are the components that contain it, so that the
// description of a component that contains itself ends.
func (d document) fields(s *schema, open []string) []field {
	name, of := d.resolved(s)
	if name != "" {
		if slices.Contains(open, name) {
			return nil
		}
		open = append(slices.Clone(open), name)
	}
	if of.Type == "array" || of.Items != nil {
		return d.fields(of.Items, open)
	}
	list := make([]field, 0, len(of.Properties))
	for _, property := range slices.Sorted(maps.Keys(of.Properties)) {
		one := d.field(property, of.Properties[property], open)
		one.Required = slices.Contains(of.Required, property)
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b field) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		default:
			return 1
		}
	})
	return list
}

// forms returns the alternatives of a schema.
func (d document) forms(s *schema, open []string) []form {
	_, of := d.resolved(s)
	if of.Items != nil {
		_, of = d.resolved(of.Items)
	}
	var list []form
	for _, one := range slices.Concat(of.OneOf, of.AnyOf) {
		name, _ := d.resolved(one)
		if name != "" {
			list = append(list, form{Name: name, Fields: d.fields(one, open)})
		}
	}
	return list
}

func (d document) field(name string, s *schema, open []string) field {
	component, of := d.resolved(s)
	f := field{
		Name: name, Kind: d.kind(s), Deprecated: s.Deprecated || of.Deprecated, Sunset: cmp.Or(s.Sunset, of.Sunset),
		Text: cmp.Or(s.Description, of.Description), Limits: limits(of), Inner: d.fields(s, open),
	}
	for _, value := range slices.Concat(of.Enum, of.Values) {
		f.Values = append(f.Values, fmt.Sprint(value))
	}
	if component != "" {
		open = append(slices.Clone(open), component)
	}
	f.Forms = d.forms(s, open)
	var values schema
	if len(f.Inner) == 0 && len(of.Additional) > 0 && of.Additional[0] == '{' && json.Unmarshal(of.Additional, &values) == nil {
		f.Inner = d.fields(&values, open)
	}
	return f
}

// kind returns the type of a schema in words.
func (d document) kind(s *schema) string {
	_, of := d.resolved(s)
	kind := of.Type
	switch {
	case of.Items != nil:
		kind = "array of " + d.kind(of.Items)
	case len(of.OneOf)+len(of.AnyOf) > 0 && kind == "":
		kind = "object"
	}
	if of.Format != "" {
		kind += " (" + of.Format + ")"
	}
	if s.Nullable || of.Nullable {
		kind += " or null"
	}
	return kind
}

// thousands groups the digits of numbers.
var thousands = message.NewPrinter(language.English)

// limits returns the limits of a value in words.
func limits(s *schema) string {
	var parts []string
	span := func(least, most *int, unit string) {
		switch {
		case least != nil && most != nil:
			parts = append(parts, thousands.Sprintf("%d to %d %s", *least, *most, unit))
		case most != nil:
			parts = append(parts, thousands.Sprintf("at most %d %s", *most, unit))
		case least != nil && *least == 1:
			parts = append(parts, "not empty")
		case least != nil:
			parts = append(parts, fmt.Sprintf("at least %d %s", *least, unit))
		}
	}
	span(s.MinLength, s.MaxLength, "characters")
	span(s.MinItems, s.MaxItems, "items")
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		parts = append(parts, number(*s.Minimum)+" to "+number(*s.Maximum))
	case s.Maximum != nil:
		parts = append(parts, "at most "+number(*s.Maximum))
	case s.Minimum != nil:
		parts = append(parts, "at least "+number(*s.Minimum))
	}
	return strings.Join(parts, ", ")
}
