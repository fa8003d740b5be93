package render_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/ident"
)

// TestPreviewIsForAFrame checks that the links of a preview lead to their targets in tabs of their own, that its images come from
// the given addresses, and that only the application may show it in a frame.
func TestPreviewIsForAFrame(t *testing.T) {
	t.Parallel()
	in := sample(t, linkpage.ThemePaper)
	in.Page.Content.Blocks = append(in.Page.Content.Blocks,
		block(t, "50", "LINK", map[string]any{"title": "Call", "url": "tel:+46701234567"}))
	in.Preview = map[ident.Media]string{id[ident.Media](t, "01"): "https://media.example.com/signed?x=1&y=2"}
	doc := page(t, in, now)
	plain := string(doc.Plain)
	for _, want := range []string{
		`<base target="_blank">`, `href="https://shop.example.com/"`, `href="tel:&#43;46701234567"`, `href="mailto:mara@example.com?subject=Hello"`,
		`src="https://media.example.com/signed?x=1&amp;y=2"`, `href="https://x.com/mara/status/42"`,
	} {
		require.Contains(t, plain, want)
	}
	for _, not := range []string{"/l/", "/i/", "og:image"} {
		require.NotContains(t, plain, not)
	}
	require.Contains(t, doc.Policy, "frame-ancestors 'self'")
	require.Contains(t, page(t, sample(t, linkpage.ThemePaper), now).Policy, "frame-ancestors 'none'")
	require.NotContains(t, string(page(t, sample(t, linkpage.ThemePaper), now).Plain), "<base")
	in.Preview = map[ident.Media]string{}
	require.NotContains(t, string(page(t, in, now).Plain), "<img", "an image without an address is not shown")
}

// TestNetworksHaveMarks checks that a link to a network, and a post, have its mark, and that other links have none.
func TestNetworksHaveMarks(t *testing.T) {
	t.Parallel()
	in := sample(t, linkpage.ThemePaper)
	in.Posts = nil
	for address, marked := range map[string]bool{
		"https://www.instagram.com/mara": true, "https://x.com/mara": true, "https://t.me/mara": true, "https://instagram.com.evil.test/": false,
		"https://example.com/instagram.com": false, "mailto:x@instagram.com": false, "tel:+46701234567": false,
	} {
		in.Page.Content.Blocks = []linkpage.Block{block(t, "51", "LINK", map[string]any{"title": "Here", "url": address})}
		require.Equal(t, marked, strings.Contains(string(page(t, in, now).Plain), `class="mark"`), address)
	}
	require.Contains(t, string(page(t, sample(t, linkpage.ThemePaper), now).Plain), `<div class="head"><span class="net"><svg class="mark"`)
}

// TestOwnDomainIsCanonical checks that a page with a domain names it as its address.
func TestOwnDomainIsCanonical(t *testing.T) {
	t.Parallel()
	in := sample(t, linkpage.ThemePaper)
	in.Page.Host = "links.mara.test"
	plain := string(page(t, in, now).Plain)
	require.Contains(t, plain, `<link rel="canonical" href="https://links.mara.test/">`)
	require.Contains(t, plain, `<meta property="og:image" content="https://pages.example.com/i/mara-makes/`)
}
