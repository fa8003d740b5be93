package pinterest_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/pinterest"
	"fencepost.internal/shared/platform/platformtest"
)

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

const (
	boardsCall   = "GET /v5/boards"
	sectionsCall = "GET /v5/boards/11/sections"
	refreshCall  = "POST /v5/oauth/token"
)

type bundle struct {
	script    *platformtest.Script
	connector *pinterest.Connector
	account   platform.Account
}

func setup(t *testing.T, responses map[string][]platformtest.Response) *bundle {
	t.Helper()
	script := platformtest.NewScript(t, responses)
	connector, err := pinterest.New(pinterest.Config{
		Wire: httpcall.Config{BaseURL: script.URL, Clock: clocktest.New(now())}, AppID: "1478593", AppSecret: "app secret",
	})
	require.NoError(t, err)
	return &bundle{script: script, connector: connector, account: platform.Account{
		Type: channel.Pinterest, ExternalID: "42", Username: "acme",
		Credentials: channel.Credentials{AccessToken: "access/1", RefreshToken: "refresh/1"},
	}}
}

func boards(responses ...platformtest.Response) map[string][]platformtest.Response {
	return map[string][]platformtest.Response{boardsCall: responses}
}

func ok(body string) platformtest.Response { return platformtest.Response{Body: body} }

func refusal(status int, message string) platformtest.Response {
	return platformtest.Response{Status: status, Body: fmt.Sprintf(`{"code":1,"message":%q}`, message)}
}

func limited(name, value string) platformtest.Response {
	return platformtest.Response{
		Status: http.StatusTooManyRequests, Header: map[string]string{name: value}, Body: `{"code":8,"message":"limit"}`,
	}
}

func requireSafe(t *testing.T, err error) {
	t.Helper()
	text := fmt.Sprintf("%v %+v %#v", err, err, platformtest.Failure(t, err).Cause)
	for _, secret := range []string{"access/1", "access%2F1", "refresh/1", "refresh%2F1", "app secret"} {
		require.NotContains(t, text, secret)
	}
}

func TestNewRequiresClock(t *testing.T) {
	t.Parallel()

	_, err := pinterest.New(pinterest.Config{})
	require.Error(t, err)
}

func TestTypes(t *testing.T) {
	t.Parallel()

	require.Equal(t, []channel.Type{channel.Pinterest}, setup(t, nil).connector.Types())
}

func TestBoards(t *testing.T) {
	t.Parallel()

	b := setup(t, boards(
		ok(`{"items":[{"id":"11","name":"Recipes & more","privacy":"PUBLIC","pin_count":5,"description":"d"},
			{"id":"12","name":"Ads","privacy":"PROTECTED","is_ads_only":true}],"bookmark":"more=="}`),
		ok(`{"items":[],"bookmark":"still"}`),
		ok(
			`{"items":[{"id":"13","name":"Secret","privacy":"SECRET","pin_count":0},{"id":"11","name":"moved","privacy":"PUBLIC"}],"bookmark":null}`),
	))
	list, err := b.connector.Boards(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, []platform.Board{
		{ID: "11", Name: "Recipes & more", Privacy: "PUBLIC", PinCount: 5}, {ID: "13", Name: "Secret", Privacy: "SECRET"},
	}, list)

	requests := b.script.Requests()
	require.Len(t, requests, 3)
	for i, bookmark := range []string{"", "more==", "still"} {
		require.Equal(t, bookmark, requests[i].Query.Get("bookmark"))
		require.Equal(t, bookmark != "", requests[i].Query.Has("bookmark"))
		require.Equal(t, "200", requests[i].Query.Get("page_size"))
		require.Equal(t, "Bearer access/1", requests[i].Header.Get("Authorization"))
	}
}

