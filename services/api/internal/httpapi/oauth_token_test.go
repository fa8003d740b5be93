package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/credential"
	roles "fencepost.internal/shared/domain/member"
	"fencepost.internal/shared/infra/postgres"
)

// serves reports whether the API accepts the token.
func (b *bundle) serves(t testing.TB, token string) bool {
	t.Helper()
	return b.do(t, request{method: http.MethodGet, path: "/v1/workspace", header: bearer(token)}).status == http.StatusOK
}

// requireEnded checks that every process rejects the token within a second.
func requireEnded(t testing.TB, token string, processes ...*bundle) {
	t.Helper()
	since := time.Now()
	for _, p := range processes {
		for begun := time.Now(); p.serves(t, token); begun = time.Now() {
			require.Less(t, begun.Sub(since), time.Second, "served after it ended")
		}
	}
}

func requireRefused(t testing.TB, got response, want string) {
	t.Helper()
	require.Equal(t, http.StatusBadRequest, got.status, got.body)
	require.Equal(t, want, decoded(t, got)["error"], got.body)
	require.Equal(t, "no-store", got.header.Get("Cache-Control"))
}

// pair returns an access token and a refresh token.
func (b *bundle) pair(t testing.TB, client string) (access, refresh string) {
	t.Helper()
	return pairOf(t, b.redeemed(t, client, b.allowed(t, client, b.ours.id)))
}

func pairOf(t testing.TB, got response) (access, refresh string) {
	t.Helper()
	require.Equal(t, http.StatusOK, got.status, got.body)
	tokens := decoded(t, got)
	return member(t, tokens, "access_token"), member(t, tokens, "refresh_token")
}

// redeem sends a code with changes: "name=value" sets a parameter, "name" deletes it.
func (b *bundle) redeem(t testing.TB, client, code string, changes ...string) response {
	t.Helper()
	sent := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client}, "code": {code}, "redirect_uri": {callback},
		"code_verifier": {verifier()},
	}
	return b.posts(t, "/oauth/token", sent, changes...)
}

func (b *bundle) refresh(t testing.TB, client, token string, changes ...string) response {
	t.Helper()
	return b.posts(t, "/oauth/token", url.Values{
		"grant_type": {"refresh_token"}, "client_id": {client}, "refresh_token": {token},
	}, changes...)
}

func (b *bundle) posts(t testing.TB, path string, sent url.Values, changes ...string) response {
	t.Helper()
	for _, change := range changes {
		if name, value, set := strings.Cut(change, "="); set {
			sent.Set(name, value)
		} else {
			sent.Del(name)
		}
	}
	return b.do(t, request{
		method: http.MethodPost, path: path, contentType: "application/x-www-form-urlencoded", body: sent.Encode(),
	})
}

// TestReusedCodeRevokesGrant checks that the second use of a code ends its grant (OAuth 2.1, section 4.1.3).
func TestReusedCodeRevokesGrant(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.twin(t)
	id := b.publicClient(t)
	code := b.allowed(t, id, b.ours.id)
	access, refresh := pairOf(t, b.redeem(t, id, code))
	require.True(t, b.serves(t, access))
	require.True(t, other.serves(t, access))
	requireRefused(t, other.redeem(t, id, code), "invalid_grant")
	requireEnded(t, access, b, other)
	requireRefused(t, b.refresh(t, id, refresh), "invalid_grant")
}

