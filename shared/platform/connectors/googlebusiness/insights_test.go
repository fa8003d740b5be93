package googlebusiness_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/googlebusiness"
	"fencepost.internal/shared/platform/platformtest"
)

const performanceCall = "GET /v1/locations/42:fetchMultiDailyMetricsTimeSeries"

func today() analytics.Date { return analytics.DateOf(now()) }

func metric(name, values string) string {
	return `{"dailyMetric":"` + name + `","timeSeries":{"datedValues":[` + values + `]}}`
}

func dated(day, rest string) string {
	return `{"date":{"year":2026,"month":2,"day":` + day + `}` + rest + `}`
}

func TestAccountInsights(t *testing.T) {
	t.Parallel()
	b := setup(t,
		map[string][]platformtest.Response{performanceCall: {ok(`{"multiDailyMetricTimeSeries":[{"dailyMetricTimeSeries":[` +
			metric("BUSINESS_IMPRESSIONS_DESKTOP_MAPS", dated("26", `,"value":"10"`)+","+dated("27", "")) + "," +
			metric("BUSINESS_IMPRESSIONS_MOBILE_SEARCH", dated("26", `,"value":"5"`)+","+dated("27", `,"value":"odd"`)) + "," +
			metric("CALL_CLICKS", dated("26", `,"value":2`)) + "," + metric("BUSINESS_BOOKINGS", dated("26", `,"value":"3"`)) +
			"," +
			metric("WEBSITE_CLICKS", dated("26", "")+","+dated("30", `,"value":"1"`)+`,7,{"date":"odd"},{"value":"3"}`) + "," +
			metric("SOMETHING_NEW", dated("25", `,"value":"4"`)) +
			`,{"dailyMetric":7},{"dailyMetric":"CALL_CLICKS","timeSeries":[]}]},{}]}`)}})
	days, err := b.connector.AccountInsights(t.Context(), b.account, platformtest.Date(t, "2026-02-20"), today().Add(3))
	require.NoError(t, err)
	require.Equal(t, []string{"2026-02-26 Engagements=5 Impressions=15 WebsiteClicks=0", "2026-02-27 Impressions=0"},
		platformtest.Days(days))

	request := b.script.Requests()[0]
	require.Len(t, request.Query["dailyMetrics"], 11)
	for name, want := range map[string]string{
		"startDate.year": "2026", "startDate.month": "2", "startDate.day": "20", "endDate.year": "2026", "endDate.month": "3",
		"endDate.day": "1",
	} {
		require.Equal(t, want, request.Query.Get("dailyRange."+name), name)
	}
	require.Equal(t, "Bearer access-1", request.Header.Get("Authorization"))

	found, err := b.connector.PostInsights(t.Context(), b.account, []string{"180"})
	require.NoError(t, err)
	require.Equal(t, map[string]analytics.PostFigures{}, found, "Google ended them")
}

func TestYearIsReadInThreeCalls(t *testing.T) {
	t.Parallel()
	b := setup(t, map[string][]platformtest.Response{performanceCall: {ok(`{"multiDailyMetricTimeSeries":[]}`)}})
	days, err := b.connector.AccountInsights(t.Context(), b.account, today().Add(-364), today())
	require.NoError(t, err)
	require.Empty(t, days)
	require.Len(t, b.script.Requests(), 3)
}

func TestInsightsFailures(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response platformtest.Response
		class    platform.Class
		code     string
	}{
		"expired": {refusal(401, "UNAUTHENTICATED", "m", ""), platform.ClassRefresh, "TOKEN_EXPIRED"},
		"no role": {refusal(403, "PERMISSION_DENIED", "m", ""), platform.ClassUser, platform.CodeInsightsNotGranted},
		"gone":    {refusal(404, "NOT_FOUND", "m", ""), platform.ClassReconnect, "CHANNEL_NEEDS_RECONNECT"},
		"not enabled": {
			refusal(403, "PERMISSION_DENIED", "m", `{"reason":"SERVICE_DISABLED"}`), platform.ClassOperator,
			googlebusiness.CodeAppAccess,
		},
		"limited": {
			refusal(429, "RESOURCE_EXHAUSTED", "m", `{"retryDelay":"30s"}`), platform.ClassRateLimited,
			"PLATFORM_RATE_LIMITED",
		},
		"invalid":     {refusal(400, "INVALID_ARGUMENT", "m", ""), platform.ClassRejected, platform.CodeInsightsRefused},
		"down":        {refusal(503, "UNAVAILABLE", "m", ""), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"other shape": {ok(`{"multiDailyMetricTimeSeries":{}}`), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
		"nothing":     {ok(`{}`), platform.ClassTransient, "PLATFORM_UNAVAILABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, map[string][]platformtest.Response{performanceCall: {test.response}})
			_, err := b.connector.AccountInsights(t.Context(), b.account, today(), today())
			failure := platformtest.Failure(t, err)
			require.Equal(t, test.class, failure.Class, "%v", err)
			require.Equal(t, test.code, failure.Code)
			require.NotContains(t, failure.Message, "publish")
			require.NotContains(t, err.Error(), "access-1")
		})
	}
	b := setup(t, nil)
	b.account.ExternalID = "../42"
	_, err := b.connector.AccountInsights(t.Context(), b.account, today(), today())
	require.Equal(t, platform.ClassReconnect, platformtest.Failure(t, err).Class)
}
