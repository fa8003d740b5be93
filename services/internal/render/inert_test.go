package render_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"fencepost.internal/services/internal/render"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/ident"
)

// corpus returns texts that try to inject markup or code.
func corpus() []string {
	return []string{
		"<script>alert(1)</script>", "</script><script>alert(1)</script>", "</SCRIPT ><b>", "\"><img src=x onerror=alert(1)>",
		"'><svg/onload=alert(1)>",
		"\" onmouseover=alert(1) x=\"", "' onfocus=alert(1) autofocus '", "` onload=alert(1) `",
		"</title><script>alert(1)</script>", "</style><b>x</b>",
		"<!--", "-->", "<!--<script>", "]]>", "<![CDATA[", "&lt;script&gt;", "&#60;script&#62;", "\\u003cscript\\u003e",
		"\\\"};alert(1)//", "'-alert(1)-'",
		"${alert(1)}", "{{.Title}}", "{{template \"x\"}}", "javascript:alert(1)", "data:text/html,<b>", "</a><a href=//evil>",
		"<base href=//evil>", "</main></body>",
		"<iframe srcdoc=x>", "<form><input>", "<meta http-equiv=refresh content=0>", "expression(alert(1))",
		"}*{display:none}", "url(//evil)", "a\u2028alert(1)\u2029b",
		"\u202e\u2066evil", "\ufefftext", "<\u0131mg>", "a\u00a0<b>", "+ADw-script+AD4-", "%3Cscript%3E", "🎈 é 日本", "a\\",
		"</details><details open ontoggle=alert(1)>",
	}
}

// skeleton returns a document without its texts: names of elements, and names of attributes with those values that are
// not user content.
func skeleton(t *testing.T, document []byte, payload string) (shape []string, texts string) {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(document))
	require.NoError(t, err)
	var all strings.Builder
	for n := range root.Descendants() {
		switch n.Type {
		case html.ElementNode:
			line := n.Data
			for _, a := range n.Attr {
				line += " " + a.Key
				if a.Key == "href" || a.Key == "src" || a.Key == "class" || a.Key == "type" || a.Key == "role" {
					line += "=" + a.Val
				}
				all.WriteString(a.Val + "\n")
			}
			shape = append(shape, line)
		case html.CommentNode, html.DoctypeNode:
			shape = append(shape, "comment "+n.Data)
		case html.TextNode:
			if n.Parent.Data == "script" && attribute(n.Parent, "type") != "application/ld+json" || n.Parent.Data == "style" {
				sum := sha256.Sum256([]byte(n.Data))
				shape = append(shape, base64.StdEncoding.EncodeToString(sum[:])) // our own, compared exactly
				continue
			}
			if n.Parent.Data == "script" {
				var v any
				require.NoError(t, json.Unmarshal([]byte(n.Data), &v), payload)
				written, err := json.Marshal(v)
				require.NoError(t, err)
				shape = append(shape, "json of "+string(bytes.ReplaceAll(written, quoted(t, payload), []byte("…"))))
				continue
			}
			all.WriteString(n.Data + "\n")
		case html.ErrorNode, html.DocumentNode, html.RawNode:
		}
	}
	return shape, all.String()
}

