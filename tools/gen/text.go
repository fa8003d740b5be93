package main

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform/rules"
)

//go:embed *.tmpl
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"base":   filepath.Base,
	"cell":   strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace,
	"dir":    filepath.Dir,
	"join":   strings.Join,
	"kind":   func(k rules.Kind) string { return kinds[k] },
	"noun":   func(t media.Type) string { return rules.File{Type: t}.String() },
	"number": number,
	"quote":  strings.NewReplacer("<", "`<`", ">", "`>`").Replace,
	"start":  func(text string) string { return strings.ToLower(text[:1]) + text[1:] },
	"remark": pythonComment,
	"snake":  pythonName,
	"upper":  func(text string) string { return strings.ToUpper(text[:1]) + text[1:] },
	"use":    func(u rules.Use) string { return uses[u] },
	// short abbreviates the limits of files.
	"short": strings.NewReplacer("up to ", "≤ ", "at least ", "≥ ", "pixels", "px",
		" in width and height together", " width + height", " in width", " wide", " in height", " high",
		" on the shorter side", " shorter side", " on the longer side", " longer side", " in all", " in total").Replace,
	"trim": func(text string) string { return strings.TrimSuffix(text, ".") },
	// anchor returns the anchor that Markdown renderers generate for a heading.
	"anchor": func(heading string) string {
		return strings.NewReplacer(" ", "-", ".", "", "(", "", ")", "", "`", "").Replace(strings.ToLower(heading))
	},
}).ParseFS(files, "*.tmpl"))

var (
	uses  = map[rules.Use]string{rules.Ignored: "none", rules.Optional: "optional", rules.Required: "required"}
	kinds = map[rules.Kind]string{
		rules.Flag: "boolean", rules.Number: "digits", rules.Moment: "milliseconds", rules.ID: "id of the network", rules.Address: "URL",
		rules.Prose: "text", rules.LocalTime: "local date or time", rules.Integer: "number", rules.List: "list of texts",
		rules.Language: "tag of a language",
	}
)

// render executes a template.
func render(name string, data any) (string, error) {
	var text strings.Builder
	err := templates.ExecuteTemplate(&text, name, data)
	return text.String(), err
}

// writeSection executes a template and writes the result into the section of a page that has the template's name.
func writeSection(path, name string, data any) error {
	text, err := render(name, data)
	if err != nil {
		return err
	}
	return replaceSection(path, name, "\n"+strings.TrimSpace(text)+"\n\n")
}

// replaceSection replaces the lines of a file between its marks: the lines that contain "NAME: begin" and "NAME: end".
func replaceSection(path, name, text string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	found := regexp.MustCompile(`(?s)^(.*\b` + name + `: begin[^\n]*\n).*?([^\n]*\b` + name + `: end.*)$`).FindSubmatch(raw)
	if found == nil {
		return fmt.Errorf("%s has no section %s: begin … %s: end", path, name, name)
	}
	return os.WriteFile(path, []byte(string(found[1])+text+string(found[2])), 0o644)
}

// number groups thousands.
func number(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// find returns the element that matches. If there is none, it appends an empty one.
func find[T any](all *[]*T, matches func(*T) bool) *T {
	at := slices.IndexFunc(*all, matches)
	if at < 0 {
		at, *all = len(*all), append(*all, new(T))
	}
	return (*all)[at]
}
