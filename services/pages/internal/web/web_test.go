package web_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/stretchr/testify/require"

	"fencepost.internal/services/pages/internal/web"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

func TestPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, "mara", "Mara Lindqvist")
	got := b.ask(t, "/mara")
	require.Equal(t, http.StatusOK, got.StatusCode)
	require.Contains(t, got.body, "<h1 dir=\"auto\">Mara Lindqvist</h1>")
	require.Equal(t, "text/html; charset=utf-8", got.Header.Get("Content-Type"))
	require.Equal(t, "public, no-cache", got.Header.Get("Cache-Control"),
		"a browser asks each time whether its page is still the one")
	require.Contains(t, got.Header.Get("Content-Security-Policy"), "script-src 'sha256-")
	require.Empty(t, got.Cookies())
	require.Equal(t, got.body, b.ask(t, "/mara?utm_source=x&url=https://evil.example").body)
	head := b.ask(t, "/mara", method(http.MethodHead))
	require.Equal(t, got.Header, head.Header)
	require.Empty(t, head.body)
	require.Equal(t, 1, b.loads, "made once")
}

func TestForms(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, "mara", "Mara")
	plain := b.ask(t, "/mara")
	for accepted, coding := range map[string]string{
		"br": "br", "gzip, deflate, br": "br", "gzip": "gzip", "GZIP;q=0.5": "gzip", "gzip;q=0": "", "br;q=0, gzip": "gzip",
		"identity": "", "": "", "br;q=x": "", "*": "",
	} {
		got := b.ask(t, "/mara", with("Accept-Encoding", accepted))
		require.Equal(t, coding, got.Header.Get("Content-Encoding"), accepted)
		require.Equal(t, "Accept-Encoding", got.Header.Get("Vary"))
		var reader io.Reader = strings.NewReader(got.body)
		switch coding {
		case "br":
			reader = brotli.NewReader(reader)
		case "gzip":
			unzipped, err := gzip.NewReader(reader)
			require.NoError(t, err)
			reader = unzipped
		}
		body, err := io.ReadAll(reader)
		require.NoError(t, err)
		require.True(t, bytes.Equal([]byte(plain.body), body))
		tag := got.Header.Get("Etag")
		for _, known := range []string{tag, "W/" + tag, `"other", ` + tag, plain.Header.Get("Etag"), "*"} {
			unchanged := b.ask(t, "/mara", with("Accept-Encoding", accepted), with("If-None-Match", known))
			require.Equal(t, http.StatusNotModified, unchanged.StatusCode)
			require.Empty(t, unchanged.body)
			require.Equal(t, tag, unchanged.Header.Get("Etag"))
			require.NotEmpty(t, unchanged.Header.Get("Content-Security-Policy"))
		}
		require.Equal(t, http.StatusOK, b.ask(t, "/mara", with("If-None-Match", `"other"`)).StatusCode)
	}
}

// TestPublications checks that a new version is shown, and the old one is not, after versions were compared. The same
// holds for a page that was unpublished and for a new page.
func TestPublications(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, http.StatusNotFound, b.ask(t, "/mara").StatusCode)
	first := b.publish(t, "mara", "First")
	require.Equal(t, http.StatusNotFound, b.ask(t, "/mara").StatusCode, "known to be absent, for two seconds")
	require.NoError(t, b.shelf.Compare(t.Context()))
	one := b.ask(t, "/mara")
	require.Contains(t, one.body, "First")

	second := b.publish(t, "mara", "Second")
	require.NoError(t, b.shelf.Compare(t.Context()))
	two := b.ask(t, "/mara", with("If-None-Match", one.Header.Get("Etag")))
	require.Equal(t, http.StatusOK, two.StatusCode)
	require.Contains(t, two.body, "Second")
	require.Equal(t, http.StatusNotFound, b.ask(t, "/l/"+first.Content.Blocks[0].ID.String()).StatusCode,
		"its links are gone too")
	require.Equal(t, http.StatusFound, b.ask(t, "/l/"+second.Content.Blocks[0].ID.String()).StatusCode)

	b.set(func() { delete(b.pages, "mara") })
	require.NoError(t, b.shelf.Compare(t.Context()))
	gone := b.ask(t, "/mara")
	require.Equal(t, http.StatusNotFound, gone.StatusCode)
	require.NotContains(t, gone.body, "Second")
	require.Zero(t, b.shelf.Len())
	require.Equal(t, http.StatusNotFound, b.ask(t, "/l/"+second.Content.Blocks[0].ID.String()).StatusCode)
}

func TestShelfRefreshesPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, "mara", "First")
	require.Contains(t, b.ask(t, "/mara").body, "First")
	go b.shelf.Run(t.Context())
	b.publish(t, "mara", "Second")
	require.Eventually(t, func() bool { return strings.Contains(b.ask(t, "/mara").body, "Second") }, 10*time.Second,
		time.Millisecond)
}

func TestShelfIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, handle := range []string{"one", "two", "three", "four"} {
		b.clock.Advance(time.Second)
		b.publish(t, handle, handle)
		require.Equal(t, http.StatusOK, b.ask(t, "/"+handle).StatusCode)
		require.Equal(t, http.StatusOK, b.ask(t, "/one").StatusCode)
	}
	require.Equal(t, 3, b.shelf.Len())
	before := b.loads
	b.ask(t, "/one")
	require.Equal(t, before, b.loads, "what is asked for stays")
	b.ask(t, "/two")
	require.Equal(t, before+1, b.loads)
}

// TestUnknownNamesAreLimited checks that a network that tries names soon reads the database no more, and that this affects
// neither cached pages nor other networks.
func TestUnknownNamesAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, "mara", "Mara")
	b.publish(t, "other", "Other")
	require.Equal(t, http.StatusOK, b.ask(t, "/mara").StatusCode)
	within := func(address string) func(*request) { return func(r *request) { r.remote = address } }
	for i := range 60 {
		require.Equal(t, http.StatusNotFound, b.ask(t, "/tried-"+strconv.Itoa(i), within("[2001:db8::1]:1")).StatusCode)
	}
	for _, path := range []string{"/tried-60", "/other", "/l/" + ident.New[ident.LinkBlock]().String()} {
		limited := b.ask(t, path, within("[2001:db8::2]:1"))
		require.Equal(t, http.StatusTooManyRequests, limited.StatusCode)
		require.Equal(t, "60", limited.Header.Get("Retry-After"))
	}
	before := b.loads
	require.Equal(t, http.StatusNotFound, b.ask(t, "/tried-0", within("[2001:db8::1]:1")).StatusCode, "known to be absent")
	require.Equal(t, http.StatusOK, b.ask(t, "/mara", within("[2001:db8::1]:1")).StatusCode)
	require.Equal(t, before, b.loads)
	require.Equal(t, http.StatusOK, b.ask(t, "/other", within("[2001:db8:0:1::1]:1")).StatusCode)
	b.clock.Advance(time.Minute)
	require.Equal(t, http.StatusNotFound, b.ask(t, "/tried-60", within("[2001:db8::1]:1")).StatusCode)
}

// TestCachedPagesAreServedDuringOutage checks that cached pages are still served during an outage, and that others are unavailable.
func TestCachedPagesAreServedDuringOutage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, "mara", "Mara")
	b.publish(t, "other", "Other")
	require.Equal(t, http.StatusOK, b.ask(t, "/mara").StatusCode)
	b.set(func() { b.down = errors.New("password=secret") })
	require.Error(t, b.shelf.Compare(t.Context()))
	require.Equal(t, http.StatusOK, b.ask(t, "/mara").StatusCode)
	got := b.ask(t, "/other")
	require.Equal(t, http.StatusServiceUnavailable, got.StatusCode)
	require.Equal(t, "5", got.Header.Get("Retry-After"))
	require.NotContains(t, got.body, "secret")
	require.Equal(t, "no-store", got.Header.Get("Cache-Control"))
}

// TestPagesChangeWithTime checks that the same version shows a block from its start time on, also during a database
// outage.
func TestPagesChangeWithTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	settings, err := linkpage.ReadSettings("LINK", json.RawMessage(`{"title":"Later","url":"https://example.com/later"}`))
	require.NoError(t, err)
	later := linkpage.Block{
		ID: ident.New[ident.LinkBlock](), Settings: settings, Visible: true, ShowFrom: start.Add(time.Hour),
		ShowUntil: start.Add(2 * time.Hour),
	}
	b.publish(t, "mara", "Mara", later)
	for _, c := range []struct {
		after time.Duration
		shown bool
	}{{0, false}, {time.Hour, true}, {2 * time.Hour, false}} {
		b.clock.Set(start.Add(c.after))
		if c.after > 0 {
			b.set(func() { b.down = errors.New("down") })
		}
		require.Equal(t, c.shown, strings.Contains(b.ask(t, "/mara").body, "Later"))
		want := http.StatusNotFound
		if c.shown {
			want = http.StatusFound
		}
		require.Equal(t, want, b.ask(t, "/l/"+later.ID.String()).StatusCode)
	}
}

