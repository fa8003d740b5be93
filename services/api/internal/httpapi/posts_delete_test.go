package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
)

func (b *bundle) delete(t testing.TB, id string) response {
	t.Helper()
	return b.do(t, request{method: http.MethodDelete, path: "/v1/posts/" + id, key: b.ours.key})
}

func TestDeleteStates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	deleted := 0
	for _, c := range []struct {
		status string
		make   func() string
		wake   bool // its workflow needs a message
	}{
		{"DRAFT", func() string { return b.draft(t, b.ours) }, false},
		{"SCHEDULED", func() string { return b.scheduled(t) }, true},
		{"PENDING_APPROVAL", func() string {
			id := b.draft(t, b.ours)
			require.Equal(t, http.StatusOK, b.post(t, "/v1/posts/"+id+"/request-approval", "").status)
			return id
		}, true},
		{"FAILED", func() string { id := b.draft(t, b.ours); b.become(t, id, "FAILED"); return id }, false},
		{"ARCHIVED", func() string { id := b.draft(t, b.ours); b.become(t, id, "ARCHIVED"); return id }, false},
	} {
		id := c.make()
		require.Equal(t, c.status, b.get(t, "/v1/posts/"+id).object(t)["status"])
		woken := b.count(t, `outbox WHERE subject = $1`, id)
		gone := b.delete(t, id)
		require.Equal(t, http.StatusNoContent, gone.status, gone.body)
		require.Empty(t, gone.body)
		deleted++

		events := b.events(t, "post.deleted")
		require.Len(t, events, deleted)
		data, ok := events[deleted-1]["data"].(map[string]any)
		require.True(t, ok)
		require.Equal(t, []any{id, b.ours.channel.String(), c.status},
			[]any{data["postId"], data["channelId"], data["status"]})
		require.Contains(t, data, "publishedAt")
		require.Contains(t, data, "postUrl")
		require.Equal(t, c.wake, b.count(t, `outbox WHERE subject = $1`, id) > woken, c.status)
		if c.wake {
			require.Equal(t, []string{"DRAFT"}, b.column(t,
				`SELECT payload->>'status' FROM outbox WHERE subject = $1 ORDER BY id DESC LIMIT 1`, id))
		}
		for _, again := range []response{
			b.delete(t, id), b.get(t, "/v1/posts/"+id), b.get(t, "/v1/posts/"+id+"/timeline"),
			b.patch(t, id, `{"content":"x"}`),
		} {
			requireProblem(t, again, http.StatusNotFound, "NOT_FOUND")
		}
	}
	require.Zero(t, b.count(t, `post`))
	require.Zero(t, b.count(t, `post_timeline`))
}

func TestDeleteRefusals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	published := b.draft(t, b.ours)
	b.become(t, published, "PUBLISHED")
	p := requireProblem(t, b.delete(t, published), http.StatusConflict, "INVALID_STATE")
	require.Equal(t, "PUBLISHED", p["currentStatus"])

	busy := b.scheduled(t)
	b.exec(t, `UPDATE post SET publishing_since = now() WHERE id = $1`, busy)
	requireProblem(t, b.delete(t, busy), http.StatusConflict, "PUBLISH_IN_PROGRESS")

	draft := b.draft(t, b.ours)
	for _, key := range []string{
		b.key(t, b.ours.id, credential.PostsPublish), b.key(t, b.ours.id, credential.ChannelsRead),
	} {
		refused := b.do(t, request{method: http.MethodDelete, path: "/v1/posts/" + draft, key: key})
		requireProblem(t, refused, http.StatusForbidden, "INSUFFICIENT_SCOPE")
	}
	require.Equal(t, 3, b.count(t, `post`))
	require.Empty(t, b.events(t, "post.deleted"))
	writer := b.key(t, b.ours.id, credential.PostsWrite)
	scheduled := b.scheduled(t)
	require.Equal(t, http.StatusNoContent, b.do(t,
		request{method: http.MethodDelete, path: "/v1/posts/" + scheduled, key: writer}).status)
}

// TestDeleteOnce checks that each of several concurrent requests that delete, or publish and delete, a post gets an
// accurate response.
func TestDeleteOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 5 {
		id := b.scheduled(t)
		before := len(b.events(t, "post.deleted"))
		gone := 0
		for _, a := range atOnce(6, func(i int) response {
			if i == 0 {
				return b.post(t, "/v1/posts/"+id+"/unschedule", "")
			}
			return b.delete(t, id)
		}) {
			switch a.status {
			case http.StatusNoContent:
				gone++
			case http.StatusOK: // it was unscheduled first
			default:
				requireProblem(t, a, http.StatusNotFound, "NOT_FOUND")
			}
		}
		require.Equal(t, 1, gone)
		require.Len(t, b.events(t, "post.deleted"), before+1)
	}
}
