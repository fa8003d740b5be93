// Command eventstable writes the event reference of docs/events.md from the events' schemas:
//
//	go run tools/gen/eventstable/main.go docs/events.schema.json
//
// With -write FILE the output replaces the text between the marks in the file.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
)

const (
	beginMark = "<!-- events: begin -->\n"
	endMark   = "<!-- events: end -->\n"
)

// schema is the subset of JSON Schema that the events use.
type schema struct {
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

func main() {
	log.SetFlags(0)
	file := flag.String("write", "", "`FILE` to write into, between its marks")
	flag.Parse()
	text, err := page(flag.Arg(0))
	if err == nil && *file != "" {
		err = replace(*file, text)
	} else if err == nil {
		_, err = os.Stdout.WriteString(text)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func page(path string) (string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var all schema
	if err := json.Unmarshal(raw, &all); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	if len(all.OneOf) == 0 {
		return "", errors.New(path + " has no events")
	}
	w := writer{all: all}
	w.overview()
	for _, one := range all.OneOf {
		if err := w.event(name(one)); err != nil {
			return "", err
		}
	}
	w.text.WriteString("## Data\n\nEvery field is present. An unknown or inapplicable value is null.\n\n")
	for _, part := range w.parts {
		w.object(part)
	}
	return strings.TrimSuffix(w.text.String(), "\n"), nil
}

type writer struct {
	all   schema
	text  strings.Builder
	parts []string // objects that were mentioned and are still to be described
}

// name returns the name of the definition that a reference refers to.
func name(s *schema) string { return strings.TrimPrefix(s.Ref, "#/$defs/") }

func (w *writer) overview() {
	w.text.WriteString("| Event | Fired when | `data` |\n|---|---|---|\n")
	for _, one := range w.all.OneOf {
		s := w.all.Definitions[name(one)]
		typ, data := s.Properties["type"].Enum[0], name(s.Properties["data"])
		fmt.Fprintf(&w.text, "| [`%s`](#%s) | %s | [%s](#%s) |\n", typ, anchor(typ), lower(s.Title), data,
			strings.ToLower(data))
	}
	w.text.WriteString("\n## Each event\n\nThe samples show `data`, whose members are described [below](#data).\n\n")
}

func anchor(typ string) string { return strings.ReplaceAll(typ, ".", "") }

// lower converts the first letter to lower case.
func lower(title string) string { return strings.ToLower(title[:1]) + title[1:] }

func (w *writer) event(definition string) error {
	s := w.all.Definitions[definition]
	typ, data := s.Properties["type"].Enum[0], name(s.Properties["data"])
	w.mention(data)
	if len(s.Examples) == 0 {
		return errors.New(typ + " has no example")
	}
	// The envelope is described once, above the marks.
	var envelope struct{ Data json.RawMessage }
	var example bytes.Buffer
	err := json.Unmarshal(s.Examples[0], &envelope)
	if err == nil {
		err = json.Indent(&example, w.inOrder(s.Properties["data"], envelope.Data), "", "  ")
	}
	if err != nil {
		return fmt.Errorf("example of %s: %w", typ, err)
	}
	fmt.Fprintf(&w.text, "### `%s`\n\n%s\n\n```json\n%s\n```\n\n", typ, s.Description, example.String())
	return nil
}

// inOrder returns an example with its fields in the order in which they are sent. The schemas list required fields in
// that order; the example itself has them sorted by name.
func (w *writer) inOrder(s *schema, example json.RawMessage) json.RawMessage {
	if to := w.target(s); to != "" {
		s = w.all.Definitions[to]
	}
	var members map[string]json.RawMessage
	if s.Properties == nil || json.Unmarshal(example, &members) != nil || members == nil {
		return example
	}
	var out bytes.Buffer
	for i, member := range s.Required {
		fmt.Fprintf(&out, "%s%q:%s", []string{"{", ","}[min(i, 1)], member, w.inOrder(s.Properties[member], members[member]))
	}
	out.WriteByte('}')
	return out.Bytes()
}

func (w *writer) mention(part string) {
	if !slices.Contains(w.parts, part) {
		w.parts = append(w.parts, part)
		for _, p := range w.all.Definitions[part].Required {
			if inner := w.target(w.all.Definitions[part].Properties[p]); inner != "" &&
				w.all.Definitions[inner].Properties != nil {
				w.mention(inner)
			}
		}
	}
}

// target returns the definition that a field refers to, or "".
func (w *writer) target(s *schema) string {
	for _, alternative := range s.AnyOf {
		if alternative.Ref != "" {
			return name(alternative)
		}
	}
	return name(s)
}

func (w *writer) object(part string) {
	s := w.all.Definitions[part]
	fmt.Fprintf(&w.text, "### %s\n\n", part)
	members := s.Required
	if base := w.extended(part); base != "" {
		fmt.Fprintf(&w.text, "The members of [%s](#%s), and:\n\n", base, strings.ToLower(base))
		members = members[len(w.all.Definitions[base].Required):]
	}
	w.text.WriteString("| Member | Type | Meaning |\n|---|---|---|\n")
	for _, member := range members {
		p := s.Properties[member]
		fmt.Fprintf(&w.text, "| `%s` | %s | %s |\n", member, w.kind(p), strings.ReplaceAll(p.Description, "|", `\|`))
	}
	w.text.WriteString("\n")
}

// extended returns the object described before whose fields are the first ones of this object, or "".
func (w *writer) extended(part string) string {
	members := w.all.Definitions[part].Required
	for _, base := range w.parts[:slices.Index(w.parts, part)] {
		first := w.all.Definitions[base].Required
		if len(first) < 2 || len(first) >= len(members) {
			continue
		}
		if slices.EqualFunc(first, members[:len(first)], func(a, b string) bool {
			x, y := w.all.Definitions[base].Properties[a], w.all.Definitions[part].Properties[b]
			return a == b && w.kind(x) == w.kind(y) && x.Description == y.Description
		}) {
			return base
		}
	}
	return ""
}

// kind describes the type of a field.
func (w *writer) kind(s *schema) string {
	if len(s.AnyOf) > 0 {
		return w.kind(s.AnyOf[0]) + " or null"
	}
	if s.Ref != "" {
		to := w.all.Definitions[name(s)]
		if to.Properties != nil {
			return fmt.Sprintf("[%s](#%s)", name(s), strings.ToLower(name(s)))
		}
		return w.kind(to)
	}
	if len(s.Enum) > 0 {
		return "`" + strings.Join(s.Enum, "`, `") + "`"
	}
	words := map[string]string{
		"date-time": "time", "uuid": "UUID", "uri": "address", "email": "email address", "string": "text",
	}
	nullable := ""
	typ, _ := s.Type.(string)
	if several, ok := s.Type.([]any); ok {
		typ, _ = several[0].(string)
		nullable = " or null"
	}
	word := cmp.Or(s.Format, typ)
	return cmp.Or(words[word], word) + nullable
}

func replace(path, text string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(raw), beginMark)
	_, after, ended := strings.Cut(rest, endMark)
	if !begun || !ended {
		return fmt.Errorf("%s lacks the markers", path)
	}
	return os.WriteFile(path, []byte(before+beginMark+"\n"+text+"\n"+endMark+after), 0o644)
}
