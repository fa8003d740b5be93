package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// schema is the subset of JSON Schema that the events use.
type schema struct {
	Name        string             `json:"-"` // of a definition or a property
	Definition  *schema            `json:"-"` // that Ref refers to
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
		page.Events = append(page.Events, one.Definition)
		page.Objects = one.Definition.Properties["data"].objects(page.Objects)
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

// Sample returns the data of an event's example. The page describes the envelope once.
func (s *schema) Sample() (string, error) {
	var envelope struct{ Data json.RawMessage }
	var text bytes.Buffer
	if len(s.Examples) == 0 {
		return "", fmt.Errorf("%s has no example", s.Event())
	}
	if err := json.Unmarshal(s.Examples[0], &envelope); err != nil {
		return "", err
	}
	err := json.Indent(&text, s.Properties["data"].order(envelope.Data), "", "  ")
	return text.String(), err
}

// order returns an example, whose members are sorted by name, with its members in the order in which they are sent.
func (s *schema) order(example json.RawMessage) json.RawMessage {
	var values map[string]json.RawMessage
	found := s.Target()
	if found == nil || json.Unmarshal(example, &values) != nil || values == nil {
		return example
	}
	var members []string
	for _, member := range found.Members() {
		members = append(members, fmt.Sprintf("%q:%s", member.Name, member.order(values[member.Name])))
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
