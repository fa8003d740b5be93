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
	settingsCall      = "GET /open_api/v1.3/business/video/settings/"
	profileCall       = "GET /open_api/v1.3/business/get/"
	businessTokenCall = "POST /open_api/v1.3/tt_user/oauth2/refresh_token/"
)

func done(data string) platformtest.Response {
	return ok(`{"code":0,"message":"OK","request_id":"1","data":` + data + `}`)
}

func businessRefusal(code int, message string) platformtest.Response {
	return ok(fmt.Sprintf(`{"code":%d,"message":%q,"request_id":"1","data":{}}`, code, message))
}

func TestBusinessCreatorInfo(t *testing.T) {
	t.Parallel()

	b := business(t, map[string][]platformtest.Response{
		settingsCall: {done(`{"privacy_level_options":["PUBLIC_TO_EVERYONE","SELF_ONLY"],"comment_disabled":true,
			"duet_disabled":false,"stitch_disabled":true,"max_video_post_duration_sec":600}`)},
		profileCall: {done(`{"display_name":"Acme & Söhne","profile_image":"https://p16.tiktokcdn.com/a.jpeg"}`)},
	})
	info, err := b.link.CreatorInfo(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, platform.CreatorInfo{
		Nickname: "Acme & Söhne", AvatarURL: "https://p16.tiktokcdn.com/a.jpeg",
		PrivacyLevelOptions: []string{"PUBLIC_TO_EVERYONE", "SELF_ONLY"},
		CommentDisabled:     true, StitchDisabled: true, MaxVideoDurationSec: 600,
	}, info)

	requests := b.script.Requests()
	require.Len(t, requests, 2)
	for _, request := range requests {
		require.Equal(t, "access/1", request.Header.Get("Access-Token"))
		require.Empty(t, request.Header.Get("Authorization"))
		require.Equal(t, "_000abc", request.Query.Get("business_id"))
	}
	require.Equal(t, "/open_api/v1.3/business/video/settings/", requests[0].Path)
	require.JSONEq(t, `["display_name","profile_image"]`, requests[1].Query.Get("fields"))
}

func TestBusinessPrivacy(t *testing.T) {
	t.Parallel()

	for member, want := range map[string][]string{
		``:                              {"PUBLIC_TO_EVERYONE"},
		`"privacy_level_options":null,`: {"PUBLIC_TO_EVERYONE"},
		`"privacy_level_options":[],`:   {"PUBLIC_TO_EVERYONE"},
		`"privacy_level_options":["FOLLOWER_OF_CREATOR","SELF_ONLY"],`: {"FOLLOWER_OF_CREATOR", "SELF_ONLY"},
		`"privacy_level_options":["<b>"],`:                             {}, // not a public account
	} {
		b := business(t, map[string][]platformtest.Response{
			settingsCall: {done(`{` + member + `"max_video_post_duration_sec":60}`)},
		})
		info, err := b.link.CreatorInfo(t.Context(), b.account)
		require.NoError(t, err)
		require.Equal(t, want, info.PrivacyLevelOptions, member)
	}
}

