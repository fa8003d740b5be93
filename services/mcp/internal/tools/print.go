package tools

import (
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"fencepost.internal/shared/kernel/clock"
)

//go:embed print.md
var preface string

// Print writes the documentation page of the tools and returns the exit code.
func Print(out io.Writer) int {
	t, err := build(Config{Clock: clock.System()})
	if err != nil {
		_, _ = fmt.Fprintf(out, "mcp tools: %v\n", err)
		return 1
	}
	var text strings.Builder
	text.WriteString(preface)
	for _, one := range t.list {
		fmt.Fprintf(&text, "| [`%s`](#%s) | %s | %s | %s | %s | %s |\n", one.name, one.name, one.scopesInWords(),
			yes(one.readOnly), yes(one.destructive), yes(one.idempotent), yes(one.openWorld))
	}
	for _, one := range t.list {
		fmt.Fprintf(&text, "\n## %s\n\n%s. %s\n\n%s\n", one.name, one.title, one.description, one.arguments())
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return 1
	}
	return 0
}

// arguments returns a list of the tool's arguments.
func (t *tool) arguments() string {
	members, _ := t.input[keyProperties].(map[string]any)
	if len(members) == 0 {
		return "It takes no arguments."
	}
	required, _ := t.input["required"].([]any)
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(members)) {
		member, _ := members[name].(map[string]any)
		must := ""
		if slices.Contains(required, any(name)) {
			must = " (required)"
		}
		fmt.Fprintf(&text, "- `%s`%s: %s\n", name, must, member["description"])
	}
	return strings.TrimSpace(text.String())
}

func (d declaration) scopesInWords() string {
	names := make([]string, len(d.scopes))
	for i, scope := range d.scopes {
		names[i] = "`" + string(scope) + "`"
	}
	text := strings.Join(names, " and ")
	if d.either {
		text = strings.Join(names, " or ")
	}
	if d.also != nil {
		text += ", and `posts:publish` for all but drafts"
	}
	return text
}

func yes(holds bool) string {
	if holds {
		return "yes"
	}
	return "no"
}
