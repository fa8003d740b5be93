package youtube_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/clock/clocktest"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/youtube"
	"fencepost.internal/shared/platform/platformtest"
)

func now() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

func today() analytics.Date { return analytics.DateOf(now()) }

const (
	channelsCall = "GET /v3/channels"
	videosCall   = "GET /v3/videos"
	reportCall   = "GET /v2/reports"
	tokenCall    = "POST /token"
)

type bundle struct {
	script    *platformtest.Script
	connector *youtube.Connector
	account   platform.Account
}

func setup(t *testing.T, responses map[string][]platformtest.Response) *bundle {
	t.Helper()
	script := platformtest.NewScript(t, responses)
	connector, err := youtube.New(youtube.Config{
		Wire:         httpcall.Config{BaseURL: script.URL + "/v3", Clock: clocktest.New(now())},
		AnalyticsURL: script.URL + "/v2", TokenURL: script.URL + "/token", ClientID: "client", ClientSecret: "client secret",
	})
	require.NoError(t, err)
	return &bundle{script: script, connector: connector, account: platform.Account{
		Type: channel.YouTube, ExternalID: "UC42", Username: "acme",
		Credentials: channel.Credentials{AccessToken: "access/1", RefreshToken: "refresh/1"},
	}}
}

func ok(body string) platformtest.Response { return platformtest.Response{Body: body} }

func refusal(status int, reason string) platformtest.Response {
	return platformtest.Response{Status: status, Body: fmt.Sprintf(
		`{"error":{"code":%d,"message":"m","errors":[{"reason":%q,"domain":"global","message":"m"}]}}`, status, reason)}
}

func report(columns, rows string) platformtest.Response {
	var headers []string
	for name := range strings.SplitSeq(columns, ",") {
		headers = append(headers, `{"name":"`+name+`","columnType":"METRIC"}`)
	}
	return ok(`{"kind":"youtubeAnalytics#resultTable","columnHeaders":[` + strings.Join(headers, ",") + `],"rows":[` +
		rows + `]}`)
}

func TestNewValidatesURLs(t *testing.T) {
	t.Parallel()
	good := httpcall.Config{Clock: clocktest.New(now())}
	connector, err := youtube.New(youtube.Config{Wire: good})
	require.NoError(t, err, "the official addresses")
	require.Equal(t, []channel.Type{channel.YouTube}, connector.Types())
	for name, config := range map[string]youtube.Config{
		"no clock":       {},
		"a faulty API":   {Wire: httpcall.Config{Clock: good.Clock, BaseURL: "ftp://x"}},
		"no token path":  {Wire: good, TokenURL: "https://example.com/"},
		"no tokens host": {Wire: good, TokenURL: "token"},
		"no analytics":   {Wire: good, AnalyticsURL: "://"},
	} {
		_, err := youtube.New(config)
		require.ErrorContains(t, err, "youtube", name)
	}
}

func TestAccountInsights(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{
		reportCall: {report("day,likes,views,comments,shares", `["2026-02-26",5,100,2,1],["2026-02-27",0,"50",null,"x"],
			["soon",1,1,1,1],[7,1,1,1,1],["2026-02-25"],["2024-01-01",1,1,1,1],"odd",null,["2026-02-28",1,2,3,4,5,6]`)},
		channelsCall: {ok(`{"items":[{"id":"UC1","statistics":{"subscriberCount":"9"}},{"id":7},
			{"id":"UC42","statistics":{"subscriberCount":"12300","hiddenSubscriberCount":false}}]}`)},
	})
	days, err := b.connector.AccountInsights(t.Context(), b.account, today().Add(-10), today().Add(5))
	require.NoError(t, err)
	require.Equal(t, []string{
		"2026-02-26 Engagements=8 Impressions=100", "2026-02-27 Engagements=0 Impressions=50",
		"2026-02-28 Engagements=8 Impressions=2",
		"2026-03-01 Followers=12300",
	}, platformtest.Days(days))
	requests := b.script.Requests()
	for name, want := range map[string]string{
		"ids": "channel==MINE", "startDate": "2026-02-19", "endDate": "2026-03-01", "dimensions": "day",
		"metrics": "views,likes,comments,shares",
	} {
		require.Equal(t, want, requests[0].Query.Get(name))
	}
	require.Equal(t, "true", requests[1].Query.Get("mine"))
	require.Equal(t, "Bearer access/1", requests[1].Header.Get("Authorization"))
}

