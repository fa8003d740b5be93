package docs

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/internal/problem"
)

// functions are the functions of the templates.
func functions() template.FuncMap {
	return template.FuncMap{
		"code":   func(text string) []string { return strings.Split(text, "`") },
		"isCode": func(part int) bool { return part%2 == 1 },
		"lower":  strings.ToLower,
		"status": func(code int) string { return strconv.Itoa(code) + " " + http.StatusText(code) },
		"tabs":   func(name string, samples []sample) template.HTML { return template.HTML(tabbed(name, samples)) }, //nolint:gosec // escaped by tabbed
	}
}

// addReference adds the list of all operations with the conventions, and a page of each operation.
func (s *Site) addReference() {
	description := "Every operation of the Fencepost API, and the conventions that hold for all."
	s.add(pathReference, func() (File, error) {
		conventions, err := s.catalogue.convert("docs/openapi.yaml", []byte(s.document.Info.Description))
		if err != nil {
			return File{}, err
		}
		content, err := s.body("reference.html", map[string]any{
			"Groups": s.groups, "Conventions": conventions.html, "Document": s.cfg.DocumentPath, "Postman": pathPostman,
			"Version": s.document.Info.Version,
		})
		if err != nil {
			return File{}, err
		}
		return s.render(page{
			Title: "API reference", Description: description, Path: pathReference, Text: pathReference + suffixText,
			Contents: append([]heading{{"operations", "Operations"}}, conventions.contents...), Body: content,
		})
	})
	s.addText(pathReference+suffixText, s.referenceText)
	for _, g := range s.groups {
		for _, op := range g.Operations {
			path := op.Page()
			s.add(path, func() (File, error) { return s.operationPage(g, op) })
			s.addText(path+suffixText, func() string { return s.operationText(op) })
		}
	}
}

// refusal is an error that an operation can return.
type refusal struct {
	Status string
	Kinds  []problem.Kind
}

// refusals returns the errors of an operation by status.
func refusals(op *operation) []refusal {
	var list []refusal
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		content, ok := op.Responses[status].Content[problem.MediaType]
		if !ok {
			continue
		}
		one := refusal{Status: status}
		if status == "default" {
			one.Status = "any"
		}
		for _, kind := range problem.Kinds() {
			if _, has := content.Examples[string(kind.Code)]; has {
				one.Kinds = append(one.Kinds, kind)
			}
		}
		list = append(list, one)
	}
	return list
}

// fieldView is a field with its description as HTML.
type fieldView struct {
	field

	HTML  template.HTML
	Inner []fieldView
	Forms []formView
}

type formView struct {
	Name   string
	Fields []fieldView
}

