package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// schema is the subset of JSON Schema that the events use.
type schema struct {
	Name        string             `json:"-"` // of a definition or a property
	Definition  *schema            `json:"-"` // that Ref refers to
	Like        *schema            `json:"-"` // the event before with the same data
	Extends     *schema            `json:"-"` // the object before whose members it begins with
	Ref         string             `json:"$ref"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Type        any                `json:"type"`
	Format      string             `json:"format"`
	Enum        []string           `json:"enum"`
	AnyOf       []*schema          `json:"anyOf"`
	OneOf       []*schema          `json:"oneOf"`
	Required    []string           `json:"required"`
	Properties  map[string]*schema `json:"properties"`
	Examples    []json.RawMessage  `json:"examples"`
	Definitions map[string]*schema `json:"$defs"`
}

// events writes the reference of docs/events.md from the schemas of the events.
func events(path, source string) error {
	var document schema
	if err := readJSON(source, &document); err != nil {
		return err
	}
	if len(document.OneOf) == 0 {
		return fmt.Errorf("%s has no events", source)
	}
	document.link(document.Definitions)
	var page struct{ Events, Objects []*schema }
	for _, one := range document.OneOf {
		event := one.Definition
		event.Like = first(page.Events, func(e *schema) bool { return e.Data() == event.Data() })
		page.Events = append(page.Events, event)
		page.Objects = event.Properties["data"].objects(page.Objects)
	}
	for i, object := range page.Objects {
		object.Extends = first(page.Objects[:i], func(o *schema) bool {
			return len(o.Required) > 1 && len(o.Required) < len(object.Required) &&
				slices.Equal(o.Required, object.Required[:len(o.Required)])
		})
	}
	return writeSection(path, "events", page)
}

// link sets the names and the definitions of a schema and of those below it.
func (s *schema) link(definitions map[string]*schema) {
	s.Definition = definitions[strings.TrimPrefix(s.Ref, "#/$defs/")]
	for _, below := range slices.Concat(s.AnyOf, s.OneOf) {
		below.link(definitions)
	}
	for _, named := range []map[string]*schema{s.Properties, s.Definitions} {
		for name, below := range named {
			below.Name = name
			below.link(definitions)
		}
	}
}

// Target returns the object that a value contains. It returns nil if the value is not an object.
func (s *schema) Target() *schema {
	for _, one := range append(slices.Clone(s.AnyOf), s) {
		if one.Definition != nil && one.Definition.Properties != nil {
			return one.Definition
		}
	}
	return nil
}

// Members returns the properties in the order in which they are sent, which is that of the required ones.
func (s *schema) Members() []*schema {
	members := make([]*schema, len(s.Required))
	for i, name := range s.Required {
		members[i] = s.Properties[name]
	}
	return members
}

// first returns the first schema that matches, or nil.
func first(all []*schema, matches func(*schema) bool) *schema {
	if at := slices.IndexFunc(all, matches); at >= 0 {
		return all[at]
	}
	return nil
}

// objects appends the object of a value and the objects in it to those that are known.
func (s *schema) objects(known []*schema) []*schema {
	found := s.Target()
	if found == nil || slices.Contains(known, found) {
		return known
	}
	known = append(known, found)
	for _, member := range found.Members() {
		known = member.objects(known)
	}
	return known
}

// Event returns the type of an event.
func (s *schema) Event() string { return s.Properties["type"].Enum[0] }

// Data returns the object in an event.
func (s *schema) Data() *schema { return s.Properties["data"].Target() }

// Sample returns the data of an event's example: all of it, or what differs from the event before with the same data,
// which may be nothing.
func (s *schema) Sample() (string, error) {
	data, err := s.example()
	if err == nil && s.Like != nil {
		before, _ := s.Like.example() // its own sample has the error
		maps.DeleteFunc(data, func(name string, value json.RawMessage) bool { return bytes.Equal(value, before[name]) })
	}
	if err != nil || len(data) == 0 {
		return "", err
	}
	var text bytes.Buffer
	err = json.Indent(&text, s.Data().order(data), "", "  ")
	return text.String(), err
}

// example returns the members of an event's data.
func (s *schema) example() (map[string]json.RawMessage, error) {
	if len(s.Examples) == 0 {
		return nil, fmt.Errorf("%s has no example", s.Event())
	}
	var envelope struct{ Data map[string]json.RawMessage }
	err := json.Unmarshal(s.Examples[0], &envelope)
	return envelope.Data, err
}

// order returns members of an object in the order in which they are sent.
func (s *schema) order(values map[string]json.RawMessage) json.RawMessage {
	var members []string
	for _, member := range s.Members() {
		value, given := values[member.Name]
		if !given {
			continue
		}
		var inner map[string]json.RawMessage
		if object := member.Target(); object != nil && json.Unmarshal(value, &inner) == nil && inner != nil {
			value = object.order(inner)
		}
		members = append(members, fmt.Sprintf("%q:%s", member.Name, value))
	}
	return json.RawMessage("{" + strings.Join(members, ",") + "}")
}

// Word describes the type of a value that is no object.
func (s *schema) Word() string {
	words := map[string]string{
		"date-time": "time", "uuid": "UUID", "uri": "address", "email": "email address", "string": "text",
	}
	if types, several := s.Type.([]any); several {
		return (&schema{Type: types[0], Format: s.Format}).Word() + " or null"
	}
	word := cmp.Or(s.Format, fmt.Sprint(s.Type))
	return cmp.Or(words[word], word)
}
