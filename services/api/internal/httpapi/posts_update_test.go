package httpapi_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/kernel/ident"
)

// updatePosts sends items to update-posts-in-bulk.
func (b *bundle) updatePosts(t testing.TB, credential, more string, items ...string) response {
	t.Helper()
	return b.do(t, request{
		method: http.MethodPost, path: "/v1/posts/bulk-update", key: credential, contentType: "application/json",
		body: `{"posts":[` + strings.Join(items, ",") + `]` + more + `}`,
	})
}

// updated requires a result with a post for each item, and returns the posts.
func updated(t testing.TB, responded response) []map[string]any {
	t.Helper()
	require.Equal(t, http.StatusOK, responded.status, responded.body)
	var posts []map[string]any
	for i, result := range responded.list(t) {
		require.InDelta(t, i, result["index"], 0)
		require.Equal(t, true, result["success"], responded.body)
		require.Nil(t, result["problem"])
		require.Len(t, result, 4)
		post, _ := result["post"].(map[string]any)
		posts = append(posts, post)
	}
	return posts
}

// requireFailed checks the result of an item that failed, and returns its problem.
func requireFailed(t testing.TB, result map[string]any, code string) (problem map[string]any) {
	t.Helper()
	require.Equal(t, false, result["success"])
	require.Nil(t, result["post"])
	problem, ok := result["problem"].(map[string]any)
	require.True(t, ok, result)
	require.Equal(t, code, problem["code"], problem["detail"])
	for _, member := range []string{"type", "title", "status", "detail", "instance", "requestId"} {
		require.NotEmpty(t, problem[member], member)
	}
	return problem
}

// item returns an item about a post with further members.
func item(id, members string) string { return `{"id":"` + id + `",` + members + `}` }

func TestBulkUpdateChangesInOrder(t *testing.T) {
	t.Parallel()
	b, _ := at(t, sunday())
	b.exec(t, `UPDATE channel SET timezone = 'Europe/Berlin' WHERE id = $1`, b.ours.channel.String())
	edited, moved, shifted, gone := b.draft(t, b.ours), b.scheduled(t), b.scheduled(t), b.scheduled(t)
	intended, zoned := b.draft(t, b.ours), b.scheduled(t)
	require.Equal(t, http.StatusOK, b.patch(t, shifted, `{"scheduledAt":"2026-03-28T09:00:00+01:00"}`).status)
	before := b.count(t, `event`)
	posts := updated(t, b.updatePosts(t, b.ours.key, "",
		item(edited, `"content":"Hello\r\nagain","title":"A title","labels":["Spring","sale"]`),
		item(moved, `"scheduledAt":"2026-03-02T09:00:00+01:00","title":null`),
		item(shifted, `"shiftBy":"P1D"`), // summer time begins
		item(gone, `"delete":true`),
		item(intended, `"scheduledAt":"2026-04-01T09:00:00","timezone":"America/New_York"`),
		item(zoned, `"shiftBy":"-PT2H","content":"Sooner","delete":false,"timezone":null`),
	))
	require.Equal(t, "Hello\nagain", posts[0]["content"])
	require.Equal(t, "A title", posts[0]["title"])
	require.Equal(t, []any{"Spring", "sale"}, posts[0]["labels"])
	require.Equal(t, "2026-03-02T08:00:00.000Z", posts[1]["scheduledAt"])
	require.Equal(t, "2026-03-29T07:00:00.000Z", posts[2]["scheduledAt"], "the time of day stays")
	require.Nil(t, posts[3])
	require.Equal(t, "2026-04-01T13:00:00.000Z", posts[4]["scheduledAt"])
	require.Equal(t, "DRAFT", posts[4]["status"])
	require.Equal(t, "Sooner", posts[5]["content"])
	for i, id := range []string{edited, moved, shifted, "", intended, zoned} {
		if id != "" {
			require.Equal(t, b.get(t, "/v1/posts/"+id).object(t), posts[i])
		}
	}
	require.Equal(t, http.StatusNotFound, b.get(t, "/v1/posts/"+gone).status)
	require.Equal(t, before+9, b.count(t, `event`))
	require.Len(t, b.events(t, "post.scheduled"), 8) // five are of the preparation
	require.Len(t, b.events(t, "post.updated"), 6)   // one is of the preparation
	require.Len(t, b.events(t, "post.deleted"), 1)
	timeline := b.get(t, "/v1/posts/"+shifted+"/timeline").body
	require.Contains(t, timeline, "Scheduled for 2026-03-29T07:00:00.000Z.")
}

