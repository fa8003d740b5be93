package x_test

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/x"
	"fencepost.internal/shared/platform/platformtest"
)

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

type bundle struct {
	script    *platformtest.Script
	connector *x.Connector
	account   platform.Account
	content   platform.Content
}

func setup(t *testing.T, responses map[string][]platformtest.Response) *bundle {
	t.Helper()
	script := platformtest.NewScript(t, responses)
	connector, err := x.New(x.Config{
		Wire:     httpcall.Config{BaseURL: script.URL, Clock: clocktest.New(now())},
		ClientID: "client", ClientSecret: "client secret", PermalinkURL: "https://x.com",
	})
	require.NoError(t, err)
	return &bundle{
		script: script, connector: connector,
		account: platform.Account{
			Type: channel.Twitter, ExternalID: "42", Username: "acme",
			Credentials: channel.Credentials{AccessToken: "access-1", RefreshToken: "refresh-1"},
		},
		content: platform.Content{ContentType: post.ContentPost, Text: "Hello & welcome"},
	}
}

const publishCall = "POST /2/tweets"

func publishResponse(response platformtest.Response) map[string][]platformtest.Response {
	return map[string][]platformtest.Response{publishCall: {response}}
}

func TestNewRequiresClock(t *testing.T) {
	t.Parallel()

	_, err := x.New(x.Config{})
	require.Error(t, err)
}

func TestConsentPageIsConfigurable(t *testing.T) {
	t.Parallel()

	page := func(config x.Config) string {
		config.Wire.Clock, config.ClientID = clocktest.New(now()), "client"
		connector, err := x.New(config)
		require.NoError(t, err)
		authorization, err := connector.AuthorizeURL(t.Context(), platform.Consent{
			Redirect: "https://app.example.com/connect/x/callback", State: "state", Challenge: "challenge",
		})
		require.NoError(t, err)
		address, _, found := strings.Cut(authorization.URL, "?")
		require.True(t, found)
		return address
	}
	require.Equal(t, "https://x.com/i/oauth2/authorize", page(x.Config{}))
	require.Equal(t, "https://api.x.com/2/oauth2/authorize",
		page(x.Config{AuthorizeURL: "https://api.x.com/2/oauth2/authorize"}))
}

