package instagram_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	insightsCall = "GET /v26.0/42/insights"
	accountCall  = "GET /v26.0/42"
)

// today is 2027-01-15 in UTC. In California the 14th has just ended.
func today() analytics.Date { return analytics.DateOf(now()) }

func meta(status int, body string) platformtest.Response {
	return platformtest.Response{Status: status, Body: `{"error":{` + body + `}}`}
}

func TestAccountInsights(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{
		insightsCall: {
			ok(
				`{"data":[{"name":"reach","period":"day","values":[{"value":70,"end_time":"2027-01-14T08:00:00+0000"},{"value":80,"end_time":"2027-01-15T08:00:00+0000"}]}]}`),
			meta(http.StatusBadRequest, `"code":100,"message":"(#100) metric[3] must be one of the following values"`),
			ok(
				`{"data":[{"name":"views","total_value":{"value":100}},{"name":"total_interactions","total_value":{"value":12}}]}`),
			meta(http.StatusBadRequest, `"code":100,"message":"(#100) metric[1] must be one of the following values"`),
			ok(`{"data":[{"name":"profile_links_taps","total_value":{"value":3,"breakdowns":[]}}]}`),
			meta(http.StatusBadRequest, `"code":100,"message":"(#100) metric[0] must be one of the following values"`),
			ok(
				`{"data":[{"name":"views","total_value":{"value":"200"}},{"name":"total_interactions","total_value":7},{"name":"profile_links_taps","total_value":{}}]}`),
		},
		accountCall: {ok(`{"followers_count":555,"id":"42"}`)},
	})
	days, err := b.connector.AccountInsights(t.Context(), b.account, today().Add(-2), today())
	require.NoError(t, err)
	require.Equal(t, []string{
		"2027-01-13 Engagements=12 Impressions=100 Reach=70 WebsiteClicks=3", "2027-01-14 Impressions=200 Reach=80",
		"2027-01-15 Followers=555",
	}, platformtest.Days(days))

	requests := b.script.Requests()
	require.Equal(t, "time_series", requests[0].Query.Get("metric_type"))
	require.Equal(t, "day", requests[0].Query.Get("period"))
	require.Equal(t, "reach", requests[0].Query.Get("metric"))
	var metrics []string
	for _, request := range requests[1:7] {
		require.Equal(t, "total_value", request.Query.Get("metric_type"))
		metrics = append(metrics, request.Query.Get("metric"))
	}
	require.Equal(t, []string{
		"views,total_interactions,profile_links_taps,profile_views", "views,total_interactions",
		"profile_links_taps,profile_views",
		"profile_links_taps", "profile_views", "views,total_interactions,profile_links_taps",
	}, metrics, "what has ended is not asked for again")
	require.Equal(t, "followers_count", requests[7].Query.Get("fields"))
}

// TestReachIsReadInWindows checks that the reach is read in windows of thirty days, and metrics that cost a call per day
// only for the latest month.
func TestReachIsReadInWindows(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{
		insightsCall: {ok(`{"data":[]}`)}, accountCall: {ok(`{"followers_count":1}`)},
	})
	_, err := b.connector.AccountInsights(t.Context(), b.account, today().Add(-89), today())
	require.NoError(t, err)
	requested := make(map[string]int)
	for _, request := range b.script.Requests() {
		requested[request.Query.Get("metric_type")]++
	}
	require.Equal(t, map[string]int{"time_series": 3, "total_value": 30, "": 1}, requested)
}

func TestPostInsights(t *testing.T) {
	t.Parallel()
	value := func(name, value string) string { return `{"name":"` + name + `","values":[{"value":` + value + `}]}` }
	about := func(kind, product string) []platformtest.Response {
		return []platformtest.Response{ok(`{"id":"1","media_type":"` + kind + `","media_product_type":"` + product + `"}`)}
	}
	b := setup(t, map[string][]platformtest.Response{
		"GET /v26.0/180": about("IMAGE", "FEED"),
		"GET /v26.0/180/insights": {ok(`{"data":[` + value("views", "100") + "," + value("reach", "80") + "," +
			value("likes", "9") + "," +
			value("comments", "0") + "," + value("saved", "2") + "," + value("shares", "3") + `]}`)},
		"GET /v26.0/181":          about("VIDEO", "REELS"),
		"GET /v26.0/181/insights": {ok(`{"data":[` + value("views", "50") + `,{"name":"reach","values":"odd"}]}`)},
		"GET /v26.0/182":          about("IMAGE", "STORY"),
		"GET /v26.0/182/insights": {ok(`{"data":[` + value("views", "7") + "," + value("replies", "4") + `]}`)},
		"GET /v26.0/183":          {meta(http.StatusBadRequest, `"code":100,"error_subcode":33,"message":"gone"`)},
		"GET /v26.0/184":          about("IMAGE", "FEED"),
		"GET /v26.0/184/insights": {
			meta(http.StatusBadRequest, `"code":10,"message":"(#10) Not enough viewers for the media to show insights"`),
		},
		"GET /v26.0/185":          about("IMAGE", "STORY"),
		"GET /v26.0/185/insights": {meta(http.StatusBadRequest, `"code":100,"error_subcode":33,"message":"gone"`)},
		"GET /v26.0/186":          {ok(`{"media_type":7}`)},
		"GET /v26.0/186/insights": {ok(`{"data":[]}`)},
	})
	found, err := b.connector.PostInsights(t.Context(), b.account,
		[]string{"180", "181", "182", "183", "184", "185", "186", "x/y"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"180": "Comments=0 Impressions=100 Likes=9 Reach=80 Saves=2 Shares=3", "181": "Impressions=50 VideoViews=50",
		"182": "Comments=4 Impressions=7",
	}, platformtest.Posts(found))
	requests := b.script.Requests()
	require.Equal(t, "id,media_type,media_product_type", requests[0].Query.Get("fields"))
	require.Equal(t, "views,reach,likes,comments,saved,shares", requests[1].Query.Get("metric"))
	require.Equal(t, "views,reach,replies,shares", requests[5].Query.Get("metric"))
}

func TestInsightsFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"expired": {meta(401, `"code":190,"error_subcode":463`), platform.ClassRefresh, "TOKEN_EXPIRED"},
		"revoked": {meta(401, `"code":190,"error_subcode":458`), platform.ClassReconnect, "CHANNEL_NEEDS_RECONNECT"},
		"no scope": {
			meta(403, `"code":10,"message":"Application does not have permission for this action"`), platform.ClassUser,
			platform.CodeInsightsNotGranted,
		},
		"limited": {
			meta(400, `"code":80002,"message":"too many calls"`), platform.ClassRateLimited, "PLATFORM_RATE_LIMITED",
		},
		"down":        {meta(500, `"code":2`), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"a page":      {platformtest.Response{Status: 403, Body: "<html>"}, platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"refused":     {meta(400, `"code":100,"message":"since"`), platform.ClassRejected, platform.CodeInsightsRefused},
		"other shape": {ok(`[]`), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{insightsCall: {test.response}, "GET /v26.0/180": {test.response}})
			_, onAccount := b.connector.AccountInsights(t.Context(), b.account, today().Add(-1), today())
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
			}
		})
	}
	b := setup(t, map[string][]platformtest.Response{insightsCall: {ok(`{"data":[]}`)}, accountCall: {ok(`{"id":"42"}`)}})
	_, err := b.connector.AccountInsights(t.Context(), b.account, today().Add(-1), today())
	require.Equal(t, platform.ClassTransient, platformtest.Failure(t, err).Class, "no followers in the response")
}
