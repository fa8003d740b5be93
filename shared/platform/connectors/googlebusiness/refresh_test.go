package googlebusiness_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

func TestRefresh(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		body string
		want channel.Credentials
	}{
		"fresh": {
			`{"access_token":"access-2","expires_in":3599,"scope":"s","token_type":"Bearer"}`,
			channel.Credentials{
				AccessToken: "access-2", RefreshToken: "refresh-1", IssuedAt: now(), ExpiresAt: now().Add(3599 * time.Second),
				Scope: "s", ClientID: "client",
			},
		},
		"no life": {
			`{"access_token":"access-2"}`,
			channel.Credentials{
				AccessToken: "access-2", RefreshToken: "refresh-1", IssuedAt: now(), ExpiresAt: now().Add(time.Hour),
				ClientID: "client",
			},
		},
		"a senseless one": {
			`{"access_token":"access-2","expires_in":99999999999}`,
			channel.Credentials{
				AccessToken: "access-2", RefreshToken: "refresh-1", IssuedAt: now(), ExpiresAt: now().Add(time.Hour),
				ClientID: "client",
			},
		},
		"a new refresh": {
			`{"access_token":"access-2","refresh_token":"refresh-2"}`,
			channel.Credentials{
				AccessToken: "access-2", RefreshToken: "refresh-2", IssuedAt: now(), ExpiresAt: now().Add(time.Hour),
				ClientID: "client",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{tokenCall: {ok(test.body)}})
			fresh, err := b.connector.Refresh(t.Context(), b.account)
			require.NoError(t, err)
			require.Equal(t, test.want, fresh)

			form := b.script.Requests()[0].Form(t)
			require.Equal(t, "refresh_token", form.Get("grant_type"))
			require.Equal(t, "refresh-1", form.Get("refresh_token"))
			require.Equal(t, "client", form.Get("client_id"))
			require.Equal(t, "client secret", form.Get("client_secret"))
		})
	}
}

func TestRefreshFailures(t *testing.T) {
	t.Parallel()

	oauth := func(status int, code string) platformtest.Response {
		return platformtest.Response{
			Status: status, Body: `{"error":"` + code + `","error_description":"refresh-1 client+secret"}`,
		}
	}
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
	}{
		"invalid grant":       {oauth(400, "invalid_grant"), platform.ClassReconnect},
		"organisation forbid": {oauth(400, "admin_policy_enforced"), platform.ClassReconnect},
		"invalid client":      {oauth(401, "invalid_client"), platform.ClassOperator},
		"unauthorized client": {oauth(401, "unauthorized_client"), platform.ClassOperator},
		"invalid request":     {oauth(400, "invalid_request"), platform.ClassOperator},
		"limited":             {platformtest.Response{Status: 429}, platform.ClassRateLimited},
		"403 as a page":       {platformtest.Response{Status: 403, Body: "<html>"}, platform.ClassTransient},
		"down":                {oauth(503, "invalid_grant"), platform.ClassTransient},
		"no token":            {ok(`{}`), platform.ClassTransient},
		"a hostile token":     {ok(`{"access_token":"a\r\nb"}`), platform.ClassTransient},
		"a page":              {ok(`<html>refresh-1 access-1</html>`), platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{tokenCall: {test.response}})
			_, err := b.connector.Refresh(t.Context(), b.account)
			require.Equal(t, test.class, platformtest.Failure(t, err).Class, "%v", err)
			for _, secret := range []string{"refresh-1", "access-1", "client secret", "client+secret"} {
				require.NotContains(t, err.Error(), secret)
			}
		})
	}

	b := setup(t, nil)
	b.account.Credentials.RefreshToken = ""
	_, err := b.connector.Refresh(t.Context(), b.account)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Empty(t, b.script.Requests())
}