// TestCodeIsBoundToClient checks that a code is bound to its client, redirect URI and verifier, and that a failed
// attempt consumes it (RFC 7636).
func TestCodeIsBoundToClient(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, thief := b.publicClient(t), b.publicClient(t)
	for name, wrong := range map[string][]string{
		"another client": {"client_id=" + thief}, "another redirect": {"redirect_uri=" + callback + "/"},
		"no redirect":      {"redirect_uri"},
		"a wrong verifier": {"code_verifier=" + strings.Repeat("x", 50)}, "an empty verifier": {"code_verifier="},
		"no verifier":                    {"code_verifier"},
		"a short verifier":               {"code_verifier=" + verifier()[:42]},
		"a verifier of other characters": {"code_verifier=" + strings.Repeat("ü", 43)},
		"the challenge itself":           {"code_verifier=" + inQuery(t, authorizeQuery(id), "code_challenge")},
	} {
		code := b.allowed(t, id, b.ours.id)
		requireRefused(t, b.redeem(t, id, code, wrong...), "invalid_grant")
		for _, then := range [][]string{nil, {"code_verifier"}, {"code_verifier="}} {
			requireRefused(t, b.redeem(t, id, code, then...), "invalid_grant")
		}
		require.Zero(t, b.count(t, "oauth_access_token"), name)
	}
	code := b.allowed(t, id, b.ours.id)
	requireRefused(t, b.redeem(t, id, code, "resource="+toolsURL), "invalid_target")
	require.Zero(t, b.count(t, "oauth_access_token"))
}

func inQuery(t testing.TB, address, name string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	return u.Query().Get(name)
}

func TestCodesAndTokensExpire(t *testing.T) {
	t.Parallel()
	b, clk := at(t, sunday())
	id := b.publicClient(t)
	late, inTime := b.allowed(t, id, b.ours.id), b.allowed(t, id, b.ours.id)
	clk.Advance(time.Minute - time.Millisecond)
	access, refresh := pairOf(t, b.redeem(t, id, inTime))
	clk.Advance(time.Millisecond)
	requireRefused(t, b.redeem(t, id, late), "invalid_grant")
	clk.Advance(time.Hour - 2*time.Millisecond)
	require.True(t, b.serves(t, access))
	clk.Advance(time.Millisecond)
	require.False(t, b.serves(t, access), "an hour is over")
	clk.Advance(30*24*time.Hour - time.Hour - time.Millisecond)
	_, next := pairOf(t, b.refresh(t, id, refresh))
	clk.Advance(30 * 24 * time.Hour)
	requireRefused(t, b.refresh(t, id, next), "invalid_grant")
}

// TestConcurrentRedemptionsSucceedOnce covers concurrent attempts.
func TestConcurrentRedemptionsSucceedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	processes := []*bundle{b, b.twin(t)}
	id := b.publicClient(t)
	code := b.allowed(t, id, b.ours.id)
	given := 0
	for _, got := range atOnce(8, func(i int) response { return processes[i%2].redeem(t, id, code) }) {
		if got.status == http.StatusOK {
			given++
			continue
		}
		requireRefused(t, got, "invalid_grant")
	}
	require.Equal(t, 1, given)
}

// TestConcurrentRefreshesReturnSameTokens checks that concurrent refreshes return the same tokens, from one exchange.
func TestConcurrentRefreshesReturnSameTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	processes := []*bundle{b, b.twin(t)}
	id := b.publicClient(t)
	_, refresh := b.pair(t, id)
	given := map[string]bool{}
	for _, got := range atOnce(8, func(i int) response { return processes[i%2].refresh(t, id, refresh) }) {
		access, next := pairOf(t, got)
		given[access+next] = true
	}
	require.Len(t, given, 1)
	require.Equal(t, 2, b.count(t, "oauth_access_token"))
}

// TestReusedRefreshTokenRevokesGrant checks that another use, after a successor was used, ends the grant (OAuth 2.1, section
// 4.3.1).
func TestReusedRefreshTokenRevokesGrant(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.twin(t)
	id, thief := b.publicClient(t), b.publicClient(t)
	_, first := b.pair(t, id)
	requireRefused(t, b.refresh(t, thief, first), "invalid_grant")
	requireRefused(t, b.refresh(t, id, first, "scope=posts:write media:write"), "invalid_scope")
	requireRefused(t, b.refresh(t, id, first, "resource="+toolsURL), "invalid_target")
	narrow, second := pairOf(t, b.refresh(t, id, first, "scope=channels:read"))
	require.True(t, other.serves(t, narrow))
	newest, third := pairOf(t, b.refresh(t, id, second))
	require.True(t, b.serves(t, newest))
	requireRefused(t, other.refresh(t, id, first), "invalid_grant")
	requireEnded(t, newest, b, other)
	requireRefused(t, b.refresh(t, id, third), "invalid_grant")
}

