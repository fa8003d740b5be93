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

// TestRequiredDescriptions sets the rule of a workspace: without a description, people can write a draft, and nothing more.
func TestRequiredDescriptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	picture, x := ours.wildcards["media"], ours.wildcards["channel"]
	postgrestest.Exec(t, b.dsn, `UPDATE media SET width = 600, height = 600, alt_text = NULL WHERE id = $1`, picture)
	settings := filled("/w/{workspace}/settings", ours.wildcards)
	owner, path := b.writer(t, ours, member.Owner)
	change := func(rule string) int {
		return owner.post(t, settings, url.Values{"name": {"Ours"}, "timezone": {"UTC"}, "hold": {"24"}, "altTexts": {rule}}).status
	}
	br, _ := b.writer(t, ours, member.Editor)
	got := br.visited(t, path+"?media="+picture+"&media="+theirs.wildcards["media"]+"&channel="+x).body
	require.Contains(t, got, `name="media" value="`+picture+`"`)
	require.NotContains(t, got, theirs.wildcards["media"])
	require.Contains(t, got, "1 without description.")
	require.Equal(t, http.StatusUnprocessableEntity, change("SOMETIMES"))
	require.Equal(t, http.StatusSeeOther, change("OFF"))
	require.NotContains(t, br.visited(t, path+"?media="+picture+"&channel="+x).body, "without description")
	require.Equal(t, http.StatusSeeOther, change("REQUIRED"))
	require.Contains(t, owner.visited(t, settings).body, `<option value="REQUIRED" selected>`)
	br.visited(t, path+"?media="+picture+"&channel="+x)
	fields := url.Values{"text": {"Bowl"}, "channel": {x}, "media": {picture}, "when": {"now"}}
	for _, when := range []string{"now", "slot", "approval"} {
		fields.Set("when", when)
		require.Equal(t, http.StatusUnprocessableEntity, br.post(t, path, br.composed(t, fields)).status, when)
		require.Contains(t, br.last.body, "1 without description, which this workspace requires.", when)
		require.Contains(t, br.last.body, `data-fix="alt"`, when)
	}
	fields.Set("when", "draft")
	require.Equal(t, http.StatusSeeOther, br.post(t, path, br.composed(t, fields)).status, br.last.body)
	id := b.column(t, `SELECT id::text FROM post WHERE content = 'Bowl'`)[0]
	page := filled("/w/{workspace}/posts/", ours.wildcards) + id
	at := b.clock.Now().AddDate(0, 0, 1)
	for action, form := range map[string]url.Values{
		"publish": {}, "request-approval": {}, "schedule": {"day": {at.Format(time.DateOnly)}, "clock": {"10:00"}},
	} {
		br.visited(t, page)
		require.NotEqual(t, http.StatusSeeOther, br.post(t, page+"/"+action, form).status, action)
		require.Contains(t, br.last.body, "because this workspace requires it", action)
	}
	require.Equal(t, []string{"DRAFT"}, b.column(t, `SELECT status FROM post WHERE id = $1`, id))

	br.visited(t, path+"?post="+id)
	fields.Set("when", "now")
	fields.Set("alt."+picture, "A blue bowl")
	form := br.changing(t, fields)
	require.Equal(t, http.StatusSeeOther, br.post(t, path, form).status, br.last.body)
	require.Equal(t, []string{"SCHEDULED"}, b.column(t, `SELECT status FROM post WHERE id = $1`, id))
}

// TestImportFromTheComposer asks for files of addresses as the script does: every refusal has its reason as JSON.
func TestImportFromTheComposer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br, _ := b.writer(t, ours, member.Contributor)
	path := filled("/w/{workspace}/media/import", ours.wildcards)
	for address, says := range map[string]string{
		"": "Enter the address of a file.", "ftp://acme.example/a.png": "cannot be fetched", "http://127.0.0.1/a.png": "cannot be fetched",
	} {
		got := br.post(t, path, url.Values{"address": {address}, "json": {"1"}})
		require.GreaterOrEqual(t, got.status, http.StatusBadRequest, address)
		require.Contains(t, got.body, says, address)
		require.Contains(t, got.body, `"detail":`, address)
	}
}
