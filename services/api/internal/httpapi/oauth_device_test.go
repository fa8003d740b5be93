package httpapi_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/oauth"
)

// TestDeviceEndpoint checks the form of the responses (RFC 8628, sections 3.2 and 3.5) and the limit of a network.
func TestDeviceEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.publicClient(t)
	start := func(changes ...string) response {
		return b.posts(t, oauth.PathDevice, url.Values{"client_id": {id}, "scope": {"posts:write"}}, changes...)
	}
	got := start()
	require.Equal(t, http.StatusOK, got.status, got.body)
	require.Equal(t, "no-store", got.header.Get("Cache-Control"))
	started := decoded(t, got)
	require.Regexp(t, `/device$`, started["verification_uri"])
	require.NotContains(t, started, "verification_uri_complete", "a person types the code from the device")
	require.InDelta(t, 600, started["expires_in"], 0)
	require.InDelta(t, 5, started["interval"], 0)
	poll := url.Values{"grant_type": {oauth.GrantDevice}, "client_id": {id}, "device_code": {member(t, started, "device_code")}}
	requireRefused(t, b.posts(t, oauth.PathToken, poll), "authorization_pending")
	requireRefused(t, b.posts(t, oauth.PathToken, poll), "slow_down")
	requireRefused(t, start("scope=admin"), "invalid_scope")
	require.Equal(t, http.StatusUnauthorized, start("client_id=x").status)
	require.Equal(t, http.StatusOK, b.do(t, request{
		method: http.MethodPost, path: oauth.PathDevice, contentType: "application/x-www-form-urlencoded",
		header: map[string]string{"X-Forwarded-For": "2001:db8::1"}, body: url.Values{"client_id": {id}}.Encode(),
	}).status)
	require.Equal(t, []string{"device:2001:db8::/64"}, b.column(t, `SELECT subject FROM rate_bucket WHERE subject LIKE 'device:2001%'`),
		"limited per network")
	require.Contains(t, b.column(t, `SELECT place FROM oauth_device`), "2001:db8::1", "the person sees the address")
}
