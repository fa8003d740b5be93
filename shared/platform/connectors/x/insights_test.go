package x_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/x"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	meCall     = "GET /2/users/me"
	lookupCall = "GET /2/tweets"
)

// idOf returns the id of a post from the given number of days ago.
func idOf(days int) string {
	const epoch, bits = 1288834974657, 22
	return strconv.FormatInt((now().AddDate(0, 0, -days).UnixMilli()-epoch)<<bits, 10)
}

func today() analytics.Date { return analytics.DateOf(now()) }

func TestAccountInsights(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body string
		want []string
	}{
		"followers": {
			`{"data":{"id":"42","public_metrics":{"followers_count":1200,"following_count":7,"tweet_count":3}}}`,
			[]string{"2026-03-01 Followers=1200"},
		},
		"none":         {`{"data":{"id":"42","public_metrics":{"followers_count":0}}}`, []string{"2026-03-01 Followers=0"}},
		"not given":    {`{"data":{"id":"42"}}`, []string{}},
		"odd metrics":  {`{"data":{"id":7,"public_metrics":[1]}}`, []string{}},
		"odd follower": {`{"data":{"public_metrics":{"followers_count":-4}}}`, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{meCall: {{Body: test.body}}})
			days, err := b.connector.AccountInsights(t.Context(), b.account, today().Add(-30), today())
			require.NoError(t, err)
			require.Equal(t, test.want, platformtest.Days(days))
			request := b.script.Requests()[0]
			require.Equal(t, "public_metrics", request.Query.Get("user.fields"))
			require.Equal(t, "Bearer access-1", request.Header.Get("Authorization"))
		})
	}
}

func TestPastAccountInsightsMakeNoCall(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	days, err := b.connector.AccountInsights(t.Context(), b.account, today().Add(-30), today().Add(-1))
	require.NoError(t, err)
	require.Empty(t, days)
	require.Empty(t, b.script.Requests())
}

func TestPostInsights(t *testing.T) {
	t.Parallel()
	young, old, gone, withheld := idOf(3), idOf(40), idOf(5), idOf(6)
	b := setup(t, map[string][]platformtest.Response{lookupCall: {
		{Body: `{"data":[{"id":"` + young +
			`","text":"t","public_metrics":{"impression_count":900,"like_count":40,"reply_count":3,"retweet_count":5,
			"quote_count":2,"bookmark_count":6},"non_public_metrics":{"impression_count":901,"url_link_clicks":11},
			"attachments":{"media_keys":["13_1","3_2","13_3"]}},{"id":"777","public_metrics":{"like_count":1}}],
			"includes":{"media":[{"media_key":"13_1","public_metrics":{"view_count":300}},{"media_key":"3_2"},{"media_key":"13_3","public_metrics":{"view_count":4}}]},
			"errors":[{"resource_id":"` + gone + `","type":"https://api.x.com/2/problems/resource-not-found"},
			{"resource_id":"` + withheld + `","type":"https://api.x.com/2/problems/not-authorized-for-field"},
			{"resource_id":"` + withheld + `","type":"https://api.x.com/2/problems/not-authorized-for-field"},7]}`},
		{
			Body: `{"data":[{"id":"` + old + `","public_metrics":{"impression_count":"12","like_count":1}},{"id":"` + withheld +
				`","public_metrics":{"like_count":2}}]}`,
		},
	}})
	found, err := b.connector.PostInsights(t.Context(), b.account, []string{young, old, gone, withheld, "x1", ""})
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		young:    "Clicks=11 Comments=3 Impressions=900 Likes=40 Saves=6 Shares=7 VideoViews=304",
		old:      "Impressions=12 Likes=1",
		withheld: "Likes=2",
	}, platformtest.Posts(found))

	requests := b.script.Requests()
	require.Len(t, requests, 2)
	require.Equal(t, strings.Join([]string{young, gone, withheld}, ","), requests[0].Query.Get("ids"))
	require.Equal(t, "public_metrics,non_public_metrics,attachments", requests[0].Query.Get("tweet.fields"))
	require.Equal(t, "attachments.media_keys", requests[0].Query.Get("expansions"))
	require.Equal(t, "public_metrics", requests[0].Query.Get("media.fields"))
	require.Equal(t, old+","+withheld, requests[1].Query.Get("ids"))
	require.Equal(t, "public_metrics,attachments", requests[1].Query.Get("tweet.fields"))
}

