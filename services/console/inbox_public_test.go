package main

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestPublicInboxPages shows a comment in the list, with its post, on the page of the post, and the switch of its channel.
func TestPublicInboxPages(t *testing.T) {
	t.Parallel()
	b := talks(t)
	postgrestest.Exec(t, b.dsn, `UPDATE channel SET type = 'BLUESKY' WHERE id = $1`, b.wildcards["channel"])
	postgrestest.Exec(t, b.dsn, `UPDATE conversation SET kind = 'COMMENTS', post = 'key1'`)
	postgrestest.Exec(t, b.dsn, `UPDATE message SET permalink = 'https://bsky.example.com/1', external_id = 'at://1' WHERE direction = 'IN'`)
	postgrestest.Exec(t, b.dsn, `INSERT INTO publish_attempt (post_id, n, revision, channel_id, state, owner, started_at, external_id)
		VALUES ($1, 1, 1, $2, 'CONFIRMED', gen_random_uuid(), now(), 'key1')`, b.wildcards["post"], b.wildcards["channel"])
	br := b.as(t, member.Editor)
	require.Contains(t, br.visited(t, b.list+"?kind=COMMENTS").body, b.open)
	require.NotContains(t, br.visited(t, b.list+"?kind=REVIEW").body, b.open)
	post := filled("/w/{workspace}/posts/{post}", b.wildcards)
	page := br.visited(t, b.open).body
	require.Contains(t, page, "Comment on your post")
	require.Contains(t, page, `href="`+post+`"`)
	require.Contains(t, page, `href="https://bsky.example.com/1"`)
	require.Contains(t, page, "up to 300 characters")
	require.NotContains(t, page, "Remove from", "Bluesky has no moderation")
	require.NotContains(t, page, "data-attach", "replies on Bluesky have no files here")
	require.NotContains(t, page, "data-library")
	require.NotContains(t, page, `class="window`, "they are possible at any time")
	require.Contains(t, br.visited(t, post).body, b.open)
	require.NotContains(t, b.as(t, member.Viewer).visited(t, post).body, b.open)

	postgrestest.Exec(t, b.dsn, `UPDATE conversation SET kind = 'REVIEW', post = ''`)
	postgrestest.Exec(t, b.dsn, `UPDATE message SET rating = 2 WHERE direction = 'IN'`)
	require.Contains(t, br.visited(t, b.list+"?kind=REVIEW").body, "2 of 5 stars")
	require.Contains(t, br.visited(t, b.open).body, "★★☆☆☆")

	channel := filled("/w/{workspace}/channels/{channel}", b.wildcards)
	require.Contains(t, br.visited(t, channel).body, "Comments in the inbox")
	admin := b.as(t, member.Admin)
	require.Contains(t, admin.visited(t, channel).body, "Turn off")
	require.Equal(t, http.StatusSeeOther, admin.post(t, channel+"/inbox", url.Values{}).status)
	require.Equal(t, []string{"false"}, postgrestest.Column(t, b.dsn, `SELECT public_inbox FROM channel WHERE id = '`+b.wildcards["channel"]+`'`))
	require.Contains(t, admin.visited(t, channel).body, "Turn on")
	admin.post(t, channel+"/inbox", url.Values{"on": {"1"}})
	require.Contains(t, admin.visited(t, channel).body, "Turn off")
}
