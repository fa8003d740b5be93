package main

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/connectors"
)

// begins starts an attempt at X and returns its state.
func (br *browser) begins(t *testing.T, w string) string {
	t.Helper()
	page := br.get(t, "/w/"+w+"/connect/twitter")
	require.Equal(t, http.StatusOK, page.status)
	require.Contains(t, page.header.Get("Content-Security-Policy"), "form-action 'self' https: "+nowhere+";")
	got := br.post(t, "/w/"+w+"/connect/twitter", url.Values{})
	require.Equal(t, http.StatusSeeOther, got.status)
	to, err := url.Parse(got.header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, nowhere, "http://"+to.Host)
	require.Equal(t, br.base+"/connect/x/callback", to.Query().Get("redirect_uri"))
	require.Equal(t, "S256", to.Query().Get("code_challenge_method"))
	return to.Query().Get("state")
}

func returns(network, state string, more ...string) string {
	query := url.Values{"state": {state}, "code": {"a-code"}}
	for i := 0; i+1 < len(more); i += 2 {
		query.Set(more[i], more[i+1])
	}
	return "/connect/" + network + "/callback?" + query.Encode()
}

func (b *bundle) outcomes(t *testing.T) []string {
	t.Helper()
	return postgrestest.Column(t, b.dsn, `SELECT outcome FROM connect_attempt ORDER BY id`)
}

// TestSwappedStateIsRefused lures signed-in people to the address to which a network sends people back, with the
// state of another person's attempt, and with their own state in another session.
func TestSwappedStateIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours, theirs := b.furnish(t, "Ours"), b.furnish(t, "Theirs")
	victim, attacker := b.browser(t), b.browser(t)
	owner := b.membership(t, ours.workspace, member.Owner).Email
	victim.signInAs(t, owner)
	attacker.signInAs(t, b.membership(t, theirs.workspace, member.Owner).Email)
	own, foreign := victim.begins(t, ours.workspace.ID.String()), attacker.begins(t, theirs.workspace.ID.String())
	again := b.browser(t)
	again.signInAs(t, owner)
	for name, try := range map[string]func() page{
		"the attacker's state, in the victim's session": func() page { return victim.get(t, returns("x", foreign)) },
		"the victim's state, in the attacker's session": func() page { return attacker.get(t, returns("x", own)) },
		"the same person in another session":            func() page { return again.get(t, returns("x", own)) },
		"an invented state":                             func() page { return victim.get(t, returns("x", "invented")) },
		"no state":                                      func() page { return victim.get(t, returns("x", "")) },
	} {
		got := try()
		require.Equal(t, http.StatusGone, got.status, name)
		require.Contains(t, got.body, "This attempt to connect is over", name)
	}
	require.Equal(t, []string{"OPEN", "OPEN"}, b.outcomes(t), "no state was used up")

	got := victim.get(t, returns("x", own))
	require.Equal(t, http.StatusSeeOther, got.status)
	require.Regexp(t, `^/w/`+ours.workspace.ID.String()+`/attempts/[0-9a-f-]+$`, got.header.Get("Location"),
		"the address no longer has the code")
	require.Equal(t, http.StatusGone, victim.get(t, returns("x", own)).status, "a state works once")
	require.Equal(t, http.StatusNotFound, again.get(t, got.header.Get("Location")).status,
		"an attempt is seen in its session only")
	require.Equal(t, http.StatusNotFound, attacker.get(t, got.header.Get("Location")).status)
}

// TestResponseOfAnotherNetworkIsRefused sends the response to the attempt at one network to the address of another.
func TestResponseOfAnotherNetworkIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	state := br.begins(t, b.acme.ID.String())
	got := br.get(t, br.get(t, returns("threads", state)).header.Get("Location"))
	require.Contains(t, got.body, "X was not connected")
	require.Contains(t, got.body, app.CodeOtherNetwork)
	require.Equal(t, []string{"FAILED"}, b.outcomes(t))
}

