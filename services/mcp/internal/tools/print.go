package tools

import (
	"fmt"
	"io"
	"strings"

	"socialpub.internal/shared/clock"
)

// Known is the name of a tool, or nothing: what clients make up is not repeated.
func (t *Tools) Known(name string) string {
	for _, one := range t.list {
		if one.name == name {
			return name
		}
	}
	return ""
}

// Print writes the table of the tools for the documentation, and returns the exit code.
func Print(out io.Writer) int {
	t, err := build(Config{Clock: clock.System()})
	if err != nil {
		_, _ = fmt.Fprintf(out, "mcp tools: %v\n", err)
		return 1
	}
	_, _ = fmt.Fprintln(out, "| Tool | What it does | Scopes | Read-only | Destructive | Idempotent | Open world |\n|---|---|---|---|---|---|---|")
	for _, one := range t.list {
		_, _ = fmt.Fprintf(out, "| `%s` | %s | %s | %s | %s | %s | %s |\n", one.name, one.title, one.scopesInWords(),
			yes(one.readOnly), yes(one.destructive), yes(one.idempotent), yes(one.openWorld))
	}
	return 0
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
		text += "; but for drafts also `posts:publish`"
	}
	return text
}

func yes(holds bool) string {
	if holds {
		return "yes"
	}
	return "no"
}
