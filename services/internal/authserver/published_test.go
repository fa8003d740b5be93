package authserver_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/kernel/apperr"
)

const document = "https://client.example.net/oauth/client.json"

func described(id, redirect string) string {
	return `{"client_id":"` + id + `","client_name":"Agent","redirect_uris":["` + redirect +
		`"],"logo_uri":"http://127.0.0.1/logo"}`
}

func TestPublishedClientNeedsNoRegistration(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.web.put(document, described(document, callback), nil)
	requested, err := b.Requested(t.Context(), b.started(t, "client_id="+document))
	require.NoError(t, err)
	require.Equal(t, oauth.Published, requested.Client.Kind)
	require.Equal(t, "client.example.net", requested.Client.Host())
	require.Equal(t, http.MethodGet, b.web.read[0].Method)
	b.started(t, "client_id="+document)
	require.Len(t, b.web.read, 1, "it is fresh; and nothing else of it was fetched")

	b.client = requested.Client
	tokens := b.tokens(t)
	require.True(t, b.valid(t, tokens.Access))

	b.clock.Advance(6 * time.Minute)
	waiting := b.started(t)
	b.web.pages[document] = nil
	b.clock.Advance(6 * time.Minute)
	next, err := b.Token(t.Context(), b.refreshes(tokens.Refresh), nil)
	require.NoError(t, err, "its address may be silent: tokens need nothing from it")
	require.True(t, b.valid(t, next.Access))
	require.Len(t, b.web.read, 2)
	b.web.put(document, described(document, "https://moved.example.net/cb"),
		http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"public, max-age=999999999"}})
	_, err = b.Authorize(t.Context(), b.asks())
	refused(t, err, oauth.InvalidRequest)
	require.Len(t, b.web.read, 3)
	_, err = b.Requested(t.Context(), waiting)
	require.True(t, apperr.Is(err, apperr.NotFound), "its redirect is the client's no more")
	_, err = b.Allow(t.Context(), waiting, b.allows(credential.PostsWrite))
	require.True(t, apperr.Is(err, apperr.NotFound))
	b.started(t, "redirect_uri=https://moved.example.net/cb")
	b.clock.Advance(24 * time.Hour)
	b.started(t, "redirect_uri=https://moved.example.net/cb")
	require.Len(t, b.web.read, 4, "a day at most")
}

func TestInvalidClientDocuments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	html := http.Header{"Content-Type": {"text/html"}}
	b.web.put("https://a.test/other", described(document, callback), nil)
	b.web.put("https://a.test/html", described("https://a.test/html", callback), html)
	b.web.put("https://a.test/broken", `{"client_id":`, nil)
	b.web.put("https://a.test/secret", strings.Replace(described("https://a.test/secret", callback), "{",
		`{"token_endpoint_auth_method":"client_secret_post",`, 1), nil)
	b.web.put("https://a.test/moved", "", nil)
	b.web.pages["https://a.test/moved"].Status = http.StatusFound
	b.web.put("https://a.test/long", described("https://a.test/long", callback), nil)
	b.web.pages["https://a.test/long"].Truncated = true
	for id, want := range map[string]oauth.ErrorCode{
		"https://a.test/other": oauth.InvalidClient, "https://a.test/html": oauth.InvalidClient,
		"https://a.test/moved": oauth.InvalidClient,
		"https://a.test/long":  oauth.InvalidClient, "https://a.test/nowhere": oauth.InvalidClient,
		"https://a.test/broken": oauth.InvalidClientMetadata,
		"https://a.test/secret": oauth.InvalidClientMetadata, "https://a.test": oauth.InvalidClient,
		"https://u@a.test/html": oauth.InvalidClient,
	} {
		_, err := b.Authorize(t.Context(), b.asks("client_id="+id))
		refused(t, err, want)
	}
	require.Len(t, b.web.read, 7, "addresses that cannot be a document's are not read")
}

func TestClientDocumentCacheLifetime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for header, want := range map[string]time.Duration{
		"": 5 * time.Minute, "no-store": 5 * time.Minute, "max-age=1": 5 * time.Minute, "max-age=3600": time.Hour,
		`private, Max-Age="7200"`: 2 * time.Hour,
		"max-age=x":               5 * time.Minute, "max-age=-1": 5 * time.Minute,
	} {
		id := "https://a.test/" + strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return 'x'
		}, header) + "x"
		b.web.put(id, described(id, callback), http.Header{
			"Content-Type": {"application/cimd+json; charset=utf-8"}, "Cache-Control": {header},
		})
		b.started(t, "client_id="+id)
		before := len(b.web.read)
		b.clock.Advance(want - time.Second)
		b.started(t, "client_id="+id)
		require.Len(t, b.web.read, before, header)
		b.clock.Advance(time.Second)
		b.started(t, "client_id="+id)
		require.Len(t, b.web.read, before+1, header)
	}
}
