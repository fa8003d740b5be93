package main

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// known returns a workspace with a conversation, and another person on the same account.
func known(t *testing.T) (b talked, page, other string) {
	t.Helper()
	b = talks(t)
	b.hears(t, inbox.Written{ExternalID: "b/1", Thread: "b", Text: "From Bia", SentAt: b.clock.Now(), Person: inbox.Identity{ID: "b", Name: "Bia", Username: "bia"}})
	other = postgrestest.Column(t, b.dsn, `SELECT person_id FROM person_identity WHERE value = 'b'`)[0]
	return b, filled("/w/{workspace}/people/{person}", b.wildcards), other
}

// TestPeopleAreMergedAndSeparated finds a person, merges two, and separates them.
func TestPeopleAreMergedAndSeparated(t *testing.T) {
	t.Parallel()
	b, page, other := known(t)
	list := filled("/w/{workspace}/people", b.wildcards)
	require.Equal(t, http.StatusForbidden, b.as(t, member.Viewer).get(t, list).status)
	br := b.as(t, member.Editor)
	require.Contains(t, br.visited(t, list).body, "Secret of Ours")
	require.Contains(t, br.visited(t, list+"?q=bia").body, other)
	require.NotContains(t, br.last.body, b.wildcards["person"])
	require.Contains(t, br.visited(t, list+"?q=nowhere").body, "No one found")
	require.Contains(t, br.visited(t, list+"?q=%21").body, "must have a word")
	require.Contains(t, br.visited(t, b.open).body, page, "the conversation leads to its person")

	require.Contains(t, br.visited(t, page+"?q=bia").body, `value="`+other+`"`)
	require.Equal(t, http.StatusSeeOther, br.post(t, page+"/merge", url.Values{"other": {other}}).status)
	require.Contains(t, br.visited(t, page).body, "Merged with")
	require.Contains(t, br.last.body, "From Bia")
	require.Equal(t, page, br.get(t, strings.TrimSuffix(page, b.wildcards["person"])+other).header.Get("Location"), "the other address leads there")
	br.visited(t, page)
	require.Equal(t, http.StatusConflict, br.post(t, page+"/merge", url.Values{"other": {other}}).status)
	merge := regexp.MustCompile(`name="merge" value="([^"]+)"`).FindStringSubmatch(br.visited(t, page).body)[1]
	require.Equal(t, http.StatusSeeOther, br.post(t, page+"/separate", url.Values{"merge": {merge}}).status)
	require.NotContains(t, br.visited(t, page).body, "From Bia")
	require.Equal(t, http.StatusNotFound, br.post(t, page+"/merge", url.Values{"other": {ident.New[ident.Person]().String()}}).status)
	require.Equal(t, http.StatusConflict, br.post(t, page+"/merge", url.Values{"other": {"x"}}).status)
}

// TestPersonIsDescribedAndErased also checks that a person who wants no messages is not answered until the person writes.
func TestPersonIsDescribedAndErased(t *testing.T) {
	t.Parallel()
	b, page, other := known(t)
	br := b.as(t, member.Admin)
	br.visited(t, page)
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, page, url.Values{"name": {"Ada"}, "phone": {"0171"}, "note": {"kept"}}).status)
	require.Contains(t, br.last.body, "code of the country")
	require.Contains(t, br.last.body, "kept")
	require.Equal(t, http.StatusSeeOther, br.post(t, page, url.Values{"name": {"Ada"}, "phone": {"+49 171 2345678"}, "note": {"kept"}}).status)
	require.Contains(t, br.visited(t, b.open).body, "Ada", "a member’s name wins")
	postgrestest.Exec(t, b.dsn, `UPDATE person SET phone = '491712345678' WHERE id = $1`, other)
	require.Contains(t, br.visited(t, page).body, "Has the same number or address")

	require.Equal(t, http.StatusSeeOther, br.post(t, page+"/contact", url.Values{"out": {"1"}}).status)
	require.Contains(t, br.visited(t, b.open).body, "wants no messages")
	require.Equal(t, http.StatusConflict, br.post(t, b.open+"/reply", br.written("Hello?")).status)
	require.Contains(t, br.last.body, "Hello?", "nothing is lost")
	postgrestest.Exec(t, b.dsn, `UPDATE conversation SET last_in_at = now() + interval '1 minute' WHERE id = $1`, b.wildcards["conversation"])
	require.NotContains(t, br.visited(t, b.open).body, "wants no messages from you")
	require.Equal(t, http.StatusSeeOther, br.post(t, page+"/contact", nil).status)

	require.Equal(t, http.StatusForbidden, b.as(t, member.Editor).posted(t, page+"/erase", url.Values{"confirm": {"Ada"}}))
	br.visited(t, page)
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, page+"/erase", url.Values{"confirm": {"Bia"}}).status)
	require.Equal(t, http.StatusSeeOther, br.post(t, page+"/erase", url.Values{"confirm": {"Ada"}}).status)
	require.Contains(t, br.visited(t, page).body, "Erased on")
	require.Contains(t, br.visited(t, b.open).body, "Erased person")
	require.Contains(t, br.last.body, "<em>Erased</em>")
	require.Equal(t, []string{""}, postgrestest.Column(t, b.dsn, `SELECT text FROM message WHERE conversation_id = $1`, b.wildcards["conversation"]))
	require.Contains(t, br.visited(t, filled("/w/{workspace}/settings/audit", b.wildcards)).body, "Person erased")
	require.NotContains(t, br.last.body, "Ada")
}

