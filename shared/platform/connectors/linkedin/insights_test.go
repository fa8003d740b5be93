package linkedin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	sharesCall = "GET /rest/organizationalEntityShareStatistics"
	viewsCall  = "GET /rest/organizationPageStatistics"
	sizeCall   = "GET /rest/networkSizes/urn:li:organization:1234"
)

func today() analytics.Date { return analytics.DateOf(now()) }

func ok(body string) platformtest.Response { return platformtest.Response{Body: body} }

func refused(status int, code string) platformtest.Response {
	return platformtest.Response{Status: status, Body: fmt.Sprintf(`{"status":%d,"code":%q,"message":"m"}`, status, code)}
}

func at(t *testing.T, date string) string {
	t.Helper()
	return fmt.Sprintf(`"timeRange":{"start":%d,"end":1}`, platformtest.Date(t, date).Start(time.UTC).UnixMilli())
}

func TestPageInsights(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{
		sharesCall: {ok(`{"elements":[
			{` + at(t, "2026-11-19") +
			`,"totalShareStatistics":{"impressionCount":100,"uniqueImpressionsCount":80,"clickCount":5,"likeCount":4,"commentCount":3,"shareCount":2,"engagement":0.14}},
			{` + at(t, "2026-11-20") + `,"totalShareStatistics":{"impressionCount":60,"likeCount":-1}},
			{` + at(t, "2026-11-18") + `,"totalShareStatistics":7},
			{"totalShareStatistics":{"impressionCount":1}},{"timeRange":"odd"},` + `{` + at(t,
			"2025-01-01") + `,"totalShareStatistics":{"impressionCount":1}}]}`)},
		viewsCall: {ok(`{"elements":[
			{` + at(t, "2026-11-19") + `,"totalPageStatistics":{"views":{"allPageViews":{"pageViews":30,"uniquePageViews":20}},
				"clicks":{"desktopCustomButtonClickCounts":[{"customButtonType":"X","clicks":2},{"clicks":"odd"}],"mobileCustomButtonClickCounts":[{"clicks":3}]}}},
			{` + at(t, "2026-11-20") + `,"totalPageStatistics":{"views":[],"clicks":{"desktopCustomButtonClickCounts":[]}}}]}`)},
		sizeCall: {ok(`{"firstDegreeSize":4321}`)},
	})
	days, err := b.page.AccountInsights(t.Context(), b.firm, today().Add(-6), today())
	require.NoError(t, err)
	require.Equal(t, []string{
		"2026-11-19 Engagements=14 Impressions=100 ProfileViews=30 Reach=80 WebsiteClicks=5",
		"2026-11-20 Impressions=60 WebsiteClicks=0", "2026-11-21 Followers=4321",
	}, platformtest.Days(days))

	requests := b.script.Requests()
	require.Equal(t, "organizationalEntity=urn%3Ali%3Aorganization%3A1234&q=organizationalEntity"+days7(t),
		requests[0].RawQuery)
	require.Equal(t, "organization=urn%3Ali%3Aorganization%3A1234&q=organization"+days7(t), requests[1].RawQuery)
	require.Equal(t, "/rest/networkSizes/urn%3Ali%3Aorganization%3A1234", requests[2].Path)
	require.Equal(t, "COMPANY_FOLLOWED_BY_MEMBER", requests[2].Query.Get("edgeType"))
	for i, request := range requests {
		require.Equal(t, "202609", request.Header.Get("Linkedin-Version"))
		require.Equal(t, "Bearer access-1", request.Header.Get("Authorization"))
		require.Equal(t, i < 2, request.Header.Get("X-Restli-Method") == "FINDER")
	}
}

// days7 returns the query structure of the last seven days, which must not be escaped.
func days7(t *testing.T) string {
	t.Helper()
	start := func(date analytics.Date) int64 { return date.Start(time.UTC).UnixMilli() }
	return fmt.Sprintf("&timeIntervals=(timeRange:(start:%d,end:%d),timeGranularityType:DAY)", start(today().Add(-6)),
		start(today().Next()))
}

func TestPagePosts(t *testing.T) {
	t.Parallel()
	const share, other, post = "urn:li:share:1", "urn:li:share:2", "urn:li:ugcPost:3"
	b := setup(t, map[string][]platformtest.Response{sharesCall: {
		refused(http.StatusBadRequest, "INVALID_URN"),
		ok(
			`{"elements":[{"share":"urn:li:share:1","totalShareStatistics":{"impressionCount":10,"uniqueImpressionsCount":9,"clickCount":1,"likeCount":2,"commentCount":3,"shareCount":4}},
			{"share":"urn:li:share:99","totalShareStatistics":{"likeCount":1}},{"share":7}]}`),
		refused(http.StatusNotFound, "NOT_FOUND"),
		ok(`{"elements":[{"ugcPost":"urn:li:ugcPost:3","totalShareStatistics":{"likeCount":"5"}}]}`),
	}})
	found, err := b.page.PostInsights(t.Context(), b.firm,
		[]string{share, post, other, "urn:li:activity:4", "urn:li:share:x", ""})
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		share: "Clicks=1 Comments=3 Impressions=10 Likes=2 Reach=9 Shares=4", post: "Likes=5",
	}, platformtest.Posts(found))
	var tails []string
	for _, request := range b.script.Requests() {
		_, tail, _ := strings.Cut(request.RawQuery, "&q=organizationalEntity&")
		tails = append(tails, tail)
	}
	require.Equal(t, []string{
		"shares=List(urn%3Ali%3Ashare%3A1,urn%3Ali%3Ashare%3A2)", "shares=List(urn%3Ali%3Ashare%3A1)",
		"shares=List(urn%3Ali%3Ashare%3A2)",
		"ugcPosts=List(urn%3Ali%3AugcPost%3A3)",
	}, tails, "a list that is refused is halved")
}

func TestInsightsFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"expired":     {refused(401, "EXPIRED_ACCESS_TOKEN"), platform.ClassRefresh, "TOKEN_EXPIRED"},
		"no scope":    {refused(403, "ACCESS_DENIED"), platform.ClassUser, platform.CodeInsightsNotGranted},
		"limited":     {refused(429, "TOO_MANY_REQUESTS"), platform.ClassRateLimited, "PLATFORM_RATE_LIMITED"},
		"version":     {refused(426, "NONEXISTENT_VERSION"), platform.ClassOperator, "API_VERSION_ENDED"},
		"old version": {refused(400, "VERSION_MISSING"), platform.ClassOperator, "API_VERSION_ENDED"},
		"down":        {refused(503, "SERVICE_UNAVAILABLE"), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"a page":      {platformtest.Response{Status: 403, Body: "<html>"}, platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"a page, 400": {platformtest.Response{Status: 400, Body: "<html>"}, platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"other shape": {ok(`{"elements":7}`), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{sharesCall: {test.response}})
			_, pageDays := b.page.AccountInsights(t.Context(), b.firm, today(), today())
			_, pagePosts := b.page.PostInsights(t.Context(), b.firm, []string{urn})
			for _, err := range []error{pageDays, pagePosts} {
				failure := platformtest.Failure(t, err)
				require.Equal(t, test.class, failure.Class, "%v", err)
				require.Equal(t, test.code, failure.Code)
				require.NotContains(t, failure.Message, "publish")
				require.NotContains(t, err.Error(), "access-1")
			}
		})
	}
	b := setup(t, map[string][]platformtest.Response{sharesCall: {refused(400, "INVALID")}})
	_, err := b.page.AccountInsights(t.Context(), b.firm, today(), today())
	require.Equal(t, platform.CodeInsightsRefused, platformtest.Failure(t, err).Code)
}
