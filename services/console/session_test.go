package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/user"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// planted gives a browser a cookie that an attacker knows.
func (br *browser) planted(t *testing.T, session string) {
	t.Helper()
	u, err := url.Parse(br.base)
	require.NoError(t, err)
	br.Jar.SetCookies(u, []*http.Cookie{{Name: "session", Value: session, Path: "/"}}) //nolint:gosec // G124: as a browser sends it
}

// TestSessionFixationIsPrevented checks that a session cookie that was known before sign-in is not signed in.
func TestSessionFixationIsPrevented(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := credential.Session.New()
	victim, attacker := b.browser(t), b.browser(t)
	victim.planted(t, known)
	attacker.planted(t, known)
	victim.signIn(t)
	require.NotEqual(t, known, victim.cookie(t))
	require.Equal(t, http.StatusOK, victim.get(t, "/programs").status)
	require.Equal(t, http.StatusSeeOther, attacker.get(t, "/programs").status)
}

// TestSignInEndsPreviousSession checks that no valid session without a browser remains.
func TestSignInEndsPreviousSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br, old := b.browser(t), b.browser(t)
	br.signIn(t)
	old.planted(t, br.cookie(t))
	require.Equal(t, http.StatusOK, old.get(t, "/programs").status)
	br.get(t, "/programs")
	require.Equal(t, http.StatusSeeOther, br.post(t, "/sign-in",
		url.Values{"email": {email}, "password": {secret}}).status)
	require.Equal(t, http.StatusOK, br.get(t, "/programs").status)
	require.Equal(t, http.StatusSeeOther, old.get(t, "/programs").status)
	require.Len(t, postgrestest.Column(t, b.dsn, `SELECT 1 FROM user_session`), 1)
}

// TestSessionsEndInAllProcesses checks that sessions end in all processes, after a month in any case, and after a change of
// password.
func TestSessionsEndInAllProcesses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := httptest.NewServer(b.site(t))
	t.Cleanup(other.Close)
	br, there := b.browser(t), b.browser(t)
	there.base = other.URL
	br.signIn(t)
	there.planted(t, br.cookie(t))
	require.Equal(t, http.StatusOK, there.get(t, "/programs").status)
	br.get(t, "/programs")
	require.Equal(t, http.StatusSeeOther, br.post(t, "/sign-out", url.Values{}).status)
	require.Equal(t, http.StatusSeeOther, there.get(t, "/programs").status)

	br.signIn(t)
	for range 30 * 24 / 10 {
		require.Equal(t, http.StatusOK, br.get(t, "/programs").status)
		b.clock.Advance(10 * time.Hour)
	}
	require.Equal(t, http.StatusSeeOther, br.get(t, "/programs").status, "a month at most")

	br.signIn(t)
	require.NoError(t, b.users.SetPassword(t.Context(), b.person.ID, b.person.PasswordHash))
	require.Equal(t, http.StatusSeeOther, br.get(t, "/programs").status)
}

// TestCookiesUnderHTTPS checks the prefix and the attributes that prevent other sites from setting or reading the
// cookie (RFC 6265bis, section 4.1.3).
func TestCookiesUnderHTTPS(t *testing.T) {
	t.Parallel()
	b := setup(t)
	site := b.site(t, func(c *Config) { c.AppURL = "https://app.example.com" })
	ask := func(r *http.Request) *http.Response {
		rec := httptest.NewRecorder()
		site.ServeHTTP(rec, r)
		return rec.Result()
	}
	begin := ask(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://app.example.com/sign-in", http.NoBody)) //nolint:bodyclose // of a recorder
	require.Equal(t, "max-age=31536000", begin.Header.Get("Strict-Transport-Security"))
	first := begin.Cookies()[0]
	form := url.Values{"email": {email}, "password": {secret}}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://app.example.com/sign-in",
		strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.AddCookie(first)
	entered := ask(r) //nolint:bodyclose // of a recorder
	require.Equal(t, http.StatusSeeOther, entered.StatusCode, "never 307, which would send the password on")
	for _, response := range []*http.Response{begin, entered} {
		set := response.Header.Values("Set-Cookie")
		require.Len(t, set, 1)
		require.Regexp(t, `^__Host-session=svc_ses_[0-9A-Za-z]+; Path=/; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax$`,
			set[0])
	}
	plain := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "https://app.example.com/programs", http.NoBody)
	plain.AddCookie(&http.Cookie{Name: "session", Value: entered.Cookies()[0].Value})                            //nolint:gosec // G124: as a browser sends it
	require.Equal(t, http.StatusSeeOther, ask(plain).StatusCode, "others could have set one without the prefix") //nolint:bodyclose // of a recorder
}

