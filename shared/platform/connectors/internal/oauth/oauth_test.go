package oauth_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
	"fencepost.internal/shared/platform/platformtest"
)

func client(t *testing.T, address string) *httpcall.Client {
	t.Helper()
	c, err := httpcall.New(httpcall.Config{
		Network: channel.NetworkX, Name: "X", BaseURL: address,
		Clock: clocktest.New(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)),
	})
	require.NoError(t, err)
	return c
}

func TestDialogURL(t *testing.T) {
	t.Parallel()
	consent := platform.Consent{State: "s&1", Redirect: "https://app.test/cb?x=1", Challenge: "challenge"}
	got, err := oauth.Dialog{
		Page: "https://x.test/allow?lang=en", ClientID: "id", Scopes: []string{"a b", "c"}, PKCE: true,
		More: map[string]string{"prompt": "consent"},
	}.URL(consent)
	require.NoError(t, err)
	require.NotContains(t, got.URL, "+", "not every network decodes a plus sign as a space")
	parsed, err := url.Parse(got.URL)
	require.NoError(t, err)
	require.Equal(t, url.Values{
		"lang": {"en"}, "client_id": {"id"}, "response_type": {"code"}, "redirect_uri": {"https://app.test/cb?x=1"},
		"state": {"s&1"}, "scope": {"a b c"}, "code_challenge": {"challenge"}, "code_challenge_method": {"S256"},
		"prompt": {"consent"},
	}, parsed.Query())
	got, err = oauth.Dialog{Page: "https://x.test", ClientKey: "client_key", ClientID: "id", Scopes: []string{"a", "b"}, Separator: ","}.URL(consent)
	require.NoError(t, err)
	require.Contains(t, got.URL, "client_key=id")
	require.Contains(t, got.URL, "scope=a%2Cb")
	require.NotContains(t, got.URL, "code_challenge")
}

func TestRefusedExchanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"a used code":       {platformtest.Response{Status: 400, Body: `{"error":"invalid_grant","code":"secret-code"}`}, platform.ClassUser, platform.CodeConsentRefused},
		"an error of Meta":  {platformtest.Response{Status: 400, Body: `{"error":{"code":100,"message":"secret-code"}}`}, platform.ClassUser, platform.CodeConsentRefused},
		"a secret of Meta":  {platformtest.Response{Status: 400, Body: `{"error":{"code":1,"message":"Error validating client secret."}}`}, platform.ClassOperator, "APP_ACCESS_MISSING"},
		"a wrong client":    {platformtest.Response{Status: 400, Body: `{"error":"invalid_client","code":"secret-code"}`}, platform.ClassOperator, "APP_ACCESS_MISSING"},
		"no client":         {platformtest.Response{Status: 401, Body: `{"code":"secret-code"}`}, platform.ClassOperator, "APP_ACCESS_MISSING"},
		"limited":           {platformtest.Response{Status: 429}, platform.ClassRateLimited, ""},
		"down":              {platformtest.Response{Status: 503}, platform.ClassTransient, ""},
		"a page":            {platformtest.Response{Body: `<html>`}, platform.ClassTransient, ""},
		"a page with a 302": {platformtest.Response{Status: 302}, platform.ClassTransient, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := platformtest.NewScript(t, map[string][]platformtest.Response{"POST /token": {test.response}})
			_, err := oauth.Exchange(t.Context(), client(t, script.URL), httpcall.Request{
				Path: []string{"token"}, Form: oauth.Form(platform.Code{Code: "secret-code#_"}), Secrets: []string{"secret-code"},
			}, &struct{}{})
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class, "%v", err)
			if test.code != "" {
				require.Equal(t, test.code, failure.Code)
			}
			require.NotContains(t, err.Error(), "secret-code")
			require.Equal(t, "secret-code", script.Requests()[0].Form(t).Get("code"), "without the fragment of Meta")
		})
	}
}

func TestMissingApplication(t *testing.T) {
	t.Parallel()
	c := client(t, "https://x.test")
	require.NoError(t, oauth.App(c, "id", "secret"))
	for _, values := range [][]string{{""}, {"id", ""}} {
		failure := platformtest.Failure(t, oauth.App(c, values...))
		require.Equal(t, platform.ClassOperator, failure.Class)
		require.Equal(t, platform.CodeAppMissing, failure.Code)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	require.Equal(t, "https://web.test/p", oauth.Page("https://api.test", "https://api.test", "https://web.test", "/p"))
	require.Equal(t, "https://sandbox.test/p", oauth.Page("https://sandbox.test", "https://api.test", "https://web.test", "/p"))
}
