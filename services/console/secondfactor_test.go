package main

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/authn"
	"fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
	"fencepost.internal/shared/kernel/ident"
)

// code returns the code of an authenticator app at the present time of the tests, moved by steps.
func (b *bundle) code(t *testing.T, secret string, steps int) string {
	t.Helper()
	code, err := authn.CodeAt(secret, b.clock.Now().Add(time.Duration(steps)*30*time.Second))
	require.NoError(t, err)
	return code
}

func (b *bundle) securityPath() string { return "/w/" + b.acme.ID.String() + "/settings/security" }

var (
	keyPattern      = regexp.MustCompile(`<code>([A-Z2-7 ]{30,})</code>`)
	recoveryPattern = regexp.MustCompile(`<code>([a-z2-7]{4}(?:-[a-z2-7]{4}){3})</code>`)
	filePattern     = regexp.MustCompile(`href="data:text/plain;charset=utf-8,([^"]+)" download`)
)

// turnsOn sets an authenticator app up through the pages, and returns its secret and the recovery codes.
func (br *browser) turnsOn(t *testing.T, b *bundle) (secret string, codes []string) {
	t.Helper()
	path := b.securityPath()
	br.visited(t, path)
	require.Equal(t, path+"/app", br.post(t, path+"/app/start", url.Values{}).header.Get("Location"))
	page := br.visited(t, path+"/app")
	require.Contains(t, page.body, `src="data:image/png;base64,`)
	found := keyPattern.FindStringSubmatch(page.body)
	require.NotNil(t, found, page.body)
	secret = strings.ReplaceAll(found[1], " ", "")
	got := br.post(t, path+"/app", url.Values{"code": {"000000"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "The code is incorrect")
	got = br.post(t, path+"/app", url.Values{"code": {b.code(t, secret, 0)}})
	require.Equal(t, http.StatusOK, got.status, got.body)
	for _, match := range recoveryPattern.FindAllStringSubmatch(got.body, -1) {
		codes = append(codes, match[1])
	}
	require.Len(t, codes, user.RecoveryCodes)
	file, err := url.PathUnescape(html.UnescapeString(filePattern.FindStringSubmatch(got.body)[1]))
	require.NoError(t, err)
	require.Contains(t, file, strings.Join(codes, "\n"))
	return secret, codes
}

// first sends the password and requires that a second step follows.
func (br *browser) first(t *testing.T, form url.Values) page {
	t.Helper()
	br.get(t, "/sign-in")
	form.Set("email", email)
	form.Set("password", secret)
	got := br.post(t, "/sign-in", form)
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	require.True(t, strings.HasPrefix(got.header.Get("Location"), "/sign-in/second"), got.header.Get("Location"))
	return br.visited(t, got.header.Get("Location"))
}

func TestSecondFactorSignIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	here, there := b.browser(t), b.browser(t)
	here.signIn(t)
	there.signIn(t)
	before := here.cookie(t)
	key, codes := here.turnsOn(t, b)
	require.NotEqual(t, before, here.cookie(t), "the session has a new cookie")
	require.Equal(t, http.StatusSeeOther, there.get(t, "/programs").status, "other sessions end")
	require.Contains(t, here.visited(t, b.securityPath()).body, "10 left")

	// the code that turned the app on does not sign in
	there.first(t, url.Values{})
	require.Equal(t, http.StatusSeeOther, there.get(t, "/programs").status, "the password alone is not a session")
	got := there.post(t, "/sign-in/second", url.Values{"code": {b.code(t, key, 0)}})
	require.Equal(t, http.StatusUnauthorized, got.status)
	require.Contains(t, got.body, "was used")
	got = there.post(t, "/sign-in/second", url.Values{"code": {b.code(t, key, -1)}})
	require.Equal(t, http.StatusUnauthorized, got.status, "an earlier code neither")
	pending := there.cookie(t)
	got = there.post(t, "/sign-in/second", url.Values{"code": {b.code(t, key, 1)}})
	require.Equal(t, http.StatusSeeOther, got.status, "clocks may differ by a step")
	require.NotEqual(t, pending, there.cookie(t))
	require.Equal(t, http.StatusOK, there.get(t, "/programs").status)

	// a recovery code, once
	spare := b.browser(t)
	spare.first(t, url.Values{})
	got = spare.post(t, "/sign-in/second", url.Values{"code": {strings.ToUpper(codes[3])}})
	require.Equal(t, http.StatusSeeOther, got.status)
	require.Contains(t, spare.visited(t, "/programs").body, "9 are left")
	again := b.browser(t)
	again.first(t, url.Values{})
	got = again.post(t, "/sign-in/second", url.Values{"code": {codes[3]}})
	require.Equal(t, http.StatusUnauthorized, got.status)
	require.Contains(t, got.body, "incorrect or was used")

	for _, row := range postgrestest.Column(t, b.dsn, `SELECT encode(secret, 'escape') FROM user_totp UNION ALL
		SELECT encode(hash, 'escape') FROM user_recovery_code`) {
		require.NotContains(t, row, key)
		require.NotContains(t, row, strings.ReplaceAll(codes[0], "-", ""))
	}
	require.Equal(t, []string{"user.authenticator_app_turned_on", "user.recovery_code_used"},
		postgrestest.Column(t, b.dsn, `SELECT action FROM audit_entry ORDER BY id`))
	require.NotContains(t, b.logs.String(), key)
	require.NotContains(t, b.logs.String(), codes[0])
}

// TestUnconfirmedAuthenticatorIsNotSecondFactor checks that codes of an authenticator app count only after its first code.
func TestUnconfirmedAuthenticatorIsNotSecondFactor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inserted, err := postgres.NewFactors(b.db, b.box).InsertPasskey(t.Context(), user.Key{
		ID: ident.New[ident.Passkey](), UserID: b.person.ID, CredentialID: []byte("credential"), Record: []byte("{}"),
		Name: "Phone", CreatedAt: b.clock.Now(),
	})
	require.NoError(t, err)
	require.True(t, inserted)
	require.NoError(t, b.security.StartApp(t.Context(), b.person))
	started, err := b.security.StartedApp(t.Context(), b.person)
	require.NoError(t, err)
	br := b.browser(t)
	br.first(t, url.Values{})
	got := br.post(t, "/sign-in/second", url.Values{"code": {b.code(t, started.Secret, 0)}})
	require.Equal(t, http.StatusUnauthorized, got.status)
	require.Equal(t, http.StatusSeeOther, br.get(t, "/programs").status)
	_, err = b.security.ConfirmApp(t.Context(), b.person, [32]byte{}, b.code(t, started.Secret, 0))
	require.NoError(t, err)
	br = b.browser(t)
	br.first(t, url.Values{})
	got = br.post(t, "/sign-in/second", url.Values{"code": {b.code(t, started.Secret, 1)}})
	require.Equal(t, http.StatusSeeOther, got.status)
	require.Equal(t, http.StatusOK, br.get(t, "/programs").status)
}

