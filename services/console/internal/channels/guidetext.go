package channels

import (
	"regexp"
	"strings"
)

// span is a part of a line of a guide.
type span struct {
	Text, Href   string
	Code, Strong bool
	Emphasis     bool
}

// block is a paragraph, a numbered list or a table of a guide. The others of its fields are empty.
type block struct {
	Paragraph []span
	Steps     [][]span
	Head      [][]span
	Rows      [][][]span
}

var (
	step   = regexp.MustCompile(`(?m)^\d+\. `)
	inline = regexp.MustCompile(`\[([^\]]+)\]\((https://[^)\s]+)\)` + "|`([^`]+)`" + `|\*\*([^*]+)\*\*|\*([^*]+)\*`)
)

// blocks reads the part of Markdown in which the pages of docs/connect are written.
func blocks(text string) []block {
	var out []block
	for _, part := range strings.Split(text, "\n\n") {
		part = strings.TrimSpace(part)
		switch {
		case part == "":
		case strings.HasPrefix(part, "|"):
			out = append(out, table(part))
		case step.MatchString(part):
			var list block
			for _, item := range step.Split(part, -1)[1:] {
				list.Steps = append(list.Steps, spans(item))
			}
			out = append(out, list)
		default:
			out = append(out, block{Paragraph: spans(part)})
		}
	}
	return out
}

// table reads a table, whose second line separates the head.
func table(text string) block {
	var out block
	for i, line := range strings.Split(text, "\n") {
		var cells [][]span
		for _, cell := range strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|") {
			cells = append(cells, spans(cell))
		}
		switch i {
		case 0:
			out.Head = cells
		case 1:
		default:
			out.Rows = append(out.Rows, cells)
		}
	}
	return out
}

// spans reads links, code and emphasis. Anything else is text, which the template escapes.
func spans(text string) []span {
	text = strings.Join(strings.Fields(text), " ")
	var out []span
	plain := func(s string) {
		if s != "" {
			out = append(out, span{Text: s})
		}
	}
	end := 0
	for _, at := range inline.FindAllStringSubmatchIndex(text, -1) {
		plain(text[end:at[0]])
		end = at[1]
		group := func(n int) string {
			if at[2*n] < 0 {
				return ""
			}
			return text[at[2*n]:at[2*n+1]]
		}
		switch {
		case group(2) != "":
			out = append(out, span{Text: strings.ReplaceAll(group(1), "`", ""), Href: group(2)})
		case group(3) != "":
			out = append(out, span{Text: group(3), Code: true})
		case group(4) != "":
			out = append(out, span{Text: group(4), Strong: true})
		default:
			out = append(out, span{Text: group(5), Emphasis: true})
		}
	}
	plain(text[end:])
	return out
}
