package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFiguresAreReproducible checks that the same request at the same time gets the same response, after a restart too,
// and that values grow with time.
func TestFiguresAreReproducible(t *testing.T) {
	t.Parallel()

	b := setup(t)
	require.Equal(t, http.StatusCreated, b.tweet(t, "acme", "one").status)
	id := b.newest(t, "")
	xToken := acme
	questions := map[string]func() reply{
		"account": func() reply { return b.get(t, "/x/2/users/me?user.fields=public_metrics", xToken) },
		"post":    func() reply { return b.get(t, "/x/2/tweets?ids="+id+"&tweet.fields=public_metrics", xToken) },
		"page": func() reply {
			return b.get(t, "/facebook/v26.0/acme/insights?metric=page_media_view&period=day&since=1771000000&until=1772300000",
				facebookToken)
		},
	}
	b.clock.Advance(time.Hour)
	first := make(map[string]string)
	for name, ask := range questions {
		response := ask()
		require.Equal(t, http.StatusOK, response.status, response.body)
		first[name] = response.body
		require.Equal(t, response.body, ask().body, name)
	}
	b.restart(t)
	for name, ask := range questions {
		require.Equal(t, first[name], ask().body, name)
	}
	b.clock.Advance(48 * time.Hour)
	xToken += ".1" // the first has expired
	require.NotEqual(t, first["account"], questions["account"]().body)
	require.NotEqual(t, first["post"], questions["post"]().body)
	require.Equal(t, first["page"], questions["page"]().body, "days that are over stay as they are")
}

