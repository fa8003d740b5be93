package httpapi_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/api/internal/httpapi"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/credential"
)

const (
	headerOnce   = "Idempotency-Key"
	headerReplay = "Idempotent-Replayed"
)

// once sends a body with an Idempotency-Key.
func (b *bundle) once(t testing.TB, key, path, body string) response {
	t.Helper()
	return b.onceAs(t, b.ours.key, key, path, body)
}

func (b *bundle) onceAs(t testing.TB, credential, key, path, body string) response {
	t.Helper()
	return b.do(t, request{
		method: http.MethodPost, path: path, key: credential, contentType: "application/json", body: body,
		header: map[string]string{headerOnce: key},
	})
}

// requireFresh checks a response that is not a replay.
func requireFresh(t testing.TB, a response, status int) {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	require.NotContains(t, a.header, headerReplay)
}

// requireReplay checks that a response is the stored one, byte for byte.
func requireReplay(t testing.TB, first, again response) {
	t.Helper()
	require.Equal(t, []string{"true"}, again.header.Values(headerReplay), again.body)
	require.Equal(t, first.status, again.status)
	require.Equal(t, first.body, again.body)
	for _, name := range []string{"Content-Type", "Location", "Cache-Control", "X-Content-Type-Options"} {
		require.Equal(t, first.header.Values(name), again.header.Values(name), name)
	}
	require.NotEqual(t, first.header.Get("X-Request-Id"), again.header.Get("X-Request-Id"))
	requireBudget(t, again)
}

// withContent returns a body that creates a draft.
func (of tenant) withContent(content string) string {
	return `{"channelIds":["` + of.channel.String() + `"],"content":"` + content + `"}`
}

func TestParallelRequestsWithOneKeyTakeEffectOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.twin(t)
	responses := atOnce(50, func(i int) response {
		return []*bundle{b, other}[i%2].once(t, "one", "/v1/posts", b.ours.withContent("x"))
	})
	var created []response
	for _, a := range responses {
		if a.status == http.StatusConflict {
			requireProblem(t, a, http.StatusConflict, "IDEMPOTENCY_IN_PROGRESS")
			continue
		}
		require.Equal(t, http.StatusCreated, a.status, a.body)
		created = append(created, a)
	}
	first := slices.IndexFunc(created, func(a response) bool { return a.header.Get(headerReplay) == "" })
	require.GreaterOrEqual(t, first, 0, "one request did the work")
	for i, a := range created {
		if i != first {
			requireReplay(t, created[first], a)
		}
	}
	require.Equal(t, 1, b.count(t, `post`))
	require.Equal(t, 1, b.count(t, `event`))
	require.Equal(t, 1, b.count(t, `idempotency_key WHERE status = 201 AND body IS NOT NULL`))
}

func TestKeyIdentifiesOneRequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.ours.channel.String()
	first := b.once(t, "k", "/v1/posts", `{"channelIds":["`+id+`"],"content":"é","title":"T"}`)
	requireFresh(t, first, http.StatusCreated)
	for name, same := range map[string]string{
		"order":       `{"title":"T","content":"é","channelIds":["` + id + `"]}`,
		"white space": "\n{ \"channelIds\" :\t[ \"" + id + "\" ],\r\n\"content\":\"é\",\"title\" : \"T\"} ",
		"escapes":     `{"channelIds":["` + id + `"],"\u0063ontent":"\u00e9","title":"\u0054"}`,
	} {
		t.Log(name)
		requireReplay(t, first, b.once(t, "k", "/v1/posts", same))
	}
	for name, other := range map[string]string{
		"value":  `{"channelIds":["` + id + `"],"content":"e","title":"T"}`,
		"less":   `{"channelIds":["` + id + `"],"content":"é"}`,
		"more":   `{"channelIds":["` + id + `"],"content":"é","title":"T","schedule":"draft"}`,
		"null":   `{"channelIds":["` + id + `"],"content":"é","title":null}`,
		"spaces": `{"channelIds":["` + id + `"],"content":"é ","title":"T"}`,
	} {
		t.Log(name)
		p := requireProblem(t, b.once(t, "k", "/v1/posts", other), http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
		require.NotContains(t, p, "errors")
	}
	requireReplay(t, first, b.once(t, "k", "/v1/posts", `{"channelIds":["`+id+`"],"content":"é","title":"T"}`))
	require.Equal(t, 1, b.count(t, `post`))
}

