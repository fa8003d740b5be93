package docs

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// sources has copies of the pages of the repository, which tools/generate.sh makes, at their paths in the repository.
//
//go:embed pages
var sources embed.FS

// guide is a page that is written in Markdown.
type guide struct {
	Path    string // of the page
	Title   string
	Summary string // its first sentence
	Section string
	source  string // path in the repository
	text    []byte
}

// Titles of the sections of the navigation.
const (
	sectionStart       = "Start"
	sectionGuides      = "Guides"
	sectionReference   = "Background"
	sectionApplication = "The application"
)

// listed are the guides in the order of the navigation: the last part of a page's path, and its source.
func listed() []struct{ section, name, source string } {
	return []struct{ section, name, source string }{
		{sectionStart, "quickstart", "docs/guides/quickstart.md"},
		{sectionStart, "sdk-typescript", "sdk/typescript/README.md"},
		{sectionStart, "sdk-python", "sdk/python/README.md"},
		{sectionStart, "sdk-go", "sdk/go/README.md"},
		{sectionStart, "cli", "docs/reference/cli.md"},
		{sectionStart, "moving", "docs/guides/moving.md"},
		{sectionGuides, "texts", "docs/guides/texts.md"},
		{sectionGuides, "uploads", "docs/guides/uploads.md"},
		{sectionGuides, "receivers", "docs/guides/receivers.md"},
		{sectionGuides, "errors", "docs/guides/errors.md"},
		{sectionGuides, "agents", "docs/agents.md"},
		{sectionGuides, "oauth", "docs/oauth.md"},
		{sectionGuides, "n8n", "integrations/n8n/README.md"},
		{sectionGuides, "automation", "docs/reference/automation.md"},
		{sectionReference, "contract", "docs/contract.md"},
		{sectionReference, "platform-rules", "docs/platform-rules.md"},
		{sectionReference, "options", "docs/reference/options.md"},
		{sectionReference, "media", "docs/media.md"},
		{sectionReference, "webhooks", "docs/webhooks.md"},
		{sectionReference, "events", "docs/events.md"},
		{sectionReference, "tools", "docs/tools.md"},
		{sectionReference, "analytics", "docs/analytics.md"},
		{sectionReference, "link-pages", "docs/link-pages.md"},
		{sectionReference, "ideas", "docs/ideas.md"},
		{sectionReference, "deprecation", "docs/reference/deprecation.md"},
		{sectionReference, "glossary", "docs/reference/glossary.md"},
		{sectionApplication, "request-log", "docs/reference/request-log.md"},
		{sectionApplication, "import", "docs/reference/import.md"},
		{sectionApplication, "inbox", "docs/reference/inbox.md"},
		{sectionApplication, "leads", "docs/reference/leads.md"},
		{sectionApplication, "application-ideas", "docs/reference/ideas.md"},
		{sectionApplication, "application-analytics", "docs/reference/analytics.md"},
		{sectionApplication, "link-domains", "docs/reference/link-domains.md"},
	}
}

// changelogSource is the changelog's path in the repository.
const changelogSource = "CHANGELOG.md"

// catalogue holds the guides, and knows the pages of files of the repository.
type catalogue struct {
	guides []*guide
	pages  map[string]string // paths of pages by the paths of files of the repository
}

func readCatalogue(documentPath string) (catalogue, error) {
	c := catalogue{pages: map[string]string{
		"docs/openapi.yaml": documentPath, changelogSource: pathChangelog, "README.md": PathHome,
	}}
	for _, entry := range listed() {
		text, err := sources.ReadFile("pages/" + entry.source)
		if err != nil {
			return c, fmt.Errorf("docs: %w", err)
		}
		title, rest, _ := strings.Cut(string(text), "\n")
		g := &guide{
			Path: pathGuides + entry.name, Title: strings.TrimPrefix(title, "# "), Summary: firstSentence(rest), Section: entry.section,
			source: entry.source, text: text,
		}
		c.guides = append(c.guides, g)
		c.pages[entry.source] = g.Path
	}
	return c, nil
}

var (
	markup = strings.NewReplacer("**", "", "`", "", "<", "", ">", "")
	linked = regexp.MustCompile(`!?\[([^\]]*)\]\(([^()\s]+)\)`)
)

// firstSentence returns the first sentence of Markdown as plain text.
func firstSentence(text string) string {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(paragraph, "#") || strings.HasPrefix(paragraph, "<!--") || strings.HasPrefix(paragraph, "```") {
			continue
		}
		plain := markup.Replace(linked.ReplaceAllString(strings.Join(strings.Fields(paragraph), " "), "$1"))
		sentence, _, _ := strings.Cut(plain, ". ")
		return strings.TrimRight(sentence, ".:") + "."
	}
	return ""
}

// sections returns the guides in the order of the navigation.
func (c catalogue) sections() []section {
	var list []section
	for _, g := range c.guides {
		at := slices.IndexFunc(list, func(s section) bool { return s.Title == g.Section })
		if at < 0 {
			at, list = len(list), append(list, section{Title: g.Section})
		}
		list[at].Guides = append(list[at].Guides, g)
	}
	return list
}

// target returns where a link of a file of the repository leads on this site. It returns false if the linked file is not part
// of the documentation.
func (c catalogue) target(source, link string) (string, bool) {
	if strings.HasPrefix(link, "#") || strings.HasPrefix(link, "/") || strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return link, true
	}
	file, fragment, hasFragment := strings.Cut(link, "#")
	file = path.Join(path.Dir(source), file)
	page, ok := c.pages[file]
	switch {
	case strings.HasPrefix(file, "docs/examples/receiver"):
		return pathGuides + "receivers", true
	case strings.HasPrefix(file, "docs/examples"):
		return pathGuides + "quickstart", true
	case ok && hasFragment && file != "README.md":
		return page + "#" + fragment, true
	}
	return page, ok
}

// text returns a guide as Markdown whose links lead to the Markdown of the linked guides. Links to files that are not part of
// the documentation become text.
func (c catalogue) text(g *guide) string { return c.rewritten(g.source, g.text) }

func (c catalogue) rewritten(source string, text []byte) string {
	return linked.ReplaceAllStringFunc(string(text), func(link string) string {
		parts := linked.FindStringSubmatch(link)
		target, ok := c.target(source, parts[2])
		if !ok {
			return parts[1]
		}
		page, fragment, hasFragment := strings.Cut(target, "#")
		if slices.ContainsFunc(c.guides, func(g *guide) bool { return g.Path == page }) || page == pathChangelog {
			page += suffixText
		}
		if hasFragment {
			page += "#" + fragment
		}
		return strings.TrimSuffix(link, "("+parts[2]+")") + "(" + page + ")"
	})
}