func TestBoardSections(t *testing.T) {
	t.Parallel()

	b := setup(t, map[string][]platformtest.Response{sectionsCall: {
		ok(`{"items":[{"id":"21","name":"Kitchen\u202e"},{"id":"../pins","name":"x"}],"bookmark":"more=="}`),
		ok(`{"items":[{"id":"22","name":"` + strings.Repeat("早", 500) + `"},{"id":"21","name":"moved"}],"bookmark":null}`),
	}})
	list, err := b.connector.BoardSections(t.Context(), b.account, "11")
	require.NoError(t, err)
	require.Equal(t, []platform.BoardSection{{ID: "21", Name: "Kitchen"}, {ID: "22", Name: strings.Repeat("早", 200)}}, list)
	requests := b.script.Requests()
	require.Len(t, requests, 2)
	require.Equal(t, "more==", requests[1].Query.Get("bookmark"))
	require.Equal(t, "200", requests[1].Query.Get("page_size"))
	require.Equal(t, "Bearer access/1", requests[1].Header.Get("Authorization"))

	for response, class := range map[*platformtest.Response]platform.Class{
		{Status: 401, Body: `{"code":2,"message":"access/1"}`}:         platform.ClassRefresh,
		{Status: 404, Body: `{"code":40,"message":"Board not found"}`}: platform.ClassRejected,
		{Body: `{"items":null}`}:                                       platform.ClassTransient,
	} {
		b := setup(t, map[string][]platformtest.Response{sectionsCall: {*response}})
		list, err := b.connector.BoardSections(t.Context(), b.account, "11")
		require.Nil(t, list)
		require.Equal(t, class, platformtest.Failure(t, err).Class, response.Body)
		requireSafe(t, err)
	}
	b.account.Credentials.AccessToken = ""
	_, err = b.connector.BoardSections(t.Context(), b.account, "11")
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}

func TestBoardsOfEmptyAccount(t *testing.T) {
	t.Parallel()

	b := setup(t, boards(ok(`{"items":[],"bookmark":null}`)))
	list, err := b.connector.Boards(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, []platform.Board{}, list)
}

func TestBoardsEnd(t *testing.T) {
	t.Parallel()

	b := setup(t, boards(ok(`{"items":[{"id":"1","name":"a"}],"bookmark":"same"}`)))
	list, err := b.connector.Boards(t.Context(), b.account)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Len(t, b.script.Requests(), 2, "a bookmark that leads to itself is not followed")

	endless := make([]platformtest.Response, 40)
	for i := range endless {
		endless[i] = ok(fmt.Sprintf(`{"items":[{"id":"%d","name":"a"}],"bookmark":"%d"}`, i, i))
	}
	b = setup(t, boards(endless...))
	list, err = b.connector.Boards(t.Context(), b.account)
	require.NoError(t, err)
	require.Len(t, list, 15)
	require.Len(t, b.script.Requests(), 15)
}

func TestBoardsFailOnLaterPage(t *testing.T) {
	t.Parallel()

	b := setup(t, boards(ok(`{"items":[{"id":"1","name":"a"}],"bookmark":"b"}`), platformtest.Response{Status: 503}))
	list, err := b.connector.Boards(t.Context(), b.account)
	require.Nil(t, list, "half a list would hide boards")
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
}

func TestHostileBoards(t *testing.T) {
	t.Parallel()

	for item, want := range map[string][]platform.Board{
		`{"id":"1","name":"a\r\nX: y\u0000\u202e"}`: {
			{ID: "1", Name: "a  X: y", Privacy: "PUBLIC"},
		},
		`{"id":"1","name":"` + strings.Repeat("早", 5000) + `","pin_count":-7}`: {
			{ID: "1", Name: strings.Repeat("早", 200), Privacy: "PUBLIC"},
		},
		`{"id":"1","name":"","privacy":"A_NEW_KIND"}`:                             {{ID: "1", Privacy: "A_NEW_KIND"}},
		`{"id":"1","name":"a","privacy":"<script>"}`:                              {},
		`{"id":"1","name":"a","privacy":"` + strings.Repeat("A", 100) + `"}`:      {},
		`{"id":"../pins","name":"a"}`:                                             {},
		`{"id":"","name":"a"}`:                                                    {},
		`{"id":"` + strings.Repeat("1", 33) + `","name":"a"}`:                     {},
		`{"id":"1","name":"a","owner":{"username":"other"},"unknown":[{"a":[]}]}`: {{ID: "1", Name: "a", Privacy: "PUBLIC"}},
	} {
		b := setup(t, boards(ok(`{"items":[`+item+`]}`)))
		list, err := b.connector.Boards(t.Context(), b.account)
		require.NoError(t, err)
		require.Equal(t, want, list, item)
	}
}