func TestKeysBelongToWorkspace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.once(t, "k", "/v1/posts", b.ours.withContent("x"))
	requireFresh(t, first, http.StatusCreated)
	requireFresh(t, b.onceAs(t, b.theirs.key, "k", "/v1/posts", b.theirs.withContent("x")), http.StatusCreated)
	requireFresh(t, b.once(t, "K", "/v1/posts", b.ours.withContent("x")), http.StatusCreated)
	require.Equal(t, 3, b.count(t, `post`))

	another := b.key(t, b.ours.id, credential.PostsWrite)
	requireReplay(t, first, b.onceAs(t, another, "k", "/v1/posts", b.ours.withContent("x")))
	requireProblem(t, b.onceAs(t, another, "k", "/v1/posts", b.ours.withContent("y")), http.StatusUnprocessableEntity,
		"IDEMPOTENCY_KEY_REUSED")
	// A foreign channel is unknown to another workspace, whatever is stored.
	requireProblem(t, b.onceAs(t, b.theirs.key, "k2", "/v1/posts", b.ours.withContent("x")), http.StatusNotFound, "NOT_FOUND")
	require.Equal(t, 3, b.count(t, `post`))
}

// TestKeyIsSharedByAllOperations sends every operation with a key that another operation has used.
func TestKeyIsSharedByAllOperations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.poked = b.importer(t, b.imported)
	requireFresh(t, b.once(t, "post", "/v1/posts", b.ours.withContent("x")), http.StatusCreated)
	requireFresh(t, b.once(t, "webhook", "/v1/webhooks", hook), http.StatusCreated)
	requireFresh(t, b.once(t, "import", "/v1/media", spring), http.StatusCreated)
	_, operations := b.document(t)
	for _, op := range operations {
		if !op.takesKey() {
			continue
		}
		op, mine, _ := b.subjects(t, op)
		r := request{method: op.method, path: strings.ReplaceAll(op.path, "{id}", mine), key: b.ours.key}
		if op.RequestBody != nil {
			r.contentType, r.body = "application/json", encode(t, op.example(t, b.ours))
		}
		before := b.created(t)
		for _, key := range []string{"post", "webhook", "import"} { // the examples differ from the first requests
			r.header = map[string]string{headerOnce: key}
			requireProblem(t, b.do(t, r), http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
		}
		require.Equal(t, before, b.created(t), op.OperationID)
	}
}

// TestConcurrentOperationsWithSameKey checks that one operation succeeds and the other is rejected.
func TestConcurrentOperationsWithSameKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.poked = b.importer(t, b.imported)
	requested := []struct{ path, body string }{
		{"/v1/posts", b.ours.withContent("x")}, {"/v1/webhooks", hook}, {"/v1/media", spring},
	}
	for round := range 5 {
		before := b.created(t)
		responses := atOnce(len(requested), func(i int) response {
			return b.once(t, strconv.Itoa(round), requested[i].path, requested[i].body)
		})
		created := 0
		for _, a := range responses {
			if a.status == http.StatusCreated {
				created++
				continue
			}
			code := a.object(t)["code"]
			require.Contains(t, []any{"IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_IN_PROGRESS"}, code, a.body)
		}
		require.Equal(t, 1, created)
		require.Less(t, before, b.created(t))
	}
	require.Equal(t, 5, b.count(t, `post`)+b.count(t, `webhook`)+b.count(t, `media_import`))
}

// created counts the rows that operations with a key create.
func (b *bundle) created(t testing.TB) int {
	t.Helper()
	n := 0
	for _, table := range []string{
		"post", "webhook", "media", "redelivery", "webhook_replay", "event", "link_page", "idea_card",
	} {
		n += b.count(t, table)
	}
	return n
}

func TestStoredResponsesRequireScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	writer, reader := b.key(t, b.ours.id, credential.PostsWrite), b.key(t, b.ours.id, credential.ChannelsRead)
	now := strings.Replace(b.ours.withContent("x"), `}`, `,"schedule":"now"}`, 1)
	linkedIn := `{"channelId":"` + b.ours.channels[channel.LinkedInPage].String() + `","content":"x","schedule":"now"}`
	bulk := `{"posts":[` + now + `]}`
	requireFresh(t, b.once(t, "/v1/posts", "/v1/posts", now), http.StatusCreated)
	requireFresh(t, b.once(t, "/v1/posts/linkedin", "/v1/posts/linkedin", linkedIn), http.StatusCreated)
	requireFresh(t, b.once(t, "bulk", "/v1/posts/bulk", bulk), http.StatusOK)

	for path, body := range map[string]string{"/v1/posts": now, "/v1/posts/linkedin": linkedIn} {
		requireProblem(t, b.onceAs(t, writer, path, path, body), http.StatusForbidden, "INSUFFICIENT_SCOPE")
		requireProblem(t, b.onceAs(t, reader, path, path, body), http.StatusForbidden, "INSUFFICIENT_SCOPE")
	}
	requireProblem(t, b.onceAs(t, reader, "bulk", "/v1/posts/bulk", bulk), http.StatusForbidden, "INSUFFICIENT_SCOPE")
	requireProblem(t, b.onceAs(t, writer, "bulk", "/v1/posts/bulk", bulk), http.StatusUnprocessableEntity,
		"IDEMPOTENCY_KEY_REUSED")

	refused := b.onceAs(t, writer, "own", "/v1/posts/bulk", bulk)
	requireFresh(t, refused, http.StatusOK)
	require.Contains(t, refused.body, "INSUFFICIENT_SCOPE")
	requireReplay(t, refused, b.onceAs(t, writer, "own", "/v1/posts/bulk", bulk))
	requireProblem(t, b.once(t, "own", "/v1/posts/bulk", bulk), http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
	require.Equal(t, 3, b.count(t, `post`))
}

// TestFailuresAreNotStored repeats failed requests with the same key, corrected or under better conditions.
func TestFailuresAreNotStored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	empty := b.channel(t, b.ours.id, channel.Twitter, true)
	offline := b.channel(t, b.ours.id, channel.Threads, false)
	body := func(id, rest string) string { return `{"channelIds":["` + id + `"],"content":"x"` + rest + `}` }
	for _, c := range []struct {
		refused string
		code    string
		resolve func()
		then    string // the corrected body; empty: the same
	}{
		{refused: `{`, code: "MALFORMED_REQUEST", then: b.ours.withContent("x")},
		{refused: body(b.ours.channel.String(), `,"schedule":"soon"`), code: "VALIDATION_FAILED", then: b.ours.withContent("x")},
		{refused: b.theirs.withContent("x"), code: "NOT_FOUND", then: b.ours.withContent("x")},
		{
			refused: body(b.ours.channel.String(), `,"schedule":"2020-01-01T00:00:00Z"`), code: "SCHEDULED_IN_PAST",
			then: b.ours.withContent("x"),
		},
		{refused: body(empty.String(), `,"schedule":"next_slot"`), code: "NO_FREE_SLOT", resolve: func() {
			b.slots(t, empty, slot.Slot{Weekday: time.Monday})
		}},
		{refused: body(offline.String(), `,"schedule":"now"`), code: "CHANNEL_DISCONNECTED", resolve: func() {
			b.exec(t, `UPDATE channel SET is_connected = true WHERE id = $1`, offline.String())
		}},
	} {
		key := strings.ToLower(c.code)
		refused := b.once(t, key, "/v1/posts", c.refused)
		require.Equal(t, c.code, refused.object(t)["code"], refused.body)
		require.NotContains(t, refused.header, headerReplay)
		require.Zero(t, b.count(t, `idempotency_key WHERE key = $1`, key), c.code)
		if c.resolve != nil {
			c.resolve()
			c.then = c.refused
		}
		created := b.once(t, key, "/v1/posts", c.then)
		requireFresh(t, created, http.StatusCreated)
		requireReplay(t, created, b.once(t, key, "/v1/posts", c.then))
	}
	require.Equal(t, 6, b.count(t, `post`))
}

func TestRateLimitedRequestsAreNotStored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	narrow := b.twin(t, func(c *httpapi.Config) { c.RequestsPerMinute = 1 })
	require.Equal(t, http.StatusOK, narrow.get(t, "/v1/workspace").status)
	refused := narrow.once(t, "k", "/v1/posts", b.ours.withContent("x"))
	requireProblem(t, refused, http.StatusTooManyRequests, "RATE_LIMITED")
	require.Zero(t, b.count(t, `idempotency_key`))
	require.Zero(t, b.count(t, `post`))

	created := b.once(t, "k", "/v1/posts", b.ours.withContent("x"))
	requireFresh(t, created, http.StatusCreated)
	refused = narrow.once(t, "k", "/v1/posts", b.ours.withContent("x"))
	requireProblem(t, refused, http.StatusTooManyRequests, "RATE_LIMITED")
	require.NotContains(t, refused.header, headerReplay, "a replay counts like every request")
}