// TestConsentRequiresSecondFactor checks that a program gets no access with the password alone.
func TestConsentRequiresSecondFactor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.browser(t)
	owner.signIn(t)
	key, _ := owner.turnsOn(t, b)
	handle := b.asks(t, "posts:write")
	br := b.browser(t)
	page := br.first(t, url.Values{"request": {handle}})
	require.Contains(t, page.body, handle)
	require.Equal(t, "/sign-in?request="+handle, br.get(t, "/consent?request="+handle).header.Get("Location"))
	br.visited(t, "/sign-in/second?request="+handle)
	allow := url.Values{
		"request": {handle}, "decision": {"allow"}, "workspace": {b.acme.ID.String()}, "scope": {"posts:write"},
	}
	got := br.post(t, "/consent", allow)
	require.Equal(t, "/sign-in?ended=action", got.header.Get("Location"))
	br.visited(t, "/sign-in/second?request="+handle)
	got = br.post(t, "/sign-in/second", url.Values{"request": {handle}, "code": {b.code(t, key, 1)}})
	require.Equal(t, "/consent?request="+handle, got.header.Get("Location"))
	require.Equal(t, http.StatusOK, br.get(t, "/consent?request="+handle).status)
}

// TestSecondFactorCookies checks that a cookie that others know gets neither past the password nor past the second
// step, and that the step ends.
func TestSecondFactorCookies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.browser(t)
	owner.signIn(t)
	key, _ := owner.turnsOn(t, b)
	victim, attacker := b.browser(t), b.browser(t)
	victim.get(t, "/sign-in")
	attacker.planted(t, victim.cookie(t))
	victim.first(t, url.Values{})
	require.Equal(t, "/sign-in", attacker.get(t, "/sign-in/second").header.Get("Location"), "it has a new cookie")
	attacker.planted(t, victim.cookie(t))
	require.Equal(t, http.StatusOK, attacker.get(t, "/sign-in/second").status)
	victim.visited(t, "/sign-in/second")
	require.Equal(t, http.StatusSeeOther, victim.post(t, "/sign-in/second", url.Values{"code": {b.code(t, key, 1)}}).status)
	require.Equal(t, http.StatusSeeOther, attacker.get(t, "/programs").status)
	require.Equal(t, "/sign-in", attacker.get(t, "/sign-in/second").header.Get("Location"), "the step is over")

	slow := b.browser(t)
	slow.first(t, url.Values{})
	b.clock.Advance(user.StepLife)
	got := slow.post(t, "/sign-in/second", url.Values{"code": {b.code(t, key, 1)}})
	require.Equal(t, "/sign-in", got.header.Get("Location"))
	require.Equal(t, http.StatusSeeOther, slow.get(t, "/programs").status)

	remaining := b.browser(t)
	remaining.first(t, url.Values{})
	postgrestest.Exec(t, b.dsn, `UPDATE app_user SET disabled_at = now()`)
	got = remaining.post(t, "/sign-in/second", url.Values{"code": {b.code(t, key, 1)}})
	require.GreaterOrEqual(t, got.status, http.StatusBadRequest)
	require.Equal(t, http.StatusSeeOther, remaining.get(t, "/programs").status)
}

