package main

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// lateBy makes a post of the tenant due for an hour, as a pause leaves it.
func (b *bundle) lateBy(t *testing.T, of tenant, text string) string {
	t.Helper()
	id := b.scheduled(t, of, text, b.clock.Now().Add(time.Hour))
	postgrestest.Exec(t, b.dsn, `UPDATE post SET scheduled_at = now() - interval '1 hour', waiting_reason = 'channel_paused' WHERE id = $1`, id)
	return id
}

// TestPausingChannel pauses a channel, reads the sign on its posts, publishes one all the same, and resumes with a
// decision about those that are late.
func TestPausingChannel(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	list, path := filled("/w/{workspace}/posts", ours.wildcards), filled("/w/{workspace}/channels/{channel}", ours.wildcards)
	ahead := list + "/" + b.scheduled(t, ours, "Bowls", b.clock.Now().Add(time.Hour))
	require.Contains(t, br.visited(t, path).body, "Nothing is published on News until someone resumes.")
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/pause", url.Values{}).status)
	for _, page := range []string{list, ahead} {
		require.Contains(t, br.visited(t, page).body, "</svg>Paused</span>", page)
		require.Contains(t, br.last.body, "News is paused. This post waits.", page)
		require.Regexp(t, `href="`+path+`">(?s:<svg.*?</svg>)?Resume</a>`, br.last.body, page)
	}
	require.Contains(t, br.visited(t, path).body, "1 scheduled post waits.")
	require.NotContains(t, br.last.body, "is late", "nothing is late yet")

	br.visited(t, ahead)
	require.Contains(t, br.last.body, "News is paused. This post is published on X right away all the same.")
	require.Equal(t, http.StatusSeeOther, br.post(t, ahead+"/publish", url.Values{"despite": {"pause"}}).status)
	require.Equal(t, []string{"true"}, postgrestest.Column(t, b.dsn, `SELECT overrides_pause::text FROM post WHERE content = 'Bowls'`))
	require.NotContains(t, br.visited(t, ahead).body, "</svg>Paused</span>")
	require.Contains(t, br.last.body, "Publish now, although the channel is paused")

	b.lateBy(t, ours, "Late plates")
	require.Contains(t, br.visited(t, path).body, "1 post is late")
	got := br.post(t, path+"/resume", url.Values{})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "Choose what happens to the late posts.")
	br.visited(t, path)
	got = br.post(t, path+"/resume", url.Values{"late": {"move"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status, "the channel has no slots")
	require.Contains(t, got.body, "does not have enough free slots")
	require.Contains(t, got.body, "Resume channel", "nothing was changed")
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/schedule", url.Values{"time": {"09:30"}, "weekday": {"MONDAY"}}).status)
	br.visited(t, path)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/resume", url.Values{"late": {"move"}}).status)
	require.Equal(t, []string{"09:30 true"}, postgrestest.Column(t, b.dsn,
		`SELECT to_char(scheduled_at AT TIME ZONE 'UTC', 'HH24:MI') || ' ' || (scheduled_at > now())::text FROM post WHERE content = 'Late plates'`))
	require.NotContains(t, br.visited(t, list).body, "</svg>Paused</span>")
}

// TestStoppingAllPublishing stops a workspace from its first page, sees it on every page, and resumes.
func TestStoppingAllPublishing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br, viewer := b.browser(t), b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Owner).Email)
	viewer.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	list, resume := filled("/w/{workspace}/posts", ours.wildcards), filled("/w/{workspace}/publishing", ours.wildcards)
	b.scheduled(t, ours, "Bowls", b.clock.Now().Add(time.Hour))
	require.Contains(t, br.visited(t, list).body, `action="`+resume+`/stop"`)
	require.NotContains(t, viewer.visited(t, list).body, resume)
	require.Equal(t, http.StatusSeeOther, br.post(t, resume+"/stop", url.Values{}).status)
	for _, page := range []string{"/posts", "/channels", "/channels/{channel}", "/settings/profile", "/developers/keys"} {
		got := br.visited(t, filled("/w/{workspace}"+page, ours.wildcards)).body
		require.Contains(t, got, "<strong>All publishing is stopped</strong>", page)
		require.Contains(t, got, "by Grace Hopper.", page)
		require.NotContains(t, got, "/publishing/stop", page)
	}
	require.Contains(t, br.visited(t, list).body, "All publishing is stopped. This post waits.")
	require.Contains(t, viewer.visited(t, list).body, "<strong>All publishing is stopped</strong>")
	require.NotContains(t, viewer.last.body, resume)

	b.lateBy(t, ours, "Late plates")
	b.lateBy(t, ours, "Late cups")
	require.Contains(t, br.visited(t, resume).body, "2 posts are late")
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, resume+"/resume", url.Values{"late": {"burn"}}).status)
	br.visited(t, resume)
	require.Equal(t, http.StatusSeeOther, br.post(t, resume+"/resume", url.Values{"late": {"publish"}}).status)
	require.Contains(t, br.visited(t, list).body, "Publishing resumed.")
	require.NotContains(t, br.last.body, "All publishing is stopped")
	require.Contains(t, br.visited(t, resume).body, "Posts go out at their times.")
	require.Equal(t, []string{"workspace.publishing_stopped", "workspace.publishing_resumed"},
		postgrestest.Column(t, b.dsn, `SELECT action FROM audit_entry ORDER BY at, id`))
}
