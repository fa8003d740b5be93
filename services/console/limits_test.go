package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// TestMembersOfSomeChannels calls every route as members who are limited to another channel than that of the workspace's
// records: the channel, its posts and its series do not exist for them.
func TestMembersOfSomeChannels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	other := channel.Channel{
		ID: ident.New[ident.Channel](), WorkspaceID: ours.workspace.ID, Name: "Other", Type: channel.Twitter, ExternalID: "other",
		IsConnected: true, TokenStatus: channel.TokenHealthy, Timezone: "UTC", CreatedAt: b.clock.Now(),
	}
	require.NoError(t, postgres.NewChannels(b.db, b.box).Insert(t.Context(), other, channel.Credentials{AccessToken: "y"}))
	const hidden = "Words of the other client"
	postgrestest.Exec(t, b.dsn, `UPDATE post SET content = $1, status = 'SCHEDULED', scheduled_at = $2 WHERE id = $3`,
		hidden, b.clock.Now().Add(time.Hour).Format(time.RFC3339), ours.wildcards["post"])
	postgrestest.Exec(t, b.dsn, `UPDATE series SET content = jsonb_build_object('Content', CAST($1 AS text), 'ChannelIDs', jsonb_build_array(CAST($2 AS text)))`,
		hidden, ours.wildcards["channel"])
	postgrestest.Exec(t, b.dsn, `UPDATE evergreen SET content = jsonb_build_object('Content', CAST($1 AS text))`, hidden)
	postgrestest.Exec(t, b.dsn, `UPDATE source SET title = $1`, hidden)
	admin := b.browser(t)
	admin.signInAs(t, b.membership(t, ours.workspace, member.Admin).Email)
	require.Contains(t, admin.visited(t, filled("/w/{workspace}/posts", ours.wildcards)).body, hidden)

	for _, role := range []member.Role{member.Editor, member.Contributor, member.Viewer} {
		person := b.membership(t, ours.workspace, role)
		page := filled("/w/{workspace}/settings/members/", ours.wildcards) + person.ID.String() + "/channels"
		for want, form := range map[string]url.Values{
			"Choose every channel, or some.": {}, "Choose at least one channel.": {"limit": {"some"}},
		} {
			admin.visited(t, page)
			require.Contains(t, admin.post(t, page, form).body, want)
		}
		admin.visited(t, page)
		got := admin.post(t, page, url.Values{"limit": {"some"}, "channel": {ident.New[ident.Channel]().String()}})
		require.Equal(t, http.StatusNotFound, got.status)
		admin.visited(t, page)
		got = admin.post(t, page, url.Values{"limit": {"some"}, "channel": {other.ID.String()}})
		require.Equal(t, http.StatusSeeOther, got.status, got.body)
		require.Contains(t, admin.visited(t, filled("/w/{workspace}/settings/members", ours.wildcards)).body, ">1 channel<")

		br := b.browser(t)
		br.signInAs(t, person.Email)
		b.attempts(t, br, ours)
		for _, route := range b.routes(t) {
			if route.Access != frame.Members || route.Needs != "" && !role.Allows(route.Needs) || route.Stream {
				continue
			}
			got := br.call(t, route.Method(), filled(route.Path(), ours.wildcards))
			require.NotContains(t, got.body, hidden, "%s %s", role, route.Pattern)
			for _, name := range []string{"{post}", "{channel}", "{series}", "{source}", "{evergreen}", "{link}"} {
				if strings.Contains(route.Path(), name) {
					require.Equal(t, http.StatusNotFound, got.status, "%s %s", role, route.Pattern)
				}
			}
		}
		compose := filled("/w/{workspace}/compose", ours.wildcards)
		require.NotContains(t, br.get(t, compose).body, ours.wildcards["channel"])
	}
	require.Equal(t, []string{"SCHEDULED"}, postgrestest.Column(t, b.dsn, `SELECT status FROM post`))
}
