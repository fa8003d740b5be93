package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/clock/clocktest"
)

func (b *bundle) patch(t testing.TB, id, body string) response {
	t.Helper()
	return b.patchAs(t, b.ours.key, id, body)
}

func (b *bundle) patchAs(t testing.TB, credential, id, body string) response {
	t.Helper()
	return b.do(t, request{
		method: http.MethodPatch, path: "/v1/posts/" + id, key: credential, contentType: "application/json", body: body,
	})
}

// scheduled creates a scheduled post of ours.
func (b *bundle) scheduled(t testing.TB) string {
	t.Helper()
	id := b.draft(t, b.ours)
	require.Equal(t, http.StatusOK, b.post(t, "/v1/posts/"+id+"/schedule", `{"scheduledAt":"`+future+`"}`).status)
	return id
}

// become puts a post into a state that the API alone cannot reach.
func (b *bundle) become(t testing.TB, id, status string) {
	t.Helper()
	set := map[string]string{
		"PUBLISHED": `published_at = now()`, "ARCHIVED": `archived_from = 'DRAFT'`,
		"FAILED": `error_code = 'REJECTED', error_message = 'No.', error_retryable = true`,
	}[status]
	if set == "" {
		set = `title = title`
	}
	b.exec(t, `UPDATE post SET status = $1, revision = revision + 1, `+set+` WHERE id = $2`, status, id)
}

// events returns the bodies of the events of a type, oldest first.
func (b *bundle) events(t testing.TB, typ string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, body := range b.column(t, `SELECT convert_from(body, 'UTF8') FROM event WHERE type = $1 ORDER BY id`, typ) {
		var e map[string]any
		require.NoError(t, json.Unmarshal([]byte(body), &e))
		out = append(out, e)
	}
	return out
}

func TestEditEveryMember(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	picture := b.asset(t, b.ours.id, media.Image).String()
	post := b.get(t, "/v1/posts/"+id).object(t)
	for i, step := range []struct {
		body, member string
		want         any
	}{
		{`{"content":"Hello again"}`, "content", "Hello again"},
		{`{"content":""}`, "content", ""},
		{`{"title":"A title"}`, "title", "A title"},
		{`{"title":null}`, "title", nil},
		{`{"contentType":"STORY"}`, "contentType", "STORY"},
		{
			`{"mediaIds":["` + picture + `","` + b.ours.media.String() + `"]}`, "mediaIds",
			[]any{picture, b.ours.media.String()},
		},
		{
			`{"mediaIds":["` + b.ours.media.String() + `","` + picture + `"]}`, "mediaIds",
			[]any{b.ours.media.String(), picture},
		},
		{`{"mediaIds":[]}`, "mediaIds", []any{}},
		{`{"scheduledAt":"` + year + `-03-01T09:00:00.0001+02:00"}`, "scheduledAt", future},
		{`{"scheduledAt":null}`, "scheduledAt", nil},
	} {
		edited := b.patch(t, id, step.body)
		require.Equal(t, http.StatusOK, edited.status, edited.body)
		after := edited.object(t)
		require.Equal(t, step.want, after[step.member], step.body)
		require.GreaterOrEqual(t, text(t, after, "updatedAt"), text(t, post, "updatedAt"))
		post[step.member], post["updatedAt"] = after[step.member], after["updatedAt"]
		require.Equal(t, post, after, "nothing else has changed")
		require.Equal(t, after, b.get(t, "/v1/posts/"+id).object(t))
		require.Len(t, b.events(t, "post.updated"), i+1)
	}
	all := b.patch(t, id, `{"content":"c","title":"t","contentType":"VIDEO","mediaIds":["`+picture+`"],"scheduledAt":"`+
		future+`","options":null}`)
	require.Equal(t, http.StatusOK, all.status, all.body)
	e := b.events(t, "post.updated")[10]
	require.Equal(t, map[string]any{
		"postId": id, "channelId": b.ours.channel.String(), "status": "DRAFT", "publishedAt": nil, "postUrl": nil, "confirmed": nil,
		"error": nil, "channelType": "TELEGRAM_CHANNEL", "scheduledAt": all.object(t)["scheduledAt"], "groupId": id,
		"labels": []any{}, "externalId": nil, "metadata": map[string]any{},
	}, e["data"])
	require.Equal(t, []string{"Edited: content, title, contentType, mediaIds, scheduledAt."},
		b.column(t, `SELECT detail FROM post_timeline WHERE post_id = $1 AND kind = 'edited' ORDER BY n DESC LIMIT 1`, id))
	require.Zero(t, b.count(t, `outbox WHERE kind = 'post'`), "no workflow waits for a draft")
}

func TestEditFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	before := b.get(t, "/v1/posts/"+id).object(t)
	for body, want := range map[string][]string{
		`{}`: {""}, `{"content":null}`: {"/content"}, `{"contentType":null}`: {"/contentType"},
		`{"contentType":"TWEET"}`: {"/contentType"},
		`{"mediaIds":null}`:       {"/mediaIds"}, `{"mediaIds":["x"]}`: {"/mediaIds/0"},
		`{"scheduledAt":""}`: {"/scheduledAt"},
		`{"mediaIds":["` + b.ours.media.String() + `","` + b.ours.media.String() + `"]}`: {"/mediaIds/1"},
		`{"scheduledAt":"now"}`: {"/scheduledAt"}, `{"scheduledAt":"` + year + `-03-01T09:00:00"}`: {"/scheduledAt"},
		`{"schedule":"now"}`:     {"/schedule"},
		`{"status":"PUBLISHED"}`: {"/status"}, `{"channelId":"` + b.theirs.channel.String() + `"}`: {"/channelId"},
		`{"options":[]}`:                      {"/options"},
		`{"options":{"visibility":"PUBLIC"}}`: {"/options/visibility"}, `{"options":{"x":1}}`: {"/options/x"},
		`{"options":{"madeForKids":"no"}}`:                   {"/options/madeForKids"},
		`{"content":"` + strings.Repeat("x", 100_001) + `"}`: {"/content"},
		`{"title":"` + strings.Repeat("x", 501) + `"}`:       {"/title"},
		`{"content":5,"title":[],"publishedAt":null}`:        {"/content", "/title", "/publishedAt"},
	} {
		p := requireProblem(t, b.patch(t, id, body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, want, pointers(t, p), body)
	}
	requireProblem(t, b.patch(t, id, `{"scheduledAt":"2020-01-01T00:00:00Z"}`), http.StatusUnprocessableEntity,
		"SCHEDULED_IN_PAST")
	requireProblem(t, b.patch(t, id, `{"content":"x","mediaIds":["`+b.theirs.media.String()+`"]}`), http.StatusNotFound,
		"NOT_FOUND")
	require.Equal(t, before, b.get(t, "/v1/posts/"+id).object(t))
	require.Empty(t, b.events(t, "post.updated"))
}

func TestNoOpEdits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.scheduled(t)
	before, woken := b.get(t, "/v1/posts/"+id).object(t), b.count(t, `outbox`)
	for _, body := range []string{
		`{"content":"Hello"}`, `{"title":null}`, `{"contentType":"POST"}`, `{"mediaIds":[]}`,
		`{"scheduledAt":"` + year + `-03-01T09:00:00+02:00"}`,
		`{"options":null}`, `{"options":{}}`, `{"options":{"visibility":null}}`,
		`{"content":"Hello","title":null,"scheduledAt":"` + future + `"}`,
	} {
		same := b.patch(t, id, body)
		require.Equal(t, http.StatusOK, same.status, same.body)
		require.Equal(t, before, same.object(t), body)
	}
	require.Equal(t, before, b.get(t, "/v1/posts/"+id).object(t))
	require.Empty(t, b.events(t, "post.updated"))
	require.Equal(t, woken, b.count(t, `outbox`))
}

