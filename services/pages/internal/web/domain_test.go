package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// domain gives a page a verified domain.
func (b *bundle) domain(t *testing.T, host, handle string) {
	t.Helper()
	b.set(func() {
		b.hosts = map[string]string{host: handle}
		page := b.pages[handle]
		page.Host = host
		b.pages[handle] = page
	})
	require.NoError(t, b.shelf.Compare(t.Context()))
}

// TestDomainShowsItsPageAlone serves a page at its own domain, with nothing of other pages.
func TestDomainShowsItsPageAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mara, other := b.publish(t, "mara", "Mara"), b.publish(t, "other", "Other")
	at := with("Host", "links.mara.test")
	b.domain(t, "links.mara.test", "mara")
	for _, host := range []string{"links.mara.test", "LINKS.mara.test.", "links.mara.test:443"} {
		got := b.ask(t, "/", with("Host", host))
		require.Equal(t, http.StatusOK, got.StatusCode, host)
		require.Contains(t, got.body, "Mara")
		require.Contains(t, got.body, `<link rel="canonical" href="https://links.mara.test/">`)
	}
	require.Contains(t, b.ask(t, "/mara").body, `<link rel="canonical" href="https://links.mara.test/">`, "one page has one address")
	require.Equal(t, http.StatusFound, b.ask(t, "/l/"+mara.Content.Blocks[0].ID.String(), at).StatusCode)
	require.Equal(t, http.StatusOK, b.ask(t, "/mara", at).StatusCode)
	require.Equal(t, http.StatusOK, b.ask(t, "/robots.txt", at).StatusCode)
	for _, path := range []string{
		"/other", "/l/" + other.Content.Blocks[0].ID.String(), "/s/abcdefgh", "/i/other/" + mara.ID.String(), "/favicon", "/mara/x",
	} {
		require.Equal(t, http.StatusNotFound, b.ask(t, path, at).StatusCode, path)
	}
	require.Equal(t, http.StatusNotFound, b.ask(t, "/").StatusCode, "not at another host")
	_, _, clicks, _ := b.counted(t)
	require.EqualValues(t, 1, clicks)
}

// TestDomainsEnd stops serving a domain that is no longer verified, and its certificate.
func TestDomainsEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, "mara", "Mara")
	b.domain(t, "links.mara.test", "mara")
	certificate := func(domain string) int {
		return b.ask(t, "/-/certificate?domain="+domain, with("Host", "pages:8083")).StatusCode
	}
	require.Equal(t, http.StatusOK, certificate("links.mara.test"))
	for _, domain := range []string{"", "mara.test", "evil.links.mara.test", "pages.example.com", "links.mara.test%00", "links.mara.test/"} {
		require.Equal(t, http.StatusNotFound, certificate(domain), domain)
	}
	require.Equal(t, http.StatusOK, b.ask(t, "/", with("Host", "links.mara.test")).StatusCode)
	b.set(func() {
		b.hosts = nil
		page := b.pages["mara"]
		page.Host = ""
		b.pages["mara"] = page
	})
	require.NoError(t, b.shelf.Compare(t.Context()))
	require.Equal(t, http.StatusNotFound, certificate("links.mara.test"))
	require.Equal(t, http.StatusNotFound, b.ask(t, "/", with("Host", "links.mara.test")).StatusCode)
	require.Contains(t, b.ask(t, "/mara").body, `href="https://pages.example.com/mara"`)

	loads := b.loads
	require.Equal(t, http.StatusNotFound, b.ask(t, "/", with("Host", "unknown.test")).StatusCode)
	require.Equal(t, loads, b.loads, "an unknown name costs no query")
}