// TestLostRoleCannotConnect takes the membership away while the person is at the network.
func TestLostRoleCannotConnect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	person := b.membership(t, ours.workspace, member.Admin)
	br := b.browser(t)
	br.signInAs(t, person.Email)
	state := br.begins(t, ours.workspace.ID.String())
	require.NoError(t, b.users.SetRole(t.Context(), person.ID, ours.workspace.ID, member.Editor, b.clock.Now()))
	require.Equal(t, http.StatusForbidden, br.get(t, returns("x", state)).status)
	_, err := b.users.Leave(t.Context(), person.ID, ours.workspace.ID, b.clock.Now())
	require.NoError(t, err)
	require.Equal(t, http.StatusGone, br.get(t, returns("x", state)).status)
	require.Equal(t, []string{"OPEN"}, b.outcomes(t))
}

// TestNetworkErrorsAreEscaped sends markup as the error of a network, which anybody can forge.
func TestNetworkErrorsAreEscaped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	state := br.begins(t, b.acme.ID.String())
	got := br.get(t, br.get(t, returns("x", state, "code", "", "error", "access_denied", "error_description",
		"<script>alert(1)</script>")).header.Get("Location"))
	require.Equal(t, http.StatusOK, got.status)
	require.Contains(t, got.body, "X was not connected")
	require.Contains(t, got.body, "You did not allow access at X.")
	require.Contains(t, got.body, "&lt;script&gt;alert(1)&lt;/script&gt;")
	require.NotContains(t, got.body, "<script>alert")
	require.Contains(t, got.body, "/connect/twitter")
	list := br.get(t, "/w/"+b.acme.ID.String()+"/connect")
	require.Contains(t, list.body, "Declined")
	require.NotContains(t, list.body, "<script>alert")
}

// TestUnreachableNetworkIsReported comes back with a code while the network does not respond.
func TestUnreachableNetworkIsReported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	got := br.get(t, br.get(t, returns("x", br.begins(t, b.acme.ID.String()))).header.Get("Location"))
	require.Contains(t, got.body, "You came back from X with a code.")
	require.Contains(t, got.body, "The code was not exchanged for a token.")
	require.NotContains(t, got.body, "a-code")
}

// TestMissingNetworkApplicationIsExplained opens the pages of an installation without settings of networks.
func TestMissingNetworkApplicationIsExplained(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var environment connectors.Environment
	environment.LinkedIn.Version = "202609"
	registry, err := connectors.New(environment, b.clock, 0)
	require.NoError(t, err)
	bare, err := app.NewConnections(app.ConnectionsDeps{
		DB: b.db, Keyring: b.box, Links: registry, Clock: b.clock, Logger: b.config.Logger, AppURL: "https://app.test",
	})
	require.NoError(t, err)
	b.server.Config.Handler = b.site(t, func(c *Config) { c.Connections = bare })
	br := b.browser(t)
	br.signIn(t)
	base := "/w/" + b.acme.ID.String() + "/connect"
	pages := regexp.MustCompile(`href="(`+base+`/[a-z-]+)"`).FindAllStringSubmatch(br.get(t, base).body, -1)
	require.Greater(t, len(pages), 12)
	for _, found := range pages {
		got := br.get(t, found[1])
		require.Equal(t, http.StatusOK, got.status, found[1])
		if strings.Contains(got.body, "is not set up") {
			require.Regexp(t, `https://app\.test/connect/[a-z]+/callback/?<`, got.body, found[1])
			require.Regexp(t, `<code>[A-Z_]+</code> and <code>[A-Z_]+</code>`, got.body, found[1])
			require.NotContains(t, got.body, `method="post" action="`+base, found[1])
			guide := br.get(t, found[1]+"/guide")
			require.Equal(t, http.StatusOK, guide.status, found[1])
			require.Contains(t, guide.body, "https://app.test/connect/", found[1])
			continue
		}
		require.Regexp(t, `/(telegram-channel|telegram-business|whatsapp-business|bluesky|mastodon)$`, found[1])
	}
	require.Contains(t, br.get(t, base+"/instagram-professional-facebook-login").body, "FACEBOOK_APP_ID")
	require.Contains(t, br.get(t, base+"/linkedin-page").body, "LINKEDIN_PAGE_CLIENT_ID")
	require.Contains(t, br.get(t, base+"/tiktok-business").body, "https://app.test/connect/tiktok/callback/<")
}

