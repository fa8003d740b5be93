package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
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
	Kinds       []kind
	Text, Title string       // the limits of most forms, in words
	Above       channel.Type // the channel type described before
	Same        []string     // the parts that are as in the section above
	Parts       []string     // the other parts
}

// kind is a form of posts, with its limits in words.
type kind struct {
	rules.Form
	Text, Title string
}

// networkRules writes the lists of docs/platform-rules.md and of docs/reference/options.md from the rules that the service
// checks.
func networkRules(path, options string) error {
	return errors.Join(
		writeRules(path, "kinds of posts", "files", "alternative texts", "rules of the text", "threads", "further checks"),
		writeRules(options, "options"),
	)
}

// writeRules writes the sections of each channel type, which are templates.
func writeRules(path string, sections ...string) error {
	var all []channelType
	above := make(map[string]string) // the parts of the section above
	for _, row := range connectors.Rules().All() {
		c, err := newChannelType(row)
		if err != nil {
			return err
		}
		parts := make(map[string]string)
		for _, name := range sections {
			text, err := render(name, c)
			if err != nil {
				return err
			}
			parts[name] = strings.TrimSpace(text)
		}
		if len(all) > 0 && all[len(all)-1].Name == row.Name {
			c.Above = all[len(all)-1].Type
		}
		for _, name := range sections {
			if text := parts[name]; c.Above != "" && text != "" && text == above[name] {
				c.Same = append(c.Same, name)
			} else if text != "" {
				c.Parts = append(c.Parts, c.differing(text, above[name]))
			}
		}
		if len(c.Same)+len(c.Parts) > 0 {
			all, above = append(all, c), parts
		}
	}
	return writeSection(path, "rules", all)
}

// differing omits the options of a part that are as in the section above, if that has no others.
func (c channelType) differing(part, above string) string {
	option := regexp.MustCompile("(?m)^- `[A-Za-z]+` ")
	names := option.FindAllString(part, -1)
	if c.Above == "" || len(names) == 0 || !slices.Equal(names, option.FindAllString(above, -1)) {
		return part
	}
	lines := slices.DeleteFunc(strings.Split(part, "\n"), func(line string) bool {
		return option.MatchString(line) && slices.Contains(strings.Split(above, "\n"), line)
	})
	return strings.Join(append(lines, "- the others as for `"+string(c.Above)+"`"), "\n")
}

// newChannelType describes the forms of a channel type.
func newChannelType(row rules.Row) (channelType, error) {
	c := channelType{Row: row}
	var texts, titles []string
	for _, form := range row.Forms {
		text, err := render("text", form.Text)
		title, err2 := render("title", form.Title)
		if err := errors.Join(err, err2); err != nil {
			return c, err
		}
		texts, titles = append(texts, text), append(titles, title)
		c.Kinds = append(c.Kinds, kind{form, text, title})
	}
	c.Text, c.Title = mostCommon(texts), mostCommon(titles)
	return c, nil
}

// mostCommon returns the text that occurs most often, the first of several.
func mostCommon(texts []string) string {
	count := make(map[string]int)
	for _, text := range texts {
		count[text]++
	}
	return slices.MaxFunc(texts, func(a, b string) int { return count[a] - count[b] })
}

// fileRule is the requirements for files of some types, with the forms of posts that have them if those of other forms
// differ.
type fileRule struct {
	rules.File
	Types, In []string
}

// Files lists each requirement once.
func (c channelType) Files() []*fileRule {
	var all []*fileRule
	text := func(f rules.File) string { return fmt.Sprint(f.Formats, f.Maybe, f.Sizes(), f.Unsure, f.Demands()) }
	for _, form := range c.Forms {
		for _, file := range form.Media.Files() {
			rule := find(&all, func(r *fileRule) bool { return r.Types != nil && text(r.File) == text(file) })
			rule.File = file
			rule.Types, rule.In = include(rule.Types, file.String()), include(rule.In, form.Name)
		}
	}
	for _, rule := range all {
		differs := func(r *fileRule) bool {
			return r != rule && slices.ContainsFunc(r.Types, func(t string) bool { return slices.Contains(rule.Types, t) })
		}
		if !slices.ContainsFunc(all, differs) {
			rule.In = nil
		}
	}
	return all
}

// include adds a text that a list does not have.
func include(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// credentials lists the credentials of the applications registered at networks: every variable of the connectors
// without a default, except the address of the sandbox.
func credentials(compose, environment string) error {
	var passed, empty strings.Builder
	for _, variable := range config.Describe[connectors.Environment]() {
		if variable.Default == "" && variable.Name != "NETWORKS_SANDBOX_URL" {
			fmt.Fprintf(&passed, "  %[1]s: ${%[1]s-}\n", variable.Name)
			fmt.Fprintf(&empty, "# %s=\n", variable.Name)
		}
	}
	return errors.Join(replaceSection(compose, "credentials", passed.String()),
		replaceSection(environment, "credentials", empty.String()))
}

// sandbox writes the Go file that lists the networks of the sandbox: the packages of the source files that declare a
// function Network. So a new network is only its own folder.
func sandbox(path string, sources []string) error {
	text, err := render("sandbox", sources)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
