package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/platform/connectors"
	"fencepost.internal/shared/platform/rules"
)

// channelType is a channel type with what the page about the rules says of it.
type channelType struct {
	rules.Row
	Longest rules.Text
	Media   []string     // of a post
	Above   channel.Type // the channel type described before
	Same    []string     // the parts that are as in the section above
	Text    string       // the other parts
}

// networkRules writes the tables of docs/platform-rules.md from the rules that the service checks.
func networkRules(path string) error {
	var all []channelType
	var above rules.Row
	var before []string // the parts of the section above
	for _, row := range connectors.Rules().All() {
		c := channelType{Row: row, Above: above.Type}
		for _, form := range row.Forms {
			if form.Text.Max > c.Longest.Max {
				c.Longest = form.Text
			}
			if text := form.Media.String(); slices.Contains(form.As, "POST") && !slices.Contains(c.Media, text) {
				c.Media = append(c.Media, text)
			}
		}
		var parts []string
		for i, name := range []string{
			"kinds of posts", "files", "alternative texts", "rules of the text", "options", "further checks",
		} {
			part, err := render(name, c)
			if err != nil {
				return err
			}
			parts = append(parts, part)
			if part != "" && row.Name == above.Name && part == before[i] {
				c.Same = append(c.Same, name)
			} else {
				c.Text += part
			}
		}
		all, above, before = append(all, c), row, parts
	}
	return writeSection(path, "rules", all)
}

// fileRule is the requirements for a file, with the forms of posts that have them.
type fileRule struct {
	rules.File
	In []string
}

// Files lists each requirement once.
func (c channelType) Files() []*fileRule {
	var all []*fileRule
	text := func(f rules.File) string { return fmt.Sprint(f, f.Formats, f.Maybe, f.Sizes(), f.Unsure, f.Demands()) }
	for _, form := range c.Forms {
		for _, file := range form.Media.Files() {
			rule := find(&all, func(r *fileRule) bool { return text(r.File) == text(file) })
			rule.File, rule.In = file, append(rule.In, form.Name)
		}
	}
	return all
}

// credentials lists the credentials of the applications registered at networks, in a format for a name: every variable
// of the connectors without a default, except the address of the sandbox.
func credentials(path, line string) error {
	var lines strings.Builder
	for _, variable := range config.Describe[connectors.Environment]() {
		if variable.Default == "" && variable.Name != "NETWORKS_SANDBOX_URL" {
			fmt.Fprintf(&lines, line, variable.Name)
		}
	}
	return replaceSection(path, "credentials", lines.String())
}

// sandbox writes the Go file that lists the networks of the sandbox: the packages of the source files that declare a
// function Network. So a new network is only its own folder.
func sandbox(path string, sources []string) error {
	packages := make([]string, len(sources))
	for i, source := range sources {
		packages[i] = filepath.Base(filepath.Dir(source))
	}
	text, err := render("sandbox", packages)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