// TestBulkUpdateItemsFailAlone has one item for each reason to fail, among items that succeed, in one transaction and in
// many.
func TestBulkUpdateItemsFailAlone(t *testing.T) {
	t.Parallel()
	b, _ := at(t, sunday())
	theirs := b.draft(t, b.theirs)
	unknown := ident.New[ident.Post]().String()
	for _, header := range []map[string]string{nil, {headerOnce: "k"}} {
		published, failed, pending := b.draft(t, b.ours), b.scheduled(t), b.draft(t, b.ours)
		b.become(t, published, "PUBLISHED")
		b.become(t, failed, "FAILED")
		require.Equal(t, http.StatusOK, b.post(t, "/v1/posts/"+pending+"/request-approval", "").status)
		failures := []struct{ item, code, pointers, says string }{
			{`5`, "VALIDATION_FAILED", "", "must be an object, not a number"},
			{`{}`, "VALIDATION_FAILED", "/id", "is missing"},
			{`{"id":"x","content":"y"}`, "VALIDATION_FAILED", "/id", "must be a UUID"},
			{item(b.draft(t, b.ours), `"timezone":"UTC"`), "VALIDATION_FAILED", "", "nothing to change"},
			{item(b.draft(t, b.ours), `"delete":false`), "VALIDATION_FAILED", "", "nothing to change"},
			{item(b.draft(t, b.ours), `"labels":["a","A"]`), "VALIDATION_FAILED", "/labels/1", ""},
			{item(b.draft(t, b.ours), `"labels":["`+strings.Repeat("x", 51)+`"]`), "VALIDATION_FAILED", "/labels/0", "50"},
			{item(b.draft(t, b.ours), `"labels":"a"`), "VALIDATION_FAILED", "/labels", "must be an array"},
			{item(b.draft(t, b.ours), `"contnet":"x"`), "VALIDATION_FAILED", "/contnet", "did you mean content?"},
			{item(b.draft(t, b.ours), `"content":5,"title":6`), "VALIDATION_FAILED", "/content /title", "must be a string"},
			{item(b.draft(t, b.ours), `"delete":true,"content":"x"`), "VALIDATION_FAILED", "/delete", "excludes the other members"},
			{item(b.draft(t, b.ours), `"delete":true,"shiftBy":"P1D"`), "VALIDATION_FAILED", "/delete", "excludes the other members"},
			{item(b.draft(t, b.ours), `"delete":"true"`), "VALIDATION_FAILED", "/delete", "must be true or false"},
			{item(b.draft(t, b.ours), `"scheduledAt":"2026-03-02T09:00:00"`), "VALIDATION_FAILED", "/scheduledAt", "timezone"},
			{item(b.draft(t, b.ours), `"scheduledAt":""`), "VALIDATION_FAILED", "/scheduledAt", "RFC 3339"},
			{
				item(b.draft(t, b.ours), `"scheduledAt":"2026-03-02T09:00:00","timezone":"Europe/Berln"`), "VALIDATION_FAILED",
				"/timezone", "did you mean Europe/Berlin?",
			},
			{
				item(b.scheduled(t), `"shiftBy":"P1D","scheduledAt":"2026-03-02T09:00:00Z"`), "VALIDATION_FAILED", "/shiftBy",
				"cannot be combined with scheduledAt",
			},
			{item(b.scheduled(t), `"shiftBy":"P1D","timezone":"UTC"`), "VALIDATION_FAILED", "/timezone", "post's channel"},
			{item(b.scheduled(t), `"shiftBy":"1 day"`), "VALIDATION_FAILED", "/shiftBy", "ISO 8601 duration, such as P1D"},
			{item(b.scheduled(t), `"shiftBy":""`), "VALIDATION_FAILED", "/shiftBy", "must not be empty"},
			{item(b.scheduled(t), `"shiftBy":"PT0S"`), "VALIDATION_FAILED", "/shiftBy", "is zero"},
			{item(b.draft(t, b.ours), `"shiftBy":"P1D"`), "VALIDATION_FAILED", "/shiftBy", "no time; send scheduledAt"},
			{item(b.scheduled(t), `"shiftBy":"-P9Y"`), "SCHEDULED_IN_PAST", "/shiftBy", "is not in the future"},
			{item(b.scheduled(t), `"shiftBy":"P9Y"`), "VALIDATION_FAILED", "/shiftBy", "more than 5 years ahead"},
			{item(b.scheduled(t), `"scheduledAt":"2020-01-01T00:00:00Z"`), "SCHEDULED_IN_PAST", "/scheduledAt", "not in the future"},
			{item(b.scheduled(t), `"scheduledAt":null`), "VALIDATION_FAILED", "/scheduledAt", "unschedule the post"},
			{
				item(b.scheduled(t), `"content":"","scheduledAt":"2020-01-01T00:00:00Z"`), "VALIDATION_FAILED",
				"/content /scheduledAt", "not in the future",
			},
			{item(b.scheduled(t), `"content":"","shiftBy":"-P9Y"`), "VALIDATION_FAILED", "/content /shiftBy", "not in the future"},
			{item(b.scheduled(t), `"content":""`), "VALIDATION_FAILED", "/content", ""},
			{item(failed, `"shiftBy":"P1D"`), "VALIDATION_FAILED", "/shiftBy", "while the post is FAILED"},
			{item(published, `"content":"x"`), "INVALID_STATE", "", "PUBLISHED does not allow edit"},
			{item(pending, `"shiftBy":"P1D"`), "INVALID_STATE", "", "PENDING_APPROVAL does not allow edit"},
			{item(theirs, `"content":"x"`), "NOT_FOUND", "", ""},
			{item(b.draft(t, b.theirs), `"delete":true`), "NOT_FOUND", "", ""},
			{item(unknown, `"content":"x"`), "NOT_FOUND", "", ""},
		}
		var items, fine []string
		for _, f := range failures {
			fine = append(fine, b.draft(t, b.ours))
			items = append(items, f.item, item(fine[len(fine)-1], `"content":"changed"`))
		}
		var results []map[string]any
		for at := 0; at < len(items); at += 50 {
			r := request{
				method: http.MethodPost, path: "/v1/posts/bulk-update", key: b.ours.key, contentType: "application/json",
				header: map[string]string{},
				body:   `{"posts":[` + strings.Join(items[at:min(at+50, len(items))], ",") + `]}`,
			}
			for name, value := range header {
				r.header[name] = value + strconv.Itoa(at)
			}
			responded := b.do(t, r)
			require.Equal(t, http.StatusOK, responded.status, responded.body)
			results = append(results, responded.list(t)...)
		}
		for i, f := range failures {
			t.Log(f.item)
			problem := requireFailed(t, results[2*i], f.code)
			require.Contains(t, problem["detail"], f.says)
			require.Equal(t, "/v1/posts/bulk-update", problem["instance"])
			if f.pointers != "" {
				require.ElementsMatch(t, strings.Fields(f.pointers), pointers(t, problem))
			}
			require.Equal(t, f.code == "INVALID_STATE", problem["currentStatus"] != nil)
			require.Equal(t, true, results[2*i+1]["success"])
			require.Equal(t, "changed", b.get(t, "/v1/posts/"+fine[i]).object(t)["content"])
		}
	}
	require.Equal(t, http.StatusOK, b.do(t, request{method: http.MethodGet, path: "/v1/posts/" + theirs, key: b.theirs.key}).status)
}

