package docs_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"fencepost.internal/services/api/internal/httpapi/docs"
	"fencepost.internal/services/internal/problem"
)

const (
	baseURL      = "https://api.example.com"
	documentPath = "/v1/openapi.json"
)

func site(t testing.TB) *docs.Site {
	t.Helper()
	document, err := os.ReadFile("testdata/openapi.json")
	require.NoError(t, err)
	s, err := docs.New(docs.Config{
		BaseURL: baseURL, Document: document, DocumentPath: documentPath, Built: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
	})
	require.NoError(t, err)
	return s
}

func read(t testing.TB, s *docs.Site, path string) string {
	t.Helper()
	f, ok, err := s.File(path)
	require.NoError(t, err, path)
	require.True(t, ok, path)
	return string(f.Content)
}

// elements returns the elements of a page.
func elements(t testing.TB, page string) []html.Node {
	t.Helper()
	parsed, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var list []html.Node
	for n := range parsed.Descendants() {
		if n.Type == html.ElementNode {
			list = append(list, *n)
		}
	}
	return list
}

func attribute(of html.Node, name string) string {
	for _, a := range of.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// TestPagesNeedNoScripts checks the form of every page.
func TestPagesNeedNoScripts(t *testing.T) {
	t.Parallel()
	s := site(t)
	pages := 0
	for _, path := range s.Paths() {
		f, ok, err := s.File(path)
		require.NoError(t, err, path)
		require.True(t, ok)
		require.NotEmpty(t, f.Content, path)
		require.True(t, strings.HasPrefix(f.Policy, "default-src 'none'"), path)
		require.NotContains(t, f.Policy, "script")
		require.NotContains(t, f.Policy, "unsafe")
		if !strings.HasPrefix(f.ContentType, "text/html") {
			continue
		}
		pages++
		headings, titles := 0, 0
		ids := map[string]bool{}
		for _, e := range elements(t, string(f.Content)) {
			require.NotEqual(t, "script", e.Data, path)
			require.NotEqual(t, "style", e.Data, path)
			switch e.Data {
			case "h1":
				headings++
			case "title":
				titles++
			case "img":
				require.NotEmpty(t, attribute(e, "width"), path)
			}
			for _, a := range e.Attr {
				require.NotEqual(t, "style", a.Key, path)
				require.False(t, strings.HasPrefix(a.Key, "on"), "%s: %s", path, a.Key)
			}
			if id := attribute(e, "id"); id != "" {
				require.False(t, ids[id], "%s: the id %s is used twice", path, id)
				ids[id] = true
			}
		}
		require.Equal(t, 1, headings, path)
		require.Equal(t, 1, titles, path)
		require.NotContains(t, string(f.Content), "ZgotmplZ", path)
		require.Regexp(t, `<meta name="description" content="[^"]{10,}">`, string(f.Content), path)
	}
	require.Greater(t, pages, 60)
}

// TestLinksResolve follows every link of every page, and its fragment.
func TestLinksResolve(t *testing.T) {
	t.Parallel()
	s := site(t)
	known := append(s.Paths(), documentPath, docs.PathSearch)
	ids := map[string]map[string]bool{}
	idsOf := func(path string) map[string]bool {
		if ids[path] == nil {
			ids[path] = map[string]bool{}
			for _, e := range elements(t, read(t, s, path)) {
				ids[path][attribute(e, "id")] = true
			}
		}
		return ids[path]
	}
	checked := 0
	for _, from := range s.Paths() {
		f, _, err := s.File(from)
		require.NoError(t, err)
		if !strings.HasPrefix(f.ContentType, "text/html") {
			continue
		}
		for _, e := range elements(t, string(f.Content)) {
			link := attribute(e, "href") + attribute(e, "src") + attribute(e, "action")
			if link == "" || strings.Contains(link, "://") {
				continue
			}
			to, fragment, _ := strings.Cut(link, "#")
			if to == "" {
				to = from
			}
			require.True(t, strings.HasPrefix(to, "/"), "%s: %s is relative", from, link)
			require.Contains(t, known, to, "%s: %s", from, link)
			if fragment != "" {
				require.True(t, idsOf(to)[fragment], "%s: %s", from, link)
			}
			checked++
		}
	}
	require.Greater(t, checked, 1000)
}

// TestLinksOfMarkdownResolve also checks that each page has a text.
func TestLinksOfMarkdownResolve(t *testing.T) {
	t.Parallel()
	s := site(t)
	texts := 0
	for _, from := range s.Paths() {
		if !strings.HasSuffix(from, ".md") {
			continue
		}
		texts++
		text := read(t, s, from)
		require.True(t, strings.HasPrefix(text, "# "), from)
		require.Contains(t, s.Paths(), strings.TrimSuffix(from, ".md"))
		for _, link := range regexp.MustCompile(`\]\(([^()\s]+)\)`).FindAllStringSubmatch(text, -1) {
			to, _, _ := strings.Cut(link[1], "#")
			if to == "" || strings.Contains(to, "://") {
				continue
			}
			if !strings.HasPrefix(to, "/") {
				to = path.Join(path.Dir(from), to)
			}
			require.Contains(t, append(s.Paths(), documentPath), to, "%s: %s", from, link[1])
		}
	}
	require.Greater(t, texts, 60)
	models := read(t, s, docs.PathModels)
	for _, link := range regexp.MustCompile(`\]\(`+regexp.QuoteMeta(baseURL)+`(/[^)]+)\): .`).FindAllStringSubmatch(models, -1) {
		require.Contains(t, append(s.Paths(), documentPath), link[1])
	}
}

// TestEveryCodeHasPage checks the pages to which the types of problem documents lead.
func TestEveryCodeHasPage(t *testing.T) {
	t.Parallel()
	s := site(t)
	index := read(t, s, docs.PathProblems)
	for _, kind := range problem.Kinds() {
		page := read(t, s, problem.Path+kind.Slug())
		require.Contains(t, page, string(kind.Code))
		require.Contains(t, page, html.EscapeString(kind.Title))
		require.NotContains(t, page, "`")
		require.Contains(t, index, `href="`+problem.Path+kind.Slug()+`"`)
	}
}

// TestGuidesShowOneLanguageAtATime checks the tabs of the quickstart, which are radio buttons.
func TestGuidesShowOneLanguageAtATime(t *testing.T) {
	t.Parallel()
	page := read(t, site(t), "/docs/guides/quickstart")
	_, tabs, found := strings.Cut(page, `<fieldset class="tabs">`)
	require.True(t, found)
	tabs, _, _ = strings.Cut(tabs, "</fieldset>")
	var labels []string
	for _, label := range regexp.MustCompile(`<label for="([^"]+)">([^<]+)</label>`).FindAllStringSubmatch(tabs, -1) {
		labels = append(labels, label[2])
		require.Contains(t, tabs, `id="`+label[1]+`"`)
	}
	require.Equal(t, []string{"curl", "TypeScript", "Python", "Go", "CLI"}, labels)
	require.Equal(t, 1, strings.Count(tabs, " checked"))
	require.Equal(t, len(labels), strings.Count(tabs, "<pre"))
	require.Contains(t, tabs, "client.posts.create", "the sample of an SDK")
	require.NotContains(t, page, "&lt;!-- sample")
}

// TestOperationPages checks the reference of an operation with everything that a document can have.
func TestOperationPages(t *testing.T) {
	t.Parallel()
	s := site(t)
	page := read(t, s, "/docs/reference/create-things")
	for _, part := range []string{
		`<span class="verb post">POST</span> /v1/things`,
		`<strong>Deprecated.</strong> The operation ends on 2027-06-01.`,
		`<label for="sample-1">curl</label>`, `<label for="sample-2">Go</label>`, "client.Things.Create()", "client.things.create()",
		`-d &#39;{`, // the example
		`<code class="name">limit</code>`, `query, integer`, "1 to 50",
		`<code class="name">content</code> <span class="kind">string</span> <span class="badge info">required</span>`,
		"at most 500 characters", `<span class="badge warn">deprecated, ends on 2027-03-01</span>`,
		"Fields of parent", `<summary>CircleForm</summary>`, "array of string (uuid)", "string or null", `<code>RED</code>`,
		`href="/problems/validation-failed"`, "It has a <code>name</code> .",
	} {
		require.Contains(t, page, part)
	}
	require.NotContains(t, page, "<b>", "raw HTML of the document")
	require.Contains(t, read(t, s, docs.PathHome), "/docs/reference#things")
	list := read(t, s, "/docs/reference")
	require.Contains(t, list, `href="/docs/reference/create-things"`)
	require.Contains(t, list, `<span class="badge warn">Deprecated</span>`)
	require.Contains(t, read(t, s, problem.Path+"validation-failed"), `href="/docs/reference/create-things"`)
	text := read(t, s, "/docs/reference/create-things.md")
	require.Contains(t, text, "**Deprecated.** It ends on 2027-06-01.")
	require.Contains(t, text, "- `content` (string, required): Text.")
	public := read(t, s, "/docs/reference/get-thing")
	require.NotContains(t, public, "Authorization", "needs no key")
	require.Contains(t, public, "<code>curl things</code>", "the document has its own command")
	require.NotContains(t, public, `type="radio"`, "there is no choice")
}

func TestSearchFindsPages(t *testing.T) {
	t.Parallel()
	s := site(t)
	for query, path := range map[string]string{
		"create thing":                   "/docs/reference/create-things",
		"VALIDATION_FAILED":              "/problems/validation-failed",
		"idempotency-key reused":         "/problems/idempotency-key-reused",
		"move postiz":                    "/docs/guides/moving#from-postiz",
		"large files":                    "/docs/guides/uploads#large-files",
		"Link rel deprecation":           "/docs/guides/deprecation",
		"verify store respond signature": "/docs/guides/receivers#verify-store-respond",
	} {
		f, err := s.Search(query)
		require.NoError(t, err)
		require.Contains(t, string(f.Content), `href="`+path, query)
		require.Contains(t, string(f.Content), "<mark>", query)
	}
	first, err := s.Search("uploads")
	require.NoError(t, err)
	_, results, _ := strings.Cut(string(first.Content), `class="results"`)
	require.Equal(t, "/docs/guides/uploads", regexp.MustCompile(`href="([^"#]+)`).FindStringSubmatch(results)[1], "a title counts most")
	none, err := s.Search("zebra")
	require.NoError(t, err)
	require.Contains(t, string(none.Content), "No page has all words of “zebra”.")
}

// TestSearchOfHostileTexts checks that a query is shown as text, however it is written.
func TestSearchOfHostileTexts(t *testing.T) {
	t.Parallel()
	s := site(t)
	for _, query := range []string{
		`"><script>alert(1)</script>`, `' onmouseover=alert(1) x='`, "{{.}}", "a\x00b\xff", `(?i)[`, "%s%n", "../../etc/passwd",
		strings.Repeat("post ", 5000), strings.Repeat("ü", 150), strings.Repeat("(", 9999), " ", "-", "_ . /", "javascript:alert(1)",
	} {
		f, err := s.Search(query)
		require.NoError(t, err)
		for _, e := range elements(t, string(f.Content)) {
			require.NotEqual(t, "script", e.Data)
			for _, a := range e.Attr {
				require.False(t, strings.HasPrefix(a.Key, "on"), query)
				require.False(t, strings.HasPrefix(a.Val, "javascript:") && a.Key == "href", query)
			}
		}
		require.Less(t, len(f.Content), 100_000)
		require.Contains(t, string(f.Content), `name="robots" content="noindex"`)
	}
}

func TestFeedOfChanges(t *testing.T) {
	t.Parallel()
	s := site(t)
	var feed struct {
		ID      string `xml:"id"`
		Updated string `xml:"updated"`
		Links   []struct {
			Rel  string `xml:"rel,attr"`
			Href string `xml:"href,attr"`
		} `xml:"link"`
		Entries []struct {
			ID      string `xml:"id"`
			Title   string `xml:"title"`
			Updated string `xml:"updated"`
			Content string `xml:"content"`
		} `xml:"entry"`
	}
	raw := read(t, s, "/docs/changelog.atom")
	require.NoError(t, xml.Unmarshal([]byte(raw), &feed))
	require.Contains(t, raw, `<feed xmlns="http://www.w3.org/2005/Atom">`)
	require.Equal(t, baseURL+"/docs/changelog", feed.ID)
	require.NotEmpty(t, feed.Entries)
	seen := map[string]bool{}
	for _, e := range feed.Entries {
		require.False(t, seen[e.ID], e.ID)
		seen[e.ID] = true
		_, err := time.Parse(time.RFC3339, e.Updated)
		require.NoError(t, err)
		require.LessOrEqual(t, e.Updated, feed.Updated)
		require.NotContains(t, e.Content, `href="/`, "links are absolute")
		require.NotEmpty(t, e.Title)
	}
	require.Contains(t, read(t, s, "/docs/changelog"), `href="/docs/changelog.atom"`)
	require.True(t, slices.ContainsFunc(feed.Links, func(l struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	},
	) bool {
		return l.Rel == "self" && l.Href == baseURL+"/docs/changelog.atom"
	}))
}