// TestEnteredSecretsAreNotShownAgain leaves a field of a form empty.
func TestEnteredSecretsAreNotShownAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	path := "/w/" + b.acme.ID.String() + "/connect/bluesky"
	br.get(t, path)
	got := br.post(t, path, url.Values{"field-password": {"abcd-efgh-ijkl-mnop"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "Enter the handle.")
	require.NotContains(t, got.body, "abcd-efgh")
	got = br.post(t, path, url.Values{"field-handle": {"ada.test"}, "field-password": {"abcd-efgh-ijkl-mnop"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status, "a refusal stays on the form")
	require.Contains(t, got.body, `value="ada.test"`)
	require.Contains(t, got.body, `role="alert"`)
	require.NotContains(t, got.body, "abcd-efgh")
	require.NotContains(t, b.logs.String(), "abcd-efgh")
}

// TestDisconnecting asks what happens to the scheduled posts.
func TestDisconnecting(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Admin).Email)
	postgrestest.Exec(t, b.dsn, `UPDATE post SET status = 'SCHEDULED', scheduled_at = now() + interval '1 day'
		WHERE id = $1`, ours.wildcards["post"])
	path := filled("/w/{workspace}/channels/{channel}/disconnect", ours.wildcards)
	postgrestest.Exec(t, b.dsn, `UPDATE channel SET type = 'PINTEREST' WHERE id = $1`, ours.wildcards["channel"])
	page := br.get(t, path).body
	require.Contains(t, page, "1 post is scheduled")
	require.Contains(t, page, "The access at Pinterest stays. To end it, open Settings, Security, Connected apps on Pinterest")
	require.NotContains(t, page, `name="revoke"`)
	got := br.post(t, path, url.Values{})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "Choose what happens to the scheduled posts.")
	got = br.post(t, path, url.Values{"posts": {"drafts"}})
	require.Equal(t, http.StatusSeeOther, got.status)
	got = br.get(t, got.header.Get("Location"))
	require.Contains(t, got.body, "News disconnected. The access at Pinterest stays. To end it, open Settings")
	require.Contains(t, got.body, ">Disconnected<")
	require.Contains(t, got.body, "/reconnect")
	require.Equal(t, []string{"DRAFT"}, postgrestest.Column(t, b.dsn, `SELECT status FROM post WHERE workspace_id = $1`,
		ours.workspace.ID.String()))
	require.Equal(t, []string{"channel.disconnected"}, postgrestest.Column(t, b.dsn, `SELECT action FROM audit_entry`))
	id, err := ident.Parse[ident.Channel](ours.wildcards["channel"])
	require.NoError(t, err)
	c, err := postgres.NewChannels(b.db, b.box).Get(t.Context(), ours.workspace.ID, id)
	require.NoError(t, err)
	require.False(t, c.IsConnected)
	require.Equal(t, channel.TokenHealthy, c.TokenStatus)
}

// TestAccessExpiryIsShown shows the end of an access that no renewal extends, for the present credentials.
func TestAccessExpiryIsShown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	br := b.browser(t)
	br.signInAs(t, b.membership(t, ours.workspace, member.Viewer).Email)
	const end = "Access until 5 March 2031"
	for set, shown := range map[string]bool{
		"assessed_rev = credentials_rev, renew_at = NULL":                                   true,
		"assessed_rev = credentials_rev, renew_at = token_end_at":                           true,
		"assessed_rev = credentials_rev, renew_at = now()":                                  false,
		"assessed_rev = credentials_rev - 1, renew_at = NULL":                               false,
		"assessed_rev = credentials_rev, renew_at = NULL, is_connected = false":             false,
		"assessed_rev = credentials_rev, renew_at = NULL, token_status = 'NEEDS_RECONNECT'": false,
		"assessed_rev = credentials_rev, renew_at = NULL, token_end_at = NULL":              false,
	} {
		postgrestest.Exec(t, b.dsn, `UPDATE channel SET is_connected = true, token_status = 'EXPIRING', renew_at = NULL,
			token_end_at = '2031-03-05T12:00:00Z'`)
		postgrestest.Exec(t, b.dsn, `UPDATE channel SET `+set)
		page := br.get(t, filled("/w/{workspace}/channels", ours.wildcards))
		require.Equal(t, shown, strings.Contains(page.body, end), set)
	}
}
