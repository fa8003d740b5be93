package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/mail"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/egress"
	"fencepost.internal/shared/infra/objectstore/objectstoretest"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	addresses "fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/connectors"
)

const other = "a wholly different phrase"

// mailing returns the bundle with an application that sends mails.
func mailing(t *testing.T) *bundle {
	t.Helper()
	b := setup(t)
	registry, err := connectors.New(connectors.Environment{SandboxURL: "http://127.0.0.1:1"}, b.clock, 0)
	require.NoError(t, err)
	policy, err := egress.NewPolicy(egress.PolicyConfig{})
	require.NoError(t, err)
	b.app, err = app.New(app.Deps{
		DB: b.db, Keyring: b.box, Connectors: registry, Rules: connectors.Rules(), Files: objectstoretest.Absent(t),
		Egress: policy, Clock: b.clock, Logger: b.config.Logger, Wake: func(relay.Wake) {}, Mails: true,
	})
	require.NoError(t, err)
	b.config.App = b.app
	b.server.Config.Handler = b.site(t)
	return b
}

// mails returns the stored mails, oldest first, and deletes them.
func (b *bundle) mails(t *testing.T) []mail.Mail {
	t.Helper()
	store := postgres.NewMails(b.db, b.box)
	var found []mail.Mail
	for _, text := range postgrestest.Column(t, b.dsn, `SELECT id::text FROM mail ORDER BY id`) {
		id, err := ident.Parse[ident.Mail](text)
		require.NoError(t, err)
		m, err := store.Load(t.Context(), id)
		require.NoError(t, err)
		require.NoError(t, store.Delete(t.Context(), id))
		found = append(found, m)
	}
	return found
}

// requestsReset requests a link for an address, as a visitor from a network, and returns the mails.
func (b *bundle) requestsReset(t *testing.T, address string) []mail.Mail {
	t.Helper()
	br := b.browser(t)
	br.visited(t, "/forgot-password")
	got := br.post(t, "/forgot-password", url.Values{"email": {address}}, "X-Forwarded-For",
		"192.0.2.1", "X-Forwarded-Host", "evil.example")
	require.Equal(t, http.StatusOK, got.status, got.body)
	require.Contains(t, got.body, "Check your email")
	return b.mails(t)
}

