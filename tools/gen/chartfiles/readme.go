package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	beginMark = "<!-- values: begin -->\n"
	endMark   = "<!-- values: end -->\n"
	// descriptionMark begins a comment that describes the value below it.
	descriptionMark = "# -- "
)

// document replaces the table of values in the chart's README.md.
func document(values, readme string) error {
	raw, err := os.ReadFile(values)
	if err != nil {
		return err
	}
	var root yaml.Node
	if err := yaml.Unmarshal(raw, &root); err != nil {
		return fmt.Errorf("%s: %w", values, err)
	}
	rows, err := rowsOf(root.Content[0], "")
	if err != nil {
		return fmt.Errorf("%s: %w", values, err)
	}
	text, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(text), beginMark)
	_, after, ended := strings.Cut(rest, endMark)
	if !begun || !ended {
		return fmt.Errorf("%s lacks the markers", readme)
	}
	table := "| Value | Default | Meaning |\n|---|---|---|\n" + strings.Join(rows, "")
	return os.WriteFile(readme, []byte(before+beginMark+"\n"+table+"\n"+endMark+after), 0o644)
}

// rowsOf returns a row for each described value of a map. A value without a description must be a map, and a default of
// a program (under "defaults"), which the other programs override, is described only there.
func rowsOf(parent *yaml.Node, path string) ([]string, error) {
	var rows []string
	for i := 0; i+1 < len(parent.Content); i += 2 {
		key, value := parent.Content[i], parent.Content[i+1]
		name := path + key.Value
		description := descriptionOf(key)
		isMap := value.Kind == yaml.MappingNode && len(value.Content) > 0
		if description != "" {
			shown, err := show(value)
			if err != nil {
				return nil, err
			}
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |\n", name, shown, strings.ReplaceAll(description, "|", `\|`)))
		}
		if !isMap {
			continue
		}
		below, err := rowsOf(value, name+".")
		if err != nil {
			return nil, err
		}
		rows = append(rows, below...)
	}
	return rows, nil
}

// descriptionOf returns the text of the comment above a key, from the mark on.
func descriptionOf(key *yaml.Node) string {
	_, text, found := strings.Cut("\n"+key.HeadComment, "\n"+descriptionMark)
	if !found {
		return ""
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\n# ", " ")), " ")
}

// show returns a default as JSON, or nothing for a map whose values have descriptions.
func show(value *yaml.Node) (string, error) {
	if value.Kind == yaml.MappingNode && described(value) {
		return "", nil
	}
	var decoded any
	if err := value.Decode(&decoded); err != nil {
		return "", err
	}
	raw, err := json.Marshal(decoded)
	if err != nil {
		return "", err
	}
	return "`" + strings.ReplaceAll(string(raw), "|", `\|`) + "`", nil
}

// described reports whether a value of a map, at any depth, has a description.
func described(parent *yaml.Node) bool {
	for i := 0; i+1 < len(parent.Content); i += 2 {
		if descriptionOf(parent.Content[i]) != "" || described(parent.Content[i+1]) {
			return true
		}
	}
	return false
}