func TestCommit(t *testing.T) {
	t.Parallel()

	b := setup(t, publishResponse(platformtest.Response{
		Status: http.StatusCreated, Body: `{"data":{"id":"1900000000000000001","text":"Hello"}}`,
	}))
	publication, err := b.connector.Commit(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.Equal(t, platform.Publication{
		ExternalID: "1900000000000000001", URL: "https://x.com/acme/status/1900000000000000001",
	}, publication)

	request := b.script.Requests()[0]
	require.JSONEq(t, `{"text":"Hello & welcome"}`, request.Body)
	require.Equal(t, "Bearer access-1", request.Header.Get("Authorization"))
	require.Equal(t, "application/json", request.Header.Get("Content-Type"))
	require.Len(t, b.script.Requests(), 1)
}

func TestCommitWithoutUsernameOrToken(t *testing.T) {
	t.Parallel()

	b := setup(t, publishResponse(platformtest.Response{
		Status: http.StatusCreated, Body: `{"data":{"id":"1"},"errors":[{"detail":"partial"}]}`,
	}))
	b.account.Username = ""
	publication, err := b.connector.Commit(t.Context(), b.account, b.content, "")
	require.NoError(t, err)
	require.Equal(t, "https://x.com/i/status/1", publication.URL)

	b.account.Credentials.AccessToken = ""
	_, err = b.connector.Commit(t.Context(), b.account, b.content, "")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}

func TestErrors(t *testing.T) {
	t.Parallel()

	problem := func(status int, kind, detail string) platformtest.Response {
		return platformtest.Response{
			Status: status,
			Body:   `{"title":"T","type":"` + kind + `","detail":"` + detail + `","status":` + strconv.Itoa(status) + `}`,
		}
	}
	const problems = "https://api.x.com/2/problems/"
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"401": {problem(401, "about:blank", "Unauthorized"), platform.ClassRefresh, "TOKEN_EXPIRED"},
		"401 as a page": {
			platformtest.Response{Status: 401, Body: "<html>"}, platform.ClassRefresh, "TOKEN_EXPIRED",
		},
		"unsupported authentication": {
			problem(403, problems+"unsupported-authentication", "no"), platform.ClassRefresh, "TOKEN_EXPIRED",
		},
		"client forbidden": {
			problem(403, problems+"client-forbidden", "enroll"), platform.ClassOperator, x.CodeAppAccess,
		},
		"not authorized": {
			problem(403, problems+"not-authorized-for-resource", "no"), platform.ClassReconnect, post.ErrorNeedsReconnect,
		},
		"missing scope": {
			problem(403, "about:blank", "missing scope tweet.write"), platform.ClassReconnect, post.ErrorNeedsReconnect,
		},
		"duplicate": {
			problem(403, "about:blank", "You are not allowed to create a Tweet with duplicate content."),
			platform.ClassUnknown, x.CodeDuplicate,
		},
		"not permitted": {
			problem(403, "about:blank", "You are not permitted to perform this action."), platform.ClassRejected,
			x.CodeNotAllowed,
		},
		"suspended": {
			problem(403, "about:blank", "Your account is suspended"), platform.ClassUser, x.CodeAccount,
		},
		"other 403": {problem(403, "about:blank", "no"), platform.ClassRejected, x.CodeRefused},
		"usage capped": {
			problem(403, problems+"usage-capped", "cap"), platform.ClassOperator, x.CodeSpendingCap,
		},
		"usage capped as 429": {
			problem(429, problems+"usage-capped", "cap"), platform.ClassOperator, x.CodeSpendingCap,
		},
		"payment required": {problem(402, "about:blank", "credits"), platform.ClassOperator, x.CodeSpendingCap},
		"rate limited": {
			problem(429, problems+"rate-limit-exceeded", "slow"), platform.ClassRateLimited, post.ErrorRateLimited,
		},
		"code 88": {
			platformtest.Response{Status: 429, Body: `{"errors":[{"code":88,"message":"Rate limit exceeded"}]}`},
			platform.ClassRateLimited, post.ErrorRateLimited,
		},
		"invalid": {
			problem(400, problems+"invalid-request", "bad"), platform.ClassRejected, x.CodeRefused,
		},
		"gone": {
			problem(404, problems+"resource-not-found", "no user"), platform.ClassReconnect, post.ErrorNeedsReconnect,
		},
		"400 as a page": {
			platformtest.Response{Status: 400, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown,
		},
		"403 as a page": {
			platformtest.Response{Status: 403, Body: "<html>"}, platform.ClassUnknown, post.ErrorOutcomeUnknown,
		},
		"408": {problem(408, "about:blank", "slow"), platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"500": {problem(500, "about:blank", "oops"), platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"502": {platformtest.Response{Status: 502}, platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"503": {
			problem(503, problems+"service-unavailable", "x"), platform.ClassUnknown, post.ErrorOutcomeUnknown,
		},
		"200 with errors": {
			platformtest.Response{Body: `{"errors":[{"detail":"no"}]}`}, platform.ClassUnknown, post.ErrorOutcomeUnknown,
		},
		"200 as a page": {platformtest.Response{Body: `<html>`}, platform.ClassUnknown, post.ErrorOutcomeUnknown},
		"201 with a hostile id": {
			platformtest.Response{Status: 201, Body: `{"data":{"id":"1\r\nX: y"}}`},
			platform.ClassUnknown,
			post.ErrorOutcomeUnknown,
		},
		"201 with a numeric id": {
			platformtest.Response{Status: 201, Body: `{"data":{"id":1}}`}, platform.ClassUnknown, post.ErrorOutcomeUnknown,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, publishResponse(test.response))
			_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class, "%v", err)
			require.Equal(t, test.code, failure.Code)
			require.NotEmpty(t, failure.Message)
			require.NotContains(t, err.Error(), "access-1")
		})
	}
}

func TestRateLimitHints(t *testing.T) {
	t.Parallel()

	at := func(d time.Duration) string { return strconv.FormatInt(now().Add(d).Unix(), 10) }
	for name, test := range map[string]struct {
		header map[string]string
		want   time.Time
	}{
		"none":  {nil, time.Time{}},
		"reset": {map[string]string{"x-rate-limit-reset": at(time.Minute)}, now().Add(time.Minute)},
		"daily limit of the app": {map[string]string{
			"x-rate-limit-reset": at(time.Minute), "x-app-limit-24hour-remaining": "0",
			"x-app-limit-24hour-reset": at(time.Hour),
		}, now().Add(time.Hour)},
		"daily limit not used up": {map[string]string{
			"x-rate-limit-reset": at(time.Minute), "x-user-limit-24hour-remaining": "3",
			"x-user-limit-24hour-reset": at(time.Hour),
		}, now().Add(time.Minute)},
		"Retry-After": {map[string]string{"Retry-After": "90"}, now().Add(90 * time.Second)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, publishResponse(platformtest.Response{Status: 429, Header: test.header, Body: `{}`}))
			_, err := b.connector.Commit(t.Context(), b.account, b.content, "")
			require.Equal(t, test.want, platformtest.Failure(t, err).Until)
		})
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()

	const call = "POST /2/oauth2/token"
	b := setup(t, map[string][]platformtest.Response{call: {
		{Body: `{"token_type":"bearer","expires_in":7200,"access_token":"access-2","refresh_token":"refresh-2"}`},
		{Body: `{"access_token":"access-3"}`},
	}})
	fresh, err := b.connector.Refresh(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, channel.Credentials{
		AccessToken: "access-2", RefreshToken: "refresh-2", IssuedAt: now(), ExpiresAt: now().Add(2 * time.Hour),
		ClientID: "client",
	}, fresh)

	request := b.script.Requests()[0]
	require.Equal(t, "refresh_token", request.Form(t).Get("grant_type"))
	require.Equal(t, "refresh-1", request.Form(t).Get("refresh_token"))
	require.Equal(t, "Basic "+base64.StdEncoding.EncodeToString([]byte("client:client+secret")),
		request.Header.Get("Authorization"))

	fresh, err = b.connector.Refresh(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, "refresh-1", fresh.RefreshToken, "kept when the answer has none")
}

