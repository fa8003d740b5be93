package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestXPosts(t *testing.T) {
	t.Parallel()

	b := setup(t)
	created := b.tweet(t, "acme", "a & b https://example.com/x and example.org")
	require.Equal(t, http.StatusCreated, created.status)
	require.NotEmpty(t, created.header.Get("X-Rate-Limit-Remaining"))
	require.Equal(t, "1772356500", created.header.Get("X-Rate-Limit-Reset"))
	id := created.text(t, "data", "id")
	require.Regexp(t, `^a &amp; b https://t\.co/\w{10} and https://t\.co/\w{10}$`, created.text(t, "data", "text"))

	list := b.get(t, "/x/2/users/acme/tweets?max_results=5&tweet.fields=entities", "sandbox-x-acme")
	require.Contains(t, list.body, `"expanded_url":"https://example.com/x"`)
	require.Contains(t, list.body, `"expanded_url":"http://example.org"`)
	require.InDelta(t, 1, list.at(t, "meta", "result_count"), 0)
	require.Equal(t, id, b.get(t, "/x/2/tweets/"+id, "sandbox-x-acme").text(t, "data", "id"))
	require.Equal(t, "acme", b.get(t, "/x/2/users/me", "sandbox-x-acme").text(t, "data", "username"))
	require.Equal(t, "user1001", b.get(t, "/x/2/users/me", "sandbox-x-1001").text(t, "data", "username"))
	require.Equal(t, "/p/x/"+id, b.get(t, "/x/acme/status/"+id, "").header.Get("Location"))

	require.Equal(t, http.StatusNotFound, b.call(t.Context(), t, http.MethodDelete, "/x/2/tweets/"+id, "sandbox-x-other",
		"", "").status)
	require.Equal(t, true, b.call(t.Context(), t, http.MethodDelete, "/x/2/tweets/"+id, "sandbox-x-acme", "", "").at(t,
		"data", "deleted"))
	require.Equal(t, http.StatusNotFound, b.get(t, "/x/2/tweets/"+id, "sandbox-x-acme").status)
	require.Equal(t, http.StatusNotFound, b.get(t, "/x/2/lists", "sandbox-x-acme").status)
}

// TestXReturnsRequestedFields checks both dialects of the API, and that a field that X does not know is
// missing without an error.
func TestXReturnsRequestedFields(t *testing.T) {
	t.Parallel()

	b := setup(t)
	id := b.tweet(t, "acme", "hello").text(t, "data", "id")
	for query, want := range map[string]map[string]any{
		"":                        {"edit_history_tweet_ids": []any{id}},
		"?tweet.fields=shoe_size": {"edit_history_tweet_ids": []any{id}},
		"?tweet.fields=created_at,author_id": {
			"edit_history_tweet_ids": []any{id}, "created_at": "2026-03-01T09:00:00.000Z", "author_id": "acme",
		},
		"?post.fields=created_at": {"edit_history_post_ids": []any{id}, "created_at": "2026-03-01T09:00:00.000Z"},
		"?post.fields=":           {"edit_history_post_ids": []any{id}},
	} {
		want["id"], want["text"] = id, "hello"
		require.Equal(t, want, b.get(t, "/x/2/tweets/"+id+query, acme).at(t, "data"), query)
		require.Equal(t, []any{want}, b.get(t, "/x/2/users/acme/tweets"+query, acme).at(t, "data"), query)
	}
	require.Equal(t, map[string]any{"id": "acme", "name": "acme", "username": "acme"},
		b.get(t, "/x/2/users/me?user.fields=shoe_size", acme).at(t, "data"))
	require.NotNil(t, b.get(t, "/x/2/users/me?user.fields=public_metrics", acme).at(t, "data", "public_metrics"))
}