// TestOptionsAreMerged sends merge patches (RFC 7396).
func TestOptionsAreMerged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, channelID := b.on(t, "/v1/posts/youtube")
	id := text(t, b.post(t, c.path, c.body(t, channelID,
		map[string]any{"visibility": "unlisted", "madeForKids": false})).object(t), "id")
	for _, step := range []struct {
		patch string
		want  any
	}{
		{`{"category":"22"}`, map[string]any{"visibility": "unlisted", "madeForKids": false, "category": "22"}},
		{
			`{"visibility":"public","madeForKids":true}`,
			map[string]any{"visibility": "public", "madeForKids": true, "category": "22"},
		},
		{`{"madeForKids":null,"license":null}`, map[string]any{"visibility": "public", "category": "22"}},
		{`{}`, map[string]any{"visibility": "public", "category": "22"}},
		{`{"visibility":null,"category":null}`, map[string]any{}},
		{`{"videoType":"short","notifySubscribers":false}`, map[string]any{"videoType": "short", "notifySubscribers": false}},
		{`null`, map[string]any{}},
	} {
		edited := b.patch(t, id, `{"options":`+step.patch+`}`)
		require.Equal(t, http.StatusOK, edited.status, edited.body)
		require.Equal(t, step.want, edited.object(t)["options"], step.patch)
		require.Equal(t, edited.object(t), b.get(t, "/v1/posts/"+id).object(t))
	}
	require.Len(t, b.events(t, "post.updated"), 6)
	for patch, want := range map[string]string{
		`{"boardId":"1"}`: "/options/boardId", `{"visibility":"CONNECTIONS"}`: "/options/visibility",
		`{"category":"x"}`: "/options/category",
	} {
		p := requireProblem(t, b.patch(t, id, `{"options":`+patch+`}`), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{want}, pointers(t, p), patch)
	}
}

func TestIntendedTimeOfDrafts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.draft(t, b.ours)
	post := b.patchAs(t, b.key(t, b.ours.id, credential.PostsWrite), id, `{"scheduledAt":"`+future+`"}`).object(t)
	require.Equal(t, "DRAFT", post["status"], "an intention schedules nothing")
	require.Equal(t, future, post["scheduledAt"])
	require.Nil(t, post["waiting"])
	require.Equal(t, future, b.post(t, "/v1/posts/"+id+"/request-approval", "").object(t)["scheduledAt"])
	require.Equal(t, future, b.post(t, "/v1/posts/"+id+"/reject", "").object(t)["scheduledAt"], "kept through approval")
	require.Equal(t, http.StatusOK, b.post(t, "/v1/posts/"+id+"/request-approval", "").status)
	approved := b.post(t, "/v1/posts/"+id+"/approve", "").object(t)
	require.Equal(t, "SCHEDULED", approved["status"])
	require.Equal(t, future, approved["scheduledAt"])
}

func TestEditStates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, status := range []string{"PENDING_APPROVAL", "PUBLISHED", "ARCHIVED"} {
		id := b.draft(t, b.ours)
		b.become(t, id, status)
		for _, body := range []string{`{"content":"x"}`, `{"scheduledAt":null}`, `{"content":"Hello"}`} {
			p := requireProblem(t, b.patch(t, id, body), http.StatusConflict, "INVALID_STATE")
			require.Equal(t, status, p["currentStatus"])
		}
	}
	failed := b.draft(t, b.ours)
	b.become(t, failed, "FAILED")
	edited := b.patch(t, failed, `{"content":"Better"}`).object(t)
	require.Equal(t, "FAILED", edited["status"])
	require.Equal(t, "Better", edited["content"])
	require.NotNil(t, edited["error"])
	p := requireProblem(t, b.patch(t, failed, `{"scheduledAt":"`+future+`"}`), http.StatusUnprocessableEntity,
		"VALIDATION_FAILED")
	require.Equal(t, []string{"/scheduledAt"}, pointers(t, p))

	busy := b.scheduled(t)
	b.exec(t, `UPDATE post SET publishing_since = now() WHERE id = $1`, busy)
	p = requireProblem(t, b.patch(t, busy, `{"content":"x"}`), http.StatusConflict, "PUBLISH_IN_PROGRESS")
	require.Equal(t, "SCHEDULED", p["currentStatus"])
	require.Len(t, b.events(t, "post.updated"), 1)
}

