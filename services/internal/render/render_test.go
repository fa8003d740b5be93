package render_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/render"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// update rewrites the golden files: go test -run Golden -update.
var update = flag.Bool("update", false, "write golden files") //nolint:gochecknoglobals // flags are global

func page(t *testing.T, in render.Input, at time.Time) render.Document {
	t.Helper()
	doc, err := renderer(t).Page(in, at)
	require.NoError(t, err)
	return doc
}

// TestGolden compares whole documents, in each theme, so that every visible change is noticed.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, theme := range linkpage.ThemeNames() {
		t.Run(string(theme), func(t *testing.T) {
			t.Parallel()
			doc := page(t, sample(t, theme), now)
			golden := filepath.Join("testdata", strings.ToLower(string(theme))+".html")
			if *update {
				require.NoError(t, os.WriteFile(golden, doc.Plain, 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), string(doc.Plain))
		})
	}
}

func TestEncodingsAreEqual(t *testing.T) {
	t.Parallel()
	doc := page(t, sample(t, linkpage.ThemePaper), now)
	zipped, err := gzip.NewReader(bytes.NewReader(doc.Gzip))
	require.NoError(t, err)
	for _, form := range []io.Reader{zipped, brotli.NewReader(bytes.NewReader(doc.Brotli))} {
		got, err := io.ReadAll(form)
		require.NoError(t, err)
		require.Equal(t, doc.Plain, got)
	}
	require.Less(t, len(doc.Brotli), 8<<10, "a page is a few kilobytes")
	require.Equal(t, doc.Tag, page(t, sample(t, linkpage.ThemePaper), now).Tag, "every process makes the same")
	require.NotEqual(t, doc.Tag, page(t, sample(t, linkpage.ThemeMist), now).Tag)
}

// TestTimesOfBlocks checks that the blocks that are shown depend on the time, and that the document's Until is correct.
func TestTimesOfBlocks(t *testing.T) {
	t.Parallel()
	in := sample(t, linkpage.ThemePaper)
	link := block(t, "30", "LINK", map[string]any{"title": "Soon", "url": "https://example.com/soon"})
	link.ShowFrom, link.ShowUntil = now.Add(time.Hour), now.Add(2*time.Hour)
	hidden := block(t, "31", "LINK", map[string]any{"title": "Hidden link", "url": "https://example.com/hidden"})
	hidden.Visible = false
	coupon := block(t, "32", "COUPON", map[string]any{"title": "Code", "code": "X", "expiresAt": "2026-03-01T12:00:00Z"})
	countdown := block(t, "33", "COUNTDOWN", map[string]any{
		"title": "Start", "endsAt": "2026-03-01T13:00:00Z", "endedText": "It has begun.",
	})
	in.Page.Content.Blocks = []linkpage.Block{link, hidden, coupon, countdown}
	for _, c := range []struct {
		at       time.Duration
		has, not []string
		until    time.Duration // zero means never
	}{
		{0, []string{"Good until", `role="timer"`}, []string{"Soon", "Hidden link", "expired."}, time.Hour},
		{time.Hour, []string{"Soon"}, []string{"Hidden link"}, 2 * time.Hour},
		{2 * time.Hour, nil, []string{"Soon"}, 3 * time.Hour},
		{3 * time.Hour, []string{"This code has expired."}, []string{"Good until"}, 4 * time.Hour},
		{4 * time.Hour, []string{`<p class="ended" dir="auto">It has begun.</p>`}, []string{`role="timer"`}, 0},
	} {
		doc := page(t, in, now.Add(c.at))
		for _, text := range c.has {
			require.Contains(t, string(doc.Plain), text)
		}
		for _, text := range c.not {
			require.NotContains(t, string(doc.Plain), text)
		}
		want := now.Add(c.until)
		if c.until == 0 {
			want = time.Time{}
		}
		require.Equal(t, want, doc.Until)
		require.NotContains(t, doc.Targets, hidden.ID)
		require.Equal(t, c.at == time.Hour, doc.Targets[link.ID] != "")
	}
}

func TestMissingContentIsOmitted(t *testing.T) {
	t.Parallel()
	in := sample(t, linkpage.ThemePaper)
	in.Pictures, in.Posts = nil, nil
	in.Page.Content.Theme.Avatar, in.Page.Content.SEO = ident.Media{}, linkpage.SEO{NoIndex: true}
	doc := page(t, in, now)
	text := string(doc.Plain)
	require.NotContains(t, text, "<img")
	require.NotContains(t, text, "og:image")
	require.NotContains(t, text, "The kiln is open! Forty")
	require.Contains(t, text, `<div class="avatar letter" aria-hidden="true">M</div>`)
	require.Contains(t, text, `<meta name="robots" content="noindex">`)
	require.Contains(t, text, "<title>Mara Lindqvist</title>")
	require.Equal(t, now.Add(time.Minute), doc.Until, "the post may be there soon")
}