func TestXRefuses(t *testing.T) {
	t.Parallel()

	b := setup(t)
	require.Equal(t, http.StatusUnauthorized, b.call(t.Context(), t, http.MethodPost, "/x/2/tweets", "",
		"application/json", `{"text":"a"}`).status)
	require.Equal(t, http.StatusUnauthorized, b.call(t.Context(), t, http.MethodPost, "/x/2/tweets", "sandbox-threads-a",
		"application/json", `{"text":"a"}`).status)
	for _, body := range []string{``, `{`, `{}`, `{"text":" "}`, `{"text":7}`} {
		require.Equal(t, http.StatusBadRequest, b.call(t.Context(), t, http.MethodPost, "/x/2/tweets", "sandbox-x-a",
			"application/json", body).status, body)
	}
	require.Equal(t, http.StatusForbidden, b.tweet(t, "a", strings.Repeat("a", 281)).status)
	require.Equal(t, http.StatusRequestEntityTooLarge, b.tweet(t, "a", strings.Repeat("a", 1<<20)).status)

	require.Equal(t, http.StatusCreated, b.tweet(t, "a", "same").status)
	require.Contains(t, b.tweet(t, "a", "same").text(t, "detail"), "duplicate content")
	require.Equal(t, http.StatusCreated, b.tweet(t, "b", "same").status, "another account may say it")
	b.restart(t)
	require.Equal(t, http.StatusForbidden, b.tweet(t, "a", "same").status, "remembered over a restart")
	b.clock.Advance(24 * time.Hour)
	require.Equal(t, http.StatusUnauthorized, b.tweet(t, "a", "same").status, "the token lived two hours")
	require.Equal(t, http.StatusCreated, b.tweet(t, "a.1", "same").status)
	for _, query := range []string{
		"max_results=4", "max_results=101", "max_results=x", "start_time=yesterday", "pagination_token=x",
	} {
		require.Equal(t, http.StatusBadRequest, b.get(t, "/x/2/users/a/tweets?"+query, "sandbox-x-a.1").status, query)
	}
}

func TestXPages(t *testing.T) {
	t.Parallel()

	b := setup(t)
	for i := range 12 {
		b.tweet(t, "a", strings.Repeat("x", i+1))
		b.clock.Advance(time.Minute)
	}
	page := b.get(t, "/x/2/users/a/tweets?max_results=5", "sandbox-x-a")
	next := page.text(t, "meta", "next_token")
	require.Len(t, page.at(t, "data"), 5)
	page = b.get(t, "/x/2/users/a/tweets?max_results=10&pagination_token="+next, "sandbox-x-a")
	require.Len(t, page.at(t, "data"), 7)
	require.Nil(t, page.at(t, "meta", "next_token"))
	page = b.get(t, "/x/2/users/a/tweets?start_time=2026-03-01T09:10:00Z", "sandbox-x-a")
	require.Len(t, page.at(t, "data"), 2)
}

func TestXRotatesTokens(t *testing.T) {
	t.Parallel()

	b := setup(t)
	refresh := func(token string) reply {
		return b.form(t, "/x/2/oauth2/token", "grant_type", "refresh_token", "refresh_token", token, "client_id", "public")
	}
	first := refresh("sandbox-refresh-acme.0")
	require.Equal(t, "sandbox-x-acme.1", first.text(t, "access_token"))
	require.Equal(t, "sandbox-refresh-acme.1", first.text(t, "refresh_token"))
	b.restart(t)
	require.Equal(t, "invalid_request", refresh("sandbox-refresh-acme.0").text(t, "error"))
	require.Equal(t, http.StatusUnauthorized, b.tweet(t, "acme", "old token").status)
	require.Equal(t, http.StatusCreated, b.tweet(t, "acme.1", "new token").status)
	require.Equal(t, "sandbox-x-acme.2", refresh("sandbox-refresh-acme.1").text(t, "access_token"))
	require.Equal(t, "acme", b.posts(t, "")[0]["account"])

	for _, token := range []string{"", "x", "sandbox-refresh-"} {
		require.Equal(t, http.StatusBadRequest, refresh(token).status)
	}
	require.Equal(t, http.StatusBadRequest, b.form(t, "/x/2/oauth2/token", "grant_type", "password", "client_id",
		"public").status)
	b.inject(t, `{"platform":"x","account":"acme","step":"token","kind":"reject"}`)
	require.Equal(t, "invalid_grant", refresh("sandbox-refresh-acme.2").text(t, "error"))
	b.inject(t, `{"platform":"x","account":"acme","step":"token","kind":"timeout_after_accept","delayMs":1}`)
	require.Zero(t, refresh("sandbox-refresh-acme.2").status)
	require.Equal(t, http.StatusBadRequest, refresh("sandbox-refresh-acme.2").status,
		"a lost answer locks the account out")
	require.Equal(t, http.StatusUnauthorized, b.form(t, "/x/2/oauth2/revoke", "token", "t").status)
	require.Equal(t, http.StatusBadRequest, b.form(t, "/x/2/oauth2/revoke", "token", "t", "client_id", "public").status)
	require.Equal(t, http.StatusOK,
		b.form(t, "/x/2/oauth2/revoke", "token", "sandbox-x-acme.3", "client_id", "public").status)
	require.Equal(t, http.StatusUnauthorized, b.tweet(t, "acme.3", "revoked").status)
	b.restart(t)
	require.Equal(t, http.StatusUnauthorized, b.tweet(t, "acme.3", "revoked, after a restart").status)
}

const threadsToken = "sandbox-threads-acme"