func TestClicks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page := b.publish(t, "mara", "Mara")
	link := "/l/" + page.Content.Blocks[0].ID.String()
	for _, path := range []string{link, link + "?url=https://evil.example", "/l/" + strings.ToUpper(link[3:])} {
		got := b.ask(t, path)
		require.Equal(t, http.StatusFound, got.StatusCode)
		require.Equal(t, []string{"https://example.com/a?b=c"}, got.Header.Values("Location"))
		require.Equal(t, "no-store", got.Header.Get("Cache-Control"))
	}
	for _, path := range []string{
		"/l/", "/l", "/l/x", "/l/" + ident.New[ident.LinkBlock]().String(), link + "/", link + "%0d%0aX:y", link + "/../..",
		"/l/https://evil.example", "/l//evil.example",
		"/l/?url=https://evil.example", "/L/" + link[3:], "//l/" + link[3:], "/%6c/" + link[3:], "http://evil.example" + link,
	} {
		got := b.ask(t, path)
		require.Equal(t, http.StatusNotFound, got.StatusCode, path)
		require.Empty(t, got.Header.Get("Location"), path)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, "mara", "Mara")
	for path, want := range map[string]string{"/MARA": "/mara", "/mara/": "/mara", "/Mara/?x=//evil": "/mara"} {
		got := b.ask(t, path)
		require.Equal(t, http.StatusMovedPermanently, got.StatusCode, path)
		require.Equal(t, want, got.Header.Get("Location"))
	}
	for _, path := range []string{
		"/", "//", "/unknown", "/mara/x", "/ma", "/mara%20", "/mara%0d%0aSet-Cookie:a=b", "/..", "/../mara", "/./mara",
		"//mara", "/mara//", "/index.html", "/.env", "/\\mara",
		"/" + strings.Repeat("a", 5_000), "/i/mara/x", "/i/mara/" + ident.New[ident.Media]().String(), "/i", "/i/", "*",
		"/%6dara",
	} {
		got := b.ask(t, path)
		require.Equal(t, http.StatusNotFound, got.StatusCode, "%.50q", path)
		require.Empty(t, got.Header.Get("Location"))
		require.Contains(t, got.body, "<h1>")
		require.NotContains(t, got.body, "evil")
	}
	for _, verb := range []string{
		http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodTrace, "get",
	} {
		got := b.ask(t, "/mara", method(verb))
		require.Equal(t, http.StatusMethodNotAllowed, got.StatusCode)
		require.Equal(t, "GET, HEAD", got.Header.Get("Allow"))
	}
	require.Equal(t, "User-agent: *\nDisallow: /l/\nDisallow: /s/\n", b.ask(t, "/robots.txt").body)
	require.Equal(t, http.StatusNoContent, b.ask(t, "/favicon.ico").StatusCode)
}

// TestEveryResponseHasSecurityHeaders checks the security headers of every kind of response.
func TestEveryResponseHasSecurityHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page := b.publish(t, "mara", "Mara")
	b.publish(t, "other", "Other")
	responses := []httpResponse{
		b.ask(t, "/mara"), b.ask(t, "/unknown"), b.ask(t, "/MARA"), b.ask(t, "/l/"+page.Content.Blocks[0].ID.String()),
		b.ask(t, "/l/x"), b.ask(t, "/i/x/y"),
		b.ask(t, "/robots.txt"), b.ask(t, "/favicon.ico"), b.ask(t, "/mara", method(http.MethodPost)), b.ask(t, "*"),
	}
	b.set(func() { b.down = errors.New("down") })
	for _, got := range append(responses, b.ask(t, "/other")) {
		policy := got.Header.Get("Content-Security-Policy")
		for _, part := range []string{
			"default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
		} {
			require.Contains(t, policy, part)
		}
		require.NotContains(t, policy, "unsafe")
		require.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"))
		require.Equal(t, "DENY", got.Header.Get("X-Frame-Options"))
		require.Equal(t, "max-age=31536000", got.Header.Get("Strict-Transport-Security"))
		require.Empty(t, got.Header.Get("Set-Cookie"))
	}
}

// TestAddressesCannotSplitResponse checks that a stored address that could split a response is not used.
func TestAddressesCannotSplitResponse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, address := range []string{
		"https://a.example/\r\nSet-Cookie: a=b", "https://a.example/\n", "https://a.example/ b", "https://a.example/é",
	} {
		block := linkpage.Block{
			ID: ident.New[ident.LinkBlock](), Settings: linkpage.Link{Title: "A", URL: address}, Visible: true,
		}
		b.publish(t, "mara", "Mara", block)
		require.NoError(t, b.shelf.Compare(t.Context()))
		got := b.ask(t, "/l/"+block.ID.String())
		require.Equal(t, http.StatusNotFound, got.StatusCode)
		require.Empty(t, got.Header.Get("Location"))
	}
}