func TestHiddenSubscribers(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"hidden":          `{"items":[{"id":"UC42","statistics":{"hiddenSubscriberCount":true,"subscriberCount":"0"}}]}`,
		"another channel": `{"items":[{"id":"UC1","statistics":{"subscriberCount":"9"}}]}`,
		"no channel":      `{"items":[]}`,
		"no statistics":   `{"items":[{"id":"UC42"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{
				reportCall: {ok(`{"columnHeaders":[{"name":"day"}]}`)}, channelsCall: {ok(body)},
			})
			days, err := b.connector.AccountInsights(t.Context(), b.account, today(), today())
			require.NoError(t, err)
			require.Empty(t, days)
		})
	}
}

func TestPostInsights(t *testing.T) {
	t.Parallel()
	ids := []string{"dQw4w9WgXcQ", "gone_1-2", "quiet", "a/b"}
	for i := range 48 {
		ids = append(ids, "more"+strconv.Itoa(i))
	}
	b := setup(t, map[string][]platformtest.Response{
		videosCall: {
			ok(
				`{"items":[{"id":"dQw4w9WgXcQ","statistics":{"viewCount":"1000","likeCount":"50","commentCount":"7","favoriteCount":"0"}},
				{"id":"quiet","statistics":{"viewCount":"3"}},{"id":"foreign","statistics":{"viewCount":"3"}},{"id":"more1","statistics":[]}]}`),
			ok(`{"items":[]}`),
		},
		reportCall: {report("video,views,shares", `["dQw4w9WgXcQ",1000,4],["foreign",1,1]`)},
	})
	found, err := b.connector.PostInsights(t.Context(), b.account, ids)
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"dQw4w9WgXcQ": "Comments=7 Impressions=1000 Likes=50 Shares=4 VideoViews=1000", "quiet": "Impressions=3 VideoViews=3",
	}, platformtest.Posts(found))
	requests := b.script.Requests()
	require.Len(t, requests, 3)
	require.Len(t, strings.Split(requests[0].Query.Get("id"), ","), 50)
	require.Equal(t, "video==dQw4w9WgXcQ,quiet", requests[1].Query.Get("filters"))
	require.Equal(t, "2005-02-14", requests[1].Query.Get("startDate"))
	require.Equal(t, "more47", requests[2].Query.Get("id"))
}

// TestInsightsWithoutAnalyticsPermission checks that the other figures are reported if the connection may not use the Analytics API.
func TestInsightsWithoutAnalyticsPermission(t *testing.T) {
	t.Parallel()
	statistics := ok(`{"items":[{"id":"a","statistics":{"viewCount":"3"}}]}`)
	for _, response := range []platformtest.Response{refusal(403, "insufficientPermissions"), refusal(400, "badRequest")} {
		b := setup(t, map[string][]platformtest.Response{videosCall: {statistics}, reportCall: {response}})
		found, err := b.connector.PostInsights(t.Context(), b.account, []string{"a"})
		require.NoError(t, err)
		require.Equal(t, map[string]string{"a": "Impressions=3 VideoViews=3"}, platformtest.Posts(found))
	}
	b := setup(t, map[string][]platformtest.Response{videosCall: {statistics}, reportCall: {refusal(503, "backendError")}})
	found, err := b.connector.PostInsights(t.Context(), b.account, []string{"a"})
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class)
	require.Len(t, found, 1, "what was read is kept")
}

func TestFailures(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC) // still the first of March in California
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
		until    time.Time
	}{
		"expired": {refusal(401, "authError"), platform.ClassRefresh, "TOKEN_EXPIRED", time.Time{}},
		"no channel": {
			refusal(401, "youtubeSignupRequired"), platform.ClassReconnect, "CHANNEL_NEEDS_RECONNECT", time.Time{},
		},
		"closed": {
			refusal(403, "authenticatedUserAccountClosed"), platform.ClassReconnect, "CHANNEL_NEEDS_RECONNECT", time.Time{},
		},
		"no scope": {
			refusal(403, "insufficientPermissions"), platform.ClassUser, platform.CodeInsightsNotGranted, time.Time{},
		},
		"quota": {refusal(403, "quotaExceeded"), platform.ClassRateLimited, "PLATFORM_RATE_LIMITED", midnight},
		"rate": {
			refusal(403, "rateLimitExceeded"), platform.ClassRateLimited, "PLATFORM_RATE_LIMITED", now().Add(time.Minute),
		},
		"rate 429":    {refusal(429, "any"), platform.ClassRateLimited, "PLATFORM_RATE_LIMITED", now().Add(time.Minute)},
		"not enabled": {refusal(403, "accessNotConfigured"), platform.ClassOperator, youtube.CodeAppAccess, time.Time{}},
		"invalid":     {refusal(400, "badRequest"), platform.ClassRejected, platform.CodeInsightsRefused, time.Time{}},
		"down":        {refusal(500, "backendError"), platform.ClassTransient, "PLATFORM_UNAVAILABLE", time.Time{}},
		"a page": {
			platformtest.Response{Status: 403, Body: "<html>access/1"},
			platform.ClassTransient, "PLATFORM_UNAVAILABLE",
			time.Time{},
		},
		"another shape": {ok(`{"items":{},"columnHeaders":1}`), platform.ClassTransient, "PLATFORM_UNAVAILABLE", time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{reportCall: {test.response}, videosCall: {test.response}})
			_, onAccount := b.connector.AccountInsights(t.Context(), b.account, today(), today())
			_, onPosts := b.connector.PostInsights(t.Context(), b.account, []string{"a"})
			for _, err := range []error{onAccount, onPosts} {
				failure := platformtest.Failure(t, err)
				require.Equal(t, test.class, failure.Class, "%v", err)
				require.Equal(t, test.code, failure.Code)
				require.Equal(t, test.until, failure.Until)
				require.NotContains(t, failure.Message, "publish")
				require.NotContains(t, err.Error(), "access/1")
			}
		})
	}
	b := setup(t, nil)
	b.account.ExternalID = ""
	_, err := b.connector.AccountInsights(t.Context(), b.account, today(), today())
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{tokenCall: {
		ok(`{"access_token":"fresh","expires_in":3599,"token_type":"Bearer"}`),
		{Status: http.StatusBadRequest, Body: `{"error":"invalid_grant"}`},
		{Status: http.StatusUnauthorized, Body: `{"error":"invalid_client"}`},
	}})
	fresh, err := b.connector.Refresh(t.Context(), b.account)
	require.NoError(t, err)
	require.Equal(t, channel.Credentials{
		AccessToken: "fresh", RefreshToken: "refresh/1", IssuedAt: now(), ExpiresAt: now().Add(3599 * time.Second),
		ClientID: "client",
	}, fresh)
	form := b.script.Requests()[0].Form(t)
	require.Equal(t, "refresh/1", form.Get("refresh_token"))
	require.Equal(t, "client", form.Get("client_id"))
	for _, class := range []platform.Class{platform.ClassReconnect, platform.ClassOperator} {
		_, err = b.connector.Refresh(t.Context(), b.account)
		require.Equal(t, class, platformtest.Failure(t, err).Class)
		require.NotContains(t, err.Error(), "refresh/1")
	}
}
