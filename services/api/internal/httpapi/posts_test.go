package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
)

func TestCreateDraft(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created := b.post(t, "/v1/posts", `{"channelIds":["`+b.ours.channel.String()+`"],"content":"Hello <b>&</b> \u2028"}`)
	require.Equal(t, http.StatusCreated, created.status, created.body)
	require.Equal(t, "application/json", created.header.Get("Content-Type"))
	require.Equal(t, "no-store", created.header.Get("Cache-Control"))
	require.Equal(t, "max-age=31536000", created.header.Get("Strict-Transport-Security"), "as the address is https")
	post := created.list(t)[0]
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, post["id"])
	require.Regexp(t, `^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`, post["createdAt"])
	require.Equal(t, post["createdAt"], post["updatedAt"])
	for name, want := range map[string]any{
		"channelId": b.ours.channel.String(), "content": "Hello <b>&</b> \u2028", "title": nil, "contentType": "POST",
		"status":      "DRAFT",
		"scheduledAt": nil, "publishedAt": nil, "mediaIds": []any{}, "mediaAltTexts": map[string]any{}, "waiting": nil, "options": nil, "postUrl": nil, "confirmed": nil,
		"error": nil, "approval": nil, "publishAfter": nil,
		"thread": []any{}, "firstComment": nil, "parts": []any{}, "partsState": nil,
	} {
		require.Contains(t, post, name)
		require.Equal(t, want, post[name], name)
	}
	require.Len(t, post, 28)

	id := text(t, post, "id")
	read := b.get(t, "/v1/posts/"+id)
	require.Equal(t, http.StatusOK, read.status)
	require.Equal(t, post, read.object(t), "a read equals the response")
	require.Equal(t, post, b.get(t, "/v1/posts/"+strings.ToUpper(id)).object(t), "an id in upper case is the same id")
}

func TestCreateWithSchedule(t *testing.T) {
	t.Parallel()
	b := setup(t)
	create := func(schedule string) response {
		return b.post(t, "/v1/posts", `{"channelIds":["`+b.ours.channel.String()+
			`"],"content":"Hello","title":null,"schedule":"`+schedule+`"}`)
	}

	now := create("now").list(t)[0]
	require.Equal(t, "SCHEDULED", now["status"])
	require.Equal(t, map[string]any{"reason": "time", "until": now["scheduledAt"]}, now["waiting"])

	at := create(year + "-03-01T09:00:00.1234567+02:00").list(t)[0]
	require.Equal(t, year+"-03-01T07:00:00.123Z", at["scheduledAt"])
	read := b.get(t, "/v1/posts/"+text(t, at, "id"))
	require.Equal(t, at, read.object(t))

	require.Equal(t, "DRAFT", create("draft").list(t)[0]["status"])

	requireProblem(t, create("2020-01-01T00:00:00Z"), http.StatusUnprocessableEntity, "SCHEDULED_IN_PAST")
	for _, test := range []struct{ schedule, want string }{
		{"NOW", "must be draft, now, next_slot, or"},
		{" now", "must be draft, now, next_slot, or"},
		{year + "-03-01T09:00:00", "has no offset"},
		{year + "-02-30T09:00:00Z", "exists"},
		{year + "-03-01", "must be draft, now, next_slot, or"},
	} {
		p := requireProblem(t, create(test.schedule), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{"/schedule"}, pointers(t, p), test.schedule)
		require.Contains(t, p["detail"], test.want, test.schedule)
	}
}

