package pinterest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/pinterest"
	"fencepost.internal/shared/platform/platformtest"
)

const (
	accountCall   = "GET /v5/user_account"
	analyticsCall = "GET /v5/user_account/analytics"
)

func today() analytics.Date { return analytics.DateOf(now()) }

func TestAccountInsights(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{
		analyticsCall: {ok(`{"all":{"daily_metrics":[
			{"date":"2026-02-26","data_status":"BEFORE_BUSINESS_CREATED","metrics":{"IMPRESSION":1}},
			{"date":"2026-02-27","data_status":"READY","metrics":{"IMPRESSION":100.0,"ENGAGEMENT":9,"OUTBOUND_CLICK":2,"SAVE_RATE":0.01}},
			{"date":"2026-02-28","data_status":"ESTIMATE","metrics":{"IMPRESSION":50,"ENGAGEMENT":null}},
			{"date":"2026-03-01","data_status":"PROCESSING","metrics":{"IMPRESSION":3}},
			{"date":"someday","data_status":"READY","metrics":{"IMPRESSION":4}},{"date":7},null],"summary_metrics":{"IMPRESSION":154}}}`)},
		accountCall: {ok(`{"username":"acme","follower_count":321}`)},
	})
	days, err := b.connector.AccountInsights(t.Context(), b.account, today().Add(-200), today())
	require.NoError(t, err)
	require.Equal(t, []string{
		"2026-02-27 Engagements=9 Impressions=100 WebsiteClicks=2", "2026-02-28 Impressions=50", "2026-03-01 Followers=321",
	}, platformtest.Days(days))
	request := b.script.Requests()[0]
	require.Equal(t, "2025-12-02", request.Query.Get("start_date"), "ninety days")
	require.Equal(t, "2026-03-01", request.Query.Get("end_date"))
	require.Equal(t, "IMPRESSION,ENGAGEMENT,PIN_CLICK,OUTBOUND_CLICK,SAVE", request.Query.Get("metric_types"))
	require.Equal(t, "Bearer access/1", request.Header.Get("Authorization"))
}

// TestDaysBeforeLimitAreNotRequested checks that no request is made for days older than Pinterest's limit.
func TestDaysBeforeLimitAreNotRequested(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	days, err := b.connector.AccountInsights(t.Context(), b.account, today().Add(-300), today().Add(-90))
	require.NoError(t, err)
	require.Empty(t, days)
	require.Empty(t, b.script.Requests())
}

func TestPostInsights(t *testing.T) {
	t.Parallel()
	const summary = `"summary_metrics":{"IMPRESSION":40,"SAVE":3,"PIN_CLICK":2,"OUTBOUND_CLICK":1,"VIDEO_MRC_VIEW":5,"TOTAL_REACTIONS":1}`
	all := func(body string) []platformtest.Response {
		return []platformtest.Response{ok(`{"all":{` + body + `}}`)}
	}
	b := setup(t, map[string][]platformtest.Response{
		figuresOf("11"): all(`"lifetime_metrics":{"TOTAL_REACTIONS":7,"TOTAL_COMMENTS":0},"daily_metrics":[` +
			`{"data_status":"BEFORE_PIN_CREATED","date":"2026-01-01"}],` + summary),
		figuresOf("12"): all(`"lifetime_metrics":{"TOTAL_REACTIONS":8},"daily_metrics":[{"data_status":"READY","date":"2026-01-01"}],` +
			summary),
		figuresOf("13"): {{Status: http.StatusNotFound, Body: `{"code":50,"message":"Pin not found."}`}},
		figuresOf("14"): all(``),
		figuresOf("15"): all(`"lifetime_metrics":{"IMPRESSION":900}`),
	})
	found, err := b.connector.PostInsights(t.Context(), b.account, []string{"11", "12", "13", "x", "14", "15"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"11": "Clicks=3 Comments=0 Impressions=40 Likes=7 Saves=3 VideoViews=5",
		"12": "Likes=8", // older than the requested range, so its summary is not used
		"15": "Impressions=900",
	}, platformtest.Posts(found))
	require.Len(t, b.script.Requests(), 5)
}

func figuresOf(id string) string { return "GET /v5/pins/" + id + "/analytics" }

// trial29 is the refusal to an application with trial access, in other words.
func trial29() platformtest.Response {
	return platformtest.Response{Status: http.StatusForbidden, Body: `{"code":29,"message":"You are not permitted to access that resource."}`}
}

func TestInsightsFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"expired":     {refusal(401, "Authentication failed."), platform.ClassRefresh, "TOKEN_EXPIRED"},
		"no scope":    {refusal(403, "Not authorized"), platform.ClassUser, platform.CodeInsightsNotGranted},
		"code 29":     {trial29(), platform.ClassOperator, pinterest.CodeAppAccess},
		"trial":       {refusal(403, "Apps with Trial access may not"), platform.ClassOperator, pinterest.CodeAppAccess},
		"limited":     {limited("X-RateLimit-Reset", "30"), platform.ClassRateLimited, "PLATFORM_RATE_LIMITED"},
		"invalid":     {refusal(400, "start_date"), platform.ClassRejected, platform.CodeInsightsRefused},
		"down":        {refusal(503, "down"), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"a page":      {platformtest.Response{Status: 403, Body: "<html>"}, platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"other shape": {ok(`[7]`), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"null":        {ok(`null`), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{analyticsCall: {test.response}, figuresOf("11"): {test.response}})
			_, onAccount := b.connector.AccountInsights(t.Context(), b.account, today(), today())
			_, onPosts := b.connector.PostInsights(t.Context(), b.account, []string{"11"})
			for _, err := range []error{onAccount, onPosts} {
				failure := platformtest.Failure(t, err)
				require.Equal(t, test.class, failure.Class, "%v", err)
				require.Equal(t, test.code, failure.Code)
				require.NotContains(t, failure.Message, "publish")
				requireSafe(t, err)
			}
		})
	}
}
