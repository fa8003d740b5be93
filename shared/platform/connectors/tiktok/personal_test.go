package tiktok_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/tiktok"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	creatorCall       = "POST /v2/post/publish/creator_info/query/"
	personalTokenCall = "POST /v2/oauth/token/"
)

func creator(data string) platformtest.Response {
	return ok(`{"data":` + data + `,"error":{"code":"ok","message":"","log_id":"1"}}`)
}

func personalRefusal(status int, code string) platformtest.Response {
	return platformtest.Response{
		Status: status, Body: fmt.Sprintf(`{"data":{},"error":{"code":%q,"message":"access/1","log_id":"1"}}`, code),
	}
}

func TestPersonalCreatorInfo(t *testing.T) {
	t.Parallel()

	b := personal(t, map[string][]platformtest.Response{creatorCall: {creator(`{
		"creator_avatar_url":"https://p16.tiktokcdn.com/a.jpeg","creator_username":"acme","creator_nickname":"Acme & Söhne 🌍",
		"privacy_level_options":["PUBLIC_TO_EVERYONE","MUTUAL_FOLLOW_FRIENDS","SELF_ONLY"],
		"comment_disabled":false,"duet_disabled":true,"stitch_disabled":true,"max_video_post_duration_sec":300,"new":[1]}`)}})
	info, err := b.link.CreatorInfo(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, platform.CreatorInfo{
		Nickname: "Acme & Söhne 🌍", AvatarURL: "https://p16.tiktokcdn.com/a.jpeg",
		PrivacyLevelOptions: []string{"PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"},
		DuetDisabled:        true, StitchDisabled: true, MaxVideoDurationSec: 300,
	}, info)

	request := b.script.Requests()[0]
	require.Equal(t, "/v2/post/publish/creator_info/query/", request.Path)
	require.Equal(t, "Bearer access/1", request.Header.Get("Authorization"))
	require.Equal(t, "application/json", request.Header.Get("Content-Type"))
	require.Empty(t, request.Query)
	require.Equal(t, "{}", request.Body)
}

func TestPersonalHostileInfo(t *testing.T) {
	t.Parallel()

	many := `"` + strings.Join(strings.Split(strings.Repeat("LEVEL ", 40), " ")[:40], `","`) + `"`
	const rest = `"max_video_post_duration_sec":60`
	for data, want := range map[string]platform.CreatorInfo{
		`{"creator_nickname":" \u0000\r\n","creator_username":"a\nb","privacy_level_options":[],` + rest + `}`: {
			Nickname: "a b", PrivacyLevelOptions: []string{},
		},
		`{"privacy_level_options":["SELF_ONLY","<script>","","self_only"],` + rest + `}`: {
			Nickname: "acme", PrivacyLevelOptions: []string{"SELF_ONLY"},
		},
		`{"creator_nickname":"` + strings.Repeat("早", 4000) + `","privacy_level_options":[` + many + `],` + rest + `}`: {
			Nickname: strings.Repeat("早", 100), PrivacyLevelOptions: repeated("LEVEL", 16),
		},
	} {
		b := personal(t, map[string][]platformtest.Response{creatorCall: {creator(data)}})
		info, err := b.link.CreatorInfo(t.Context(), b.account)
		require.NoError(t, err)
		want.MaxVideoDurationSec = 60
		require.Equal(t, want, info)
	}
}

func repeated(text string, times int) []string {
	list := make([]string, times)
	for i := range list {
		list[i] = text
	}
	return list
}