func TestPictures(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, foreign, broken := ident.New[ident.Media](), ident.New[ident.Media](), ident.New[ident.Media]()
	picture := func(id ident.Media) linkpage.Block {
		return linkpage.Block{
			ID: ident.New[ident.LinkBlock](), Settings: linkpage.Link{Title: "A", URL: "https://a.example", Image: id},
			Visible: true,
		}
	}
	b.set(func() {
		b.assets[id] = media.Asset{ID: id, Type: media.Image, Files: media.Files{Original: media.Object{Key: "original"}}}
		b.assets[broken] = media.Asset{
			ID: broken, Type: media.Image, ProcessedAt: start, Files: media.Files{Thumbnail: media.Object{Key: "broken"}},
		}
		b.assets[foreign] = media.Asset{
			ID: foreign, ProcessedAt: start, Files: media.Files{Thumbnail: media.Object{Key: "foreign"}},
		}
	})
	b.publish(t, "mara", "Mara", picture(id), picture(broken))
	address := "/i/mara/" + id.String()
	require.NotContains(t, b.ask(t, "/mara").body, address, "it may say where it was taken until it was looked into")
	require.Equal(t, http.StatusNotFound, b.ask(t, address).StatusCode)

	b.set(func() {
		asset := b.assets[id]
		asset.ProcessedAt = start
		asset.Files.Thumbnail, asset.Files.Published = media.Object{Key: "small", ContentType: "image/jpeg"}, media.Object{
			Key: "full", ContentType: "image/png",
		}
		b.assets[id] = asset
	})
	b.clock.Advance(time.Minute)
	require.Contains(t, b.ask(t, "/mara").body, `<img src="`+address+`"`)
	for path, want := range map[string]string{
		address: "https://media.example.com/small?signed", address + "/full": "https://media.example.com/full?signed",
	} {
		got := b.ask(t, path)
		require.Equal(t, http.StatusFound, got.StatusCode)
		require.Equal(t, want, got.Header.Get("Location"))
		require.Equal(t, "private, max-age=43200", got.Header.Get("Cache-Control"))
	}
	require.Equal(t, http.StatusNotFound, b.ask(t, "/i/mara/"+foreign.String()).StatusCode, "the page does not show it")
	require.Equal(t, http.StatusNotFound, b.ask(t, "/i/unknown/"+id.String()).StatusCode)
	require.Equal(t, http.StatusServiceUnavailable, b.ask(t, "/i/mara/"+broken.String()).StatusCode)
}

// TestCounting checks that people are counted once per day, bots separately, and unseen responses not at all.
func TestCounting(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page := b.publish(t, "mara", "Mara")
	link := "/l/" + page.Content.Blocks[0].ID.String()
	tag := b.ask(t, "/mara").Header.Get("Etag")
	b.ask(t, "/mara", with("If-None-Match", tag)) // a revalidation counts as a view
	b.ask(t, "/mara", with("User-Agent", "curl/8.5.0"))
	b.ask(t, "/mara", with("Sec-Purpose", "prefetch"))
	b.ask(t, "/mara", method(http.MethodHead))
	b.ask(t, "/unknown")
	b.ask(t, link)
	b.ask(t, link, with("User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1)"))
	b.ask(t, link, method(http.MethodHead))
	views, bots, clicks, visitors := b.counted(t)
	require.Equal(t, []int64{2, 1, 1, 1}, []int64{views, bots, clicks, int64(visitors)})

	from := func(remote, forwarded string) func(*request) {
		return func(r *request) {
			r.remote = remote
			r.header.Set("X-Forwarded-For", forwarded)
		}
	}
	for _, who := range []func(*request){
		// one visitor through several proxies
		from("10.0.0.1:1", "192.0.2.7"), from("10.0.0.2:9", "6.6.6.6, 192.0.2.7"), from("10.0.0.1:1", "192.0.2.7, 10.9.9.9"),
		from("203.0.113.5:1", "192.0.2.7"), from("203.0.113.5:2", "1.1.1.1"), // untrusted proxies are ignored
		from("10.0.0.1:1", "not an address"), from("nonsense", ""),
	} {
		b.ask(t, "/mara", who)
	}
	views, _, _, visitors = b.counted(t)
	require.EqualValues(t, 7, views)
	require.Equal(t, 4, visitors)
}

func TestNewRequiresConfig(t *testing.T) {
	t.Parallel()
	_, err := web.New(web.Config{})
	require.Error(t, err)
	require.NotNil(t, setup(t).site.Server())
}
