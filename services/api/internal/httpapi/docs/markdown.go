package docs

import (
	"bytes"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensions "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// heading is an entry of a page's contents.
type heading struct{ ID, Title string }

// rendered is Markdown as HTML.
type rendered struct {
	html     template.HTML
	contents []heading // of the second level
	blocks   []block
}

// block is the text below a heading.
type block struct {
	heading

	text string
}

// render converts a guide.
func (c catalogue) render(g *guide) (rendered, error) { return c.convert(g.source, g.text) }

// convert converts Markdown of a file of the repository to HTML. Raw HTML is left out. Links to files that are not part of the
// documentation become text. Fenced blocks of code in a row that have titles (```go title=Go) become tabs.
func (c catalogue) convert(source string, markdown []byte) (rendered, error) {
	converter := goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blocks{}, 100))), //nolint:mnd // before the default ones
	)
	parsed := converter.Parser().Parse(text.NewReader(markdown), parser.WithContext(parser.NewContext(parser.WithIDs(&anchors{}))))
	var out rendered
	c.rewrite(source, parsed)
	out.contents, out.blocks = outline(parsed, markdown)
	arrange(parsed, markdown)
	var html bytes.Buffer
	if err := converter.Renderer().Render(&html, markdown, parsed); err != nil {
		return out, fmt.Errorf("docs: %s: %w", source, err)
	}
	out.html = template.HTML(html.String()) //nolint:gosec // goldmark leaves raw HTML out
	return out, nil
}

// prose converts a description of the OpenAPI document.
func (c catalogue) prose(markdown string) (template.HTML, error) {
	out, err := c.convert("docs/openapi.yaml", []byte(markdown))
	return out.html, err
}

// anchors generates the IDs that GitHub generates for headings, so that links work in both places.
type anchors struct{ used map[string]int }

// Generate implements parser.IDs.
func (a *anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-':
			return '-'
		case r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
			return unicode.ToLower(r)
		default:
			return -1
		}
	}, linked.ReplaceAllString(string(value), "$1"))
	if a.used == nil {
		a.used = map[string]int{}
	}
	n := a.used[id]
	if a.used[id]++; n > 0 {
		id += "-" + strconv.Itoa(n)
	}
	return []byte(id)
}

// Put implements parser.IDs.
func (*anchors) Put([]byte) {}

// rewrite rewrites the links of a document, and replaces images by their texts.
func (c catalogue) rewrite(source string, document ast.Node) {
	var replaced []ast.Node
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			target, ok := c.target(source, string(n.Destination))
			if !ok {
				replaced = append(replaced, n)
			}
			n.Destination = []byte(target)
		case *ast.Image:
			replaced = append(replaced, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range replaced {
		parent := n.Parent()
		for child := n.FirstChild(); child != nil; child = n.FirstChild() {
			parent.InsertBefore(parent, n, child)
		}
		parent.RemoveChild(parent, n)
	}
}

// outline returns the headings of the second level, and the text below each heading.
func outline(document ast.Node, markdown []byte) (contents []heading, found []block) {
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			raw, _ := id.([]byte)
			entry := heading{ID: string(raw), Title: plainText(h, markdown)}
			if h.Level == 2 { //nolint:mnd // the level below the title
				contents = append(contents, entry)
			}
			found = append(found, block{heading: entry})
			continue
		}
		if len(found) == 0 {
			found = append(found, block{})
		}
		found[len(found)-1].text += plainText(n, markdown) + "\n"
	}
	return contents, found
}

// plainText returns the text of a node without markup.
func plainText(node ast.Node, markdown []byte) string {
	var out strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				out.Write(n.Segment.Value(markdown))
				if n.SoftLineBreak() || n.HardLineBreak() {
					out.WriteByte(' ')
				}
			}
		case *ast.AutoLink:
			if entering {
				out.Write(n.Label(markdown))
			}
		case *ast.FencedCodeBlock:
			if entering {
				out.Write(n.Lines().Value(markdown))
			}
		case *ast.HTMLBlock, *ast.RawHTML:
			return ast.WalkSkipChildren, nil
		case *ast.ListItem, *ast.Paragraph, *extensions.TableCell:
			if !entering {
				out.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(out.String())
}

// Kinds of the nodes that arrange adds.
var (
	kindTabs = ast.NewNodeKind("Tabs")
	kindWide = ast.NewNodeKind("Wide")
)

