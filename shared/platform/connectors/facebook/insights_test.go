package facebook_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	insightsCall = "GET /v26.0/42/insights"
	pageCall     = "GET /v26.0/42"
)

func today() analytics.Date { return analytics.DateOf(now()) }

func series(name, values string) string {
	return `{"name":"` + name + `","period":"day","values":[` + values + `]}`
}

func TestAccountInsights(t *testing.T) {
	t.Parallel()
	const first, second, third = `"end_time":"2026-02-28T08:00:00+0000"}`, `"end_time":"2026-03-01T08:00:00+0000"}`, `"end_time":"2026-03-02T08:00:00+0000"}`
	b := setup(t, map[string][]platformtest.Response{
		insightsCall: {ok(`{"data":[` +
			series("page_follows", `{"value":900,`+first+`,{"value":910,`+second+`,{"value":911,`+third) + "," +
			series("page_media_view", `{"value":50,`+first+`,{"value":60,`+second) + "," +
			series("page_total_media_view_unique", `{"value":40,`+first+`,{"value":null,`+second) + "," +
			series("page_views_total", `{"value":5,`+first) + "," +
			series("page_total_actions", `{"value":2,`+first) + "," +
			series("page_post_engagements", `{"value":7,`+first+`,{"value":-1,`+second+
				`,{"value":3,"end_time":"2026-01-01T08:00:00+0000"}`) +
			`],"paging":{"next":"https://elsewhere.example"}}`)},
		pageCall: {ok(`{"id":"42","followers_count":915,"fan_count":800}`)},
	})
	days, err := b.connector.AccountInsights(t.Context(), b.account, today().Add(-2), today())
	require.NoError(t, err)
	require.Equal(t, []string{
		"2026-02-27 Engagements=7 Followers=900 Impressions=50 ProfileViews=5 Reach=40 WebsiteClicks=2",
		"2026-02-28 Followers=910 Impressions=60", "2026-03-01 Followers=915",
	}, platformtest.Days(days))
	request := b.script.Requests()[0]
	require.Equal(t,
		"page_follows,page_media_view,page_total_media_view_unique,page_views_total,page_total_actions,page_post_engagements",
		request.Query.Get("metric"))
	require.Equal(t, "day", request.Query.Get("period"))
	require.Equal(t, "1772179200", request.Query.Get("since"), "2026-02-27T08:00Z")
	require.Equal(t, strconv.FormatInt(now().Unix(), 10), request.Query.Get("until"), "nothing of the future")
	require.Equal(t, "Bearer token/1", request.Header.Get("Authorization"))
	require.Len(t, b.script.Requests(), 2, "no link of an answer is followed")
}

// TestInsightsOfSmallPage checks a Page for which Facebook reports only the number of followers.
func TestInsightsOfSmallPage(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{
		insightsCall: {ok(`{"data":[]}`)}, pageCall: {ok(`{"id":"42","fan_count":60}`)},
	})
	days, err := b.connector.AccountInsights(t.Context(), b.account, today().Add(-364), today())
	require.NoError(t, err)
	require.Equal(t, []string{"2026-03-01 Followers=60"}, platformtest.Days(days))
	require.Len(t, b.script.Requests(), 6, "five windows of ninety days, and the Page")
}

func TestPostInsights(t *testing.T) {
	t.Parallel()
	lifetime := func(name, value string) string {
		return `{"name":"` + name + `","period":"lifetime","values":[{"value":` + value + `}]}`
	}
	counted := func(reactions, rest string) platformtest.Response {
		return ok(`{"id":"x","reactions":{"data":[],"summary":{"total_count":` + reactions + `}}` + rest + `}`)
	}
	b := setup(t, map[string][]platformtest.Response{
		"GET /v26.0/42_180": {counted("10", `,"comments":{"summary":{"total_count":4}},"shares":{"count":2}`)},
		"GET /v26.0/42_180/insights": {ok(`{"data":[` + lifetime("post_media_view", "100") + "," +
			lifetime("post_total_media_view_unique", "80") + "," +
			lifetime("post_clicks", "6") + "," + lifetime("post_reactions_by_type_total", `{"like":9}`) + `]}`)},
		"GET /v26.0/42_181": {counted(`"odd"`, `,"comments":7,"shares":[]`)},
		"GET /v26.0/42_181/insights": {
			ok(`{"data":[` + lifetime("post_reactions_by_type_total", `{"like":3,"love":2}`) + `]}`),
		},
		"GET /v26.0/42_182":          {graph(http.StatusBadRequest, 100, 33, "Object does not exist")},
		"GET /v26.0/42_183":          {counted("1", "")},
		"GET /v26.0/180":             {ok(`{"id":"180","post_id":"42_184"}`)},
		"GET /v26.0/42_184":          {counted("3", "")},
		"GET /v26.0/42_184/insights": {ok(`{"data":[]}`)},
		"GET /v26.0/185":             {ok(`{"id":"185","post_id":"186"}`)},
		"GET /v26.0/42_186":          {counted("2", "")},
		"GET /v26.0/42_186/insights": {ok(`{"data":[]}`)},
		"GET /v26.0/187":             {ok(`{"id":"187"}`)},
		"GET /v26.0/188":             {graph(http.StatusBadRequest, 100, 33, "Object does not exist")},
		"GET /v26.0/42_183/insights": {graph(http.StatusBadRequest, 100, 33, "Object does not exist")},
	})
	found, err := b.connector.PostInsights(t.Context(), b.account,
		[]string{"42_180", "42_181", "42_182", "42_183", "180", "185", "187", "188", "42_1/x"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"42_180": "Clicks=6 Comments=4 Impressions=100 Likes=10 Reach=80 Shares=2", "42_181": "Likes=5", "42_183": "Likes=1",
		"180": "Likes=3", "185": "Likes=2",
	}, platformtest.Posts(found))
	requests := b.script.Requests()
	require.Equal(t, "reactions.limit(0).summary(true),comments.limit(0).summary(true),shares",
		requests[0].Query.Get("fields"))
	require.Equal(t, "post_media_view,post_total_media_view_unique,post_clicks,post_reactions_by_type_total",
		requests[1].Query.Get("metric"))
	require.Len(t, requests, 15)
}

func TestInsightsFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"expired":     {graph(400, 190, 463, "Session has expired"), platform.ClassReconnect, "CHANNEL_NEEDS_RECONNECT"},
		"no scope":    {graph(403, 200, 0, "Permissions error"), platform.ClassUser, platform.CodeInsightsNotGranted},
		"limited":     {graph(400, 80001, 0, "too many calls"), platform.ClassRateLimited, "PLATFORM_RATE_LIMITED"},
		"blocked":     {graph(400, 368, 0, "blocked"), platform.ClassUser, "ACCOUNT_RESTRICTED"},
		"duplicate":   {graph(400, 506, 0, "cannot be"), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"down":        {graph(503, 2, 0, "down"), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"refused":     {graph(400, 100, 0, "nothing is right"), platform.ClassRejected, "INSIGHTS_REFUSED"},
		"a page":      {platformtest.Response{Status: 502, Body: "<html>"}, platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"other shape": {ok(`{"data":"none"}`), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{
				insightsCall: {test.response}, "GET /v26.0/42_180": {ok(`{"id":"42_180"}`)},
				"GET /v26.0/42_180/insights": {test.response},
			})
			_, onAccount := b.connector.AccountInsights(t.Context(), b.account, today(), today())
			_, onPost := b.connector.PostInsights(t.Context(), b.account, []string{"42_180"})
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
			}
		})
	}
}
