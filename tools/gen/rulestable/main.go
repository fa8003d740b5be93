// Command rulestable writes the tables of docs/platform-rules.md from the rules that the service checks:
//
//	go run tools/gen/rulestable/main.go
//
// With -write FILE the tables replace the text between the marks in the file.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"

	"socialpub.internal/shared/platform/connectors"
	"socialpub.internal/shared/platform/rules"
)

const (
	beginMark = "<!-- rules: begin -->\n"
	endMark   = "<!-- rules: end -->\n"
	unsure    = " †"
)

func main() {
	log.SetFlags(0)
	file := flag.String("write", "", "`FILE` to write the tables into, between its marks")
	flag.Parse()
	var text strings.Builder
	overview(&text)
	var above rules.Row
	for _, row := range connectors.Rules().All() {
		section(&text, row, above)
		above = row
	}
	var err error
	if *file != "" {
		err = replace(*file, text.String())
	} else {
		_, err = os.Stdout.WriteString(text.String())
	}
	if err != nil {
		log.Fatal(err)
	}
}

func overview(text *strings.Builder) {
	text.WriteString(
		"| Network | Channel type | `contentType` | Longest text | Media of a `POST` |\n|---|---|---|---|---|\n")
	for _, row := range connectors.Rules().All() {
		var longest rules.Text
		var media []string
		for _, form := range row.Forms {
			if form.Text.Max > longest.Max {
				longest = form.Text
			}
			if carries := form.Media.String(); slices.Contains(form.As, "POST") && !slices.Contains(media, carries) {
				media = append(media, carries)
			}
		}
		fmt.Fprintf(text, "| [%s](#%s) | `%s` | %s | %s %s | %s |\n", row.Name, anchor(row), row.Type,
			join(row.ContentTypes(), code), number(longest.Max), longest.Count.Name, strings.Join(media, ", "))
	}
}

// section describes a channel type. It refers to the channel type above for the parts that both have.
func section(text *strings.Builder, row, above rules.Row) {
	text.WriteString("\n### " + heading(row) + "\n")
	var same []string
	var own strings.Builder
	for _, part := range parts {
		var mine, other strings.Builder
		part.write(&mine, row)
		if row.Name == above.Name {
			part.write(&other, above)
		}
		if mine.Len() > 0 && mine.String() == other.String() {
			same = append(same, part.name)
		} else {
			own.WriteString(mine.String())
		}
	}
	if len(same) > 0 {
		fmt.Fprintf(text, "\nAs for `%s`: %s.\n", above.Type, strings.Join(same, ", "))
	}
	text.WriteString(own.String())
}

// parts are the parts of a section, with the names by which another section refers to them.
var parts = []struct {
	name  string
	write func(text *strings.Builder, row rules.Row)
}{
	{"kinds of posts", forms},
	{"files", files},
	{"alternative texts", altTexts},
	{"rules of the text", limits},
	{"options", options},
	{"further checks", notes},
}

func forms(text *strings.Builder, row rules.Row) {
	text.WriteString("\n| What | `contentType` | Media | Text | Title |\n|---|---|---|---|---|\n")
	for _, form := range row.Forms {
		fmt.Fprintf(text, "| %s | %s | %s | %s | %s |\n",
			form.Name, join(form.As, code), mediaCell(form.Media), textCell(form), titleCell(form.Title))
	}
	if hint := row.Forms[0].Text.Count.Hint; hint != "" {
		text.WriteString("\nLengths of texts: " + strings.ToLower(hint[:1]) + hint[1:] + "\n")
	}
}

func notes(text *strings.Builder, row rules.Row) {
	text.WriteString("\nThe network also checks:\n\n")
	for _, note := range row.Notes {
		text.WriteString("- " + note + "\n")
	}
}

func mediaCell(media rules.Media) string {
	cell := media.String() + mark(media.Unsure)
	if alike := media.Alike.String(); alike != "" {
		cell += ", " + alike
	}
	return cell
}

func textCell(form rules.Form) string {
	if form.Text.Dropped {
		return "not shown"
	}
	limit := "up to " + number(form.Text.Max) + " " + form.Text.Count.Name
	if form.Text.Long > 0 {
		limit += " (" + number(form.Text.Long) + " with `longText`)"
	}
	limit += mark(form.Text.Unsure)
	if form.Text.Safe > 0 {
		limit += ", up to " + number(form.Text.Safe) + " bytes for certain"
	}
	if form.Text.Bytes > 0 {
		limit += " and " + number(form.Text.Bytes) + " bytes"
	}
	if form.Media.Max == 0 {
		return "required, " + limit
	}
	return limit
}

func titleCell(title rules.Title) string {
	use := map[rules.Use]string{rules.Ignored: "none", rules.Optional: "optional", rules.Required: "required"}[title.Use]
	if title.Card {
		use += " on the card of a link"
	}
	if title.Max > 0 {
		use += ", up to " + number(title.Max) + " " + title.Count.Name + mark(title.Unsure)
	}
	return use
}