func TestInvalidBulkUpdates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, other := b.draft(t, b.ours), b.draft(t, b.ours)
	many := make([]string, 51)
	for i := range many {
		many[i] = item(ident.New[ident.Post]().String(), `"content":"x"`)
	}
	for body, want := range map[string]string{
		`{"posts":[` + strings.Join(many, ",") + `]}`: "/posts", `{"posts":[]}`: "/posts", `{}`: "/posts",
		`{"posts":{}}`: "/posts", `{"posts":[{}],"dryRun":"yes"}`: "/dryRun", `{"posts":[{}],"dryrun":true}`: "/dryrun", `[]`: "",
		`{"posts":[` + item(id, `"content":"x"`) + `,` + item(other, `"content":"x"`) + `,` +
			item(strings.ToUpper(id), `"delete":true`) + `]}`: "/posts/2/id",
		`{"posts":[` + item(id, `"content":"x"`) + `,` + item(id, `"contnet":"x"`) + `]}`: "/posts/1/id",
	} {
		p := requireProblem(t, b.post(t, "/v1/posts/bulk-update", body), http.StatusUnprocessableEntity, "VALIDATION_FAILED")
		require.Equal(t, []string{want}, pointers(t, p), body)
	}
	for _, body := range []string{``, `{"posts":[{"id":1,"id":2}]}`, `{"posts":[{"content":"\u0000"}]}`, `{"posts":[`} {
		requireProblem(t, b.post(t, "/v1/posts/bulk-update", body), http.StatusBadRequest, "MALFORMED_REQUEST")
	}
	conditional := b.do(t, request{
		method: http.MethodPost, path: "/v1/posts/bulk-update", key: b.ours.key, contentType: "application/json",
		body: `{"posts":[` + item(id, `"content":"x"`) + `]}`, header: map[string]string{"If-Match": `"1-1"`},
	})
	requireProblem(t, conditional, http.StatusBadRequest, "MALFORMED_REQUEST")
	require.Equal(t, "Hello", b.get(t, "/v1/posts/"+id).object(t)["content"], "nothing was changed")
}

