package threads_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/threads"
	"fencepost.internal/shared/platform/platformtest"
)

const insightsCall = "GET /v1.0/42/threads_insights"

func today() analytics.Date { return analytics.DateOf(now()) }

func views(values string) platformtest.Response {
	return ok(`{"data":[{"name":"views","period":"day","values":[` + values + `]}]}`)
}

func totals(likes, replies, reposts, quotes, clicks string) platformtest.Response {
	return ok(`{"data":[{"name":"likes","total_value":{"value":` + likes + `}},{"name":"replies","total_value":{"value":` +
		replies + `}},
		{"name":"reposts","total_value":{"value":` + reposts + `}},{"name":"quotes","total_value":{"value":` + quotes + `}},
		{"name":"clicks","link_total_values":[{"value":` + clicks + `,"link_url":"https://example.com"}]}]}`)
}

func TestAccountInsights(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{insightsCall: {
		views(`{"value":30,"end_time":"2026-02-28T08:00:00+0000"},{"value":40,"end_time":"2026-03-01T08:00:00+0000"}`),
		totals("1", "2", "3", "4", "5"),
		totals("10", `"x"`, "0", "-3", "null"),
		ok(`{"data":[]}`),
		ok(`{"data":[{"name":"followers_count","total_value":{"value":900}}]}`),
	}})
	days, err := b.connector.AccountInsights(t.Context(), b.account, today().Add(-2), today().Add(5))
	require.NoError(t, err)
	require.Equal(t, []string{
		"2026-02-27 Engagements=10 Impressions=30 ProfileViews=30 WebsiteClicks=5",
		"2026-02-28 Engagements=10 Impressions=40 ProfileViews=40",
		"2026-03-01 Followers=900",
	}, platformtest.Days(days))

	requests := b.script.Requests()
	require.Len(t, requests, 5)
	require.Equal(t, "views", requests[0].Query.Get("metric"))
	require.Equal(t, "1772179200", requests[0].Query.Get("since"), "2026-02-27T08:00Z")
	require.Equal(t, strconv.FormatInt(now().Unix(), 10), requests[0].Query.Get("until"), "nothing of the future")
	require.Equal(t, "likes,replies,reposts,quotes,clicks", requests[1].Query.Get("metric"))
	require.Equal(t, "1772265600", requests[1].Query.Get("until"), "a day later")
	require.Equal(t, "followers_count", requests[4].Query.Get("metric"))
	require.False(t, requests[4].Query.Has("since"))
	for _, request := range requests {
		require.Equal(t, "token/1", request.Query.Get("access_token"))
	}
}

// TestViewsAreReadInWindows checks that views are read in windows of ninety days, and metrics that cost a call per day only for
// a month.
func TestViewsAreReadInWindows(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{insightsCall: {ok(`{"data":[]}`)}})
	days, err := b.connector.AccountInsights(t.Context(), b.account, today().Add(-364), today())
	require.NoError(t, err)
	require.Empty(t, days)
	requested := make(map[string]int)
	for _, request := range b.script.Requests() {
		requested[request.Query.Get("metric")]++
	}
	require.Equal(t, map[string]int{"views": 5, "likes,replies,reposts,quotes,clicks": 30, "followers_count": 1}, requested)
}

// TestNoRequestBeforeThreadsFirstDay checks that no request is made for days before Threads' first day or in the
// future.
func TestNoRequestBeforeThreadsFirstDay(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for _, span := range [][2]string{{"2023-01-01", "2024-04-13"}, {"2026-03-02", "2026-03-20"}} {
		days, err := b.connector.AccountInsights(t.Context(), b.account, platformtest.Date(t, span[0]),
			platformtest.Date(t, span[1]))
		require.NoError(t, err)
		require.Empty(t, days)
	}
	require.Empty(t, b.script.Requests())
}