// TestAddressesOfPosts checks that addresses from networks are trusted as little as those of users.
func TestAddressesOfPosts(t *testing.T) {
	t.Parallel()
	in := sample(t, linkpage.ThemePaper)
	for address, want := range map[string]bool{
		"https://x.com/a": true, "http://127.0.0.1:8090/x/1": false, "": false, "javascript:alert(1)": false, "//evil": false,
		"https://x.com/\r\nSet-Cookie: a=b": false,
		"https://x.com/ä":                   false, "https://user@x.com/": false, "https:///a": false,
		"https:x.com":      false,
		"data:text/html,x": false,
	} {
		for key, post := range in.Posts {
			post.PostURL = address
			in.Posts[key] = post
		}
		doc := page(t, in, now)
		_, found := doc.Targets[id[ident.LinkBlock](t, "19")]
		require.Equal(t, want, found, address)
	}
}

func TestMessage(t *testing.T) {
	t.Parallel()
	doc, err := renderer(t).Message("Nothing <here>", "There is no page.")
	require.NoError(t, err)
	require.Contains(t, string(doc.Plain), "<h1>Nothing &lt;here&gt;</h1>")
	require.NotContains(t, doc.Policy, "script-src")
	require.Contains(t, doc.Policy, "default-src 'none'; connect-src 'self'; img-src 'self' https://media.example.com; style-src 'sha256-")
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, cfg := range []render.Config{
		{}, {PagesURL: "https://a.test", MediaOrigin: "https://a; script-src *"},
	} {
		_, err := render.New(cfg)
		require.Error(t, err)
	}
	require.Zero(t, render.FirstPicture(postgres.ShownPost{}))
}

// TestAppearances checks that a page is light, dark, or follows the visitor's system.
func TestAppearances(t *testing.T) {
	t.Parallel()
	for appearance, want := range map[linkpage.Appearance]struct {
		schemes []string
		media   bool
	}{
		linkpage.AppearanceAuto:  {[]string{"color-scheme:light", "color-scheme:dark"}, true},
		linkpage.AppearanceLight: {[]string{"color-scheme:light"}, false},
		linkpage.AppearanceDark:  {[]string{"color-scheme:dark"}, false},
	} {
		in := sample(t, linkpage.ThemeOcean)
		in.Page.Content.Theme.Appearance = appearance
		text := string(page(t, in, now).Plain)
		require.Equal(t, len(want.schemes), strings.Count(text, "{color-scheme:"))
		for _, scheme := range want.schemes {
			require.Contains(t, text, scheme)
		}
		require.Equal(t, want.media, strings.Contains(text, "prefers-color-scheme:dark"))
		require.Equal(t, want.media, strings.Contains(text, `media="(prefers-color-scheme: dark)"`))
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	in := sample(t, linkpage.ThemePaper)
	in.Page.Content.Title, in.Page.Content.Bio = "… 日本", strings.Repeat("Many words \n", 40)
	in.Page.Content.SEO, in.Page.Content.Theme.Avatar = linkpage.SEO{}, ident.Media{}
	product := func(last, price, currency string) linkpage.Block {
		return block(t, last, "PRODUCT", map[string]any{
			"name": "A", "url": "https://a.example", "price": price, "currency": currency,
		})
	}
	in.Page.Content.Blocks = []linkpage.Block{
		product("40", "19.9", "EUR"), product("41", "7", "SEK"), product("42", "", ""),
		block(t, "43", "POST_CARD", map[string]any{"postId": id[ident.Post](t, "02")}),
		block(t, "44", "TESTIMONIAL", map[string]any{"quote": "Q", "author": "A"}),
	}
	for key, post := range in.Posts {
		post.Channel, post.PublishedAt, post.MediaIDs = "OF_TOMORROW", time.Time{}, nil
		in.Posts[key] = post
	}
	text := string(page(t, in, now).Plain)
	for _, want := range []string{
		">日<", "€19.90", "7\u00a0SEK", "View on the network",
		`<meta name="description" content="` + strings.Repeat("Many words ", 18) + "M…", "Buy<span",
	} {
		require.Contains(t, text, want)
	}
	require.Equal(t, 2, strings.Count(text, `class="price"`))
	require.NotContains(t, text, "<time")
	require.NotContains(t, text, "of 5 stars")
	in.Page.Content.Title = "!?"
	require.Contains(t, string(page(t, in, now).Plain), ">•<")
}

// TestNetworkNameIsNotRepeated checks channel names that contain the network.
func TestNetworkNameIsNotRepeated(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Acme Studio on X": "Acme Studio", "Acme Studio": "Acme Studio", "Focus on X-rays": "Focus on X-rays",
	} {
		in := sample(t, linkpage.ThemePaper)
		for key, post := range in.Posts {
			post.Name = name
			in.Posts[key] = post
		}
		require.Contains(t, string(page(t, in, now).Plain), `<span class="name" dir="auto">`+want+`</span><span class="more">on X ·`)
	}
}

// TestDateFormatIsConsistent checks that a time starts with the format of a date alone, and that the script rewrites both.
func TestDateFormatIsConsistent(t *testing.T) {
	t.Parallel()
	text := string(page(t, sample(t, linkpage.ThemePaper), now).Plain)
	found := regexp.MustCompile(
		`<time datetime="[^"]+" data-local="(?:date|time)">\d{1,2} [A-Z][a-z]+ \d{4}(?:, \d\d:\d\d UTC)?</time>`).FindAllString(text, -1)
	require.Len(t, found, 3)
	require.Equal(t, len(found), strings.Count(text, "<time"))
	require.NotContains(t, text, "toLocaleString(undefined", "the visitor's language would give another form")
}
