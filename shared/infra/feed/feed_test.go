package feed_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/feed"
)

const rss = `<?xml version="1.0"?><rss version="2.0"><channel><title>Mara &amp; Co</title>
<item><title>Old</title><link>/old</link><guid>1</guid><pubDate>Mon, 01 Jun 2026 08:00:00 GMT</pubDate></item>
<item><title>&lt;script&gt;alert(1)&lt;/script&gt; new
 line</title><link>https://example.com/ä</link><guid>2</guid><pubDate>Tue, 02 Jun 2026 08:00:00 GMT</pubDate></item>
<item><title>Script</title><link>javascript:alert(1)</link><guid>3</guid><pubDate>Sun, 31 May 2026 08:00:00 GMT</pubDate></item>
<item><title>Twice</title><link>/old</link><guid>1</guid></item>
<item><guid>empty</guid></item>
</channel></rss>`

const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Atom</title><entry><id>tag:1</id><title>One</title>
<link href="http://example.com/1"/><updated>2026-06-01T08:00:00Z</updated></entry></feed>`

func reader(t *testing.T, config egress.PolicyConfig) *feed.Reader {
	t.Helper()
	policy, err := egress.NewPolicy(config)
	require.NoError(t, err)
	r, err := feed.NewReader(policy)
	require.NoError(t, err)
	return r
}

func local() egress.PolicyConfig {
	return egress.PolicyConfig{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
}

// TestRead reads feeds: newest first, each item once, foreign words as text, and only addresses of the web as links.
func TestRead(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/rss", http.StatusFound)
		case "/atom":
			_, _ = fmt.Fprint(w, atom)
		default:
			w.Header().Set("ETag", `"v1"`)
			w.Header().Set("Last-Modified", "Tue, 02 Jun 2026 08:00:00 GMT")
			if r.Header.Get("If-None-Match") == `"v1"` || r.Header.Get("If-Modified-Since") != "" {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = fmt.Fprint(w, rss)
		}
	}))
	t.Cleanup(server.Close)
	r := reader(t, local())
	found, err := r.Read(t.Context(), server.URL+"/moved", "", "")
	require.NoError(t, err)
	require.Equal(t, "Mara & Co", found.Title)
	var texts []string
	for _, i := range found.Items {
		texts = append(texts, i.Title+" "+i.Link)
	}
	require.Equal(t, []string{
		"<script>alert(1)</script> new line https://example.com/%C3%A4", "Old " + server.URL + "/old", "Script ",
	}, texts)
	for _, validators := range [][2]string{{`"v1"`, ""}, {"", found.LastModified}} {
		again, err := r.Read(t.Context(), server.URL+"/rss", validators[0], validators[1])
		require.NoError(t, err)
		require.True(t, again.Unchanged)
		require.Empty(t, again.Items)
	}
	found, err = r.Read(t.Context(), server.URL+"/atom", "", "")
	require.NoError(t, err)
	require.Equal(t, "http://example.com/1", found.Items[0].Link)
}

// TestRefusals checks that wrong addresses and wrong responses get words for people.
func TestRefusals(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/gone":
			w.WriteHeader(http.StatusGone)
		case "/page":
			_, _ = fmt.Fprint(w, "<!doctype html><title>Page</title>")
		case "/large":
			_, _ = fmt.Fprint(w, "<rss><channel><title>"+strings.Repeat("x", 3<<20))
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/inside":
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/bomb":
			_, _ = fmt.Fprint(w, `<!DOCTYPE x [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;&a;">]><rss><channel><title>&b;</title></channel></rss>`)
		}
	}))
	t.Cleanup(server.Close)
	r := reader(t, local())
	for path, want := range map[string]string{
		"/gone": "410", "/page": "no RSS or Atom feed", "/large": "larger than 2 MB", "/loop": "too often", "/inside": "not public", "/file": "",
	} {
		_, err := r.Read(t.Context(), server.URL+path, "", "")
		refusal, ok := err.(*feed.Refusal) //nolint:errorlint // it is not wrapped
		require.True(t, ok, "%s: %v", path, err)
		require.Contains(t, refusal.Text, want, path)
	}
	bomb, err := r.Read(t.Context(), server.URL+"/bomb", "", "")
	require.True(t, err != nil || len(bomb.Title) < 20, "entities of a document are not expanded")

	strict := reader(t, egress.PolicyConfig{})
	for _, address := range []string{
		server.URL, "http://10.0.0.1/feed", "http://[::1]/feed", "http://169.254.169.254/", "https://localhost/feed", "ftp://example.com/", "http://user:pw@example.com/",
	} {
		_, err := strict.Read(t.Context(), address, "", "")
		require.ErrorContains(t, err, "The feed cannot be read: ", address)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = r.Read(ctx, server.URL+"/gone", "", "")
	require.ErrorIs(t, err, context.Canceled)
}