func TestForgottenPassword(t *testing.T) {
	t.Parallel()
	b := mailing(t)
	there := b.browser(t)
	there.signIn(t)
	sent := b.requestsReset(t, "ADA@example.com")
	require.Len(t, sent, 1)
	require.Equal(t, mail.PasswordReset, sent[0].Kind)
	require.EqualValues(t, "ADA@example.com", sent[0].Content.To)
	require.True(t, sent[0].ExpiresAt.Equal(b.clock.Now().Add(time.Hour)))
	require.Contains(t, b.browser(t).visited(t, "/sign-in").body, `href="/forgot-password"`)
	for _, row := range postgrestest.Column(t, b.dsn, `SELECT r::text FROM password_reset r`) {
		require.NotContains(t, row, sent[0].Content.Secret)
	}
	link := "/reset-password/" + sent[0].Content.Secret
	br := b.browser(t)
	require.Contains(t, br.visited(t, link).body, email)
	got := br.post(t, link, url.Values{"password": {"short"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "Use 12 characters or more")
	require.Equal(t, "/sign-in", br.post(t, link, url.Values{"password": {other}}).header.Get("Location"))
	require.Contains(t, br.visited(t, "/sign-in").body, "Password set.")
	require.Equal(t, http.StatusSeeOther, there.get(t, "/programs").status, "every session has ended")
	require.Equal(t, http.StatusUnauthorized, br.post(t, "/sign-in", url.Values{"email": {email}, "password": {secret}}).status)
	require.Equal(t, http.StatusSeeOther, br.post(t, "/sign-in", url.Values{"email": {email}, "password": {other}}).status)
	mails := b.mails(t)
	require.Len(t, mails, 1)
	require.Equal(t, mail.PasswordChanged, mails[0].Kind)
	require.EqualValues(t, email, mails[0].Content.To)
	again := b.browser(t)
	require.Equal(t, http.StatusGone, again.get(t, link).status, "the link works once")
	again.visited(t, "/forgot-password")
	require.Equal(t, http.StatusGone, again.post(t, link, url.Values{"password": {secret}}).status)
}

// TestResetLinkIsBoundToAddress requests links for addresses that Unicode maps to another person's: the link must
// set no password, and go nowhere but to the person's own address.
func TestResetLinkIsBoundToAddress(t *testing.T) {
	t.Parallel()
	b := mailing(t)
	postgrestest.Exec(t, b.dsn, `UPDATE app_user SET email = 'nick@example.com' WHERE email = $1`, email)
	mails := postgres.NewMails(b.db, b.box)
	for _, address := range []addresses.Address{"nic\u212a@example.com", "n\u0130ck@example.com"} {
		sent := b.requestsReset(t, string(address))
		require.Equal(t, http.StatusGone, b.browser(t).get(t, "/reset-password/"+sent[len(sent)-1].Content.Secret).status)
		stored, err := mails.AddressOf(t.Context(), address)
		require.NoError(t, err)
		require.Empty(t, stored)
	}
	stored, err := mails.AddressOf(t.Context(), "NICK@example.com")
	require.NoError(t, err)
	require.Equal(t, addresses.Address("nick@example.com"), stored, "the address as it is stored")
}

// TestEndedResetLinksAreRefused checks an ended link, the older ones after a use, and links of other kinds.
func TestEndedResetLinksAreRefused(t *testing.T) {
	t.Parallel()
	b := mailing(t)
	first, second := b.requestsReset(t, email)[0].Content.Secret, b.requestsReset(t, email)[0].Content.Secret
	br := b.browser(t)
	br.visited(t, "/reset-password/"+second)
	require.Equal(t, http.StatusSeeOther, br.post(t, "/reset-password/"+second, url.Values{"password": {other}}).status)
	require.Equal(t, http.StatusGone, br.get(t, "/reset-password/"+first).status)
	b.clock.Advance(time.Hour)
	third := b.requestsReset(t, email)
	late := third[len(third)-1].Content.Secret
	b.clock.Advance(time.Hour - time.Second)
	require.Equal(t, http.StatusOK, br.get(t, "/reset-password/"+late).status)
	b.clock.Advance(time.Second)
	require.Equal(t, http.StatusGone, br.get(t, "/reset-password/"+late).status)
	for _, wrong := range []string{"x", strings.Replace(late, "svc_pwr_", "svc_inv_", 1), late[:len(late)-1]} {
		require.Equal(t, http.StatusGone, br.get(t, "/reset-password/"+wrong).status)
	}
}

// TestResetDoesNotRevealAddresses compares the responses for an address with a user, without one, and of a user who may not sign
// in. All write the same rows and look no user up, so that they take the same time.
func TestResetDoesNotRevealAddresses(t *testing.T) {
	t.Parallel()
	b := mailing(t)
	remaining := b.membership(t, b.acme, member.Viewer)
	postgrestest.Exec(t, b.dsn, `UPDATE app_user SET disabled_at = now() WHERE id = $1`, remaining.ID.String())
	var bodies []string
	addresses := []string{email, "xyz@example.com", string(remaining.Email)}
	for range 3 {
		for _, address := range addresses {
			br := b.browser(t)
			br.visited(t, "/forgot-password")
			got := br.post(t, "/forgot-password", url.Values{"email": {address}}, "X-Forwarded-For", "192.0.2.1")
			require.Equal(t, http.StatusOK, got.status)
			bodies = append(bodies, strings.ReplaceAll(got.body, address, "ADDRESS"))
		}
	}
	require.Len(t, slices.Compact(bodies), 1)
	require.Len(t, b.mails(t), 9, "the worker decides whom it mails")
	require.Equal(t, []string{"3", "3", "3"}, postgrestest.Column(t, b.dsn,
		`SELECT count(*) FROM password_reset GROUP BY lower(email)`), "the same rows for each")
}

func TestResetRequestsAreLimited(t *testing.T) {
	t.Parallel()
	b := mailing(t)
	b.stopsRecovery(t)
	sent := 0
	for range 5 {
		sent += len(b.requestsReset(t, email))
	}
	require.Equal(t, 3, sent, "an address gets three links in an hour, with the same response")
	br := b.browser(t)
	br.visited(t, "/forgot-password")
	var last int
	for range 12 {
		last = br.post(t, "/forgot-password", url.Values{"email": {"x@example.com"}}).status
	}
	require.Equal(t, http.StatusTooManyRequests, last, "a network makes ten requests in a minute")
	for range 12 { // guesses of links, from another network
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL+"/reset-password/svc_pwr_x", http.NoBody)
		require.NoError(t, err)
		r.Header.Set("X-Forwarded-For", "198.51.100.7")
		last = br.send(t, r).status
	}
	require.Equal(t, http.StatusTooManyRequests, last)
}

func TestResetFormValidatesAddress(t *testing.T) {
	t.Parallel()
	b := mailing(t)
	br := b.browser(t)
	for _, bad := range []string{"", "ada", "a@b.example\r\nBcc: eve@example.com", "Ada <ada@example.com>", strings.Repeat("a", 250) + "@b.example"} {
		br.visited(t, "/forgot-password")
		got := br.post(t, "/forgot-password", url.Values{"email": {bad}}, "X-Forwarded-For", "192.0.2.77")
		require.Equal(t, http.StatusUnprocessableEntity, got.status, bad)
	}
	require.Empty(t, b.mails(t))
	silent := setup(t)
	br = silent.browser(t)
	require.Contains(t, br.visited(t, "/forgot-password").body, "sends no emails")
	require.Equal(t, http.StatusOK, br.post(t, "/forgot-password", url.Values{"email": {email}}).status)
	require.Empty(t, silent.mails(t))
}

func TestInvitationsAreMailed(t *testing.T) {
	t.Parallel()
	b := mailing(t)
	owner := b.browser(t)
	owner.signIn(t)
	owner.invitesByMail(t, "/w/"+b.acme.ID.String(), "grace@example.com", member.Editor)
	require.Contains(t, owner.last.body, "We emailed the link to grace@example.com.")
	require.NotRegexp(t, linkPattern, owner.last.body, "only the invited person can join")
	sent := b.mails(t)
	require.Len(t, sent, 1)
	require.Equal(t, http.StatusOK, b.browser(t).get(t, "/invitations/"+sent[0].Content.Secret).status)
	require.Equal(t, mail.Content{
		To: "grace@example.com", Secret: sent[0].Content.Secret, Workspace: b.acme.Name, Actor: "Ada",
		Role: "EDITOR",
	}, sent[0].Content)
	require.Equal(t, b.acme.ID, sent[0].WorkspaceID)
}

// changing requests a change of the address and returns the secrets of both links: of the present address, and of the
// new one.
func (b *bundle) changing(t *testing.T, br *browser, to string) (leaving, arriving string) {
	t.Helper()
	profile := "/w/" + b.acme.ID.String() + "/settings/profile"
	br.visited(t, profile)
	got := br.post(t, profile+"/email", url.Values{"email": {to}, "proof": {secret}})
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	sent := b.mails(t)
	require.Len(t, sent, 2)
	require.Equal(t, []mail.Kind{mail.AddressLeaving, mail.AddressArriving}, []mail.Kind{sent[0].Kind, sent[1].Kind})
	require.Equal(t, []string{email, to}, []string{string(sent[0].Content.To), string(sent[1].Content.To)})
	return sent[0].Content.Secret, sent[1].Content.Secret
}

func (b *bundle) confirms(t *testing.T, secret string) page {
	t.Helper()
	br := b.browser(t)
	if got := br.get(t, "/confirm-address/"+secret); got.status != http.StatusOK {
		return got
	}
	return br.post(t, "/confirm-address/"+secret, url.Values{})
}

func TestAddressChangeRequiresBothConfirmations(t *testing.T) {
	t.Parallel()
	b := mailing(t)
	br := b.browser(t)
	br.signIn(t)
	profile := "/w/" + b.acme.ID.String() + "/settings/profile"
	for want, form := range map[string]url.Values{
		"The password is incorrect":    {"email": {"new@example.com"}, "proof": {"wrong wrong wrong"}},
		"Enter an email address":       {"email": {"new"}, "proof": {secret}},
		"This is your present address": {"email": {"ADA@example.com"}, "proof": {secret}},
	} {
		br.visited(t, profile)
		got := br.post(t, profile+"/email", form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status)
		require.Contains(t, got.body, want)
	}
	leaving, arriving := b.changing(t, br, "new@example.com")
	require.Contains(t, br.visited(t, profile).body, "once both addresses confirm")
	require.Contains(t, b.confirms(t, arriving).body, "Now open the link that we sent to the other address.")
	require.Contains(t, b.confirms(t, arriving).body, "Now open the link that we sent to the other address.", "twice the same link is not both")
	require.Equal(t, []string{email}, postgrestest.Column(t, b.dsn, `SELECT email FROM app_user`))
	require.Contains(t, b.confirms(t, leaving).body, "You now sign in with new@example.com")
	require.Equal(t, []string{"new@example.com"}, postgrestest.Column(t, b.dsn, `SELECT email FROM app_user`))
	require.Equal(t, http.StatusGone, b.confirms(t, leaving).status)
	require.Equal(t, http.StatusGone, b.confirms(t, arriving).status)
	require.Contains(t, br.visited(t, profile).body, "new@example.com")
}

func TestAddressChangesEnd(t *testing.T) {
	t.Parallel()
	b := mailing(t)
	br := b.browser(t)
	br.signIn(t)
	profile := "/w/" + b.acme.ID.String() + "/settings/profile"
	leaving, _ := b.changing(t, br, "one@example.com")
	next, _ := b.changing(t, br, "two@example.com")
	require.Equal(t, http.StatusGone, b.confirms(t, leaving).status, "a newer change replaces it")
	br.visited(t, profile)
	require.Equal(t, http.StatusSeeOther, br.post(t, profile+"/email/cancel", url.Values{}).status)
	require.Equal(t, http.StatusGone, b.confirms(t, next).status)
	_, arriving := b.changing(t, br, "three@example.com")
	b.clock.Advance(24 * time.Hour)
	require.Equal(t, http.StatusGone, b.confirms(t, arriving).status)

	// an address of another user is neither betrayed nor taken
	br.signIn(t)
	taken := b.membership(t, b.acme, member.Viewer)
	leaving, arriving = b.changing(t, br, string(taken.Email))
	require.Equal(t, http.StatusOK, b.confirms(t, leaving).status)
	require.Equal(t, http.StatusConflict, b.confirms(t, arriving).status)

	// a new password ends what another person may have begun
	br.visited(t, profile)
	require.Equal(t, http.StatusSeeOther, br.post(t, profile+"/password", url.Values{"current": {secret}, "password": {other}}).status)
	require.Equal(t, http.StatusGone, b.confirms(t, arriving).status)
}

// TestAddressChangesAreLimited checks that a person cannot send any number of mails, by requesting, canceling and
// requesting again, nor at once.
func TestAddressChangesAreLimited(t *testing.T) {
	t.Parallel()
	b := mailing(t)
	b.member(t, b.db, "Second") // in whose log the changes are, too
	br := b.browser(t)
	br.signIn(t)
	profile := "/w/" + b.acme.ID.String() + "/settings/profile"
	p := app.Principal{WorkspaceID: b.acme.ID, Person: app.Person{ID: b.person.ID, Name: b.person.Name, Email: b.person.Email}}
	for range user.MaxAddressChanges - 1 {
		_, err := b.app.ChangeAddress(t.Context(), p, "new@example.com")
		require.NoError(t, err)
		require.NoError(t, b.app.EndAddressChange(t.Context(), p))
		b.clock.Advance(time.Minute)
	}
	require.Len(t, b.mails(t), 2*(user.MaxAddressChanges-1))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { _, _ = b.app.ChangeAddress(t.Context(), p, "at.once@example.com") })
	}
	wg.Wait()
	require.Len(t, b.mails(t), 2, "one of those at once succeeds")
	br.visited(t, profile)
	require.Equal(t, http.StatusSeeOther, br.post(t, profile+"/email/cancel", url.Values{}).status)
	br.visited(t, profile)
	form := url.Values{"email": {"more@example.com"}, "proof": {secret}}
	got := br.post(t, profile+"/email", form)
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "You have asked for 10 changes within 24 hours. Try again tomorrow.")
	require.Empty(t, b.mails(t))
	require.NotContains(t, br.visited(t, profile).body, "more@example.com")
	b.clock.Advance(user.AddressWindow)
	br.signIn(t) // the session has ended
	b.changing(t, br, "more@example.com")
}

