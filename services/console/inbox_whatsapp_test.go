package main

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestTemplatesThatDoNotCome offers templates on a network that has them, and keeps the page if the network does not respond.
func TestTemplatesThatDoNotCome(t *testing.T) {
	t.Parallel()
	b := talks(t)
	br := b.as(t, member.Editor)
	require.NotContains(t, br.visited(t, b.open).body, "Send a template")
	require.NotContains(t, br.visited(t, b.open+"/templates").body, "approvedhead")
	require.Equal(t, http.StatusConflict, br.post(t, b.open+"/template", br.written("")).status)
	postgrestest.Exec(t, b.dsn, `UPDATE channel SET type = 'WHATSAPP_BUSINESS', token_status = 'HEALTHY'`)
	postgrestest.Exec(t, b.dsn, `UPDATE conversation SET last_in_at = now() - interval '9 days'`)
	body := br.visited(t, b.open).body
	require.Contains(t, body, `hx-trigger="load"`, "the templates are beside the form")
	require.Contains(t, body, "you can send a template")
	require.Contains(t, br.visited(t, b.open+"/templates").body, "WhatsApp does not return its templates")
	form := br.written("")
	form.Set("name", "order")
	require.Equal(t, http.StatusConflict, br.post(t, b.open+"/template", form).status)
	require.Contains(t, br.last.body, "must be connected again", "the channel has no business account")
	require.Equal(t, http.StatusForbidden, b.as(t, member.Contributor).get(t, b.open+"/templates").status)
}

// TestChannelWithInbox shows on a channel's page whether messages arrive, what the network counts, and who sees what was read.
func TestChannelWithInbox(t *testing.T) {
	t.Parallel()
	b := talks(t)
	page := filled("/w/{workspace}/channels/{channel}", b.wildcards)
	postgrestest.Exec(t, b.dsn, `UPDATE channel SET type = 'WHATSAPP_BUSINESS', external_id = '9', token_status = 'HEALTHY'`)
	admin := b.as(t, member.Admin)
	require.Contains(t, admin.visited(t, page).body, "Waiting for WhatsApp")
	require.Contains(t, admin.last.body, `hx-trigger="every 5s"`)
	source := func(fault, event string) {
		postgrestest.Exec(t, b.dsn, `INSERT INTO inbound_source (id, network, account, fault, checked_at, event_at)
			VALUES (gen_random_uuid(), 'whatsapp', '9', $1, now(), CAST(NULLIF($2, '') AS timestamptz))
			ON CONFLICT (network, account) DO UPDATE SET fault = excluded.fault, event_at = excluded.event_at`, fault, event)
	}
	source("", "")
	require.Contains(t, admin.visited(t, page).body, "Ready for the first message")
	source("Meta cannot reach <us>.", "")
	require.Contains(t, admin.visited(t, page).body, "Meta cannot reach &lt;us&gt;.")
	source("", "2026-03-01T09:00:00Z")
	require.Contains(t, admin.visited(t, page).body, "Messages arrive")
	require.NotContains(t, admin.last.body, `hx-trigger="every 5s"`)

	require.Contains(t, admin.last.body, "No message yet.")
	postgrestest.Exec(t, b.dsn, `UPDATE message SET direction = 'OUT', state = 'SENT', price = 'service', billed = true, sent_at = now()`)
	require.Regexp(t, `<td>Service</td><td>1</td><td>0</td>`, admin.visited(t, page).body)
	require.Contains(t, admin.visited(t, b.open).body, "billed as SERVICE")
	postgrestest.Exec(t, b.dsn, `UPDATE message SET billed = false`)
	require.Contains(t, admin.visited(t, b.open).body, "free, counted as SERVICE")

	admin.visited(t, page)
	require.Equal(t, http.StatusSeeOther, admin.post(t, page+"/receipts", url.Values{"reads": {"yes"}}).status)
	require.Contains(t, admin.visited(t, page).body, `name="reads" value="yes" checked`)
	editor := b.as(t, member.Editor)
	require.NotContains(t, editor.visited(t, page).body, `name="reads"`)
	require.Equal(t, http.StatusForbidden, editor.post(t, page+"/receipts", nil).status)
	require.NotContains(t, b.as(t, member.Viewer).visited(t, page).body, "inboxstate", "viewers have no inbox")
}