// TestCodeGuessesAreLimited checks that codes of a person cannot be tried out, from any number of browsers.
func TestCodeGuessesAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner := b.browser(t)
	owner.signIn(t)
	b.stopsRecovery(t)
	key, codes := owner.turnsOn(t, b) // with one wrong code
	statuses := map[int]int{}
	for range 3 {
		br := b.browser(t)
		br.first(t, url.Values{})
		for range 5 {
			statuses[br.post(t, "/sign-in/second", url.Values{"code": {"123456"}}).status]++
		}
	}
	require.LessOrEqual(t, statuses[http.StatusUnauthorized], 10)
	require.GreaterOrEqual(t, statuses[http.StatusTooManyRequests], 5)
	br := b.browser(t)
	br.first(t, url.Values{})
	got := br.post(t, "/sign-in/second", url.Values{"code": {b.code(t, key, 1)}})
	require.Equal(t, http.StatusTooManyRequests, got.status, "the right one neither")
	require.Equal(t, "60", got.header.Get("Retry-After"))

	postgrestest.Exec(t, b.dsn, `DELETE FROM rate_bucket`)
	postgrestest.Exec(t, b.dsn, `UPDATE user_totp SET failures = 100`)
	b.server.Config.Handler = b.site(t)
	b.clock.Advance(5 * time.Minute)
	br = b.browser(t)
	br.first(t, url.Values{})
	got = br.post(t, "/sign-in/second", url.Values{"code": {b.code(t, key, 0)}})
	require.Equal(t, http.StatusUnauthorized, got.status)
	require.Contains(t, got.body, "locked")
	require.Equal(t, http.StatusSeeOther, br.post(t, "/sign-in/second", url.Values{"code": {codes[0]}}).status)
	br = b.browser(t)
	br.first(t, url.Values{})
	require.Equal(t, http.StatusSeeOther, br.post(t, "/sign-in/second", url.Values{"code": {b.code(t, key, 1)}}).status)
}

