package linkedin_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/linkedin"
	"fencepost.internal/shared/platform/platformtest"
)

const refreshCall = "POST /oauth/v2/accessToken"

func TestRefresh(t *testing.T) {
	t.Parallel()

	b := setup(t, map[string][]platformtest.Response{refreshCall: {
		{Body: `{"access_token":"access-2","expires_in":3600,"refresh_token":"refresh-2","refresh_token_expires_in":1}`},
		{Body: `{"access_token":"access-3","expires_in":99999999999}`},
	}})
	fresh, err := b.profile.Refresh(t.Context(), b.member)
	require.NoError(t, err)
	require.Equal(t, channel.Credentials{
		AccessToken: "access-2", RefreshToken: "refresh-2", IssuedAt: now(), ExpiresAt: now().Add(time.Hour),
		RefreshExpiresAt: now().Add(time.Second), ClientID: "client",
	}, fresh)
	form := b.script.Requests()[0].Form(t)
	require.Equal(t, "refresh_token", form.Get("grant_type"))
	require.Equal(t, "refresh-1", form.Get("refresh_token"))
	require.Equal(t, "client", form.Get("client_id"))
	require.Equal(t, "client secret", form.Get("client_secret"))

	fresh, err = b.page.Refresh(t.Context(), b.firm)
	require.NoError(t, err)
	require.Equal(t, "refresh-1", fresh.RefreshToken, "kept when the answer has none")
	require.Equal(t, now().Add(60*24*time.Hour), fresh.ExpiresAt)
}

func TestRefreshFailures(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
	}{
		"invalid grant": {platformtest.Response{Status: 400, Body: `{"error":"invalid_grant"}`}, platform.ClassReconnect},
		"invalid request": {
			platformtest.Response{Status: 400, Body: `{"error":"invalid_request"}`}, platform.ClassReconnect,
		},
		"invalid client": {platformtest.Response{Status: 401, Body: `{"error":"invalid_client"}`}, platform.ClassOperator},
		"unauthorized client": {
			platformtest.Response{Status: 400, Body: `{"error":"unauthorized_client"}`}, platform.ClassOperator,
		},
		"a proxy":      {platformtest.Response{Status: 403, Body: `<html>blocked</html>`}, platform.ClassTransient},
		"an empty 401": {platformtest.Response{Status: 401}, platform.ClassTransient},
		"rate limited": {platformtest.Response{Status: 429}, platform.ClassRateLimited},
		"down":         {platformtest.Response{Status: 503}, platform.ClassTransient},
		"no token":     {platformtest.Response{Body: `{}`}, platform.ClassTransient},
		"a page": {
			platformtest.Response{Body: `<html>refresh-1 access-1 client secret</html>`}, platform.ClassTransient,
		},
		"an echo": {
			platformtest.Response{Status: 400, Body: `{"error":"refresh-1 access-1 client secret"}`}, platform.ClassReconnect,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{refreshCall: {test.response}})
			_, err := b.profile.Refresh(t.Context(), b.member)
			require.Equal(t, test.class, platformtest.Failure(t, err).Class, "%v", err)
			for _, secret := range []string{"refresh-1", "access-1", "client secret"} {
				require.NotContains(t, err.Error(), secret)
			}
		})
	}
}

func TestRefreshRequiresTokenAndApplication(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	b.member.Credentials.RefreshToken = ""
	_, err := b.profile.Refresh(t.Context(), b.member)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)

	page, err := linkedin.NewPage(linkedin.Config{
		Wire: httpcall.Config{BaseURL: b.script.URL, Clock: clocktest.New(now())}, Version: "202609",
	})
	require.NoError(t, err)
	_, err = page.Refresh(t.Context(), b.firm)
	require.Equal(t, platform.ClassOperator, platformtest.Failure(t, err).Class)
	require.Empty(t, b.script.Requests())
}

// TestRefreshUsesApplicationOfConnection checks that a change of the configured application leaves the
// older connections working.
func TestRefreshUsesApplicationOfConnection(t *testing.T) {
	t.Parallel()

	response := platformtest.Response{Body: `{"access_token":"access-2","expires_in":3600}`}
	script := platformtest.NewScript(t, map[string][]platformtest.Response{refreshCall: {response, response, response}})
	profile, err := linkedin.NewProfile(linkedin.Config{
		Wire: httpcall.Config{BaseURL: script.URL, Clock: clocktest.New(now())}, Version: "202609",
		ClientID: "profiles", ClientSecret: "secret of profiles",
		OtherApps: []linkedin.App{{ClientID: "pages", ClientSecret: "secret of pages"}, {ClientID: "unfinished"}},
	})
	require.NoError(t, err)
	account := func(client string) platform.Account {
		return platform.Account{Type: channel.LinkedInProfile, ExternalID: "1", Credentials: channel.Credentials{
			AccessToken: "access-1", RefreshToken: "refresh-1", ClientID: client,
		}}
	}
	for i, test := range []struct{ held, used string }{{"", "profiles"}, {"profiles", "profiles"}, {"pages", "pages"}} {
		fresh, err := profile.Refresh(t.Context(), account(test.held))
		require.NoError(t, err)
		require.Equal(t, test.used, fresh.ClientID)
		form := script.Requests()[i].Form(t)
		require.Equal(t, test.used, form.Get("client_id"))
		require.Equal(t, "secret of "+test.used, form.Get("client_secret"))
	}
	for _, client := range []string{"unfinished", "removed"} {
		_, err := profile.Refresh(t.Context(), account(client))
		require.Equal(t, platform.ClassOperator, platformtest.Failure(t, err).Class, client)
	}
	require.Len(t, script.Requests(), 3)
}

// TestOfficialAddresses checks that tokens are requested from a different host than the API's.
func TestOfficialAddresses(t *testing.T) {
	t.Parallel()

	hosts := make(chan string, 2)
	page, err := linkedin.NewPage(linkedin.Config{
		Wire: httpcall.Config{
			Clock: clocktest.New(now()),
			Dial: func(_ context.Context, _, address string) (net.Conn, error) {
				hosts <- address
				return nil, errors.New("no network here")
			},
		}, Version: "202609",
		ClientID: "client", ClientSecret: "secret",
	})
	require.NoError(t, err)
	account := platform.Account{ExternalID: "1", Credentials: channel.Credentials{AccessToken: "a", RefreshToken: "r"}}
	_, err = page.Refresh(t.Context(), account)
	require.Error(t, err)
	require.Equal(t, "www.linkedin.com:443", <-hosts)
	_, err = page.Commit(t.Context(), account, platform.Content{Text: "t"}, "")
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
	require.Equal(t, "api.linkedin.com:443", <-hosts)
	require.Equal(t, "https://api.linkedin.com", linkedin.OfficialAPI)
}