// tabs shows one of its blocks of code at a time.
type tabs struct {
	ast.BaseBlock

	number int // on the page
}

// Kind implements ast.Node.
func (*tabs) Kind() ast.NodeKind { return kindTabs }

// Dump implements ast.Node.
func (t *tabs) Dump(source []byte, level int) { ast.DumpHelper(t, source, level, nil, nil) }

// wide is a table that scrolls on its own.
type wide struct{ ast.BaseBlock }

// Kind implements ast.Node.
func (*wide) Kind() ast.NodeKind { return kindWide }

// Dump implements ast.Node.
func (w *wide) Dump(source []byte, level int) { ast.DumpHelper(w, source, level, nil, nil) }

// arrange removes raw HTML, wraps tables, and joins blocks of code with titles to tabs.
func arrange(document ast.Node, markdown []byte) {
	number := 0
	var open *tabs
	for n := document.FirstChild(); n != nil; {
		next := n.NextSibling()
		switch n := n.(type) {
		case *ast.HTMLBlock: // a comment, such as the source of a sample
			document.RemoveChild(document, n)
		case *extensions.Table:
			around := &wide{}
			document.ReplaceChild(document, n, around)
			around.AppendChild(around, n)
			open = nil
		case *ast.FencedCodeBlock:
			if titleOf(n, markdown) == "" {
				open = nil
				break
			}
			if open == nil {
				number++
				open = &tabs{number: number}
				document.InsertBefore(document, n, open)
			}
			document.RemoveChild(document, n)
			open.AppendChild(open, n)
		default:
			open = nil
		}
		n = next
	}
}

// titleOf returns the title of a block of code; empty: none.
func titleOf(n *ast.FencedCodeBlock, source []byte) string {
	if n.Info == nil {
		return ""
	}
	_, title, _ := strings.Cut(string(n.Info.Segment.Value(source)), "title=")
	return strings.Trim(title, `"`)
}

// blocks renders blocks of code, tabs and wide tables.
type blocks struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, renderCode)
	r.Register(ast.KindRawHTML, func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) { return ast.WalkSkipChildren, nil })
	r.Register(ast.KindHTMLBlock, func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) { return ast.WalkSkipChildren, nil })
	r.Register(kindTabs, renderTabs)
	r.Register(kindWide, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		mark := "</div>\n"
		if entering {
			mark = `<div class="wide scroll" tabindex="0">` + "\n"
		}
		_, err := w.WriteString(mark)
		return ast.WalkContinue, err
	})
}

func renderCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	_, err := w.WriteString(`<pre class="scroll" tabindex="0"><code>` + template.HTMLEscapeString(string(node.Lines().Value(source))) + "</code></pre>\n")
	return ast.WalkSkipChildren, err
}

// renderTabs writes blocks of code of which a radio button chooses one. A single block has no buttons.
func renderTabs(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	t, ok := node.(*tabs)
	if !ok || !entering {
		return ast.WalkContinue, nil
	}
	var samples []sample
	for child := t.FirstChild(); child != nil; child = child.NextSibling() {
		if code, ok := child.(*ast.FencedCodeBlock); ok {
			samples = append(samples, sample{Title: titleOf(code, source), Source: string(code.Lines().Value(source))})
		}
	}
	_, err := w.WriteString(tabbed("tabs-"+strconv.Itoa(t.number), samples))
	return ast.WalkSkipChildren, err
}

// sample is a sample of code in one language.
type sample struct{ Title, Source string }

// tabbed returns samples as HTML. Without titles, or with one sample, they follow each other.
func tabbed(name string, samples []sample) string {
	var buttons, panels strings.Builder
	for i, s := range samples {
		id := name + "-" + strconv.Itoa(i+1)
		checked := ""
		if i == 0 {
			checked = " checked"
		}
		fmt.Fprintf(&buttons, `<input type="radio" name="%s" id="%s"%s><label for="%s">%s</label>`, name, id, checked, id,
			template.HTMLEscapeString(s.Title))
		fmt.Fprintf(&panels, `<div><pre class="scroll" tabindex="0"><code>%s</code></pre></div>`, template.HTMLEscapeString(s.Source))
	}
	if len(samples) < 2 || samples[0].Title == "" { //nolint:mnd // one sample needs no choice
		return panels.String() + "\n"
	}
	return `<fieldset class="tabs"><legend class="unseen">Language</legend>` + buttons.String() + panels.String() + "</fieldset>\n"
}
