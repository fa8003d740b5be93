package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFeedEscapesTexts(t *testing.T) {
	t.Parallel()

	b := setup(t)
	b.tweet(t, "acme", "<script>alert(1)</script> \"'& line\nbreak")
	b.form(t, "/telegram/bot1:sandbox-b/sendMessage", "chat_id", `@"><img src=x>`, "text", "hello")
	for _, path := range []string{
		"/", "/posts", "/?account=%22%3E%3Cscript%3E&platform=%3Cb%3E", "/p/x/" + b.newest(t, "?platform=x"), "/nowhere",
	} {
		page := b.get(t, path, "")
		require.NotContains(t, page.body, "<script>", path)
		require.NotContains(t, page.body, "<img", path)
		require.NotContains(t, page.body, `style="`, path)
		policy := page.header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'", path)
		require.NotContains(t, policy, "unsafe", path)
		require.Equal(t, "nosniff", page.header.Get("X-Content-Type-Options"))
	}
	require.Contains(t, b.get(t, "/", "").body, "&lt;script&gt;alert(1)&lt;/script&gt;")
}

func TestFeedShowsPosts(t *testing.T) {
	t.Parallel()

	b := setup(t)
	require.Contains(t, b.get(t, "/", "").body, "Nothing has been published yet")
	require.Contains(t, b.get(t, "/?platform=x", "").body, "No posts found")
	b.tweet(t, "acme", "from X")
	b.clock.Advance(90 * time.Second)
	b.form(t, "/telegram/bot1:sandbox-b/sendMessage", "chat_id", "@town", "text", "from Telegram")
	page := b.get(t, "/", "").body
	require.Less(t, strings.Index(page, "from Telegram"), strings.Index(page, "from X"), "newest first")
	require.Contains(t, page, "just now")
	require.Contains(t, page, "1 min ago")
	require.Contains(t, page, "1 Mar 2026, 09:00:00 UTC")
	require.NotContains(t, b.get(t, "/?platform=x", "").body, "from Telegram")
	require.NotContains(t, b.get(t, "/?account=acme", "").body, "from Telegram")

	id := b.newest(t, "?platform=x")
	post := b.get(t, "/p/x/"+id, "")
	require.Equal(t, http.StatusOK, post.status)
	require.Contains(t, post.body, id)
	require.Equal(t, http.StatusNotFound, b.get(t, "/p/threads/"+id, "").status)
	require.Contains(t, b.get(t, "/assets/feed.js", "").header.Get("Content-Type"), "javascript")
	require.Equal(t, http.StatusOK, b.get(t, "/assets/feed.css", "").status)
}

func TestFeedPages(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for i := range 60 {
		b.tweet(t, "acme", fmt.Sprintf("post number %02d", i))
	}
	page := b.get(t, "/", "").body
	require.Equal(t, 50, strings.Count(page, "<article"))
	require.Contains(t, page, "/?before=11")
	page = b.get(t, "/?before=11", "").body
	require.Equal(t, 10, strings.Count(page, "<article"))
	require.Contains(t, page, `data-live="no"`)
	require.Contains(t, b.get(t, "/?before=1", "").body, "No older posts")
}

func TestFeedRefreshIsNotModified(t *testing.T) {
	t.Parallel()

	b := setup(t)
	tag := b.get(t, "/posts", "").header.Get("ETag")
	require.NotEmpty(t, tag)
	require.Contains(t, b.get(t, "/", "").body, strings.ReplaceAll(tag, `"`, "&#34;"))
	ask := func() int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL+"/posts", nil)
		require.NoError(t, err)
		request.Header.Set("If-None-Match", tag)
		response, err := b.server.Client().Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	require.Equal(t, http.StatusNotModified, ask())
	b.inject(t, `{"kind":"reject","platform":"x"}`)
	require.Equal(t, http.StatusOK, ask())
	require.Contains(t, b.get(t, "/posts", "").body, "reject on X, step any (1 left)")
}
