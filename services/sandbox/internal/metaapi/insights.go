package metaapi

import (
	"maps"
	"slices"
	"strconv"
	"time"
	_ "time/tzdata" // embeds the time zones in the binary

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/analytics"
)

// OnlyDays is the refusal of metrics that are not of days.
const OnlyDays = "(#100) The sandbox reports only figures of days: period must be day, with since and until"

// Insights is a request for metrics of a range of days.
type Insights struct {
	Metrics      []string
	Since, Until analytics.Date // both inclusive
	Bounded      bool           // whether the request contains a range
}

// Insights reads a request for metrics. Like Meta, it refuses unknown metrics and ranges of too many days.
func (a *API) Insights(r stage.Request, known ...string) (Insights, stage.Check) {
	requested, message := readInsights(r, known, a.Days)
	return requested, stage.If(message != "", a.Invalid(message))
}

func readInsights(r stage.Request, known []string, mostDays int) (requested Insights, message string) {
	requested.Metrics = r.List("metric")
	for _, name := range requested.Metrics {
		if !slices.Contains(known, name) {
			return Insights{}, "(#100) The value must be a valid insights metric: " + name
		}
	}
	if requested.Bounded = r.Values.Has("since") || r.Values.Has("until"); !requested.Bounded {
		return requested, ""
	}
	since, sinceErr := strconv.ParseInt(r.Values.Get("since"), 10, 64)
	until, untilErr := strconv.ParseInt(r.Values.Get("until"), 10, 64)
	if sinceErr != nil || untilErr != nil || since >= until {
		return Insights{}, "(#100) since and until must be times, the first before the second"
	}
	requested.Since = analytics.DateOf(time.Unix(since, 0).In(pacific()))
	requested.Until = analytics.DateOf(time.Unix(until, 0).Add(-time.Second).In(pacific()))
	if requested.Until.DaysSince(requested.Since) >= mostDays {
		return Insights{}, "(#100) There cannot be more than " + strconv.Itoa(mostDays) + " days between since and until"
	}
	return requested, ""
}

// Lifetime responds with the requested metrics of a post, whose values are all that it has.
func (a *API) Lifetime(r stage.Request, values stage.Object) stage.Response {
	requested, bad := a.Insights(r, slices.Collect(maps.Keys(values))...)
	return bad.Else(stage.OK(stage.Object{"data": stage.Each(requested.Metrics, func(name string) stage.Object {
		return metric(name, "lifetime", "values", []stage.Object{{"value": values[name]}})
	})}))
}

// Measure responds with the requested metrics of the account, which are those of each day. Check returns a
// message if the request is not valid, and show presents the values per day and their sum.
func (a *API) Measure(
	r stage.Request, metrics func(figures.Day) map[string]int64, check func(Insights) string,
	show func(name string, days []stage.Object, sum int64) stage.Object,
) stage.Response {
	requested, bad := a.Insights(r, slices.Collect(maps.Keys(metrics(figures.Day{})))...)
	if check != nil {
		message := check(requested)
		bad = bad.Or(message != "", a.Invalid(message))
	}
	account := figures.Of(string(a.Network), r.Account)
	return bad.Else(stage.OK(stage.Object{"data": stage.Each(requested.Metrics, func(name string) stage.Object {
		days, sum := []stage.Object{}, int64(0)
		for date := range analytics.DaysFrom(requested.Since, requested.Until) {
			if day, ok := account.Day(date, a.Stage.Clock.Now()); ok {
				value := metrics(day)[name]
				days, sum = append(days, stage.Object{"value": value, "end_time": endOf(date)}), sum+value
			}
		}
		return show(name, days, sum)
	}), "paging": stage.Object{}}))
}

// PerDay returns a metric as one number per day.
func PerDay(name string, values []stage.Object) stage.Object {
	return metric(name, "day", "values", values)
}

// TotalValue returns a metric as one number.
func TotalValue(name string, value int64) stage.Object {
	return metric(name, "day", "total_value", stage.Object{"value": value})
}

func metric(name, period, member string, value any) stage.Object {
	return stage.Object{
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
