package sandboxapp_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const facebookToken = "sandbox-facebook-acme"

func (b *bundle) pagePost(t *testing.T, message string, more ...string) reply {
	t.Helper()
	return b.form(t, "/facebook/v26.0/acme/feed",
		append([]string{"access_token", facebookToken, "message", message}, more...)...)
}

func TestFacebookSpeaksFacebook(t *testing.T) {
	t.Parallel()

	b := setup(t)
	id := b.pagePost(t, " Hello\n").text(t, "id")
	require.Regexp(t, `^acme_[0-9]{18}$`, id)
	require.Equal(t, id, b.newest(t, "?platform=FACEBOOK_PAGE&account=acme"))

	read := func(path string) reply { return b.get(t, "/facebook/v26.0/"+path, facebookToken) }
	link := read(id+"?fields=permalink_url").text(t, "permalink_url")
	require.Equal(t, b.server.URL+"/p/facebook/"+id, link)
	require.Equal(t, http.StatusOK, b.get(t, "/p/facebook/"+id, "").status)
	require.Equal(t, "/p/facebook/"+id, b.get(t, "/facebook/"+id, "").header.Get("Location"))
	require.NotContains(t, read(id+"?fields=permalink_url").body, "message", "only what was asked for")
	require.Equal(t, "Hello", read(id).text(t, "message"))
	require.Equal(t, "2026-03-01T09:00:00+0000", read(id).text(t, "created_time"))
	require.Equal(t, "acme", read("me").text(t, "id"))
	require.Contains(t, b.get(t, "/facebook/v26.0/me?access_token="+facebookToken, "").body, "acme")

	b.restart(t)
	require.Equal(t, id, read(id).text(t, "id"))
	other := b.call(t.Context(), t, http.MethodDelete, "/facebook/v26.0/"+id, "sandbox-facebook-other", "", "")
	require.InDelta(t, 33, other.at(t, "error", "error_subcode"), 0)
	require.Equal(t, true, b.call(t.Context(), t, http.MethodDelete, "/facebook/v26.0/"+id, facebookToken, "", "").at(t,
		"success"))
	require.InDelta(t, 100, read(id).at(t, "error", "code"), 0)
	require.Empty(t, b.posts(t, ""))
	b.restart(t)
	require.Greater(t, b.pagePost(t, "again").text(t, "id"), id, "ids are not used again")
}

func TestFacebookRefuses(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for name, test := range map[string]struct {
		answer reply
		code   float64
	}{
		"no text":          {b.pagePost(t, " "), 100},
		"too long":         {b.pagePost(t, strings.Repeat("a", 63_207)), 100},
		"pictures":         {b.pagePost(t, "t", "attached_media", `[{"media_fbid":"1"}]`), 100},
		"unpublished":      {b.pagePost(t, "t", "published", "false"), 100},
		"another Page":     {b.form(t, "/facebook/v26.0/other/feed", "access_token", facebookToken, "message", "t"), 100},
		"another's token":  {b.form(t, "/facebook/v26.0/acme/feed", "access_token", threadsToken, "message", "t"), 190},
		"no token":         {b.form(t, "/facebook/v26.0/acme/feed", "message", "t"), 104},
		"no version":       {b.form(t, "/facebook/latest/acme/feed", "access_token", facebookToken, "message", "t"), 2500},
		"unknown field":    {b.get(t, "/facebook/v26.0/acme/published_posts?fields=id,text", facebookToken), 100},
		"unknown time":     {b.get(t, "/facebook/v26.0/acme/published_posts?since=today", facebookToken), 100},
		"an unknown call":  {b.get(t, "/facebook/v26.0/acme/likes", facebookToken), 2500},
		"an unknown thing": {b.get(t, "/facebook/v26.0/123", facebookToken), 100},
	} {
		require.Equal(t, http.StatusBadRequest, test.answer.status, name)
		require.InDelta(t, test.code, test.answer.at(t, "error", "code"), 0, name)
	}
	require.Empty(t, b.posts(t, ""))

	require.Equal(t, http.StatusOK, b.pagePost(t, "same").status)
	require.InDelta(t, 506, b.pagePost(t, "same").at(t, "error", "code"), 0)
	b.clock.Advance(time.Minute)
	require.Equal(t, http.StatusOK, b.pagePost(t, "same").status)

	b.inject(t, `{"platform":"facebook","account":"acme","step":"commit","kind":"rate_limit","delayMs":90000}`)
	limited := b.pagePost(t, "limited")
	require.InDelta(t, 80001, limited.at(t, "error", "code"), 0)
	require.Contains(t, limited.header.Get("X-Business-Use-Case-Usage"), `"estimated_time_to_regain_access":2`)
	b.inject(t, `{"platform":"facebook","kind":"expired_token"}`)
	require.InDelta(t, 463, b.pagePost(t, "expired").at(t, "error", "error_subcode"), 0)
	require.Equal(t, http.StatusBadRequest, b.pagePost(t, "expired").status, "nothing refreshes it")
	b.call(t.Context(), t, http.MethodDelete, "/_sandbox/faults", "", "", "")
	require.Equal(t, http.StatusOK, b.pagePost(t, "connected anew").status)
}

func TestFacebookPages(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for i := range 5 {
		b.pagePost(t, strings.Repeat("x", i+1))
		b.clock.Advance(time.Minute)
	}
	const path = "/facebook/v26.0/acme/published_posts?limit=2&fields=message&since=1772355600&until=1772355780"
	first := b.get(t, path, facebookToken)
	require.Contains(t, first.body, `"message":"xxxx"`, "the fifth is too late")
	require.Len(t, first.at(t, "data"), 2)
	next := strings.TrimPrefix(first.text(t, "paging", "next"), b.server.URL)
	require.Contains(t, next, "after="+first.text(t, "paging", "cursors", "after"))
	require.NotContains(t, next, facebookToken)
	last := b.get(t, next, facebookToken)
	require.Len(t, last.at(t, "data"), 2)
	require.Nil(t, last.at(t, "paging", "next"))
	require.NotEmpty(t, last.text(t, "paging", "cursors", "after"), "cursors do not indicate more pages")
	require.JSONEq(t, `{"data":[]}`, b.get(t, "/facebook/v26.0/acme/feed?since=1872355600", facebookToken).body)
}