// TestCollectionForPostman validates the collection with the published schema of its format.
func TestCollectionForPostman(t *testing.T) {
	t.Parallel()
	raw := read(t, site(t), "/docs/postman.json")
	requireCollection(t, []byte(raw))
	require.Contains(t, raw, `"raw": "{{baseUrl}}/v1/things/:id"`)
	require.Contains(t, raw, `"value": "{{$guid}}"`, "a new key for each request")
	require.Contains(t, raw, `"type": "noauth"`)
}

func requireCollection(t *testing.T, raw []byte) {
	t.Helper()
	source, err := os.ReadFile("testdata/postman-collection-2.1.0.json")
	require.NoError(t, err)
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(source))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	const name = "https://schema.postman.com/collection.json"
	require.NoError(t, compiler.AddResource(name, parsed))
	schema, err := compiler.Compile(name)
	require.NoError(t, err)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	require.NoError(t, err)
	require.NoError(t, schema.Validate(value))
	broken := bytes.Replace(raw, []byte(`"info"`), []byte(`"information"`), 1)
	value, err = jsonschema.UnmarshalJSON(bytes.NewReader(broken))
	require.NoError(t, err)
	require.Error(t, schema.Validate(value), "the schema refuses something")
}

func TestIncompleteConfigurationIsRefused(t *testing.T) {
	t.Parallel()
	_, err := docs.New(docs.Config{BaseURL: baseURL})
	require.ErrorContains(t, err, "required")
	_, err = docs.New(docs.Config{BaseURL: baseURL, DocumentPath: documentPath, Document: json.RawMessage("{"), Built: time.Now()})
	require.ErrorContains(t, err, "OpenAPI")
}
