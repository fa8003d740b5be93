// Package output prints results: as a table on a terminal, as one JSON object for each line elsewhere.
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/itchyny/gojq"

	"fencepost.internal/services/cli/internal/failure"
	"fencepost.internal/services/cli/internal/plain"
)

// Printer prints the results of a command.
type Printer struct {
	Out   io.Writer
	Width int  // columns of the terminal; 0 elsewhere
	Color bool // the terminal shows colors
	// Fields are the members to print as JSON; nil: all.
	Fields []string
	Query  *gojq.Code // nil: none
}

// Query compiles an expression of jq.
func Query(expression string) (*gojq.Code, error) {
	parsed, err := gojq.Parse(expression)
	if err != nil {
		return nil, failure.Misused("--jq is not an expression of jq: %s", err)
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return nil, failure.Misused("--jq is not an expression of jq: %s", err)
	}
	return code, nil
}

// Table reports whether results are a table for a person.
func (p *Printer) Table() bool { return p.Width > 0 && p.Fields == nil && p.Query == nil }

// Column is a column of a table.
type Column[T any] struct {
	Head string
	Cell func(T) string
	// Wide marks the column that is shortened if the terminal is too narrow.
	Wide bool
}

// List prints a sequence. It ends at an error, after what came before.
func List[T any](p *Printer, items iter.Seq2[T, error], columns []Column[T]) error {
	if err := known[T](p.Fields); err != nil {
		return err
	}
	var rows [][]string
	for item, err := range items {
		if err != nil {
			return err
		}
		if p.Table() {
			row := make([]string, len(columns))
			for i, column := range columns {
				row[i] = plain.Line(column.Cell(item))
			}
			rows = append(rows, row)
			continue
		}
		if err := p.Object(item); err != nil {
			return err
		}
	}
	if !p.Table() {
		return nil
	}
	heads, wide := make([]string, len(columns)), -1
	for i, column := range columns {
		heads[i] = column.Head
		if column.Wide {
			wide = i
		}
	}
	if len(rows) == 0 {
		_, err := fmt.Fprintln(p.Out, "Nothing found.")
		return err
	}
	return p.table(heads, rows, wide)
}

// All is List for a slice.
func All[T any](p *Printer, items []T, columns []Column[T]) error {
	return List(p, func(yield func(T, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}, columns)
}

// Line is a line of the page of a single object.
type Line struct{ Name, Text string }

// One prints an object: as lines on a terminal. Lines without a text are omitted.
func One[T any](p *Printer, item T, lines []Line) error {
	if err := known[T](p.Fields); err != nil {
		return err
	}
	if !p.Table() {
		return p.Object(item)
	}
	widest := 0
	for _, line := range lines {
		widest = max(widest, len(line.Name))
	}
	for _, line := range lines {
		if line.Text == "" {
			continue
		}
		indented := strings.ReplaceAll(plain.Text(line.Text), "\n", "\n"+strings.Repeat(" ", widest+2))
		if _, err := fmt.Fprintf(p.Out, "%s%s  %s\n", p.bold(line.Name), strings.Repeat(" ", widest-len(line.Name)), indented); err != nil {
			return err
		}
	}
	return nil
}

// Object prints an object as a line of JSON, or what the query makes of it.
func (p *Printer) Object(item any) error {
	raw, err := json.Marshal(item)
	if err != nil {
		return err
	}
	if p.Fields != nil {
		if raw, err = selected(raw, p.Fields); err != nil {
			return err
		}
	}
	if p.Query == nil {
		_, err = p.Out.Write(append(raw, '\n'))
		return err
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return err
	}
	return p.apply(value)
}

// apply prints the results of the query: texts as they are, other values as JSON.
func (p *Printer) apply(value any) error {
	for results := p.Query.Run(value); ; {
		result, more := results.Next()
		if !more {
			return nil
		}
		if err, failed := result.(error); failed {
			return failure.Misused("--jq: %s", err)
		}
		text, ok := result.(string)
		if !ok {
			raw, err := gojq.Marshal(result)
			if err != nil {
				return err
			}
			text = string(raw)
		}
		if _, err := fmt.Fprintln(p.Out, text); err != nil {
			return err
		}
	}
}

// selected keeps the members in their order.
func selected(raw []byte, fields []string) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for _, field := range fields {
		value, found := members[field]
		if !found { // optional members
			value = json.RawMessage("null")
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, err := json.Marshal(field)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// known refuses fields that the type does not have.
func known[T any](fields []string) error {
	names := membersOf(reflect.TypeFor[T]())
	if names == nil {
		return nil
	}
	for _, field := range fields {
		if !slices.Contains(names, field) {
			return failure.Misused("--json has no field %q; there are: %s", field, strings.Join(names, ", "))
		}
	}
	return nil
}

func membersOf(of reflect.Type) []string {
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}