// posted opens a page of the workspace and sends a form to an address.
func (br *browser) posted(t *testing.T, address string, form url.Values) int {
	t.Helper()
	br.visited(t, strings.TrimSuffix(address, "/erase"))
	return br.post(t, address, form).status
}

// TestNoteNamesMembers checks the notice of a member whom a note names, and that others get none.
func TestNoteNamesMembers(t *testing.T) {
	t.Parallel()
	b := talks(t)
	postgrestest.Exec(t, b.dsn, `UPDATE app_user SET name = name || ' ' || left(id::text, 13)`)
	named, viewer := b.membership(t, b.workspace, member.Editor), b.membership(t, b.workspace, member.Viewer)
	postgrestest.Exec(t, b.dsn, `UPDATE app_user SET name = 'Noor Muster' WHERE id = $1`, named.ID.String())
	postgrestest.Exec(t, b.dsn, `UPDATE app_user SET name = 'Vera Viewer' WHERE id = $1`, viewer.ID.String())
	br := b.as(t, member.Contributor)
	require.Contains(t, br.visited(t, b.open).body, `role="option" id="member-`)
	form := br.written("Canary for @Noor Muster and @Vera Viewer <b>")
	for range 2 { // the same form twice
		require.Equal(t, http.StatusSeeOther, br.post(t, b.open+"/note", form).status)
	}
	require.Contains(t, br.visited(t, b.open).body, `<strong class="at">@Noor Muster</strong>`)
	require.Contains(t, br.last.body, `&lt;b&gt;`)
	require.NotContains(t, br.last.body, `>@Vera Viewer</strong>`)
	require.Equal(t, []string{named.ID.String()}, postgrestest.Column(t, b.dsn, `SELECT user_id FROM notice WHERE kind = 'MENTIONED'`))
	reader := b.browser(t)
	reader.signInAs(t, named.Email)
	require.Contains(t, reader.visited(t, filled("/w/{workspace}/notifications", b.wildcards)).body, b.open)
	require.NotContains(t, reader.last.body, "Canary")
}

// TestInboxSettings checks the settings of the workspace, and those of a member.
func TestInboxSettings(t *testing.T) {
	t.Parallel()
	b := talks(t)
	page := filled("/w/{workspace}/settings/inbox", b.wildcards)
	br := b.as(t, member.Admin)
	require.Contains(t, br.visited(t, page).body, `value="15"`)
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, page, url.Values{"wait": {"0"}, "keep": {"x"}}).status)
	require.Contains(t, br.last.body, "number of minutes")
	require.Equal(t, http.StatusSeeOther, br.post(t, page, url.Values{"wait": {"30"}, "keep": {"90"}}).status)
	require.Contains(t, br.visited(t, page).body, `value="90"`)
	require.Equal(t, http.StatusSeeOther, br.post(t, page+"/notices", url.Values{"channel": {b.wildcards["channel"]}}).status)
	require.Equal(t, []string{b.wildcards["channel"]}, postgrestest.Column(t, b.dsn, `SELECT channel_id FROM inbox_notice_off`))
	require.Equal(t, http.StatusSeeOther, br.post(t, page+"/notices", url.Values{"channel": {b.wildcards["channel"]}, "on": {b.wildcards["channel"]}}).status)
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT channel_id FROM inbox_notice_off`))
	editor := b.as(t, member.Editor)
	require.NotContains(t, editor.visited(t, page).body, `name="wait"`)
	require.Equal(t, http.StatusForbidden, editor.post(t, page, url.Values{"wait": {"30"}}).status)
}
