package main

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestWebhookActionsAreInAuditLog makes every change of an endpoint on the pages.
func TestWebhookActionsAreInAuditLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	person := b.membership(t, ours.workspace, member.Admin)
	br.signInAs(t, person.Email)
	hooks := filled("/w/{workspace}/developers/webhooks", ours.wildcards)
	hook := filled(hooks+"/{webhook}", ours.wildcards)
	delivery := filled(hooks+"/{webhook}/deliveries/{delivery}", ours.wildcards)
	do := func(page, path string, form url.Values) {
		t.Helper()
		br.visited(t, page)
		got := br.post(t, path, form)
		require.Less(t, got.status, http.StatusBadRequest, "%s: %s", path, got.body)
	}
	do(hooks, hooks, url.Values{"url": {"https://hooks.example.com/?a=1"}, "all": {"yes"}})
	do(delivery, delivery+"/redeliver", url.Values{})
	do(hook, hook+"/replay", url.Values{"since": {"day"}, "only": {"all"}})
	do(hook, hook+"/rotate", url.Values{})
	do(hook, hook, url.Values{"url": {"https://hooks.example.com/new"}, "event": {"post.failed"}})
	do(hook, hook+"/delete", url.Values{})
	require.Equal(t, []string{
		"webhook.created", "webhook.redelivered", "webhook.replayed", "webhook.secret_rotated", "webhook.changed", "webhook.deleted",
	}, postgrestest.Column(t, b.dsn, `SELECT action FROM audit_entry ORDER BY id`))
	require.Equal(t, []string{"Grace Hopper <" + string(person.Email) + ">"},
		postgrestest.Column(t, b.dsn, `SELECT DISTINCT actor FROM audit_entry`))
}
