package docs

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryCopiedPageIsServed checks that tools/generate.sh copies no page that the catalogue does not list.
func TestEveryCopiedPageIsServed(t *testing.T) {
	t.Parallel()
	c, err := readCatalogue("/v1/openapi.json")
	require.NoError(t, err)
	require.NoError(t, fs.WalkDir(sources, "pages", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			require.NotEmpty(t, c.pages[strings.TrimPrefix(path, "pages/")], path)
		}
		return err
	}))
	names := map[string]bool{}
	for _, g := range c.guides {
		require.False(t, names[g.Path], g.Path)
		names[g.Path] = true
		require.NotEmpty(t, g.Summary, g.Path)
		require.NotContains(t, g.Summary, "](", g.Path)
	}
}

func TestLinksOfTheRepositoryLeadToPages(t *testing.T) {
	t.Parallel()
	c, err := readCatalogue("/v1/openapi.json")
	require.NoError(t, err)
	for _, test := range []struct{ source, link, want string }{
		{"docs/agents.md", "oauth.md", "/docs/guides/oauth"},
		{"docs/agents.md", "webhooks.md#replay", "/docs/guides/webhooks#replay"},
		{"docs/reference/ideas.md", "../ideas.md", "/docs/guides/ideas"},
		{"docs/ideas.md", "reference/ideas.md", "/docs/guides/application-ideas"},
		{"sdk/go/README.md", "../../docs/openapi.yaml", "/v1/openapi.json"},
		{"docs/webhooks.md", "examples/receiver/go/verify.go", "/docs/guides/receivers"},
		{"docs/agents.md", "../README.md#what-make-run-starts", "/docs"},
		{"docs/agents.md", "#programs", "#programs"},
		{"docs/agents.md", "https://example.com/x.md", "https://example.com/x.md"},
		{"docs/agents.md", "operations.md", ""},
		{"docs/agents.md", "../../../etc/passwd", ""},
	} {
		got, ok := c.target(test.source, test.link)
		require.Equal(t, test.want, got, test.link)
		require.Equal(t, test.want != "", ok, test.link)
	}
}

func TestMarkdownIsConverted(t *testing.T) {
	t.Parallel()
	c, err := readCatalogue("/v1/openapi.json")
	require.NoError(t, err)
	for _, test := range []struct{ name, markdown, want, not string }{
		{"raw HTML is left out", "a <script>alert(1)</script> b\n\n<div onclick=x>y</div>\n", "alert(1) b", "<script"},
		{"a link to a file that is not served is text", "see [operations](operations.md).", "<p>see operations.</p>", "<a"},
		{"an image is its text", "![A month](images/x.png)", "<p>A month</p>", "<img"},
		{"a link with a scheme for scripts is not followed", "[x](javascript:alert(1))", "x", "javascript"},
		{"tables scroll", "| a |\n|---|\n| b |\n", `<div class="wide scroll" tabindex="0">`, "style="},
		{"code is escaped", "```html\n<b>\n```\n", "&lt;b&gt;", "<b>"},
		{"one titled sample has no buttons", "```go title=Go\nx\n```\n", "<pre", "<input"},
		{
			"titled samples in a row are tabs", "```go title=Go\nx\n```\n\n<!-- sample: x -->\n\n```sh title=\"A shell\"\ny\n```\n",
			`<label for="tabs-1-2">A shell</label>`, "sample:",
		},
		{"samples without titles stay apart", "```sh\nx\n```\n\n```sh\ny\n```\n", "<pre", "<fieldset"},
		{"headings have the anchors of GitHub", "## A `B_c` and [d](webhooks.md)!", `<h2 id="a-b_c-and-d">`, "!\""},
		{"the same heading twice", "## A\n\n## A\n", `<h2 id="a-1">`, "x"},
	} {
		out, err := c.convert("docs/x.md", []byte(test.markdown))
		require.NoError(t, err, test.name)
		require.Contains(t, string(out.html), test.want, test.name)
		require.NotContains(t, string(out.html), test.not, test.name)
	}
}