func TestRefreshFailures(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
	}{
		"invalid grant":   {platformtest.Response{Status: 400, Body: `{"error":"invalid_grant"}`}, platform.ClassReconnect},
		"invalid request": {platformtest.Response{Status: 400, Body: `{"error":"invalid_request"}`}, platform.ClassReconnect},
		"invalid client":  {platformtest.Response{Status: 401, Body: `{"error":"invalid_client"}`}, platform.ClassOperator},
		"rate limited":    {platformtest.Response{Status: 429}, platform.ClassRateLimited},
		"down":            {platformtest.Response{Status: 503}, platform.ClassTransient},
		"a proxy":         {platformtest.Response{Status: 403, Body: `<html>blocked</html>`}, platform.ClassTransient},
		"a proxy's 400":   {platformtest.Response{Status: 400, Body: `<html>bad</html>`}, platform.ClassTransient},
		"an empty 401":    {platformtest.Response{Status: 401}, platform.ClassTransient},
		"no tokens":       {platformtest.Response{Body: `{}`}, platform.ClassTransient},
		"a page":          {platformtest.Response{Body: `<html>refresh-1 access-1</html>`}, platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{"POST /2/oauth2/token": {test.response}})
			_, err := b.connector.Refresh(t.Context(), b.account)
			require.Equal(t, test.class, platformtest.Failure(t, err).Class, "%v", err)
			require.NotContains(t, err.Error(), "refresh-1")
			require.NotContains(t, err.Error(), "access-1")
		})
	}

	b := setup(t, nil)
	b.account.Credentials.RefreshToken = ""
	_, err := b.connector.Refresh(t.Context(), b.account)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}

func TestRefreshOfPublicClient(t *testing.T) {
	t.Parallel()

	script := platformtest.NewScript(t, map[string][]platformtest.Response{
		"POST /2/oauth2/token": {{Body: `{"access_token":"a"}`}},
	})
	connector, err := x.New(x.Config{
		Wire: httpcall.Config{BaseURL: script.URL, Clock: clocktest.New(now())}, ClientID: "client",
	})
	require.NoError(t, err)
	_, err = connector.Refresh(t.Context(), platform.Account{Credentials: channel.Credentials{RefreshToken: "r"}})
	require.NoError(t, err)
	require.Equal(t, "client", script.Requests()[0].Form(t).Get("client_id"))
	require.Empty(t, script.Requests()[0].Header.Get("Authorization"))
}
