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

// TestPageOfPostShowsItsChain shows a post that waits for another one, and ends the wait.
func TestPageOfPostShowsItsChain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	first, second := b.scheduled(t, ours, "The video", b.clock.Now().Add(time.Hour)), b.scheduled(t, ours, "The link {{url}}", b.clock.Now().Add(time.Hour))
	postgrestest.Exec(t, b.dsn, `UPDATE post SET after_id = $1, after_delay = 600, after_failure = 'cancel', waiting_reason = 'after_post' WHERE id = $2`,
		first, second)
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	path := filled("/w/{workspace}/posts/", ours.wildcards)
	body := br.visited(t, path+second).body
	require.Contains(t, body, `href="`+path+first+`">the post before it</a>, 10 min later. If that post fails, this one goes back to draft.`)
	require.Contains(t, body, "Waits until the post before it is published.")
	require.NotContains(t, br.visited(t, path+first).body, "Follows")

	br.visited(t, path+second)
	refused := br.post(t, path+second+"/free", url.Values{})
	require.Equal(t, http.StatusUnprocessableEntity, refused.status)
	require.Contains(t, refused.body, "cannot be removed while the text contains {{url}}")
	postgrestest.Exec(t, b.dsn, `UPDATE post SET content = 'The link' WHERE id = $1`, second)
	require.Equal(t, http.StatusSeeOther, br.post(t, path+second+"/free", url.Values{}).status)
	require.Contains(t, br.visited(t, path+second).body, "This post no longer waits for another one.")
	require.NotContains(t, br.last.body, "the post before it")
	require.Equal(t, []string{"true"}, postgrestest.Column(t, b.dsn, `SELECT CAST(after_id IS NULL AND waiting_reason IS NULL AS text) FROM post
		WHERE id = '`+second+`'`))
	body = br.visited(t, path+second+"/chain").body
	require.Contains(t, body, "The video")
	require.NotContains(t, body, `value="`+second+`"`)
	for name, form := range map[string]url.Values{
		"Choose a post.":            {"delay": {"1"}, "unit": {"hours"}, "failure": {"hold"}},
		"The longest delay is 30 d": {"before": {first}, "delay": {"31"}, "unit": {"days"}, "failure": {"hold"}},
		"Enter a number from 0.":    {"before": {first}, "delay": {"soon"}, "unit": {"days"}, "failure": {"hold"}},
		"Choose what happens then.": {"before": {first}, "delay": {"1"}, "unit": {"days"}},
		"Closes a circle":           {"before": {second}, "delay": {"1"}, "unit": {"days"}, "failure": {"hold"}},
	} {
		got := br.post(t, path+second+"/chain", form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status, name)
		require.Contains(t, got.body, name)
	}
	saved := br.post(t, path+second+"/chain", url.Values{"before": {first}, "delay": {"2"}, "unit": {"days"}, "failure": {"publish"}})
	require.Equal(t, http.StatusSeeOther, saved.status, saved.body)
	require.Contains(t, br.visited(t, path+second).body, "the post before it</a>, 2 days 0 h later. If that post fails, this one is published all the same.")
	require.Regexp(t, `value="`+first+`" checked`, br.visited(t, path+second+"/chain").body)
	require.Regexp(t, `id="delay"[^>]* value="2"[\s\S]*<option selected>days`, br.last.body)
	require.Equal(t, http.StatusNotFound, br.get(t, path+first[:len(first)-4]+"0000/chain").status)

	viewer := b.browser(t)
	viewer.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	require.NotContains(t, viewer.visited(t, path+first).body, "/free")
}
