package docs

import (
	"embed"
	"fmt"
	"strings"
)

// FolderGuides is the path prefix of the guides.
const FolderGuides = "/docs/"

// guides has copies of the pages of docs that concern clients, which tools/generate.sh makes.
//
//go:embed guides
var guides embed.FS

// Guide is a page of the documentation, in Markdown.
type Guide struct {
	Name    string // webhooks.md
	Title   string
	Summary string // its first sentence
	Text    []byte
}

// Guides returns the guides in the order of their names.
func Guides() ([]Guide, error) {
	entries, err := guides.ReadDir("guides")
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	out := make([]Guide, len(entries))
	for i, entry := range entries {
		text, err := guides.ReadFile("guides/" + entry.Name())
		if err != nil {
			return nil, fmt.Errorf("docs: %w", err)
		}
		title, rest, _ := strings.Cut(string(text), "\n")
		paragraph, _, _ := strings.Cut(strings.TrimSpace(rest), "\n\n")
		sentence, _, _ := strings.Cut(strings.Join(strings.Fields(paragraph), " "), ". ")
		out[i] = Guide{
			Name: entry.Name(), Title: strings.TrimPrefix(title, "# "), Summary: strings.TrimSuffix(sentence, ".") + ".",
			Text: text,
		}
	}
	return out, nil
}

// LLMs returns the index of the documentation for language models (llmstxt.org).
func LLMs(baseURL, documentPath string, guides []Guide) []byte {
	var out strings.Builder
	out.WriteString("# Fencepost\n\n> Schedules and publishes posts to social networks, each exactly once. A REST API, webhooks, " +
		"and a server of tools for agents (MCP).\n\n## Reference\n\n")
	fmt.Fprintf(&out, "- [OpenAPI document](%s%s): every operation, schema and error code.\n", baseURL, documentPath)
	fmt.Fprintf(&out, "- [Error codes](%s/problems): what each code means and what to do.\n\n## Guides\n\n", baseURL)
	for _, guide := range guides {
		fmt.Fprintf(&out, "- [%s](%s%s%s): %s\n", guide.Title, baseURL, FolderGuides, guide.Name, guide.Summary)
	}
	return []byte(out.String())
}