func TestScheduledPostsKeepRules(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.scheduled(t)
	before := b.get(t, "/v1/posts/"+id).object(t)
	for body, want := range map[string]string{
		`{"content":""}`: "/content", `{"content":"` + strings.Repeat("x", 5000) + `"}`: "/content",
		`{"contentType":"STORY"}`:              "/contentType",
		`{"mediaIds":` + b.videos(t, 11) + `}`: "/mediaIds", `{"scheduledAt":null}`: "/scheduledAt",
	} {
		p := requireProblem(t, b.patch(t, id, body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{want}, pointers(t, p), body)
	}
	requireProblem(t, b.patch(t, id, `{"scheduledAt":"2020-01-01T00:00:00Z"}`), http.StatusUnprocessableEntity,
		"SCHEDULED_IN_PAST")
	require.Equal(t, before, b.get(t, "/v1/posts/"+id).object(t))

	woken := b.count(t, `outbox`)
	require.Equal(t, "SCHEDULED", b.patch(t, id, `{"content":"Another"}`).object(t)["status"])
	require.Equal(t, woken, b.count(t, `outbox`), "the workflow holds no content")
	moved := b.patch(t, id, `{"content":"x","scheduledAt":"`+year+`-03-02T00:00:00Z"}`).object(t)
	require.Equal(t, year+"-03-02T00:00:00.000Z", moved["scheduledAt"])
	require.Equal(t, map[string]any{"reason": "time", "until": moved["scheduledAt"]}, moved["waiting"])
	plan := b.column(t, `SELECT payload->>'scheduledAt' FROM outbox ORDER BY id DESC LIMIT 1`)
	require.Equal(t, []string{year + "-03-02T00:00:00Z"}, plan)

	b.exec(t, `UPDATE channel SET is_connected = false`)
	require.Equal(t, http.StatusOK, b.patch(t, id, `{"content":"Yet another"}`).status, "the text can be edited meanwhile")
	requireProblem(t, b.patch(t, id, `{"scheduledAt":"`+future+`"}`), http.StatusUnprocessableEntity,
		"CHANNEL_DISCONNECTED")
}

func TestEditScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.scheduled(t)
	writer, publisher := b.key(t, b.ours.id, credential.PostsWrite), b.key(t, b.ours.id, credential.PostsPublish)
	require.Equal(t, http.StatusOK, b.patchAs(t, writer, id, `{"content":"x"}`).status)
	for _, at := range []string{`"` + year + `-03-02T00:00:00Z"`, `"` + future + `"`, `null`} {
		p := requireProblem(t, b.patchAs(t, writer, id, `{"content":"y","scheduledAt":`+at+`}`), http.StatusForbidden,
			"INSUFFICIENT_SCOPE")
		require.Contains(t, p["detail"], "posts:publish")
	}
	requireProblem(t, b.patchAs(t, publisher, id, `{"scheduledAt":"`+year+`-03-02T00:00:00Z"}`), http.StatusForbidden,
		"INSUFFICIENT_SCOPE")
	both := b.key(t, b.ours.id, credential.PostsWrite, credential.PostsPublish)
	require.Equal(t, http.StatusOK, b.patchAs(t, both, id, `{"scheduledAt":"`+year+`-03-02T00:00:00Z"}`).status)
	require.Equal(t, "x", b.get(t, "/v1/posts/"+id).object(t)["content"])
}

// TestConcurrentEdits checks that each edit with status 200 took effect and emitted one event.
func TestConcurrentEdits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.scheduled(t)
	said := map[string]bool{}
	for _, a := range atOnce(20, func(i int) response { return b.patch(t, id, `{"content":"`+strconv.Itoa(i)+`"}`) }) {
		if a.status == http.StatusConflict {
			requireProblem(t, a, http.StatusConflict, "PUBLISH_IN_PROGRESS")
			continue
		}
		require.Equal(t, http.StatusOK, a.status, a.body)
		said[text(t, a.object(t), "content")] = true
	}
	require.NotEmpty(t, said)
	require.Len(t, b.events(t, "post.updated"), len(said))
	require.Equal(t, len(said), b.count(t, `post_timeline WHERE kind = 'edited'`))
	require.Contains(t, said, b.get(t, "/v1/posts/"+id).object(t)["content"])
}

// TestConcurrentEditsOfDifferentMembers runs two edits based on the same version of a post, in the millisecond of its
// creation. Neither may revert the other's change.
func TestConcurrentEditsOfDifferentMembers(t *testing.T) {
	t.Parallel()
	b := world(t)
	b.clock = clocktest.New(time.Now())
	b.build(t)
	b.serve(t)
	id := b.draft(t, b.ours)
	release := b.hold(t, `SELECT 1 FROM post FOR UPDATE`) // both have read, neither has written
	responses := later(func() []response {
		return atOnce(2, func(i int) response { return b.patch(t, id, `{"`+[]string{"content", "title"}[i]+`":"new"}`) })
	})
	b.awaitLocked(t, 2)
	release()
	for _, a := range <-responses {
		require.Equal(t, http.StatusOK, a.status, a.body)
	}
	post := b.get(t, "/v1/posts/"+id).object(t)
	require.Equal(t, []any{"new", "new"}, []any{post["content"], post["title"]})
	require.Len(t, b.events(t, "post.updated"), 2)
}