func TestPersonalFailures(t *testing.T) {
	t.Parallel()

	limited := personalRefusal(429, "rate_limit_exceeded")
	limited.Header = map[string]string{"Retry-After": "7"}
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
		until    time.Duration
	}{
		"expired token":      {personalRefusal(401, "access_token_invalid"), platform.ClassRefresh, "TOKEN_EXPIRED", 0},
		"expired token, 200": {personalRefusal(200, "access_token_invalid"), platform.ClassRefresh, "TOKEN_EXPIRED", 0},
		"401 without a word": {platformtest.Response{Status: 401}, platform.ClassRefresh, "TOKEN_EXPIRED", 0},
		"scope": {
			personalRefusal(401, "scope_not_authorized"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0,
		},
		"scope, partly": {
			personalRefusal(400, "scope_permission_missed"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0,
		},
		"limit": {
			personalRefusal(429, "rate_limit_exceeded"), platform.ClassRateLimited, post.ErrorRateLimited, time.Minute,
		},
		"limit, 200": {
			personalRefusal(200, "rate_limit_exceeded"), platform.ClassRateLimited, post.ErrorRateLimited, time.Minute,
		},
		"limit with hint": {limited, platform.ClassRateLimited, post.ErrorRateLimited, 7 * time.Second},
		"limit without a word": {
			platformtest.Response{Status: 429, Body: "<html>"}, platform.ClassRateLimited, post.ErrorRateLimited, time.Minute,
		},
		"posts of the day": {
			personalRefusal(200, "spam_risk_too_many_posts"), platform.ClassRateLimited, post.ErrorRateLimited, time.Hour,
		},
		"drafts of the day": {
			personalRefusal(403, "spam_risk_too_many_pending_share"), platform.ClassRateLimited, post.ErrorRateLimited,
			time.Hour,
		},
		"creators of the day": {
			personalRefusal(200, "reached_active_user_cap"), platform.ClassRateLimited, post.ErrorRateLimited, time.Hour,
		},
		"banned": {
			personalRefusal(200, "spam_risk_user_banned_from_posting"), platform.ClassUser, tiktok.CodeAccount, 0,
		},
		"not audited": {
			personalRefusal(403, "unaudited_client_can_only_post_to_private_accounts"), platform.ClassOperator,
			tiktok.CodeAppAccess, 0,
		},
		"parameters":      {personalRefusal(400, "invalid_params"), platform.ClassRejected, tiktok.CodeRefused, 0},
		"a new word, 200": {personalRefusal(200, "a_new_word"), platform.ClassRejected, tiktok.CodeRefused, 0},
		"a hostile word":  {personalRefusal(400, "access/1\r\n"), platform.ClassRejected, tiktok.CodeRefused, 0},
		"a new word, 500": {personalRefusal(500, "a_new_word"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"internal":        {personalRefusal(500, "internal_error"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"internal, 200":   {personalRefusal(200, "internal_error"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"unavailable": {
			platformtest.Response{Status: 503, Body: "<html>access/1"}, platform.ClassTransient, post.ErrorPlatformDown, 0,
		},
		"403 as a page": {
			platformtest.Response{Status: 403, Body: "<html>access/1 access%2F1"},
			platform.ClassTransient,
			post.ErrorPlatformDown, 0,
		},
		"404 without a word": {platformtest.Response{Status: 404}, platform.ClassTransient, post.ErrorPlatformDown, 0},
		"a redirect": {
			platformtest.Response{Status: 301, Header: map[string]string{"Location": "/v2"}},
			platform.ClassTransient,
			post.ErrorPlatformDown, 0,
		},
		"200 as a page": {ok("<html>access/1"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"200 without a word": {
			ok(`{"data":{"privacy_level_options":["SELF_ONLY"],"max_video_post_duration_sec":60}}`), platform.ClassTransient,
			post.ErrorPlatformDown, 0,
		},
		"ok without data": {ok(`{"error":{"code":"ok"}}`), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"ok with null":    {creator("null"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"ok with a list":  {creator("[]"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"ok with nothing": {creator("{}"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"ok without privacies": {
			creator(`{"max_video_post_duration_sec":60}`), platform.ClassTransient, post.ErrorPlatformDown, 0,
		},
		"ok without a duration": {
			creator(`{"privacy_level_options":["SELF_ONLY"]}`), platform.ClassTransient, post.ErrorPlatformDown, 0,
		},
		"ok below zero": {
			creator(`{"privacy_level_options":["SELF_ONLY"],"max_video_post_duration_sec":-1}`), platform.ClassTransient,
			post.ErrorPlatformDown, 0,
		},
		"ok, other types": {
			creator(`{"privacy_level_options":"SELF_ONLY","max_video_post_duration_sec":60}`), platform.ClassTransient,
			post.ErrorPlatformDown, 0,
		},
		"data of another type": {
			platformtest.Response{Status: 401, Body: `{"data":"","error":{"code":"access_token_invalid"}}`},
			platform.ClassRefresh, "TOKEN_EXPIRED", 0,
		},
		"ok, but not in status": {
			platformtest.Response{Status: 500, Body: `{"data":{},"error":{"code":"ok"}}`},
			platform.ClassTransient,
			post.ErrorPlatformDown, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := personal(t, map[string][]platformtest.Response{creatorCall: {test.response}})
			info, err := b.link.CreatorInfo(t.Context(), b.account)
			require.Zero(t, info)
			requireFailure(t, err, test.class, test.code, test.until)
			require.Len(t, b.script.Requests(), 1)
		})
	}
}

func requireFailure(t *testing.T, err error, class platform.Class, code string, until time.Duration) {
	t.Helper()
	failure := platformtest.Failure(t, err)
	require.Equal(t, class, failure.Class, "%v", err)
	require.Equal(t, code, failure.Code)
	require.NotEmpty(t, failure.Message)
	if until == 0 {
		require.Zero(t, failure.Until)
	} else {
		require.Equal(t, now().Add(until), failure.Until)
	}
	requireSafe(t, err)
}

func TestFailureWithStatus200IsLogged(t *testing.T) {
	t.Parallel()

	b := personal(t, map[string][]platformtest.Response{creatorCall: {personalRefusal(200, "spam_risk_too_many_posts")}})
	_, err := b.link.CreatorInfo(t.Context(), b.account)
	require.ErrorContains(t, err, "spam_risk_too_many_posts")

	b = business(t, map[string][]platformtest.Response{settingsCall: {businessRefusal(40002, "wrong")}})
	_, err = b.link.CreatorInfo(t.Context(), b.account)
	require.ErrorContains(t, err, "40002")
}

func TestPersonalRefresh(t *testing.T) {
	t.Parallel()

	refusal := func(status int, code string) platformtest.Response {
		return platformtest.Response{
			Status: status, Body: fmt.Sprintf(`{"error":%q,"error_description":"refresh/1 app/secret","log_id":"1"}`, code),
		}
	}
	const pair = `"access_token":"access-2","refresh_token":"refresh-2","open_id":"_000abc","refresh_expires_in":15552000`
	for name, test := range map[string]struct {
		response platformtest.Response
		want     channel.Credentials
		class    platform.Class
	}{
		"a new pair":       {ok(`{` + pair + `,"expires_in":86400}`), fresh("key", "refresh-2", 24*time.Hour, 180*24*time.Hour), ""},
		"no life":          {ok(`{` + pair + `}`), fresh("key", "refresh-2", 2*time.Hour, 180*24*time.Hour), ""},
		"a mad life":       {ok(`{` + pair + `,"expires_in":-5}`), fresh("key", "refresh-2", 2*time.Hour, 180*24*time.Hour), ""},
		"no new refresh":   {ok(`{"access_token":"access-2","expires_in":60}`), fresh("key", "refresh/1", time.Minute, 0), ""},
		"dead":             {refusal(400, "invalid_grant"), channel.Credentials{}, platform.ClassReconnect},
		"dead, 200":        {refusal(200, "invalid_grant"), channel.Credentials{}, platform.ClassReconnect},
		"withdrawn":        {refusal(200, "access_denied"), channel.Credentials{}, platform.ClassReconnect},
		"malformed":        {refusal(400, "invalid_request"), channel.Credentials{}, platform.ClassReconnect},
		"a new word, 401":  {refusal(401, "a_new_word"), channel.Credentials{}, platform.ClassReconnect},
		"a new word, 200":  {refusal(200, "a_new_word"), channel.Credentials{}, platform.ClassTransient},
		"our own key":      {refusal(401, "invalid_client"), channel.Credentials{}, platform.ClassOperator},
		"our own key, 200": {refusal(200, "unauthorized_client"), channel.Credentials{}, platform.ClassOperator},
		"limited":          {refusal(429, "rate_limit_exceeded"), channel.Credentials{}, platform.ClassRateLimited},
		"limited, 200":     {refusal(200, "rate_limit_exceeded"), channel.Credentials{}, platform.ClassRateLimited},
		"limited, as a page": {
			platformtest.Response{Status: 429, Body: "<html>"}, channel.Credentials{}, platform.ClassRateLimited,
		},
		"unavailable": {refusal(500, "server_error"), channel.Credentials{}, platform.ClassTransient},
		"a proxy's 401": {
			platformtest.Response{Status: 401, Body: "<html>"}, channel.Credentials{}, platform.ClassTransient,
		},
		"a proxy's 403": {platformtest.Response{Status: 403, Body: "{}"}, channel.Credentials{}, platform.ClassTransient},
		"no token":      {ok(`{}`), channel.Credentials{}, platform.ClassTransient},
		"a hostile token": {
			ok(`{"access_token":"a b","refresh_token":"refresh-2"}`), channel.Credentials{}, platform.ClassTransient,
		},
		"both": {ok(`{` + pair + `,"error":"invalid_grant"}`), channel.Credentials{}, platform.ClassReconnect},
		"a page": {
			ok("<html>refresh/1 refresh%2F1 app%2Fsecret"), channel.Credentials{}, platform.ClassTransient,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := personal(t, map[string][]platformtest.Response{personalTokenCall: {test.response}})
			credentials, err := b.link.Refresh(t.Context(), b.account)
			require.Equal(t, test.want, credentials)
			require.Len(t, b.script.Requests(), 1)
			request := b.script.Requests()[0]
			require.Equal(t, "/v2/oauth/token/", request.Path)
			require.Equal(t, "application/x-www-form-urlencoded", request.Header.Get("Content-Type"))
			require.Empty(t, request.Header.Get("Authorization"))
			for member, value := range map[string]string{
				"client_key": "key", "client_secret": "app/secret", "grant_type": "refresh_token", "refresh_token": "refresh/1",
			} {
				require.Equal(t, value, request.Form(t).Get(member))
			}
			requireRefreshed(t, err, test.class)
		})
	}
}

func requireRefreshed(t *testing.T, err error, class platform.Class) {
	t.Helper()
	if class == "" {
		require.NoError(t, err)
		return
	}
	require.Equal(t, class, platformtest.Failure(t, err).Class, "%v", err)
	requireSafe(t, err)
}
