package metaapi

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // embeds the time zones in the binary

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/shared/domain/analytics"
)

// Insights is a request for metrics of a range of days.
type Insights struct {
	Metrics      []string
	Since, Until analytics.Date // both inclusive
	Bounded      bool           // whether the request contains a range
}

// ReadInsights parses the parameters of a request for metrics. Like Meta, it rejects unknown metrics and ranges longer
// than mostDays. The message is Meta's error, and empty if the parameters are valid.
func ReadInsights(values url.Values, known []string, mostDays int) (asked Insights, message string) {
	asked.Metrics = strings.Split(values.Get("metric"), ",")
	for _, name := range asked.Metrics {
		if !slices.Contains(known, name) {
			return Insights{}, "(#100) The value must be a valid insights metric: " + name
		}
	}
	if !values.Has("since") && !values.Has("until") {
		return asked, ""
	}
	asked.Bounded = true
	since, sinceErr := strconv.ParseInt(values.Get("since"), 10, 64)
	until, untilErr := strconv.ParseInt(values.Get("until"), 10, 64)
	if sinceErr != nil || untilErr != nil || since >= until {
		return Insights{}, "(#100) since and until must be times, the first before the second"
	}
	asked.Since = analytics.DateOf(time.Unix(since, 0).In(pacific()))
	asked.Until = analytics.DateOf(time.Unix(until, 0).Add(-time.Second).In(pacific()))
	if asked.Until.DaysSince(asked.Since) >= mostDays {
		return Insights{}, "(#100) There cannot be more than " + strconv.Itoa(mostDays) + " days between since and until"
	}
	return asked, ""
}

// Series returns a metric per day.
func (i Insights) Series(
	name string, account figures.Account, now time.Time, figure func(figures.Day) int64,
) map[string]any {
	values := []map[string]any{}
	for date := range analytics.DaysFrom(i.Since, i.Until) {
		if day, ok := account.Day(date, now); ok {
			values = append(values, map[string]any{"value": figure(day), "end_time": endOf(date)})
		}
	}
	return metric(name, "day", "values", values)
}

// Total returns the sum of a metric over the days.
func (i Insights) Total(account figures.Account, now time.Time, figure func(figures.Day) int64) int64 {
	sum := int64(0)
	for date := range analytics.DaysFrom(i.Since, i.Until) {
		if day, ok := account.Day(date, now); ok {
			sum += figure(day)
		}
	}
	return sum
}

// TotalValue returns a metric as one number.
func TotalValue(name, period string, value any) map[string]any {
	return metric(name, period, "total_value", map[string]any{"value": value})
}

// Lifetime returns the lifetime metric of a post.
func Lifetime(name string, value any) map[string]any {
	return metric(name, "lifetime", "values", []map[string]any{{"value": value}})
}

func metric(name, period, member string, value any) map[string]any {
	return map[string]any{
		"name": name, "period": period, member: value, "title": name, "description": name,
		"id": "0/insights/" + name + "/" + period,
	}
}

// endOf returns the end of the day, at midnight in California.
func endOf(date analytics.Date) string {
	return date.Next().Start(pacific()).UTC().Format("2006-01-02T15:04:05-0700")
}

// pacific returns California's time zone, in which Meta's days end.
func pacific() *time.Location {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil { // cannot happen: the time zones are embedded
		const winter = -8 * 60 * 60
		return time.FixedZone("PST", winter)
	}
	return zone
}