func TestBoardsFailures(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
		until    time.Duration
	}{
		"expired token": {refusal(401, "Authentication failed."), platform.ClassRefresh, "TOKEN_EXPIRED", 0},
		"401 as a page": {
			platformtest.Response{Status: 401, Body: "<html>"}, platform.ClassRefresh, "TOKEN_EXPIRED", 0,
		},
		"scope": {
			refusal(403, "Missing scope boards:read"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0,
		},
		"trial access": {
			refusal(403, "Apps with Trial access may not …"), platform.ClassOperator, pinterest.CodeAppAccess, 0,
		},
		"403 as a page": {
			platformtest.Response{Status: 403, Body: "<html>access/1 access%2F1"},
			platform.ClassTransient,
			post.ErrorPlatformDown, 0,
		},
		"limit, seconds": {
			limited("X-RateLimit-Reset", "37"), platform.ClassRateLimited, post.ErrorRateLimited, 37 * time.Second,
		},
		"limit, a date": {
			limited("X-RateLimit-Reset", "1772355660"), platform.ClassRateLimited, post.ErrorRateLimited, time.Minute,
		},
		"limit, Retry-After": {
			limited("Retry-After", "60"), platform.ClassRateLimited, post.ErrorRateLimited, time.Minute,
		},
		"limit, nonsense": {limited("X-RateLimit-Reset", "NaN"), platform.ClassRateLimited, post.ErrorRateLimited, 0},
		"limit, silent":   {refusal(429, "limit"), platform.ClassRateLimited, post.ErrorRateLimited, 0},
		"parameter":       {refusal(400, "access/1 is invalid"), platform.ClassRejected, pinterest.CodeRefused, 0},
		"not found":       {refusal(404, "gone"), platform.ClassRejected, pinterest.CodeRefused, 0},
		"unavailable":     {refusal(503, "down"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"500 as a page": {
			platformtest.Response{Status: 500, Body: "<html>"}, platform.ClassTransient, post.ErrorPlatformDown, 0,
		},
		"a timeout": {refusal(408, "slow"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"a redirect": {
			platformtest.Response{Status: 302, Header: map[string]string{"Location": "/v5/pins"}},
			platform.ClassTransient,
			post.ErrorPlatformDown, 0,
		},
		"no JSON":               {ok("<html>access/1"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"no items":              {ok(`{"bookmark":"a"}`), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"items are null":        {ok(`{"items":null}`), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"items of another type": {ok(`{"items":[{"id":7}]}`), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"a huge bookmark": {
			ok(`{"items":[],"bookmark":"` + strings.Repeat("b", 3000) + `"}`), platform.ClassTransient, post.ErrorPlatformDown,
			0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, boards(test.response))
			list, err := b.connector.Boards(t.Context(), b.account)
			require.Nil(t, list)
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class, "%v", err)
			require.Equal(t, test.code, failure.Code)
			require.NotEmpty(t, failure.Message)
			if test.until == 0 {
				require.Zero(t, failure.Until)
			} else {
				require.Equal(t, now().Add(test.until), failure.Until)
			}
			requireSafe(t, err)
			require.Len(t, b.script.Requests(), 1)
		})
	}
}

func TestNothingIsSentWithoutToken(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	b.account.Credentials = channel.Credentials{}
	_, err := b.connector.Boards(t.Context(), b.account)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	_, err = b.connector.Refresh(t.Context(), b.account)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Empty(t, b.script.Requests())
}

// TestRefreshWithoutApp checks that a configuration error does not mark every channel as disconnected.
func TestRefreshWithoutApp(t *testing.T) {
	t.Parallel()

	b := setup(t, nil)
	connector, err := pinterest.New(pinterest.Config{
		Wire: httpcall.Config{BaseURL: b.script.URL, Clock: clocktest.New(now())}, AppID: "1",
	})
	require.NoError(t, err)
	_, err = connector.Refresh(t.Context(), b.account)
	require.Equal(t, platform.ClassOperator, platformtest.Failure(t, err).Class)
	require.Empty(t, b.script.Requests())
}

func TestRefresh(t *testing.T) {
	t.Parallel()

	fresh := func(refresh string, life time.Duration) channel.Credentials {
		return channel.Credentials{AccessToken: "access-2", RefreshToken: refresh, IssuedAt: now(), ExpiresAt: now().Add(life), ClientID: "1478593"}
	}
	const month = 30 * 24 * time.Hour
	for name, test := range map[string]struct {
		response platformtest.Response
		want     channel.Credentials
		class    platform.Class
	}{
		"a new pair": {
			ok(`{"access_token":"access-2","refresh_token":"refresh-2","expires_in":3600,"token_type":"bearer"}`),
			fresh("refresh-2", time.Hour), "",
		},
		"no new refresh": {ok(`{"access_token":"access-2","expires_in":3600}`), fresh("refresh/1", time.Hour), ""},
		"no life":        {ok(`{"access_token":"access-2","refresh_token":"refresh-2"}`), fresh("refresh-2", month), ""},
		"a mad life": {
			ok(`{"access_token":"access-2","refresh_token":"refresh-2","expires_in":9223372036854775807}`),
			fresh("refresh-2", month), "",
		},
		"dead":         {refusal(401, "Authentication failed."), channel.Credentials{}, platform.ClassReconnect},
		"dead, as 400": {refusal(400, "refresh/1 is invalid"), channel.Credentials{}, platform.ClassReconnect},
		"limited":      {limited("X-RateLimit-Reset", "37"), channel.Credentials{}, platform.ClassRateLimited},
		"unavailable":  {refusal(503, "down"), channel.Credentials{}, platform.ClassTransient},
		"a proxy's 401": {
			platformtest.Response{Status: 401, Body: "<html>"}, channel.Credentials{}, platform.ClassTransient,
		},
		"a proxy's 403": {platformtest.Response{Status: 403, Body: "{}"}, channel.Credentials{}, platform.ClassTransient},
		"no token":      {ok(`{}`), channel.Credentials{}, platform.ClassTransient},
		"a hostile token": {
			ok(`{"access_token":"a\r\nX: y","refresh_token":"refresh-2"}`), channel.Credentials{}, platform.ClassTransient,
		},
		"another type": {
			ok(`{"access_token":"access-2","expires_in":"3600"}`), channel.Credentials{}, platform.ClassTransient,
		},
		"a page": {ok(`<html>refresh/1 refresh%2F1`), channel.Credentials{}, platform.ClassTransient},
		"a redirect": {
			platformtest.Response{Status: 302, Header: map[string]string{"Location": "/v5/pins"}},
			channel.Credentials{},
			platform.ClassTransient,
		},
		"echoes everything": {
			refusal(401, "refresh/1 refresh%2F1 access/1 app secret"), channel.Credentials{}, platform.ClassReconnect,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := setup(t, map[string][]platformtest.Response{refreshCall: {test.response}})
			credentials, err := b.connector.Refresh(t.Context(), b.account)
			require.Equal(t, test.want, credentials)
			require.Len(t, b.script.Requests(), 1)
			request := b.script.Requests()[0]
			require.Equal(t, "Basic "+base64.StdEncoding.EncodeToString([]byte("1478593:app secret")),
				request.Header.Get("Authorization"))
			require.Equal(t, "application/x-www-form-urlencoded", request.Header.Get("Content-Type"))
			require.Equal(t, "refresh_token", request.Form(t).Get("grant_type"))
			require.Equal(t, "refresh/1", request.Form(t).Get("refresh_token"))
			if test.class == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, test.class, platformtest.Failure(t, err).Class, "%v", err)
			requireSafe(t, err)
		})
	}
}
