package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnsetMembersAreAbsent sends optional members as no-code tools do: as null or "".
func TestUnsetMembersAreAbsent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.ours.channel.String()
	for _, member := range []string{
		`"mediaIds":null`, `"contentType":null`, `"schedule":null`, `"mediaAltTexts":null`, `"title":null`, `"content":null`,
		`"contentType":""`, `"schedule":""`, `"mediaIds":""`, `"mediaAltTexts":""`, `"title":""`,
	} {
		created := b.post(t, "/v1/posts", `{`+member+`,"channelIds":["`+id+`"]}`)
		require.Equal(t, http.StatusCreated, created.status, member+created.body)
		post := created.list(t)[0]
		require.Equal(t, []any{"DRAFT", "POST"}, []any{post["status"], post["contentType"]}, member)
	}
	bulk := b.post(t, "/v1/posts/bulk", `{"posts":[{"channelIds":["`+id+`"],"schedule":"","mediaIds":null}]}`)
	require.Equal(t, true, bulk.list(t)[0]["success"], bulk.body)

	path := "/v1/webhooks/" + b.webhook(t, b.ours)
	require.Equal(t, http.StatusOK, b.post(t, path+"/rotate-secret", `{"overlapHours":null,"force":null}`).status)
	page := b.post(t, "/v1/link-pages", `{"handle":"unset","title":"T","seo":{"noIndex":null},"theme":{"name":null}}`)
	require.Equal(t, http.StatusCreated, page.status, page.body)
	requireProblem(t, b.do(t, request{
		method: http.MethodPatch, path: path, key: b.ours.key, contentType: "application/json", body: `{"url":null}`,
	}), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
}

// TestTextsAreStoredNormalized checks that a response shows the text that is stored and counted.
func TestTextsAreStoredNormalized(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := b.post(t, "/v1/posts", `{"channelIds":["`+b.ours.channel.String()+`"],"content":"one\r\ntwo\rthree\u001b",
		"mediaIds":["`+b.ours.media.String()+`"],"mediaAltTexts":{"`+b.ours.media.String()+`":"a\r\nb\u0007"}}`)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	post := created.list(t)[0]
	require.Equal(t, "one\ntwo\nthree", post["content"])
	require.Equal(t, map[string]any{b.ours.media.String(): "a\nb"}, post["mediaAltTexts"])
	require.Equal(t, post, b.get(t, "/v1/posts/"+text(t, post, "id")).object(t))

	page := b.post(t, "/v1/link-pages", `{"handle":"normal","title":"T","bio":"a\r\nb"}`)
	require.Equal(t, "a\nb", page.object(t)["bio"], page.body)
	card := b.post(t, b.ours.board()+"/cards", `{"title":"T","content":"a\rb\u007f"}`)
	require.Equal(t, "a\nb", card.object(t)["content"], card.body)
}

// TestLoneSurrogateIsReported checks the message about text that a program has cut within an emoji.
func TestLoneSurrogateIsReported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := `{"channelIds":["` + b.ours.channel.String() + `"],"content":"party \ud83d"}`
	p := requireProblem(t, b.post(t, "/v1/posts", body), http.StatusBadRequest, "MALFORMED_REQUEST")
	require.Contains(t, p["detail"], "half of a character, such as an emoji")

	marked := b.once(t, "mark", "/v1/posts", "\uFEFF"+b.ours.withContent("x"))
	require.Equal(t, http.StatusCreated, marked.status, marked.body)
	requireReplay(t, marked, b.once(t, "mark", "/v1/posts", b.ours.withContent("x")))
}