// TestBusinessWithoutProfile checks that a missing name and profile image do not block a post.
func TestBusinessWithoutProfile(t *testing.T) {
	t.Parallel()

	for name, response := range map[string]platformtest.Response{
		"unavailable":  {Status: 503},
		"limited":      businessRefusal(40100, "Too many requests"),
		"no scope":     businessRefusal(40001, "No permission"),
		"a page":       ok("<html>"),
		"no data":      done("null"),
		"other types":  done(`{"display_name":7}`),
		"hostile name": done(`{"display_name":"\u0000\u202e\n"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := business(t, map[string][]platformtest.Response{
				settingsCall: {done(`{"max_video_post_duration_sec":60}`)}, profileCall: {response},
			})
			info, err := b.link.CreatorInfo(t.Context(), b.account)
			require.NoError(t, err)
			require.Equal(t, platform.CreatorInfo{
				Nickname: "acme", PrivacyLevelOptions: []string{"PUBLIC_TO_EVERYONE"}, MaxVideoDurationSec: 60,
			}, info)
		})
	}
}

func TestBusinessLongName(t *testing.T) {
	t.Parallel()

	b := business(t, map[string][]platformtest.Response{
		settingsCall: {done(`{"max_video_post_duration_sec":60}`)},
		profileCall:  {done(`{"display_name":"` + strings.Repeat("a", 9000) + `"}`)},
	})
	info, err := b.link.CreatorInfo(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("a", 100), info.Nickname)
}

func TestBusinessSendsNothingWithoutAccount(t *testing.T) {
	t.Parallel()

	b := business(t, nil)
	b.account.ExternalID = ""
	_, err := b.link.CreatorInfo(t.Context(), b.account)
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
	require.Empty(t, b.script.Requests())
}

func TestBusinessFailures(t *testing.T) {
	t.Parallel()

	limited := businessRefusal(40100, "Too many requests")
	limited.Header = map[string]string{"Retry-After": "7"}
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
		until    time.Duration
	}{
		"revoked token": {
			businessRefusal(40105, "Access token is incorrect or has been revoked."), platform.ClassRefresh, "TOKEN_EXPIRED",
			0,
		},
		"expired token": {businessRefusal(40102, "expired"), platform.ClassRefresh, "TOKEN_EXPIRED", 0},
		"no token":      {businessRefusal(40104, "empty"), platform.ClassRefresh, "TOKEN_EXPIRED", 0},
		"by its message": {
			businessRefusal(40199, "The access token access/1 has expired"), platform.ClassRefresh, "TOKEN_EXPIRED", 0,
		},
		"permission, by word": {
			businessRefusal(40001, "Access token is invalid for this account"), platform.ClassRefresh, "TOKEN_EXPIRED", 0,
		},
		"401 as a page": {
			platformtest.Response{Status: 401, Body: "<html>"}, platform.ClassRefresh, "TOKEN_EXPIRED", 0,
		},
		"permission": {
			businessRefusal(40001, "No permission"), platform.ClassReconnect, post.ErrorNeedsReconnect, 0,
		},
		"limit": {
			businessRefusal(40100, "Too many requests"), platform.ClassRateLimited, post.ErrorRateLimited, 5 * time.Minute,
		},
		"limit with hint": {limited, platform.ClassRateLimited, post.ErrorRateLimited, 7 * time.Second},
		"429 as a page": {
			platformtest.Response{Status: 429, Body: "<html>"},
			platform.ClassRateLimited, post.ErrorRateLimited,
			5 * time.Minute,
		},
		"our own app": {businessRefusal(40101, "app"), platform.ClassOperator, tiktok.CodeAppAccess, 0},
		"parameter": {
			businessRefusal(40002, "business_id: access/1"), platform.ClassRejected, tiktok.CodeRefused, 0,
		},
		"mentions a token only": {
			businessRefusal(40002, "access token of another kind"), platform.ClassRejected, tiktok.CodeRefused, 0,
		},
		"internal":        {businessRefusal(50000, "internal"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"internal, later": {businessRefusal(51065, "internal"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"a strange code":  {businessRefusal(7, "?"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"below zero":      {businessRefusal(-1, "access token invalid"), platform.ClassRefresh, "TOKEN_EXPIRED", 0},
		"503": {
			platformtest.Response{Status: 503, Body: `{"code":40002}`}, platform.ClassTransient, post.ErrorPlatformDown, 0,
		},
		"500 with success": {
			platformtest.Response{Status: 500, Body: `{"code":0,"data":{"max_video_post_duration_sec":60}}`},
			platform.ClassTransient, post.ErrorPlatformDown, 0,
		},
		"a page": {ok("<html>access/1 access%2F1"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"no code": {
			ok(`{"data":{"max_video_post_duration_sec":60}}`), platform.ClassTransient, post.ErrorPlatformDown, 0,
		},
		"no code, but words": {
			ok(`{"message":"access token expired"}`), platform.ClassTransient, post.ErrorPlatformDown, 0,
		},
		"code of another type": {ok(`{"code":"0"}`), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"no data":              {ok(`{"code":0}`), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"a list":               {done("[]"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"null":                 {done("null"), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"no duration":          {done(`{"comment_disabled":true}`), platform.ClassTransient, post.ErrorPlatformDown, 0},
		"a redirect": {
			platformtest.Response{Status: 302, Header: map[string]string{"Location": "/"}},
			platform.ClassTransient,
			post.ErrorPlatformDown, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := business(t, map[string][]platformtest.Response{settingsCall: {test.response}})
			info, err := b.link.CreatorInfo(t.Context(), b.account)
			require.Zero(t, info)
			requireFailure(t, err, test.class, test.code, test.until)
			require.Len(t, b.script.Requests(), 1)
		})
	}
}

func TestBusinessRefresh(t *testing.T) {
	t.Parallel()

	const pair = `"access_token":"access-2","refresh_token":"refresh-2","open_id":"_000abc","refresh_token_expires_in":31536000`
	for name, test := range map[string]struct {
		response platformtest.Response
		want     channel.Credentials
		class    platform.Class
	}{
		"a new pair":     {done(`{` + pair + `,"expires_in":3600}`), fresh("7123", "refresh-2", time.Hour, 365*24*time.Hour), ""},
		"no life":        {done(`{` + pair + `}`), fresh("7123", "refresh-2", 24*time.Hour, 365*24*time.Hour), ""},
		"no new refresh": {done(`{"access_token":"access-2","expires_in":60}`), fresh("7123", "refresh/1", time.Minute, 0), ""},
		"dead":           {businessRefusal(40103, "refresh/1 has expired"), channel.Credentials{}, platform.ClassReconnect},
		"dead, by 40002": {
			businessRefusal(40002, "refresh token is wrong"), channel.Credentials{}, platform.ClassReconnect,
		},
		"dead, status 401": {
			platformtest.Response{Status: 401, Body: `{"code":40105,"message":"m"}`},
			channel.Credentials{},
			platform.ClassReconnect,
		},
		"our own app": {businessRefusal(40101, "app/secret"), channel.Credentials{}, platform.ClassOperator},
		"limited":     {businessRefusal(40100, "limit"), channel.Credentials{}, platform.ClassRateLimited},
		"limited, a page": {
			platformtest.Response{Status: 429, Body: "<html>"}, channel.Credentials{}, platform.ClassRateLimited,
		},
		"internal":    {businessRefusal(50002, "internal"), channel.Credentials{}, platform.ClassTransient},
		"unavailable": {platformtest.Response{Status: 503}, channel.Credentials{}, platform.ClassTransient},
		"a proxy's 401": {
			platformtest.Response{Status: 401, Body: "<html>"}, channel.Credentials{}, platform.ClassTransient,
		},
		"no data":         {ok(`{"code":0}`), channel.Credentials{}, platform.ClassTransient},
		"no token":        {done(`{}`), channel.Credentials{}, platform.ClassTransient},
		"a hostile token": {done(`{"access_token":"a\nb"}`), channel.Credentials{}, platform.ClassTransient},
		"a flat answer":   {ok(`{` + pair + `}`), channel.Credentials{}, platform.ClassTransient},
		"a page":          {ok("<html>refresh/1 app/secret"), channel.Credentials{}, platform.ClassTransient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := business(t, map[string][]platformtest.Response{businessTokenCall: {test.response}})
			credentials, err := b.link.Refresh(t.Context(), b.account)
			require.Equal(t, test.want, credentials)
			require.Len(t, b.script.Requests(), 1)
			request := b.script.Requests()[0]
			require.Equal(t, "application/json", request.Header.Get("Content-Type"))
			require.JSONEq(t,
				`{"client_id":"7123","client_secret":"app/secret","grant_type":"refresh_token","refresh_token":"refresh/1"}`,
				request.Body)
			requireRefreshed(t, err, test.class)
		})
	}
}