// TestBulkUpdateDryRun checks that a dry run has the results of the request, and changes nothing.
func TestBulkUpdateDryRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	edited, shifted, gone, published := b.draft(t, b.ours), b.scheduled(t), b.scheduled(t), b.draft(t, b.ours)
	b.become(t, published, "PUBLISHED")
	items := []string{
		item(edited, `"content":"x"`), item(shifted, `"shiftBy":"P1D"`), item(gone, `"delete":true`),
		item(published, `"content":"x"`),
	}
	state := func() string {
		text := ""
		for _, id := range []string{edited, shifted, gone, published} {
			text += b.get(t, "/v1/posts/"+id).body + b.get(t, "/v1/posts/"+id+"/timeline").body
		}
		return text + strconv.Itoa(b.count(t, `event`)) + " " + strconv.Itoa(b.count(t, `outbox`))
	}
	before := state()
	tried := b.updatePosts(t, b.ours.key, `,"dryRun":true`, items...)
	require.Equal(t, http.StatusOK, tried.status, tried.body)
	require.Equal(t, before, state())
	done := b.updatePosts(t, b.ours.key, `,"dryRun":false`, items...)
	require.NotEqual(t, before, state())
	for i, result := range tried.list(t) {
		actual := done.list(t)[i]
		require.Equal(t, actual["success"], result["success"])
		want, _ := actual["post"].(map[string]any)
		got, _ := result["post"].(map[string]any)
		delete(want, "updatedAt")
		delete(got, "updatedAt")
		require.Equal(t, want, got)
		_, refused := result["problem"].(map[string]any)
		require.Equal(t, i == 3, refused)
	}
}

func TestBulkUpdateScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	writer := b.key(t, b.ours.id, credential.PostsWrite)
	draft, moved, shifted, edited, gone := b.draft(t, b.ours), b.scheduled(t), b.scheduled(t), b.scheduled(t), b.scheduled(t)
	results := b.updatePosts(t, writer, "", item(draft, `"scheduledAt":"`+future+`"`), item(moved, `"scheduledAt":"2030-01-01T00:00:00Z"`),
		item(shifted, `"shiftBy":"P1D"`), item(edited, `"content":"x"`), item(gone, `"delete":true`)).list(t)
	for i, refused := range []bool{false, true, true, false, false} {
		require.Equal(t, !refused, results[i]["success"], i)
		if refused {
			problem := requireFailed(t, results[i], "INSUFFICIENT_SCOPE")
			require.Contains(t, problem["detail"], "posts:publish")
		}
	}
	reader := b.key(t, b.ours.id, credential.PostsPublish)
	requireProblem(t, b.updatePosts(t, reader, "", item(draft, `"content":"x"`)), http.StatusForbidden, "INSUFFICIENT_SCOPE")
}

// TestBulkUpdateOnce repeats a request with its key: a shift is not applied twice.
func TestBulkUpdateOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.scheduled(t)
	body := `{"posts":[` + item(id, `"shiftBy":"P1D"`) + `]}`
	first := b.once(t, "shift", "/v1/posts/bulk-update", body)
	moved := strings.Replace(future, "-03-01", "-03-02", 1)
	require.Equal(t, moved, updated(t, first)[0]["scheduledAt"])
	requireReplay(t, first, b.once(t, "shift", "/v1/posts/bulk-update", body))
	require.Equal(t, moved, b.get(t, "/v1/posts/"+id).object(t)["scheduledAt"])
	requireProblem(t, b.once(t, "shift", "/v1/posts/bulk-update", strings.Replace(body, `]}`, `],"dryRun":true}`, 1)),
		http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
}

// TestBulkUpdatesDoNotDeadlock changes the same posts in opposite orders, each request in one transaction.
func TestBulkUpdatesDoNotDeadlock(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.scheduled(t), b.scheduled(t)
	for i, a := range atOnce(10, func(i int) response {
		items := []string{item(one, `"content":"`+strconv.Itoa(i)+`"`), item(two, `"content":"`+strconv.Itoa(i)+`"`)}
		return b.once(t, strconv.Itoa(i), "/v1/posts/bulk-update", `{"posts":[`+items[i%2]+`,`+items[1-i%2]+`]}`)
	}) {
		require.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable}, a.status, a.body)
		require.NotContains(t, a.body, "INTERNAL", i)
	}
}

// TestBulkCreationProblems checks that a failed item of create-posts-in-bulk has its problem beside its text.
func TestBulkCreationProblems(t *testing.T) {
	t.Parallel()
	b := setup(t)
	offline := b.channel(t, b.ours.id, channel.Threads, false).String()
	results := b.bulk(t, b.ours.key, "", `{"channelIds":["`+offline+`"],"content":"x","schedule":"now"}`,
		`{"channelIds":["`+b.ours.channel.String()+`"],"content":5,"schedule":"2020-01-01T00:00:00Z"}`,
		b.ours.withContent("x")).list(t)
	for i, code := range []string{"CHANNEL_DISCONNECTED", "VALIDATION_FAILED"} {
		problem := requireFailed(t, results[i], code)
		require.Equal(t, results[i]["error"], text(t, problem, "code")+": "+text(t, problem, "detail"))
		require.Equal(t, "/v1/posts/bulk", problem["instance"])
	}
	require.Equal(t, []string{"/content", "/schedule"}, pointers(t, requireFailed(t, results[1], "VALIDATION_FAILED")))
	require.NotContains(t, results[2], "problem")
}