func (b *bundle) container(t *testing.T, values ...string) reply {
	t.Helper()
	return b.form(t, "/threads/v1.0/acme/threads",
		append([]string{"access_token", threadsToken, "media_type", "TEXT"}, values...)...)
}

func (b *bundle) release(t *testing.T, container string) reply {
	t.Helper()
	return b.form(t, "/threads/v1.0/acme/threads_publish", "access_token", threadsToken, "creation_id", container)
}

func (b *bundle) read(t *testing.T, path string) reply {
	t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return b.get(t, "/threads/v1.0/"+path+separator+"access_token="+threadsToken, "")
}

func TestThreadsContainers(t *testing.T) {
	t.Parallel()

	b := setup(t)
	created := b.container(t, "text", "hello").text(t, "id")
	require.Empty(t, b.posts(t, ""), "a container is not visible")
	b.restart(t)
	require.Equal(t, "FINISHED", b.read(t, created).text(t, "status"))
	id := b.release(t, created).text(t, "id")
	require.NotEqual(t, created, id)
	b.restart(t)
	require.Equal(t, "PUBLISHED", b.read(t, created).text(t, "status"))
	require.InDelta(t, 4279009, b.release(t, created).at(t, "error", "error_subcode"), 0)
	require.Len(t, b.posts(t, ""), 1)

	require.Equal(t, b.server.URL+"/p/threads/"+id, b.read(t, id).text(t, "permalink"))
	require.Equal(t, "2026-03-01T09:00:00+0000", b.read(t, id).text(t, "timestamp"))
	require.Len(t, b.read(t, "me/threads?since=1772355600").at(t, "data"), 1)
	require.Empty(t, b.read(t, "me/threads?since=1772355601&limit=5").at(t, "data"))
	require.Equal(t, "acme", b.read(t, "me").text(t, "username"))
	require.Contains(t, b.read(t, "me/threads_publishing_limit").body, `"quota_usage":1`)

	late := b.container(t, "text", "late").text(t, "id")
	b.clock.Advance(24 * time.Hour)
	require.Equal(t, "EXPIRED", b.read(t, late).text(t, "status"))
	require.Equal(t, http.StatusBadRequest, b.release(t, late).status)

	require.Equal(t, true, b.call(t.Context(), t, http.MethodDelete, "/threads/v1.0/"+id, threadsToken, "", "").at(t,
		"success"))
	require.Equal(t, http.StatusBadRequest, b.read(t, id).status)
	require.Empty(t, b.posts(t, ""))
}

func TestThreadsRefuses(t *testing.T) {
	t.Parallel()

	b := setup(t)
	require.Equal(t, http.StatusBadRequest, b.container(t, "text", " ").status)
	require.Equal(t, http.StatusBadRequest, b.container(t, "text", strings.Repeat("a", 501)).status)
	require.Equal(t, http.StatusBadRequest, b.container(t, "media_type", "IMAGE", "text", "t").status)
	require.Equal(t, http.StatusBadRequest, b.release(t, "1").status)
	require.InDelta(t, 33, b.read(t, "123456").at(t, "error", "error_subcode"), 0)
	require.InDelta(t, 190, b.get(t, "/threads/v1.0/me?access_token=x", "").at(t, "error", "code"), 0)
	other := b.form(t, "/threads/v1.0/other/threads", "access_token", threadsToken, "media_type", "TEXT", "text", "t")
	require.Equal(t, http.StatusBadRequest, other.status, "no token posts for another account")
	created := b.container(t, "text", "mine").text(t, "id")
	stolen := b.form(t, "/threads/v1.0/me/threads_publish", "access_token", "sandbox-threads-thief", "creation_id", created)
	require.Equal(t, http.StatusBadRequest, stolen.status)
	require.Equal(t, http.StatusNotFound, b.get(t, "/threads/v1.0/a/b/c", "").status)
	require.Empty(t, b.posts(t, ""))

	b.container(t, "text", "at once", "auto_publish_text", "true")
	require.Len(t, b.posts(t, ""), 1, "the parameter that no connector may send")
}

func TestThreadsRefresh(t *testing.T) {
	t.Parallel()

	b := setup(t)
	const path = "/threads/refresh_access_token?access_token="
	fresh := b.get(t, path+threadsToken+"&grant_type=th_refresh_token", "")
	require.Equal(t, threadsToken+".1", fresh.text(t, "access_token"))
	require.Equal(t, http.StatusOK, b.read(t, "me").status, "the old token goes on working")
	require.InDelta(t, 190, b.get(t, path+"x&grant_type=th_refresh_token", "").at(t, "error", "code"), 0)
	require.InDelta(t, 100, b.get(t, path+threadsToken, "").at(t, "error", "code"), 0, "no grant_type")

	b.inject(t, `{"platform":"threads","kind":"expired_token"}`)
	for range 2 {
		require.InDelta(t, 463, b.read(t, "me").at(t, "error", "error_subcode"), 0)
	}
	expired := b.get(t, path+threadsToken+"&grant_type=th_refresh_token", "")
	require.Equal(t, http.StatusBadRequest, expired.status, "an expired token cannot be renewed")
	require.InDelta(t, 463, expired.at(t, "error", "error_subcode"), 0)
	b.call(t.Context(), t, http.MethodDelete, "/_sandbox/faults", "", "", "")
	require.Equal(t, http.StatusOK, b.read(t, "me").status)
}