func TestCreateReportsEveryFault(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := requireProblem(t, b.post(t, "/v1/posts",
		`{"channelIds":["x",5,"`+b.ours.channel.String()+`","`+strings.ToUpper(b.ours.channel.String())+`"],
		"content":[],"title":"`+strings.Repeat("é",
			501)+`","contentType":"TWEET","mediaIds":["1"],"schedule":"soon","stauts":"DRAFT"}`),
		http.StatusUnprocessableEntity, "VALIDATION_FAILED")
	require.Equal(t, []string{
		"/channelIds/0", "/channelIds/1", "/channelIds/3", "/content", "/title", "/contentType", "/mediaIds/0", "/stauts",
		"/schedule",
	}, pointers(t, p))
	require.Equal(t, "The request has 9 faults; errors lists them.", p["detail"])

	limits := map[string]string{
		`{"channelIds":[]}`: "/channelIds", `{}`: "/channelIds", `{"channelIds":null}`: "/channelIds",
		`{"channelIds":["` + b.ours.channel.String() + `"],"content":"` + strings.Repeat("x",
			100_001) + `"}`: "/content",
		`{"channelIds":["` + strings.Repeat(b.ours.channel.String()+`","`, 100) + b.theirs.channel.String() +
			`"]}`: "/channelIds",
	}
	for body, pointer := range limits {
		p := requireProblem(t, b.post(t, "/v1/posts", body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Contains(t, pointers(t, p), pointer)
	}
}

func TestCreateIsAllOrNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	second := b.channel(t, b.ours.id, channel.Twitter, true)
	created := b.post(t, "/v1/posts", `{"channelIds":["`+second.String()+`","`+b.ours.channel.String()+`"]}`)
	require.Equal(t, http.StatusCreated, created.status)
	posts := created.list(t)
	require.Equal(t, second.String(), posts[0]["channelId"])
	require.Equal(t, b.ours.channel.String(), posts[1]["channelId"])

	whatsapp := b.channel(t, b.ours.id, channel.WhatsAppBusiness, true)
	requireProblem(t, b.post(t, "/v1/posts", `{"channelIds":["`+second.String()+`","`+whatsapp.String()+`"]}`), 422,
		"CHANNEL_NOT_PUBLISHABLE")
	offline := b.channel(t, b.ours.id, channel.Threads, false)
	requireProblem(t, b.post(t, "/v1/posts", `{"channelIds":["`+offline.String()+`"],"content":"x","schedule":"now"}`),
		422, "CHANNEL_DISCONNECTED")
	p := requireProblem(t, b.post(t, "/v1/posts",
		`{"channelIds":["`+second.String()+`"],"content":"`+strings.Repeat("x", 300)+`","schedule":"now"}`), 422,
		"VALIDATION_FAILED")
	require.Equal(t, []string{"/content"}, pointers(t, p))
	requireProblem(t, b.post(t, "/v1/posts", `{"channelIds":["`+second.String()+`","`+b.theirs.channel.String()+`"]}`),
		404, "NOT_FOUND")
	data, ok := b.get(t, "/v1/posts").object(t)["data"].([]any)
	require.True(t, ok)
	require.Len(t, data, 2, "what was refused created nothing")
}

func TestDraftsMayBreakRulesOfNetworks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	long := b.post(t, "/v1/posts", `{"channelIds":["`+b.ours.channel.String()+`"],"content":"`+strings.Repeat("x",
		50_000)+`"}`)
	require.Equal(t, http.StatusCreated, long.status)
	require.NotEqual(t, id, long.list(t)[0]["id"])
}

func TestPublishScopeGuardsEverySchedule(t *testing.T) {
	t.Parallel()
	b := setup(t)
	key := b.key(t, b.ours.id, credential.PostsWrite)
	create := func(body string) response {
		return b.do(t, request{
			method: http.MethodPost, path: "/v1/posts", key: key, contentType: "application/json", body: body,
		})
	}
	channelIDs := `"channelIds":["` + b.ours.channel.String() + `"],"content":"x"`
	require.Equal(t, http.StatusCreated, create(`{`+channelIDs+`}`).status)
	require.Equal(t, http.StatusCreated, create(`{`+channelIDs+`,"schedule":"draft"}`).status)
	for _, schedule := range []string{"now", time.Now().Add(time.Hour).Format(time.RFC3339)} {
		refused := create(`{` + channelIDs + `,"schedule":"` + schedule + `"}`)
		p := requireProblem(t, refused, http.StatusForbidden, "INSUFFICIENT_SCOPE")
		require.Contains(t, p["detail"], "posts:publish")
		require.Contains(t, refused.header.Get("WWW-Authenticate"), `error="insufficient_scope", scope="posts:publish"`)
	}
	requireProblem(t, create(`{`+channelIDs+`,"schedule":"draft","schedule":"now"}`), http.StatusBadRequest,
		"MALFORMED_REQUEST")
	p := requireProblem(t, create(`{`+channelIDs+`,"ſchedule":"now"}`), http.StatusUnprocessableEntity,
		"VALIDATION_FAILED")
	require.Equal(t, []string{"/ſchedule"}, pointers(t, p))
	requireProblem(t, create(`{`+channelIDs+`,"Schedule":"now"}`), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
}
