package e2e_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	fencepost "fencepost.internal/sdk/go"
	"fencepost.internal/services/e2e/harness"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// liveTimeline returns the entries about changes of published posts: kind and actor, oldest first.
func liveTimeline(t *testing.T, s *harness.System, id string) []string {
	t.Helper()
	return postgrestest.Column(t, s.Database(), `SELECT kind || ' by ' || actor FROM post_timeline
		WHERE post_id = '`+id+`' AND kind LIKE 'live%' ORDER BY n`)
}

// TestPublishedPostsAreChangedOnTelegram edits and deletes a text, a photo and an album on the network, with responses
// that get lost. Each change is made once, and the timeline names the person.
func TestPublishedPostsAreChangedOnTelegram(t *testing.T) {
	t.Parallel()
	s := running(t)
	s.Subscribe()
	var photos []string
	for n := range 3 {
		photos = append(photos, s.Upload("photo.jpg", "image/jpeg", harness.Picture(t, n)).ID)
	}
	const by = "operator Dana Reyes"
	requested, edited, deleted := "live_change_requested by "+by, "live_edited by "+by, "live_deleted by "+by
	for name, media := range map[string][]string{"text": {}, "photo": photos[:1], "album": photos} {
		text, changed := "The first "+name, "The second "+name
		p := settled(t, s, s.CreateWith(channel.TelegramChannel, fencepost.ContentTypePOST, text, "now", media...).ID, soon)
		require.Equal(t, fencepost.PostStatusPublished, p.Status, "%+v", p.Error)
		entry := s.Sandbox.Accepted(text)[0]

		done := s.Admin("post", "edit-live", "--by", "Dana Reyes", "--content", changed, p.ID)
		require.Equal(t, "DONE", done["state"])
		after := s.Sandbox.Accepted(changed)
		require.Len(t, after, 1)
		require.Equal(t, entry.ID, after[0].ID, "the same message")
		require.Len(t, after[0].Media, len(media))
		require.Equal(t, changed, s.Get(p.ID).Content)
		require.Equal(t, fencepost.PostStatusPublished, s.Get(p.ID).Status)

		// The response of the deletion is lost. A worker repeats the call, and finds that the message is gone.
		s.Sandbox.Inject(harness.Fault{Platform: "telegram", Step: "commit", Kind: "timeout_after_accept", DelayMs: 300})
		open := s.Admin("post", "delete-live", "--by", "Dana Reyes", p.ID)
		require.Equal(t, "UNKNOWN", open["state"])
		require.EventuallyWithT(t, func(c *assert.CollectT) {
			require.Equal(c, []string{requested, edited, requested, deleted}, liveTimeline(t, s, p.ID))
		}, 2*soon, 100*time.Millisecond)
		require.Zero(t, s.Sandbox.Count(changed))
		require.Nil(t, s.Get(p.ID).PostURL)
		require.Equal(t, fencepost.PostStatusPublished, s.Get(p.ID).Status)
		_, err := s.RunAdmin("post", "edit-live", "--content", "too late", p.ID)
		require.Error(t, err, "the post is gone")
		requireEvents(t, s, p.ID, "post.created", "post.scheduled", "post.published", "post.updated", "post.updated")
	}
}

// requireEvents checks the events of a post in their order.
func requireEvents(t *testing.T, s *harness.System, id string, want ...string) {
	t.Helper()
	require.Equal(t, want, postgrestest.Column(t, s.Database(), `SELECT type FROM event
		WHERE convert_from(body, 'UTF8')::jsonb -> 'data' ->> 'postId' = '`+id+`' ORDER BY id`))
}

// TestRefusedChangesOnTelegram checks the refusals that need no call, those of the network, and a response to an edit
// that is lost.
func TestRefusedChangesOnTelegram(t *testing.T) {
	t.Parallel()
	s := running(t)
	publish := func(typ channel.Type, text string) fencepost.Post {
		p := settled(t, s, s.Create(typ, text, "now").ID, soon)
		require.Equal(t, fencepost.PostStatusPublished, p.Status, "%+v", p.Error)
		return p
	}
	otherInstallation := publish(channel.Twitter, "On another network")
	_, err := s.RunAdmin("post", "edit-live", "--content", "new", otherInstallation.ID)
	require.Error(t, err)
	draft := s.Create(channel.TelegramChannel, "A draft", "draft")
	_, err = s.RunAdmin("post", "edit-live", "--content", "new", draft.ID)
	require.Error(t, err)

	p := publish(channel.TelegramChannel, "Old")
	for _, refused := range []string{"", "Old", " ", strings.Repeat("x", 4097)} {
		_, err = s.RunAdmin("post", "edit-live", "--content", refused, p.ID)
		require.Error(t, err, "%.20q", refused)
	}
	require.Empty(t, liveTimeline(t, s, p.ID), "nothing was requested")
	s.Sandbox.Inject(harness.Fault{Platform: "telegram", Step: "commit", Kind: "reject"})
	_, err = s.RunAdmin("post", "edit-live", "--content", "Refused", p.ID)
	require.Error(t, err)
	require.Equal(t, []string{"live_change_requested by operator", "live_change_failed by operator"}, liveTimeline(t, s, p.ID))
	require.Equal(t, "Old", s.Get(p.ID).Content)

	s.Sandbox.Inject(harness.Fault{Platform: "telegram", Step: "commit", Kind: "timeout_after_accept", DelayMs: 300})
	require.Equal(t, "UNKNOWN", s.Admin("post", "edit-live", "--content", "New", p.ID)["state"])
	_, err = s.RunAdmin("post", "edit-live", "--content", "Another", p.ID)
	require.Error(t, err, "a change is open")
	require.EventuallyWithT(t, func(c *assert.CollectT) { require.Equal(c, "New", s.Get(p.ID).Content) }, 2*soon,
		100*time.Millisecond)
	require.Equal(t, 1, s.Sandbox.Count("New"))

	postgrestest.Exec(t, s.Database(), `UPDATE post SET published_at = published_at - interval '48 hours' WHERE id = '`+p.ID+`'`)
	_, err = s.RunAdmin("post", "delete-live", p.ID)
	require.Error(t, err, "too old")
	require.Equal(t, 1, s.Sandbox.Count("New"))
}