func TestPostInsights(t *testing.T) {
	t.Parallel()
	lifetime := func(name, value string) string {
		return `{"name":"` + name + `","period":"lifetime","values":[{"value":` + value + `}]}`
	}
	b := setup(t, map[string][]platformtest.Response{
		"GET /v1.0/180/insights": {ok(`{"data":[` + lifetime("views", "100") + "," + lifetime("likes", "9") + "," +
			lifetime("replies", "8") + "," +
			lifetime("reposts", "1") + "," + lifetime("quotes", "2") + "," + lifetime("shares", "3") + `]}`)},
		"GET /v1.0/181/insights": {graph(http.StatusBadRequest, 100, 33, "Object does not exist")},
		"GET /v1.0/182/insights": {graph(http.StatusBadRequest, 24, 0, "The requested resource does not exist")},
		"GET /v1.0/183/insights": {ok(`{"data":[]}`)},
		"GET /v1.0/184/insights": {ok(`{"data":[` + lifetime("views", `"x"`) + "," + lifetime("likes", "0") + `]}`)},
	})
	found, err := b.connector.PostInsights(t.Context(), b.account,
		[]string{"180", "181", "182", "183", "184", "../me", ""})
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"180": "Comments=8 Impressions=100 Likes=9 Shares=6", "184": "Likes=0",
	}, platformtest.Posts(found))
	require.Len(t, b.script.Requests(), 5)
	require.Equal(t, "views,likes,replies,reposts,quotes,shares", b.script.Requests()[0].Query.Get("metric"))
}

func TestInsightsFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"expired": {graph(401, 190, 463, "Session has expired"), platform.ClassRefresh, "TOKEN_EXPIRED"},
		"revoked": {graph(401, 190, 460, "password changed"), platform.ClassReconnect, "CHANNEL_NEEDS_RECONNECT"},
		"no scope": {
			graph(400, 10, 0, "Application does not have permission"), platform.ClassUser, platform.CodeInsightsNotGranted,
		},
		"no scope 2":  {graph(403, 200, 0, "Permissions error"), platform.ClassUser, platform.CodeInsightsNotGranted},
		"limited":     {graph(429, 4, 0, "too many calls"), platform.ClassRateLimited, "PLATFORM_RATE_LIMITED"},
		"restricted":  {graph(400, 1, 4279013, "restricted"), platform.ClassUser, threads.CodeAccount},
		"down":        {graph(503, 2, 0, "down"), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"wrong time":  {graph(400, 100, 0, "since is too early"), platform.ClassRejected, platform.CodeInsightsRefused},
		"a page":      {platformtest.Response{Status: 400, Body: "<html>"}, platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"other shape": {ok(`{"data":{"views":7}}`), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"restriction": {graph(400, 7, 4279013, "restricted"), platform.ClassUser, threads.CodeAccount},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := test.response
			if test.class == platform.ClassRateLimited {
				response.Header = map[string]string{"X-Business-Use-Case-Usage": `{"1":[{"estimated_time_to_regain_access":3}]}`}
			}
			b := setup(t, map[string][]platformtest.Response{insightsCall: {response}, "GET /v1.0/180/insights": {response}})
			_, onAccount := b.connector.AccountInsights(t.Context(), b.account, today(), today())
			_, onPost := b.connector.PostInsights(t.Context(), b.account, []string{"180"})
			errs := []error{onAccount, onPost}
			if test.class == platform.ClassRejected {
				require.NoError(t, onPost, "such a post is left out")
				errs = errs[:1]
			}
			for _, err := range errs {
				failure := platformtest.Failure(t, err)
				require.Equal(t, test.class, failure.Class, "%v", err)
				require.Equal(t, test.code, failure.Code)
				require.NotContains(t, failure.Message, "publish")
				require.NotContains(t, err.Error(), "token/1")
				if test.class == platform.ClassRateLimited {
					require.Equal(t, now().Add(3*time.Minute), failure.Until)
				}
			}
		})
	}
	b := setup(t, map[string][]platformtest.Response{insightsCall: {graph(400, 100, 33, "Object does not exist")}})
	_, err := b.connector.AccountInsights(t.Context(), b.account, today(), today())
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class, "the account is gone")
}