func (s *Site) views(fields []field) ([]fieldView, error) {
	list := make([]fieldView, len(fields))
	for i, f := range fields {
		html, err := s.catalogue.prose(f.Text)
		if err != nil {
			return nil, err
		}
		list[i] = fieldView{field: f, HTML: html}
		if list[i].Inner, err = s.views(f.Inner); err != nil {
			return nil, err
		}
		if list[i].Forms, err = s.formViews(f.Forms); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (s *Site) formViews(forms []form) ([]formView, error) {
	var list []formView
	for _, f := range forms {
		fields, err := s.views(f.Fields)
		if err != nil {
			return nil, err
		}
		list = append(list, formView{f.Name, fields})
	}
	return list, nil
}

// content is the data of a body in a template.
type content struct {
	Fields   []fieldView
	Forms    []formView
	Examples []sample
	List     bool // the body is a list of such objects
	Required bool
}

func (s *Site) contentOf(of map[string]media) (*content, error) {
	m, ok := jsonOf(of)
	if !ok {
		return nil, nil //nolint:nilnil // there is none
	}
	fields, err := s.views(s.document.fields(m.Schema, nil))
	if err != nil {
		return nil, err
	}
	forms, err := s.formViews(s.document.forms(m.Schema, nil))
	_, resolved := s.document.resolved(m.Schema)
	return &content{Fields: fields, Forms: forms, Examples: examplesOf(of), List: resolved.Items != nil}, err
}

func (s *Site) operationPage(g group, op *operation) (File, error) {
	description, err := s.catalogue.prose(op.Description)
	if err != nil {
		return File{}, err
	}
	parameters := make([]field, 0, len(op.Parameters))
	for _, p := range op.Parameters {
		f := s.document.field(p.Name, p.Schema, nil)
		f.Text, f.Required, f.Deprecated, f.Sunset = p.Description, p.Required, p.Deprecated || f.Deprecated, cmp.Or(p.Sunset, f.Sunset)
		f.Kind = p.In + ", " + f.Kind
		parameters = append(parameters, f)
	}
	data := map[string]any{
		"Group": g, "Operation": op, "Description": description, "Samples": s.samples(op), "Refusals": refusals(op), "Problems": problem.Path,
	}
	contents := []heading{{"example", "Example"}}
	views, err := s.views(parameters)
	if err != nil {
		return File{}, err
	}
	if data["Parameters"] = views; len(views) > 0 {
		contents = append(contents, heading{"parameters", "Parameters"})
	}
	if op.RequestBody != nil {
		body, err := s.contentOf(op.RequestBody.Content)
		if err != nil {
			return File{}, err
		}
		body.Required = op.RequestBody.Required
		data["Body"] = body
		contents = append(contents, heading{"body", "Request body"})
	}
	status, good := op.good()
	result, err := s.contentOf(good.Content)
	if err != nil {
		return File{}, err
	}
	data["Result"], data["Status"], data["Good"] = result, status, good.Description
	contents = append(contents, heading{"response", "Response"}, heading{"errors", "Errors"})
	html, err := s.body("operation.html", data)
	if err != nil {
		return File{}, err
	}
	return s.render(page{
		Title: op.Summary, Description: firstSentence(op.Description), Path: op.Page(), Text: op.Page() + suffixText, Contents: contents,
		Body: html,
	})
}

// samples returns the samples of an operation. A command for curl, made of the document's example, is the first one unless the
// document has its own.
func (s *Site) samples(op *operation) []sample {
	var list []sample
	for _, one := range op.Samples {
		list = append(list, sample{Title: cmp.Or(one.Label, one.Lang), Source: strings.TrimSpace(one.Source)})
	}
	own := slices.ContainsFunc(list, func(one sample) bool { return strings.EqualFold(one.Title, "curl") })
	if own {
		return list
	}
	return append([]sample{{Title: "curl", Source: s.command(op)}}, list...)
}

// command returns a command for curl.
func (s *Site) command(op *operation) string {
	path := op.Path
	for _, p := range op.Parameters {
		if p.In == "path" {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", "$"+strings.ToUpper(p.Name))
		}
	}
	command := `curl "` + s.cfg.BaseURL + path + `"`
	if op.Method != http.MethodGet {
		command = "curl -X " + op.Method + ` "` + s.cfg.BaseURL + path + `"`
	}
	if !op.Public {
		command += " \\\n" + `  -H "Authorization: Bearer $FENCEPOST_API_KEY"`
	}
	if op.RequestBody != nil {
		if examples := examplesOf(op.RequestBody.Content); len(examples) > 0 {
			command += " \\\n" + `  -H "Content-Type: application/json"` + " \\\n  -d '" + strings.ReplaceAll(examples[0].Source, "'", `'\''`) + "'"
		}
	}
	return command
}

// referenceText returns the list of the operations and the conventions as Markdown.
func (s *Site) referenceText() string {
	var out strings.Builder
	out.WriteString("# API reference\n\n" + s.document.Info.Description + "\n## Operations\n")
	for _, g := range s.groups {
		fmt.Fprintf(&out, "\n### %s\n\n%s\n\n", g.Name, g.Description)
		for _, op := range g.Operations {
			fmt.Fprintf(&out, "- `%s %s`: [%s](%s%s)\n", op.Method, op.Path, op.Summary, op.Page(), suffixText)
		}
	}
	return out.String()
}

// operationText returns an operation as Markdown.
func (s *Site) operationText(op *operation) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n\n`%s %s`\n\n%s\n", op.Summary, op.Method, op.Path, op.Description)
	if op.Deprecated {
		out.WriteString("\n**Deprecated.**" + ends(op.Sunset) + "\n")
	}
	if len(op.Parameters) > 0 {
		out.WriteString("\n## Parameters\n\n")
		for _, p := range op.Parameters {
			fmt.Fprintf(&out, "- `%s` (%s, %s%s): %s\n", p.Name, p.In, s.document.kind(p.Schema), optional(p.Required), p.Description)
		}
	}
	if op.RequestBody != nil {
		out.WriteString("\n## Request body\n\n")
		m, _ := jsonOf(op.RequestBody.Content)
		s.fieldsText(&out, s.document.fields(m.Schema, nil), s.document.forms(m.Schema, nil), 0)
		for _, example := range examplesOf(op.RequestBody.Content) {
			fmt.Fprintf(&out, "\n%s\n\n```json\n%s\n```\n", example.Title, example.Source)
		}
	}
	status, good := op.good()
	fmt.Fprintf(&out, "\n## Response\n\n%s: %s\n\n", status, good.Description)
	if m, ok := jsonOf(good.Content); ok {
		s.fieldsText(&out, s.document.fields(m.Schema, nil), s.document.forms(m.Schema, nil), 0)
	}
	out.WriteString("\n## Errors\n\n")
	for _, one := range refusals(op) {
		for _, kind := range one.Kinds {
			fmt.Fprintf(&out, "- %d [`%s`](%s%s%s): %s\n", kind.Status, kind.Code, problem.Path, kind.Slug(), suffixText, kind.Title)
		}
	}
	return out.String()
}

func optional(required bool) string {
	if required {
		return ", required"
	}
	return ""
}

// ends returns a sentence about the end of a deprecated part.
func ends(sunset string) string {
	if sunset == "" {
		return ""
	}
	return " It ends on " + sunset + "."
}

func (s *Site) fieldsText(out *strings.Builder, fields []field, forms []form, depth int) {
	indent := strings.Repeat("  ", depth)
	for _, f := range fields {
		text := strings.ReplaceAll(f.Text, "\n", " ")
		if f.Deprecated {
			text = "Deprecated." + ends(f.Sunset) + " " + text
		}
		fmt.Fprintf(out, "%s- `%s` (%s%s): %s\n", indent, f.Name, f.Kind, optional(f.Required), text)
		s.fieldsText(out, f.Inner, f.Forms, depth+1)
	}
	for _, one := range forms {
		fmt.Fprintf(out, "%s- %s\n", indent, one.Name)
		s.fieldsText(out, one.Fields, nil, depth+1)
	}
}

// addProblems adds the list of error codes and a page of each.
func (s *Site) addProblems() {
	const title = "Error codes"
	kinds := problem.Kinds()
	s.addPage(page{
		Title: title, Path: PathProblems, Text: PathProblems + suffixText,
		Description: "Every error code of the API, with its cause and its remedy. The type of a problem document is the address of such a page.",
	}, "problems.html", func() (any, error) { return map[string]any{"Kinds": kinds, "Path": problem.Path}, nil })
	s.addText(PathProblems+suffixText, func() string {
		var out strings.Builder
		out.WriteString("# " + title + "\n\n")
		for _, kind := range kinds {
			fmt.Fprintf(&out, "- %d [`%s`](%s%s%s): %s\n", kind.Status, kind.Code, problem.Path, kind.Slug(), suffixText, kind.Title)
		}
		return out.String()
	})
	for _, kind := range kinds {
		path := problem.Path + kind.Slug()
		s.addPage(page{
			Title: kind.Title, Path: path, Text: path + suffixText, Description: markup.Replace(kind.Meaning),
			Contents: []heading{{"cause", "Cause"}, {"remedy", "Remedy"}, {"example", "Example"}, {"operations", "Operations"}},
		}, "problem.html", func() (any, error) {
			return map[string]any{"Kind": kind, "Example": s.problemExample(kind), "Operations": s.operationsWith(kind), "Index": PathProblems}, nil
		})
		s.addText(path+suffixText, func() string {
			return "# " + kind.Title + "\n\n`" + string(kind.Code) + "`, status " + strconv.Itoa(kind.Status) + "\n\n## Cause\n\n" + kind.Meaning +
				"\n\n## Remedy\n\n- " + strings.Join(kind.Remedy, "\n- ") + "\n"
		})
	}
}

// problemExample returns the document of an occurrence.
func (s *Site) problemExample(kind problem.Kind) string {
	return fmt.Sprintf("HTTP/1.1 %d %s\nContent-Type: %s\n\n{\n  \"type\": \"%s%s%s\",\n  \"title\": \"%s\",\n  \"status\": %d,\n  \"code\": \"%s\",\n"+
		"  \"detail\": \"…\",\n  \"instance\": \"/v1/…\",\n  \"requestId\": \"…\"\n}", kind.Status, http.StatusText(kind.Status), problem.MediaType,
		s.cfg.BaseURL, problem.Path, kind.Slug(), kind.Title, kind.Status, kind.Code)
}

// operationsWith returns the operations that document the code.
func (s *Site) operationsWith(kind problem.Kind) []*operation {
	var list []*operation
	for _, g := range s.groups {
		for _, op := range g.Operations {
			if slices.ContainsFunc(refusals(op), func(r refusal) bool {
				return r.Status != "any" && slices.ContainsFunc(r.Kinds, func(k problem.Kind) bool { return k.Code == kind.Code })
			}) {
				list = append(list, op)
			}
		}
	}
	return list
}