// TestSecurityChangesRequireProof checks that a stolen session does not change how the person signs in.
func TestSecurityChangesRequireProof(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	path := b.securityPath()
	b.clock.Advance(user.FreshFor)
	br.visited(t, path)
	for _, action := range []string{"/app/start", "/app", "/codes", "/passkeys/options", "/passkeys"} {
		got := br.post(t, path+action, url.Values{})
		require.Equal(t, "/confirm?next="+url.QueryEscape(path), got.header.Get("Location"), action)
		br.visited(t, path)
	}
	got := br.get(t, path+"/app")
	require.Equal(t, "/confirm?next="+url.QueryEscape(path+"/app"), got.header.Get("Location"))
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM user_totp`))

	br.visited(t, got.header.Get("Location"))
	got = br.post(t, "/confirm", url.Values{"password": {"wrong wrong wrong"}, "next": {path}})
	require.Equal(t, http.StatusUnauthorized, got.status)
	got = br.post(t, "/confirm", url.Values{"password": {secret}, "next": {"https://evil.test"}})
	require.Equal(t, "/", got.header.Get("Location"))
	got = br.post(t, "/confirm", url.Values{"password": {secret}, "next": {path}})
	require.Equal(t, path, got.header.Get("Location"))
	br.turnsOn(t, b)
}

func TestAuthenticatorIsTurnedOff(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	path := b.securityPath()
	key, codes := br.turnsOn(t, b)
	br.visited(t, path)
	require.Equal(t, http.StatusConflict, br.post(t, path+"/app/start", url.Values{}).status)
	require.Equal(t, path, br.get(t, path+"/app").header.Get("Location"), "the secret is not shown again")
	br.visited(t, path)
	got := br.post(t, path+"/codes", url.Values{})
	require.Equal(t, http.StatusOK, got.status)
	fresh := recoveryPattern.FindStringSubmatch(got.body)[1]
	require.NotContains(t, codes, fresh)
	other := b.browser(t)
	other.first(t, url.Values{})
	require.Equal(t, http.StatusUnauthorized, other.post(t, "/sign-in/second", url.Values{"code": {codes[0]}}).status)
	require.Equal(t, http.StatusSeeOther, other.post(t, "/sign-in/second", url.Values{"code": {fresh}}).status)

	br.visited(t, path)
	got = br.post(t, path+"/app/remove", url.Values{"password": {"wrong wrong wrong"}})
	require.Equal(t, http.StatusUnprocessableEntity, got.status)
	require.Contains(t, got.body, "The password is incorrect")
	require.Equal(t, http.StatusSeeOther, br.post(t, path+"/app/remove", url.Values{"password": {secret}}).status)
	require.Equal(t, http.StatusSeeOther, other.get(t, "/programs").status, "other sessions end")
	require.Contains(t, br.visited(t, path).body, "Authenticator app off")
	require.Equal(t, http.StatusConflict, br.post(t, path+"/codes", url.Values{}).status)
	other.signIn(t)
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM user_recovery_code`))
	br.turnsOn(t, b)
	require.NotEmpty(t, key)
}

func TestEndingAllOtherSessions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	profile := "/w/" + b.acme.ID.String() + "/settings/profile"
	here, there, third, other := b.browser(t), b.browser(t), b.browser(t), b.browser(t)
	here.signIn(t)
	there.signIn(t)
	third.signIn(t)
	other.signInAs(t, b.membership(t, b.acme, member.Viewer).Email)
	require.Contains(t, here.visited(t, profile).body, "with the password")
	require.Equal(t, http.StatusSeeOther, here.post(t, profile+"/other-sessions", url.Values{}).status)
	require.NotContains(t, here.visited(t, profile).body, "End all other sessions")
	for _, ended := range []*browser{there, third} {
		require.Equal(t, http.StatusSeeOther, ended.get(t, "/programs").status)
	}
	require.Equal(t, http.StatusOK, other.get(t, "/programs").status)
}

// TestUnfinishedSignInsAreLimited checks that a network cannot store any number of unfinished sign-ins.
func TestUnfinishedSignInsAreLimited(t *testing.T) {
	t.Parallel()
	b, p := withProvider(t)
	postgrestest.Exec(t, b.dsn, `INSERT INTO rate_bucket (subject, lacking, at, granted)
		VALUES ('sign-in-begun-from:2001:db8:7::/64', 60 * 60000000::bigint, clock_timestamp() + interval '1 hour', 0)`)
	br := b.browser(t)
	br.visited(t, "/sign-in")
	for _, path := range []string{"/sign-in/provider", "/sign-in/passkey/options"} {
		got := br.post(t, path, url.Values{}, "X-Forwarded-For", "2001:db8:7::9")
		require.Equal(t, http.StatusTooManyRequests, got.status, path)
	}
	require.Empty(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM sign_in_step`))
	br.goesToSignIn(t, p)
	require.Len(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM sign_in_step`), 1)
}