func quoted(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := json.Marshal(text)
	require.NoError(t, err)
	return raw[1 : len(raw)-1]
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// filled returns a page that contains the payload in every text field.
func filled(t *testing.T, payload string) render.Input {
	t.Helper()
	in := sample(t, linkpage.ThemePaper)
	c := &in.Page.Content
	c.Title, c.Bio, c.SEO.Title, c.SEO.Description = payload, payload, payload, payload
	for key, post := range in.Posts {
		post.Content, post.Title, post.Name = payload, payload, payload
		in.Posts[key] = post
	}
	for i, b := range c.Blocks {
		raw, err := json.Marshal(b.Settings)
		require.NoError(t, err)
		var members map[string]any
		require.NoError(t, json.Unmarshal(raw, &members))
		fill(t, members, b.Settings.Fields(), payload)
		c.Blocks[i] = kept(t, b, members)
	}
	return in
}

// fill writes the payload into every free text. An optional field without a value stays absent, but not an address.
func fill(t *testing.T, members map[string]any, fields []linkpage.Field, payload string) {
	t.Helper()
	for _, f := range fields {
		switch {
		case f.FreeText():
			members[f.Name] = payload
			if utf8.RuneCountInString(payload) > f.Max {
				members[f.Name] = "short"
			}
		case f.Kind == linkpage.KindAddress && members[f.Name] == "":
			members[f.Name] = "https://example.com/"
		case f.Kind == linkpage.KindList:
			items, isList := members[f.Name].([]any)
			require.True(t, isList)
			for _, item := range items {
				member, isObject := item.(map[string]any)
				require.True(t, isObject)
				fill(t, member, f.Items, payload)
			}
		case members[f.Name] == "":
			delete(members, f.Name)
		}
	}
}

// kept returns a block with other settings, as it is read from the store: a text that is refused today may have been
// accepted earlier.
func kept(t *testing.T, b linkpage.Block, settings map[string]any) linkpage.Block {
	t.Helper()
	raw, err := json.Marshal(b)
	require.NoError(t, err)
	var members map[string]any
	require.NoError(t, json.Unmarshal(raw, &members))
	require.Contains(t, members, "settings")
	members["settings"] = settings
	raw, err = json.Marshal(members)
	require.NoError(t, err)
	var read linkpage.Block
	require.NoError(t, json.Unmarshal(raw, &read))
	return read
}

// TestEveryTextIsEscaped fills every field of every block, title, bio, SEO and posts with each text of the corpus, parses
// the document as browsers do, and compares the result with a document of harmless text: no element, attribute,
// address, style or script may differ.
func TestEveryTextIsEscaped(t *testing.T) {
	t.Parallel()
	const harmless = "harmless"
	want, _ := skeleton(t, page(t, filled(t, harmless), now).Plain, harmless)
	for _, payload := range corpus() {
		doc := page(t, filled(t, payload), now)
		trimmed := strings.TrimSpace(payload)
		got, shown := skeleton(t, doc.Plain, trimmed)
		require.Equal(t, want, got, "%q", payload)
		if utf8.RuneCountInString(payload) <= 40 {
			require.Equal(t, strings.Count(shownOf(t, harmless), harmless), strings.Count(shown, trimmed),
				"shown as it was written: %q", payload)
		}
	}
}

func shownOf(t *testing.T, payload string) string {
	t.Helper()
	_, shown := skeleton(t, page(t, filled(t, payload), now).Plain, payload)
	return shown
}

// TestSampleHasEveryBlockType checks that the sample page has a block of each type, each with text that a user wrote.
func TestSampleHasEveryBlockType(t *testing.T) {
	t.Parallel()
	var seen []linkpage.BlockType
	for _, b := range sample(t, linkpage.ThemePaper).Page.Content.Blocks {
		if !slices.Contains(seen, b.Type()) {
			seen = append(seen, b.Type())
		}
		require.True(t, slices.ContainsFunc(b.Settings.Fields(), linkpage.Field.FreeText), b.Type())
	}
	require.ElementsMatch(t, linkpage.BlockTypes(), seen)
}

// TestPolicy checks that the hashes are those of the one style and the one script, and that the document needs no other
// permission.
func TestPolicy(t *testing.T) {
	t.Parallel()
	for _, theme := range linkpage.ThemeNames() {
		doc := page(t, sample(t, theme), now)
		root, err := html.Parse(bytes.NewReader(doc.Plain))
		require.NoError(t, err)
		hashes := map[string]string{}
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			for _, a := range n.Attr {
				require.False(t, a.Key == "style" || strings.HasPrefix(a.Key, "on"), "%s %s", n.Data, a.Key)
				require.True(t, a.Key != "src" || strings.HasPrefix(a.Val, "/i/mara-makes/"), a.Val)
				require.True(t, a.Key != "href" || strings.HasPrefix(a.Val, "/l/") || n.Data == "link", a.Val)
			}
			if n.Data == "a" {
				require.Equal(t, "noopener nofollow ugc", attribute(n, "rel"))
			}
			if n.Data == "style" || n.Data == "script" && attribute(n, "type") == "" {
				require.Empty(t, hashes[n.Data])
				sum := sha256.Sum256([]byte(n.FirstChild.Data))
				hashes[n.Data] = "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
			}
		}
		require.Equal(t, "default-src 'none'; connect-src 'self'; img-src 'self' https://media.example.com; style-src "+hashes["style"]+
			"; script-src "+hashes["script"]+
			"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", doc.Policy)
		require.NotContains(t, doc.Policy, "unsafe")
		require.NotContains(t, string(doc.Plain), "ZgotmplZ", "nothing that the templates would not let through")
	}
}

// TestLinksPointToStoredAddresses checks that the document contains no external address, and that each of its clicks
// leads to a stored address.
func TestLinksPointToStoredAddresses(t *testing.T) {
	t.Parallel()
	in := sample(t, linkpage.ThemePaper)
	doc := page(t, in, now)
	want := map[ident.LinkBlock]string{id[ident.LinkBlock](t, "19"): "https://x.com/mara/status/42"}
	for _, b := range in.Page.Content.Blocks {
		if b.Settings.Traits().Target != "" {
			want[b.ID] = b.Settings.Traits().Target
		}
	}
	require.Equal(t, want, doc.Targets)
	for block := range want {
		require.Contains(t, string(doc.Plain), `href="/l/`+block.String()+`"`)
	}
	require.NotContains(t, string(doc.Plain), "shop.example.com")
}