// TestTokensInURLAreIgnored checks that parameters in the URL are ignored, because URLs appear in logs.
func TestTokensInURLAreIgnored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.publicClient(t)
	code := b.allowed(t, id, b.ours.id)
	query := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {id}, "code": {code}, "redirect_uri": {callback},
		"code_verifier": {verifier()},
	}.Encode()
	got := b.do(t, request{
		method: http.MethodPost, path: "/oauth/token?" + query, contentType: "application/x-www-form-urlencoded",
	})
	require.Equal(t, "invalid_client", decoded(t, got)["error"])
	access, refresh := pairOf(t, b.redeem(t, id, code))
	for _, path := range []string{"/v1/workspace?access_token=" + access, "/v1/workspace?token=" + access} {
		require.Equal(t, http.StatusUnauthorized, b.do(t, request{method: http.MethodGet, path: path}).status)
	}
	b.posts(t, "/oauth/revoke?token="+refresh, url.Values{"client_id": {id}, "token": {refresh}})
	for _, secret := range []string{code, access, refresh, verifier()} {
		require.NotContains(t, b.logs.String(), secret)
	}
	for _, table := range []string{
		"oauth_code", "oauth_access_token", "oauth_refresh_token", "oauth_grant", "oauth_request",
	} {
		for _, row := range b.column(t, `SELECT x::text FROM `+table+` x`) {
			for _, secret := range []string{code, access, refresh} {
				require.NotContains(t, row, secret, table)
			}
		}
	}
}

// TestRevocation covers RFC 7009.
func TestRevocation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.twin(t)
	id, thief := b.publicClient(t), b.publicClient(t)
	revoke := func(client, token, hint string) response {
		return b.posts(t, "/oauth/revoke", url.Values{"client_id": {client}, "token": {token}, "token_type_hint": {hint}})
	}
	access, refresh := b.pair(t, id)
	require.True(t, other.serves(t, access))
	for _, token := range []string{access, refresh} {
		require.Equal(t, http.StatusOK, revoke(thief, token, "access_token").status)
	}
	require.True(t, b.serves(t, access), "another client ends nothing")
	for _, unknown := range []string{
		"x", credential.AccessToken.New(), credential.RefreshToken.New(), b.ours.key, access + "x", "\x00",
	} {
		require.Equal(t, http.StatusOK, revoke(id, unknown, "refresh_token").status)
	}
	got := revoke(id, refresh, "access_token") // a wrong hint
	require.Equal(t, http.StatusOK, got.status)
	require.Empty(t, got.body)
	requireEnded(t, access, b, other)
	requireRefused(t, b.refresh(t, id, refresh), "invalid_grant")
	access, refresh = b.pair(t, id)
	require.Equal(t, http.StatusOK, revoke(id, access, "nonsense").status)
	requireRefused(t, other.refresh(t, id, refresh), "invalid_grant")
	requireRefused(t, revoke(id, "", ""), "invalid_request")
	require.Equal(t, http.StatusUnauthorized, revoke("", access, "").status)
}

// TestEndOfMembershipEndsGrants checks that grants stay ended when the user joins again.
func TestEndOfMembershipEndsGrants(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.publicClient(t)
	access, refresh := b.pair(t, id)
	require.True(t, b.serves(t, access))
	b.leaveAndReturn(t)
	requireEnded(t, access, b)
	requireRefused(t, b.refresh(t, id, refresh), "invalid_grant")
}

// leaveAndReturn removes all members from the workspace and adds them again.
func (b *bundle) leaveAndReturn(t testing.TB) {
	t.Helper()
	users := postgres.NewUsers(b.db)
	members, err := users.Members(t.Context(), b.ours.id)
	require.NoError(t, err)
	require.NotEmpty(t, members)
	for _, m := range members {
		remaining, err := users.Leave(t.Context(), m.UserID, b.ours.id, b.clock.Now())
		require.NoError(t, err)
		require.True(t, remaining)
		require.NoError(t, users.Join(t.Context(), m.UserID, b.ours.id, roles.Owner, b.clock.Now()))
	}
}