func TestTelegramMessages(t *testing.T) {
	t.Parallel()

	b := setup(t)
	const bot = "/telegram/bot42:sandbox-demo/"
	sent := b.form(t, bot+"sendMessage", "chat_id", "@acme", "text", " hello\n")
	require.Equal(t, "hello", sent.text(t, "result", "text"))
	require.Equal(t, "acme", sent.text(t, "result", "chat", "username"))
	id := b.newest(t, "")
	require.Equal(t, "/p/telegram/"+id, b.get(t, "/telegram/acme/"+id, "").header.Get("Location"))
	require.Equal(t, "/p/telegram/"+id, b.get(t, "/telegram/c/1234/"+id, "").header.Get("Location"))

	asJSON := b.call(t.Context(), t, http.MethodPost, bot+"sendMessage", "", "application/json",
		`{"chat_id":-1001234,"text":"a <b>"}`)
	require.InDelta(t, -1001234, asJSON.at(t, "result", "chat", "id"), 0)
	require.Equal(t, "-1001234", b.posts(t, "")[0]["account"])
	require.Equal(t, http.StatusOK, b.get(t, bot+"sendMessage?chat_id=1&text=by+GET", "").status)
	for message, status := range map[string]int{
		`{"blocks":[{"type":"paragraph","text":"` + strings.Repeat("a", 32_768) + `"}]}`: http.StatusOK,
		`{"blocks":[{"type":"paragraph","text":"` + strings.Repeat("a", 32_769) + `"}]}`: http.StatusBadRequest,
		`{"blocks":[{"type":"paragraph","text":" "}]}`:                                   http.StatusBadRequest,
		`{"blocks":[]}`: http.StatusBadRequest,
	} {
		rich := b.form(t, bot+"sendRichMessage", "chat_id", "@acme", "rich_message", message)
		require.Equal(t, status, rich.status, rich.body)
	}
	require.InDelta(t, 42, b.get(t, bot+"getMe", "").at(t, "result", "id"), 0)
	require.Equal(t, "channel", b.get(t, bot+"getChat?chat_id=@acme", "").text(t, "result", "type"))
	members, ok := b.get(t, bot+"getChatMemberCount?chat_id=@acme", "").at(t, "result").(float64)
	require.True(t, ok)
	require.Greater(t, members, 300.0)
	require.Equal(t, http.StatusBadRequest, b.form(t, bot+"deleteMessage", "chat_id", "@other", "message_id", id).status)
	require.Equal(t, true, b.form(t, bot+"deleteMessage", "chat_id", "@acme", "message_id", id).at(t, "result"))

	for _, test := range []struct {
		chat, text string
		status     int
	}{
		{"@missing_chat", "t", http.StatusBadRequest},
		{"0", "t", http.StatusBadRequest},
		{"", "t", http.StatusBadRequest},
		{"acme", "t", http.StatusBadRequest},
		{"@kicked_out", "t", http.StatusForbidden},
		{"@acme", " ", http.StatusBadRequest},
		{"@acme", strings.Repeat("a", 4097), http.StatusBadRequest},
	} {
		require.Equal(t, test.status, b.form(t, bot+"sendMessage", "chat_id", test.chat, "text", test.text).status, test.chat)
	}
	require.InDelta(t, -1000000000777, b.form(t, bot+"sendMessage", "chat_id", "-777", "text", "t").at(t, "parameters",
		"migrate_to_chat_id"), 0)
	require.Equal(t, http.StatusUnauthorized, b.form(t, "/telegram/bot42:unknown/sendMessage", "chat_id", "1", "text",
		"t").status)
	require.Equal(t, http.StatusNotFound, b.form(t, bot+"sendDance").status)
	require.Equal(t, http.StatusNotFound, b.get(t, "/telegram/", "").status)
	b.inject(t, `{"platform":"telegram","account":"@acme","kind":"rate_limit","delayMs":2500}`)
	require.InDelta(t, 3, b.form(t, bot+"sendMessage", "chat_id", "@acme", "text", "t").at(t, "parameters", "retry_after"),
		0)
}
