package tools

import (
	"cmp"
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
	described := make(map[string]string)
	for _, one := range t.list {
		fmt.Fprintf(&text, "\n## %s\n\n%s\n\nScopes: %s. Hints: %s.\n%s", one.name, one.description, one.scopesInWords(),
			one.hints(), one.arguments(described))
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return 1
	}
	return 0
}

// arguments returns a list of the tool's arguments, without the key that the preface describes. For an argument that is
// described, it names the tool.
func (t *tool) arguments(described map[string]string) string {
	members, _ := t.input[keyProperties].(map[string]any)
	required, _ := t.input["required"].([]any)
	var text strings.Builder
	separator := "\n"
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if name == "idempotencyKey" {
			continue
		}
		member, _ := members[name].(map[string]any)
		description := fmt.Sprint(member["description"])
		if tool, known := described[name+description]; known {
			description = "as for " + tool
		} else {
			described[name+description] = t.name
		}
		must := ""
		if slices.Contains(required, any(name)) {
			must = " (required)"
		}
		fmt.Fprintf(&text, "%s- `%s`%s: %s\n", separator, name, must, description)
		separator = ""
	}
	return text.String()
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

// hints returns the hints that hold.
func (d declaration) hints() string {
	var names []string
	for _, hint := range []struct {
		holds bool
		name  string
	}{{d.readOnly, "read-only"}, {d.destructive, "destructive"}, {d.idempotent, "idempotent"}, {d.openWorld, "open world"}} {
		if hint.holds {
			names = append(names, hint.name)
		}
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}