// TestLinksAreShownWithoutMailServer checks that both links of a change are shown once.
func TestLinksAreShownWithoutMailServer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	profile := "/w/" + b.acme.ID.String() + "/settings/profile"
	br.visited(t, profile)
	got := br.post(t, profile+"/email", url.Values{"email": {"new@example.com"}, "proof": {secret}})
	require.Equal(t, http.StatusCreated, got.status)
	require.Equal(t, 2, strings.Count(got.body, "<code>"+b.server.URL+"/confirm-address/svc_adr_"))
	require.NotContains(t, br.visited(t, profile).body, "svc_adr_")
	require.Empty(t, b.mails(t))
}

func TestNoticeChoices(t *testing.T) {
	t.Parallel()
	b := mailing(t)
	br := b.browser(t)
	br.signIn(t)
	page := "/w/" + b.acme.ID.String() + "/settings/notifications"
	checked := func(name string) []string {
		return regexp.MustCompile(`name="`+name+`" value="[A-Z_]+"[^>]* checked>`).FindAllString(br.visited(t, page).body, -1)
	}
	require.Len(t, checked("mail"), len(mail.Optional()), "every kind is on at first")
	require.Len(t, checked("app"), len(mail.Optional()))
	form := url.Values{
		"mail": {"CHANNEL_LOST", "INVITATION", "NONSENSE"}, "app": {"POSTS_FAILED"}, "quietFrom": {"22:00"}, "quietUntil": {"07:30"},
		"timezone": {"Europe/Berlin"}, "digestHour": {"8"},
	}
	require.Equal(t, http.StatusSeeOther, br.post(t, page, form).status)
	require.Equal(t, []string{"1320 450 Europe/Berlin"}, postgrestest.Column(t, b.dsn, `SELECT quiet_from || ' ' || quiet_until || ' ' || quiet_zone FROM app_user`))
	require.Len(t, checked("mail"), 1)
	require.Len(t, checked("app"), 1)
	form.Set("timezone", "Moon/Crater")
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, page, form).status)
	require.Contains(t, br.last.body, "Choose a time zone from the list.")
	require.Equal(t, http.StatusSeeOther, br.post(t, page+"/test", url.Values{}).status)
	require.Equal(t, []string{"MAIL TEST"}, postgrestest.Column(t, b.dsn, `SELECT way || ' ' || kind FROM mail`))
}

