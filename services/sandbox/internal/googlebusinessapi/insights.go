package googlebusinessapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/sandbox/internal/fault"
	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/domain/channel"
)

// late is the number of days before Google reports a day.
const late = 3

// metric maps the name of a Google metric to a day's value.
type metric struct {
	name   string
	figure func(figures.Day) int64
}

func metrics() []metric {
	return []metric{
		{"BUSINESS_IMPRESSIONS_DESKTOP_MAPS", func(d figures.Day) int64 { return d.Impressions / 10 }},
		{"BUSINESS_IMPRESSIONS_DESKTOP_SEARCH", func(d figures.Day) int64 { return d.Impressions / 5 }},
		{"BUSINESS_IMPRESSIONS_MOBILE_MAPS", func(d figures.Day) int64 { return d.Impressions / 5 }},
		{
			"BUSINESS_IMPRESSIONS_MOBILE_SEARCH",
			func(d figures.Day) int64 { return d.Impressions - d.Impressions/10 - 2*(d.Impressions/5) },
		},
		{"CALL_CLICKS", func(d figures.Day) int64 { return d.Clicks }},
		{"BUSINESS_DIRECTION_REQUESTS", func(d figures.Day) int64 { return d.Likes }},
		{"BUSINESS_CONVERSATIONS", func(d figures.Day) int64 { return d.Comments }},
		{"BUSINESS_BOOKINGS", func(d figures.Day) int64 { return d.Shares }},
		{"BUSINESS_FOOD_ORDERS", func(figures.Day) int64 { return 0 }},
		{"BUSINESS_FOOD_MENU_CLICKS", func(figures.Day) int64 { return 0 }},
		{"WEBSITE_CLICKS", func(d figures.Day) int64 { return d.WebsiteClicks }},
	}
}

// soleAccount precedes a location in the names of faults, because this API does not name the account. It is the account
// of all locations that the sandbox's accounts are seeded with.
const soleAccount = "accounts/1/locations/"

// performance authenticates the request for the location's metrics and applies faults.
func (a *API) performance(w http.ResponseWriter, r *http.Request) {
	grant, ok := a.admit(w, r)
	if !ok {
		return
	}
	call := stage.Call{
		Network: channel.NetworkGoogleBusiness, Account: soleAccount + grant.Account, Step: fault.StepStatus, Grant: grant,
	}
	held, ok := a.stage.Enter(w, r, call, dialect{})
	if !ok {
		return
	}
	location, method, _ := strings.Cut(r.PathValue("call"), ":")
	switch {
	case method != "fetchMultiDailyMetricsTimeSeries":
		apiError(w, http.StatusNotFound, "NOT_FOUND", "The sandbox does not have this call.")
	case location != grant.Account:
		apiError(w, http.StatusForbidden, "PERMISSION_DENIED", "The caller does not have permission")
	default:
		a.series(w, request{Request: r, account: grant.Account, held: held})
	}
}

func (a *API) series(w http.ResponseWriter, r request) {
	query := r.URL.Query()
	since, sinceOK := dateOf(query, "startDate")
	until, untilOK := dateOf(query, "endDate")
	if !sinceOK || !untilOK || until.Before(since) {
		invalid(w, "daily_range", "Must be a range of dates")
		return
	}
	now := a.stage.Clock.Now()
	if newest := analytics.DateOf(now.UTC()).Add(-late); until.After(newest) {
		until = newest
	}
	all := []map[string]any{}
	for _, name := range query["dailyMetrics"] {
		at := slices.IndexFunc(metrics(), func(m metric) bool { return m.name == name })
		if at < 0 {
			invalid(w, "daily_metrics", "Is not a metric")
			return
		}
		all = append(all, map[string]any{
			"dailyMetric": name, "timeSeries": map[string]any{
				"datedValues": datedValues(r.account, since, until, now, metrics()[at].figure),
			},
		})
	}
	r.answer(w, map[string]any{"multiDailyMetricTimeSeries": []map[string]any{{"dailyMetricTimeSeries": all}}})
}

// datedValues returns a metric per day, as text. Google's APIs omit values of zero.
func datedValues(
	account string, since, until analytics.Date, now time.Time, figure func(figures.Day) int64,
) []map[string]any {
	values := []map[string]any{}
	for date := range analytics.DaysFrom(since, until) {
		day, ok := figures.Of(network, account).Day(date, now)
		if !ok {
			continue
		}
		one := map[string]any{"date": map[string]int{"year": date.Year, "month": int(date.Month), "day": date.Day}}
		if value := figure(day); value > 0 {
			one["value"] = strconv.FormatInt(value, 10)
		}
		values = append(values, one)
	}
	return values
}

func dateOf(query url.Values, name string) (analytics.Date, bool) {
	part := func(of string) int {
		number, _ := strconv.Atoi(query.Get("dailyRange." + name + "." + of)) // on error zero, which is no valid date
		return number
	}
	date := analytics.Date{Year: part("year"), Month: time.Month(part("month")), Day: part("day")}
	return date, date.Year > 2000 && date.Add(0) == date
}