// files lists each requirement for a file once, with the forms that have it.
func files(text *strings.Builder, row rules.Row) {
	var lines []string
	forms := make(map[string][]string)
	for _, form := range row.Forms {
		for _, file := range form.Media.Files() {
			line := fmt.Sprintf("%s | %s | %s", formats(file), file.Sizes()+mark(file.Unsure), demands(file))
			line = file.String() + " | %s | " + line
			if forms[line] == nil {
				lines = append(lines, line)
			}
			forms[line] = append(forms[line], form.Name)
		}
	}
	text.WriteString("\n| File | In | Formats | Size | Shape and length |\n|---|---|---|---|---|\n")
	for _, line := range lines {
		fmt.Fprintf(text, "| "+line+" |\n", strings.Join(forms[line], ", "))
	}
}

// demands lists the requirements for a file's content, and what happens to other files where they are not refused.
func demands(file rules.File) string {
	all := join(file.Demands(), func(d rules.Demand) string {
		text := d.Takes + mark(d.Unsure)
		if d.Else != "" {
			text += " (else it " + d.Else + ")"
		}
		return text
	})
	if all == "" {
		return "any"
	}
	return all
}

func formats(file rules.File) string {
	if len(file.Formats)+len(file.Maybe) == 0 {
		return "any"
	}
	sure := join(file.Formats, rules.Format.Name)
	maybe := join(file.Maybe, func(f rules.Format) string { return f.Name() + unsure })
	return strings.Trim(sure+", "+maybe, ", ")
}

func altTexts(text *strings.Builder, row rules.Row) {
	if len(row.AltText.Of) > 0 {
		fmt.Fprintf(text, "\nAlternative texts: %s.\n", row.AltText)
	}
}

func limits(text *strings.Builder, row rules.Row) {
	if len(row.Limits)+len(row.Forbidden)+len(row.Charges) > 0 {
		text.WriteString("\nIn the text:\n\n")
	}
	for _, limit := range row.Limits {
		at := "no"
		if limit.Max > 0 {
			at = "at most " + strconv.Itoa(limit.Max)
		}
		plural := "s"
		if limit.Max == 1 {
			plural = ""
		}
		fmt.Fprintf(text, "- %s %s%s%s\n", at, limit.Of.Noun, plural, mark(limit.Unsure))
	}
	for _, forbidden := range row.Forbidden {
		fmt.Fprintf(text, "- never %s\n", strings.NewReplacer("<", "`<`", ">", "`>`").Replace(forbidden.Name))
	}
	charges(text, row)
}

func charges(text *strings.Builder, row rules.Row) {
	for _, charge := range row.Charges {
		fmt.Fprintf(text, "- a %s is a warning: %s\n", charge.For.Noun, charge.Text)
	}
}

func options(text *strings.Builder, row rules.Row) {
	if len(row.Options) == 0 {
		return
	}
	text.WriteString("\n| Option | Value | Meaning |\n|---|---|---|\n")
	for _, option := range row.Options {
		meaning := strings.ToUpper(option.Meaning[:1]) + option.Meaning[1:] + "."
		if option.Required {
			meaning += " **Required.**"
		}
		if option.Only != "" {
			meaning += " For " + rules.File{Type: option.Only}.String() + "s only."
		}
		if option.TextOnly {
			meaning += " Without attachments only."
		}
		if len(option.Overrules) > 0 {
			meaning += " When true, " + join(option.Overrules, code) + " have no effect."
		}
		if option.DropsTextOf != "" {
			meaning += " The text of a " + rules.File{Type: option.DropsTextOf}.String() + " is not sent then."
		}
		fmt.Fprintf(text, "| `%s` | %s | %s |\n", option.Name, values(option), meaning)
	}
}

func values(option rules.Option) string {
	switch option.Is {
	case rules.Flag:
		return "boolean"
	case rules.Word:
		return join(option.Values, code)
	case rules.Number:
		return "digits"
	case rules.ID:
		return "id of the network"
	case rules.LocalTime:
		return "local date or time"
	case rules.Address:
		return "http or https address, up to " + number(option.Max) + " characters"
	default:
		return "text, up to " + number(option.Max) + " characters"
	}
}

func mark(open bool) string {
	if open {
		return unsure
	}
	return ""
}

func code[S ~string](word S) string { return "`" + string(word) + "`" }

func join[S any](values []S, form func(S) string) string {
	words := make([]string, len(values))
	for i, value := range values {
		words[i] = form(value)
	}
	return strings.Join(words, ", ")
}

// number groups thousands.
func number(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

func heading(row rules.Row) string { return row.Name + " (" + code(row.Type) + ")" }

// anchor returns the anchor that Markdown renderers generate for the heading.
func anchor(row rules.Row) string {
	return strings.NewReplacer(" ", "-", "(", "", ")", "", "`", "").Replace(strings.ToLower(heading(row)))
}

func replace(path, tables string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(raw), beginMark)
	_, after, ended := strings.Cut(rest, endMark)
	if !begun || !ended {
		return fmt.Errorf("%s lacks the markers", path)
	}
	return os.WriteFile(path, []byte(before+beginMark+"\n"+tables+"\n"+endMark+after), 0o644)
}