// TestPlacesOfNotifications adds chats of a person and of a workspace. Addresses within private networks, chats of other people
// and routes of those who do not manage the workspace are refused.
func TestPlacesOfNotifications(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ours := b.furnish(t, "Ours")
	owner, editor := b.browser(t), b.browser(t)
	owner.signInAs(t, b.membership(t, ours.workspace, member.Owner).Email)
	editor.signInAs(t, b.membership(t, ours.workspace, member.Editor).Email)
	page := filled("/w/{workspace}/settings/notifications", ours.wildcards)
	owner.visited(t, page)
	for _, address := range []string{"https://10.0.0.1/x", "https://localhost/x", "http://hooks.example.com/x", "https://169.254.169.254/", "x"} {
		got := owner.post(t, page+"/places", url.Values{"way": {"SLACK"}, "name": {"<b>Us</b>"}, "address": {address}})
		require.Equal(t, http.StatusUnprocessableEntity, got.status, address)
		require.Contains(t, got.body, "The address ")
		require.Contains(t, got.body, "&lt;b&gt;Us&lt;/b&gt;")
	}
	form := url.Values{"way": {"SLACK"}, "name": {"Me"}, "address": {"https://hooks.example.com/canary"}}
	require.Equal(t, http.StatusSeeOther, owner.post(t, page+"/places", form).status)
	form.Set("shared", "1")
	form.Set("name", "#social")
	require.Equal(t, http.StatusSeeOther, owner.post(t, page+"/places", form).status)
	require.Equal(t, http.StatusForbidden, func() int { editor.visited(t, page); return editor.post(t, page+"/places", form).status }())
	require.NotContains(t, owner.visited(t, page).body, "canary", "an address is a secret")
	require.Contains(t, owner.last.body, "#social")
	require.NotContains(t, editor.last.body, "#social")
	of := func(name string) string {
		return postgrestest.Column(t, b.dsn, `SELECT id FROM notice_way WHERE name = '`+name+`'`)[0]
	}
	for _, do := range []string{"test", "remove"} {
		for _, form := range []url.Values{{"place": {of("Me")}}, {"place": {of("#social")}}, {"place": {"nonsense"}}} {
			require.Equal(t, http.StatusNotFound, editor.post(t, page+"/"+do, form).status)
		}
		require.Equal(t, http.StatusForbidden, editor.post(t, page+"/"+do, url.Values{"place": {of("#social")}, "shared": {"1"}}).status)
	}
	steal := url.Values{"place": {of("Me"), of("#social")}, "timezone": {"UTC"}, "digestHour": {"8"}}
	require.Equal(t, http.StatusSeeOther, editor.post(t, page, steal).status)
	require.Equal(t, []string{"10", "10"}, postgrestest.Column(t, b.dsn, `SELECT cardinality(kinds) FROM notice_way`), "those of others are left as they are")
	require.Equal(t, http.StatusSeeOther, owner.post(t, page, url.Values{"shared": {"1"}, "place": {of("#social")}, "place-" + of("#social"): {"POSTS_FAILED"}}).status)
	require.Equal(t, []string{"{POSTS_FAILED}"}, postgrestest.Column(t, b.dsn, `SELECT kinds::text FROM notice_way WHERE name = '#social'`))
	require.Equal(t, http.StatusSeeOther, owner.post(t, page+"/test", url.Values{"place": {of("#social")}, "shared": {"1"}}).status)
	require.Equal(t, []string{"SLACK TEST"}, postgrestest.Column(t, b.dsn, `SELECT way || ' ' || kind FROM mail`))
	require.Equal(t, http.StatusSeeOther, owner.post(t, page+"/remove", url.Values{"place": {of("Me")}}).status)
	require.Equal(t, []string{"#social"}, postgrestest.Column(t, b.dsn, `SELECT name FROM notice_way`))
	require.Contains(t, owner.visited(t, filled("/w/{workspace}/notifications", ours.wildcards)).body, "Nothing yet")
	postgrestest.Exec(t, b.dsn, `INSERT INTO notice (id, user_id, workspace_id, kind, content, created_at)
		SELECT gen_random_uuid(), m.user_id, m.workspace_id, 'POSTS_FAILED', '{"workspace": "<b>Ours</b>", "causes": [{"posts": 40}]}', now()
		FROM workspace_member m WHERE m.workspace_id = $1 AND m.role = 'OWNER'`, ours.workspace.ID.String())
	bell := filled("/w/{workspace}/notifications", ours.wildcards)
	require.Contains(t, owner.visited(t, bell).body, "40 posts failed: &lt;b&gt;Ours&lt;/b&gt;")
	require.Contains(t, editor.visited(t, bell).body, "Nothing yet")
	require.Equal(t, http.StatusSeeOther, editor.post(t, bell+"/read", url.Values{}).status)
	require.Contains(t, owner.visited(t, bell).body, ">New<")
	require.Equal(t, http.StatusSeeOther, owner.post(t, bell+"/read", url.Values{}).status)
	require.NotContains(t, owner.visited(t, bell).body, ">New<")
}

// TestLinksIgnoreHost checks that a forged host reaches no page that makes a link.
func TestLinksIgnoreHost(t *testing.T) {
	t.Parallel()
	b := mailing(t)
	site := b.site(t, func(c *Config) { c.AppURL = "https://app.example.com" })
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://evil.example/forgot-password", http.NoBody)
	r.Header.Set("X-Forwarded-Host", "evil.example")
	rec := httptest.NewRecorder()
	site.ServeHTTP(rec, r)
	require.NotContains(t, rec.Body.String(), "evil.example")
	require.Empty(t, rec.Header().Get("Location"))
}