// TestPostInsightsInBatches checks that a call reads a hundred posts, and that the figures read before a failure are
// kept.
func TestPostInsightsInBatches(t *testing.T) {
	t.Parallel()
	ids := make([]string, 250)
	for i := range ids {
		ids[i] = strconv.Itoa(1000 + i)
	}
	b := setup(t, map[string][]platformtest.Response{lookupCall: {
		{Body: `{"data":[{"id":"1000","public_metrics":{"like_count":1}}]}`},
		{Body: `{"errors":[]}`},
		{
			Status: http.StatusTooManyRequests,
			Header: map[string]string{"x-rate-limit-reset": strconv.FormatInt(now().Add(time.Minute).Unix(), 10)}, Body: `{}`,
		},
	}})
	found, err := b.connector.PostInsights(t.Context(), b.account, ids)
	failure := platformtest.Failure(t, err)
	require.Equal(t, platform.ClassRateLimited, failure.Class)
	require.Equal(t, now().Add(time.Minute), failure.Until)
	require.NotContains(t, failure.Message, "publish")
	require.Equal(t, map[string]string{"1000": "Likes=1"}, platformtest.Posts(found))
	for i, size := range []int{100, 100, 50} {
		require.Len(t, strings.Split(b.script.Requests()[i].Query.Get("ids"), ","), size)
	}
}

func TestInsightsFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"expired": {
			platformtest.Response{Status: 401, Body: `{"title":"Unauthorized","type":"about:blank"}`},
			platform.ClassRefresh,
			"TOKEN_EXPIRED",
		},
		"spending cap": {
			platformtest.Response{Status: 403, Body: `{"type":"https://api.x.com/2/problems/usage-capped"}`},
			platform.ClassOperator, x.CodeSpendingCap,
		},
		"no scope": {
			platformtest.Response{Status: 403, Body: `{"detail":"missing scope"}`},
			platform.ClassUser,
			platform.CodeInsightsNotGranted,
		},
		"not permitted": {
			platformtest.Response{Status: 403, Body: `{"detail":"You are not permitted"}`},
			platform.ClassUser,
			platform.CodeInsightsNotGranted,
		},
		"suspended": {
			platformtest.Response{Status: 403, Body: `{"detail":"the user is suspended"}`}, platform.ClassUser, x.CodeAccount,
		},
		"invalid": {
			platformtest.Response{Status: 400, Body: `{"title":"Invalid Request"}`},
			platform.ClassRejected,
			platform.CodeInsightsRefused,
		},
		"down":          {platformtest.Response{Status: 503, Body: `{}`}, platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"a page":        {platformtest.Response{Status: 403, Body: `<html>`}, platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"another shape": {platformtest.Response{Body: `{"data":7}`}, platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"created": {
			platformtest.Response{Status: 201, Body: `{"data":{}}`}, platform.ClassTransient, "PLATFORM_UNAVAILABLE",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{meCall: {test.response}, lookupCall: {test.response}})
			_, onAccount := b.connector.AccountInsights(t.Context(), b.account, today(), today())
			found, onPosts := b.connector.PostInsights(t.Context(), b.account, []string{idOf(1)})
			require.Empty(t, found)
			for _, err := range []error{onAccount, onPosts} {
				failure := platformtest.Failure(t, err)
				require.Equal(t, test.class, failure.Class, "%v", err)
				require.Equal(t, test.code, failure.Code)
				require.NotContains(t, failure.Message, "publish")
				require.NotContains(t, err.Error(), "access-1")
			}
		})
	}
}