// TestPasswordGuessesAreCounted checks that password guesses are counted per user and per network, for any input, and that the
// input is not stored in plain text.
func TestPasswordGuessesAreCounted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.get(t, "/sign-in")
	guess := func(address, from string) int {
		return br.post(t, "/sign-in", url.Values{"email": {address}, "password": {"guess guess"}}, "X-Forwarded-For",
			from).status
	}
	for i, address := range []string{
		email, strings.ToUpper(email), " " + email, "unknown@example.com", "\x00", "a\xffb@example.com",
		strings.Repeat("x", 8000) + "@example.com",
	} {
		require.Equal(t, http.StatusUnauthorized, guess(address, []string{"2001:db8::1", "2001:db8::ffff:1"}[i%2]), "%.20q",
			address)
	}
	subjects := postgrestest.Column(t, b.dsn, `SELECT subject FROM rate_bucket ORDER BY subject`)
	require.Contains(t, subjects, "sign-in-from:2001:db8::/64", "a customer's network is one place")
	require.Contains(t, subjects, "sign-in:"+b.person.ID.String()+":2001:db8::/64", "one person however the address is written")
	require.Len(t, subjects, 6)
	for _, subject := range subjects {
		require.NotContains(t, subject, "@")
		require.Less(t, len(subject), 60)
	}
	postgrestest.Exec(t, b.dsn, `DELETE FROM rate_bucket`)
	b.limitPlace(t)
}

// TestGuessesFromOtherNetworksDoNotLockOut lets another visitor use up the guesses at a person's password from another network.
func TestGuessesFromOtherNetworksDoNotLockOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.stopsRecovery(t)
	br := b.browser(t)
	br.get(t, "/sign-in")
	enter := func(password, from string) int {
		return br.post(t, "/sign-in", url.Values{"email": {email}, "password": {password}}, "X-Forwarded-For", from).status
	}
	for range 10 {
		require.Equal(t, http.StatusUnauthorized, enter("guess guess guess", "192.0.2.7"))
	}
	require.Equal(t, http.StatusTooManyRequests, enter(secret, "192.0.2.7"))
	require.Equal(t, http.StatusSeeOther, enter(secret, "198.51.100.7"), "the person's own network")
}

// stopsRecovery keeps the limits of requests from recovering, which they would do while a busy machine works on the
// requests that a test counts.
func (b *bundle) stopsRecovery(t *testing.T) {
	t.Helper()
	postgrestest.Exec(t, b.dsn, `CREATE FUNCTION stop_recovery() RETURNS trigger LANGUAGE plpgsql AS
		'BEGIN NEW.at = clock_timestamp() + interval ''1 hour''; RETURN NEW; END'`)
	postgrestest.Exec(t, b.dsn, `CREATE TRIGGER stop_recovery BEFORE INSERT OR UPDATE ON rate_bucket
		FOR EACH ROW EXECUTE FUNCTION stop_recovery()`)
}

// limitPlace guesses passwords of many users from one network until it is refused.
func (b *bundle) limitPlace(t *testing.T) {
	t.Helper()
	br := b.browser(t)
	br.get(t, "/sign-in")
	postgrestest.Exec(t, b.dsn,
		`INSERT INTO rate_bucket (subject, lacking, at, granted) VALUES ('sign-in-from:2001:db8:7::/64', 30 * 60000000::bigint, clock_timestamp() + interval '1 hour', 0)`)
	form := url.Values{"email": {email}, "password": {secret}}
	got := br.post(t, "/sign-in", form, "X-Forwarded-For", "2001:db8:7::9")
	require.Equal(t, http.StatusTooManyRequests, got.status)
	require.Empty(t, got.header.Get("Set-Cookie"))
	require.Equal(t, http.StatusSeeOther, br.post(t, "/sign-in", form, "X-Forwarded-For", "2001:db8:8::9").status,
		"other places are not kept out")
}

// TestSignInHidesWhichUsersExist checks that an unknown address, a wrong password and a disabled user get the same
// response.
func TestSignInHidesWhichUsersExist(t *testing.T) {
	t.Parallel()
	b := setup(t)
	gone, err := user.New("gone@example.com", "Grace", b.person.PasswordHash, b.clock.Now())
	require.NoError(t, err)
	gone.DisabledAt = b.clock.Now()
	_, err = b.users.Insert(t.Context(), gone)
	require.NoError(t, err)
	var responses []string
	for _, tried := range [][2]string{{email, "a wrong password"}, {"who@example.com", secret}, {string(gone.Email), secret}} {
		br := b.browser(t)
		br.get(t, "/sign-in")
		got := br.post(t, "/sign-in", url.Values{"email": {tried[0]}, "password": {tried[1]}})
		require.Equal(t, http.StatusUnauthorized, got.status)
		responses = append(responses, strings.ReplaceAll(got.body, tried[0], "ADDRESS"))
	}
	require.Equal(t, responses[0], responses[1])
	require.Equal(t, responses[0], responses[2])
}

// TestLogsContainNoSecrets checks that logs contain neither user input nor the secrets of browsers and programs.
func TestLogsContainNoSecrets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.get(t, "/sign-in")
	br.post(t, "/sign-in", url.Values{"email": {email}, "password": {"canary canary"}})
	br.signIn(t)
	handle := b.asks(t, "posts:write")
	br.get(t, "/consent?request="+handle)
	got := br.post(t, "/consent", url.Values{
		"request": {handle}, "decision": {"allow"}, "workspace": {b.acme.ID.String()}, "scope": {"posts:write"},
	})
	back, err := url.Parse(got.header.Get("Location"))
	require.NoError(t, err)
	logs := b.logs.String()
	require.Contains(t, logs, "user signed in")
	require.Contains(t, logs, "sign-in rejected")
	for _, hidden := range []string{
		email, secret, "canary", br.cookie(t), handle, back.Query().Get("code"), b.person.PasswordHash,
	} {
		require.NotContains(t, logs, hidden)
	}
}