// TestFiguresAreRefused checks that requests which the network does not allow are rejected.
func TestFiguresAreRefused(t *testing.T) {
	t.Parallel()

	b := setup(t)
	const day = "since=1771920000&until=1772006400"
	interval := "timeIntervals=(timeRange:(start:1771920000000,end:1772006400000),timeGranularityType:DAY)"
	statistics := "/linkedin/rest/organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=urn%3Ali%3Aorganization%3A"
	for name, test := range map[string]struct {
		path, token string
		status      int
	}{
		"too many posts": {"/x/2/tweets?ids=" + strings.Repeat("1,", 100) + "1", "sandbox-x-acme", 400},
		"no posts":       {"/x/2/tweets", "sandbox-x-acme", 400},
		"an ended metric": {
			"/facebook/v26.0/acme/insights?metric=page_impressions&period=day&" + day, facebookToken, 400,
		},
		"too many days": {
			"/facebook/v26.0/acme/insights?metric=page_media_view&period=day&since=1700000000&until=1772006400", facebookToken,
			400,
		},
		"another period": {
			"/facebook/v26.0/acme/insights?metric=page_media_view&period=week&" + day, facebookToken, 400,
		},
		"another's post": {"/facebook/v26.0/other_1/insights?metric=post_clicks", facebookToken, 400},
		"no series": {
			"/instagram/v26.0/acme/insights?metric=views&metric_type=time_series&period=day&" + day, "sandbox-instagram-acme",
			400,
		},
		"no metric type": {
			"/instagram/v26.0/acme/insights?metric=views&period=day&" + day, "sandbox-instagram-acme", 400,
		},
		"profile views": {
			"/instagram/v26.0/acme/insights?metric=profile_views&metric_type=total_value&period=day&" + day,
			"sandbox-instagram-acme", 400,
		},
		"months": {
			"/instagram/v26.0/acme/insights?metric=reach&metric_type=time_series&period=day&since=1767000000&until=1772006400",
			"sandbox-instagram-acme", 400,
		},
		"another's account": {"/threads/v1.0/other/threads_insights?metric=views&" + day, "sandbox-threads-acme", 400},
		"backwards": {
			"/threads/v1.0/acme/threads_insights?metric=views&since=5&until=4", "sandbox-threads-acme", 400,
		},
		"another's pin": {
			"/pinterest/v5/pins/1/analytics?metric_types=SAVE&start_date=2026-02-01&end_date=2026-02-28", pinterestToken, 404,
		},
		"pins in beta": {"/pinterest/v5/pins/analytics?pin_ids=1", pinterestToken, 403},
		"too long ago": {
			"/pinterest/v5/user_account/analytics?metric_types=SAVE&start_date=2025-01-01&end_date=2025-02-01", pinterestToken,
			400,
		},
		"another channel": {
			"/youtube/analytics/reports?ids=channel%3D%3DUC1&startDate=2026-01-01&endDate=2026-01-02&metrics=views&dimensions=day",
			"sandbox-youtube-acme", 403,
		},
		"an unknown dimension": {
			"/youtube/analytics/reports?ids=channel%3D%3DMINE&startDate=2026-01-01&endDate=2026-01-02&metrics=views&dimensions=month",
			"sandbox-youtube-acme", 400,
		},
		"another's channel": {"/youtube/channels?id=UC1&part=statistics", "sandbox-youtube-acme", 400},
		"no videos":         {"/youtube/videos?part=statistics", "sandbox-youtube-acme", 400},
		"another location": {
			"/googlebusiness/performance/v1/locations/other:fetchMultiDailyMetricsTimeSeries", "sandbox-googlebusiness-acme",
			403,
		},
		"another method": {
			"/googlebusiness/performance/v1/locations/acme:getDailyMetricsTimeSeries", "sandbox-googlebusiness-acme", 404,
		},
		"no dates": {
			"/googlebusiness/performance/v1/locations/acme:fetchMultiDailyMetricsTimeSeries", "sandbox-googlebusiness-acme",
			400,
		},
		"an unknown TikTok user": {"/tiktok/v2/user/info/?fields=shoe_size", tiktokToken, 400},
	} {
		response := b.get(t, test.path, test.token)
		require.Equal(t, test.status, response.status, "%s: %s", name, response.body)
	}
	linkedin := func(path string) reply {
		return b.raw(t, http.MethodGet, path, "", "Authorization", "Bearer "+pageToken, "Linkedin-Version", "202602",
			"X-Restli-Protocol-Version", "2.0.0", "X-Restli-Method", "FINDER")
	}
	require.Equal(t, http.StatusOK, linkedin(statistics+"acme&"+interval).status)
	require.Equal(t, http.StatusForbidden, linkedin(statistics+"other&"+interval).status)
	require.Equal(t, http.StatusBadRequest, linkedin(statistics+"acme&"+strings.NewReplacer("(", "%28", ":",
		"%3A").Replace(interval)).status,
		"a structure that is escaped is none")
	require.Equal(t, http.StatusBadRequest, linkedin(statistics+"acme&shares=List(urn:li:share:1)").status,
		"a name in it must be")
	require.Equal(t, http.StatusOK, linkedin(statistics+"acme&shares=List(urn%3Ali%3Ashare%3A1)").status)
	require.Equal(t, http.StatusOK,
		linkedin("/linkedin/rest/networkSizes/urn%3Ali%3Aorganization%3Aacme?edgeType=COMPANY_FOLLOWED_BY_MEMBER").status)
	require.Equal(t, http.StatusBadRequest,
		linkedin("/linkedin/rest/networkSizes/urn:li:organization:acme?edgeType=COMPANY_FOLLOWED_BY_MEMBER").status)
	askBusiness := func(query url.Values) reply {
		return b.raw(t, http.MethodGet, business+"/business/get/?"+query.Encode(), "", "Access-Token", businessToken)
	}
	requested := url.Values{
		"business_id": {"acme"}, "fields": {`["video_views"]`}, "start_date": {"2026-02-01"}, "end_date": {"2026-02-02"},
	}
	require.InDelta(t, 0, askBusiness(requested).at(t, "code"), 0)
	requested.Set("start_date", "2025-12-01")
	require.InDelta(t, 40002, askBusiness(requested).at(t, "code"), 0, "sixty days")
}
