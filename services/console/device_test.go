package main

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/shared/domain/oauth"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// device starts the sign-in of a device of the client.
func (b *bundle) device(t *testing.T) authserver.DeviceStarted {
	t.Helper()
	started, err := b.auth.StartDevice(t.Context(), url.Values{
		"client_id": {b.client.ID}, "scope": {"posts:write posts:publish"},
	}, nil, "203.0.113.7")
	require.NoError(t, err)
	return started
}

func (b *bundle) polls(t *testing.T, started authserver.DeviceStarted) (authserver.Tokens, error) {
	t.Helper()
	return b.auth.Token(t.Context(), url.Values{
		"grant_type": {oauth.GrantDevice}, "client_id": {b.client.ID}, "device_code": {started.DeviceCode},
	}, nil)
}

// TestDevicePage allows the access of a device. The page says which program requests it, from where, and for what.
func TestDevicePage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	started := b.device(t)
	require.Equal(t, "/sign-in?next=%2Fdevice", br.get(t, "/device").header.Get("Location"))
	got := br.post(t, "/sign-in", url.Values{"email": {email}, "password": {secret}, "next": {"/device"}})
	require.Equal(t, "/device", got.header.Get("Location"))
	require.Contains(t, br.get(t, "/device").body, "Never type a code that someone sent you")
	b.clock.Advance(2 * time.Minute)
	got = br.post(t, "/device", url.Values{"request": {started.UserCode}})
	require.Equal(t, http.StatusOK, got.status)
	for _, shown := range []string{
		"Plan &lt;script&gt;alert(1)&lt;/script&gt;", "203.0.113.7", "2 minutes ago", started.UserCode, "The name isn’t verified",
		"Did someone send you this code?", "Acme &lt;b&gt;&amp; Söhne", "Publish and schedule posts", `action="/device"`,
	} {
		require.Contains(t, got.body, shown)
	}
	allow := url.Values{"request": {started.UserCode}, "decision": {"allow"}, "workspace": {b.acme.ID.String()}, "scope": {"posts:write"}}
	got = br.post(t, "/device", allow)
	require.Equal(t, http.StatusOK, got.status)
	require.Contains(t, got.body, "Access allowed")
	tokens, err := b.polls(t, started)
	require.NoError(t, err)
	access, _, err := b.auth.Authenticate(t.Context(), tokens.Access)
	require.NoError(t, err)
	require.Equal(t, b.acme.ID, access.Grant.WorkspaceID)
	require.Equal(t, http.StatusUnprocessableEntity, br.post(t, "/device", allow).status, "decided once")
	require.Contains(t, br.get(t, "/programs").body, "View, create and delete unpublished posts")
}

func TestDeviceRefusals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser(t)
	br.signIn(t)
	started := b.device(t)
	for want, form := range map[string]url.Values{
		"The code is wrong":              {"request": {"BBBB-BBBB"}},
		"Choose a workspace":             {"decision": {"allow"}, "scope": {"posts:write"}},
		"Allow at least one":             {"decision": {"allow"}, "workspace": {b.acme.ID.String()}},
		"differ from the requested ones": {"decision": {"allow"}, "workspace": {b.acme.ID.String()}, "scope": {"media:write"}},
		"Choose Allow or Cancel":         {"decision": {"perhaps"}},
	} {
		if form.Get("request") == "" {
			form.Set("request", started.UserCode)
		}
		got := br.post(t, "/device", form)
		require.Equal(t, http.StatusUnprocessableEntity, got.status)
		require.Contains(t, got.body, want)
	}
	allow := url.Values{"request": {started.UserCode}, "decision": {"allow"}, "workspace": {b.acme.ID.String()}, "scope": {"posts:write"}}
	require.Equal(t, http.StatusForbidden, br.post(t, "/device", allow, "Sec-Fetch-Site", "cross-site").status)
	got := br.get(t, "/device?"+allow.Encode())
	require.NotContains(t, got.body, started.UserCode, "an address has no code, so that no link brings one")
	_, err := b.polls(t, started)
	require.ErrorContains(t, err, string(oauth.AuthorizationPending))
	require.Contains(t, br.post(t, "/device", url.Values{"request": {started.UserCode}, "decision": {"deny"}}).body, "Access denied")
	_, err = b.polls(t, started)
	require.ErrorContains(t, err, string(oauth.AccessDenied))
}

// TestDeviceCodesCannotBeGuessed checks that a person and a network have ten attempts a minute, also from several browsers.
func TestDeviceCodesCannotBeGuessed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	started := b.device(t)
	wrong, limited := 0, 0
	for range 3 {
		br := b.browser(t)
		br.signIn(t)
		for range 5 {
			switch br.post(t, "/device", url.Values{"request": {"BCDF-GHJK"}}).status {
			case http.StatusUnprocessableEntity:
				wrong++
			case http.StatusTooManyRequests:
				limited++
			}
		}
	}
	require.Equal(t, 10, wrong)
	require.Equal(t, 5, limited)
	br := b.browser(t)
	br.signIn(t)
	got := br.post(t, "/device", url.Values{"request": {started.UserCode}})
	require.Equal(t, http.StatusTooManyRequests, got.status, "the right one neither")
	require.Equal(t, "60", got.header.Get("Retry-After"))
	postgrestest.Exec(t, b.dsn, `DELETE FROM rate_bucket WHERE subject LIKE '%device-from:%'`)
	b.server.Config.Handler = b.site(t)
	require.Equal(t, http.StatusTooManyRequests, br.post(t, "/device", url.Values{"request": {started.UserCode}}).status,
		"counted for the person too, from any network")
}
