package main

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// asMember opens a browser of a new member.
func (b *bundle) asMember(t *testing.T, of tenant, role member.Role) *browser {
	t.Helper()
	br := b.browser(t)
	br.signInAs(t, b.membership(t, of.workspace, role).Email)
	return br
}

// boxOf returns the value of the first box or hidden field of a post on the page of approvals.
func boxOf(t *testing.T, body string) string {
	t.Helper()
	found := regexp.MustCompile(`name="post" value="([^"]+)"`).FindStringSubmatch(body)
	require.NotNil(t, found, body)
	return found[1]
}

// TestApprovals takes a post from its author to those who approve it and back.
func TestApprovals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	base := filled("/w/{workspace}", ours.wildcards)
	path := base + "/posts/" + ours.wildcards["post"]
	status := func(want string) {
		t.Helper()
		require.Equal(t, []string{want}, b.column(t, `SELECT status FROM post WHERE id = $1`, ours.wildcards["post"]))
	}
	owner, editor, author := b.asMember(t, ours, member.Owner), b.asMember(t, ours, member.Editor), b.asMember(t, ours, member.Contributor)
	require.Equal(t, http.StatusForbidden, editor.get(t, base+"/settings/approvals").status)
	require.Contains(t, owner.visited(t, base+"/settings/approvals").body, "Who approves posts")
	require.Equal(t, http.StatusUnprocessableEntity, owner.post(t, base+"/settings/approvals", url.Values{"policy": {"x"}}).status)
	owner.visited(t, base+"/settings/approvals")
	require.Equal(t, http.StatusSeeOther, owner.post(t, base+"/settings/approvals", url.Values{"policy": {"REQUIRED"}}).status)

	author.visited(t, path)
	require.Equal(t, http.StatusSeeOther, author.post(t, path+"/request-approval", url.Values{}).status)
	author.visited(t, path)
	require.Equal(t, http.StatusSeeOther, author.post(t, path+"/comment", url.Values{"comment": {"@Grace Hopper, <b>please</b>"}}).status)
	require.Contains(t, author.visited(t, base+"/approvals?tab=asked").body, "Secret of Ours")
	require.NotContains(t, author.last.body, "/approvals/decide", "authors do not decide")

	page := editor.visited(t, base+"/approvals").body
	require.Contains(t, page, `person"><span class="unseen">, </span>1<span class="unseen"> to approve`)
	require.Contains(t, page, `<strong class="at">@Grace Hopper</strong>, &lt;b&gt;please&lt;/b&gt;`)
	box := boxOf(t, page)
	for name, c := range map[string]struct {
		form url.Values
		says string
	}{
		"other content": {url.Values{"do": {"approve"}, "post": {ours.wildcards["post"] + " other"}}, "changed the post since you opened it"},
		"a past time":   {url.Values{"do": {"approve"}, "post": {box}, "day": {"2020-01-01"}, "clock": {"09:00"}}, "That time has passed"},
		"no time":       {url.Values{"do": {"approve"}, "post": {box}, "day": {"2020-01-01"}}, "Choose a day and a time."},
		"no words":      {url.Values{"do": {"changes"}, "post": {box}}, "Say what should change."},
		"no post":       {url.Values{"do": {"approve"}}, "Select posts first."},
		"no such post":  {url.Values{"do": {"approve"}, "post": {"x"}}, "Someone deleted this post meanwhile."},
	} {
		editor.visited(t, base+"/approvals")
		got := editor.post(t, base+"/approvals/decide", c.form)
		require.Equal(t, http.StatusConflict, got.status, name)
		require.Contains(t, got.body, c.says, name)
		status("PENDING_APPROVAL")
	}
	at := b.tomorrow(9)
	editor.visited(t, base+"/approvals")
	require.Equal(t, http.StatusSeeOther, editor.post(t, base+"/approvals/decide", url.Values{
		"do": {"approve"}, "post": {box}, "day": {at.Format("2006-01-02")}, "clock": {at.Format("15:04")},
	}).status)
	status("SCHEDULED")

	page = editor.visited(t, path+"?edit=1").body
	fields := regexp.MustCompile(`name="(version|base)" value="([^"]*)"`).FindAllStringSubmatch(page, -1)
	form := url.Values{"content": {"Secret of Yours"}, "day": {at.Format("2006-01-02")}, "clock": {at.Format("15:04")}}
	for _, f := range fields {
		form.Set(f[1], html.UnescapeString(f[2]))
	}
	require.Equal(t, http.StatusSeeOther, editor.post(t, path+"/edit", form).status)
	status("PENDING_APPROVAL")
	require.Contains(t, editor.visited(t, path).body, "Another person must approve it.")
	require.Contains(t, editor.visited(t, base+"/approvals").body, "Nothing waits for your approval.")

	page = owner.visited(t, base+"/approvals?post="+ours.wildcards["post"]).body
	require.Contains(t, page, "Secret of <del>Ours</del>")
	require.Contains(t, page, "Secret of <ins>Yours</ins>")
	require.Equal(t, http.StatusSeeOther, owner.post(t, base+"/approvals/decide", url.Values{
		"do": {"changes"}, "post": {boxOf(t, page)}, "comment": {"Ours <i>again</i>"},
	}).status)
	status("DRAFT")
	require.Contains(t, author.visited(t, base+"/compose?post="+ours.wildcards["post"]).body, "Ours &lt;i&gt;again&lt;/i&gt;")
	require.Contains(t, owner.visited(t, base+"/approvals?tab=decided").body, "Changes requested")

	other := b.post(t, ours)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'PENDING_APPROVAL', approval_status = 'PENDING', scheduled_at = now() + interval '1 day'`)
	page = owner.visited(t, base+"/approvals").body
	boxes := regexp.MustCompile(`name="post" value="([^"]+)" form="selected"`).FindAllStringSubmatch(page, -1)
	require.Len(t, boxes, 2)
	require.Equal(t, http.StatusSeeOther, owner.post(t, base+"/approvals/decide", url.Values{
		"do": {"approve"}, "post": {boxes[0][1], boxes[1][1]},
	}).status)
	require.Contains(t, owner.visited(t, base+"/approvals").body, "Approved: 2 of 2 posts.")
	require.Equal(t, []string{"SCHEDULED"}, b.column(t, `SELECT status FROM post WHERE id = $1`, other))
}
