package googlebusiness

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

var _ platform.Insighter = (*Connector)(nil)

const (
	performanceVersion = "v1"
	// windowDays is the number of days per call. All metrics of that many days fit into the size limit of a response.
	windowDays = 180

	metricWebsite = "WEBSITE_CLICKS"
)

// Google reports impressions per surface and device, and actions per kind.
func impressionMetrics() []string {
	return []string{
		"BUSINESS_IMPRESSIONS_DESKTOP_MAPS", "BUSINESS_IMPRESSIONS_DESKTOP_SEARCH",
		"BUSINESS_IMPRESSIONS_MOBILE_MAPS", "BUSINESS_IMPRESSIONS_MOBILE_SEARCH",
	}
}

func engagementMetrics() []string {
	return []string{
		"CALL_CLICKS", "BUSINESS_DIRECTION_REQUESTS", "BUSINESS_CONVERSATIONS", "BUSINESS_BOOKINGS",
		"BUSINESS_FOOD_ORDERS", "BUSINESS_FOOD_MENU_CLICKS",
	}
}

// AccountInsights reads the location's impressions in Search and Maps and the actions there. Google reports the latest
// days with a delay of some days.
func (c *Connector) AccountInsights(
	ctx context.Context, account platform.Account, since, until analytics.Date,
) ([]analytics.ChannelDay, error) {
	posts, err := c.posts(account)
	if err != nil {
		return nil, err
	}
	location := posts[len(posts)-2]
	book := readback.NewBook(since, until)
	if today := analytics.DateOf(c.client.Now()); until.After(today) {
		until = today
	}
	for from, to := range analytics.Windows(since, until, windowDays) {
		series, err := c.series(ctx, account, location, from, to)
		if err != nil {
			return nil, err
		}
		for _, one := range series {
			enter(book, one)
		}
	}
	return book.Days(), nil
}

// PostInsights returns no figures. Google removed the figures of posts in 2023.
func (c *Connector) PostInsights(
	context.Context, platform.Account, []string,
) (map[string]analytics.PostFigures, error) {
	return map[string]analytics.PostFigures{}, nil
}

// series is one metric, day by day.
type series struct {
	Metric string `json:"dailyMetric"`
	Time   httpcall.Maybe[struct {
		Values httpcall.Some[datedValue] `json:"datedValues"`
	}] `json:"timeSeries"`
}

// datedValue is the figure of a day. Google omits a value of zero.
type datedValue struct {
	Date struct {
		Year  int `json:"year"`
		Month int `json:"month"`
		Day   int `json:"day"`
	} `json:"date"`
	Value *httpcall.Figure `json:"value"`
}

// figure returns the date and the value. It returns false if the date is invalid.
func (v datedValue) figure() (analytics.Date, httpcall.Figure, bool) {
	date := analytics.Date{Year: v.Date.Year, Month: time.Month(v.Date.Month), Day: v.Date.Day}
	if date.IsZero() || date.Add(0) != date {
		return analytics.Date{}, httpcall.Figure{}, false
	}
	if v.Value == nil {
		return date, httpcall.Count(0), true
	}
	return date, *v.Value, true
}

func enter(book *readback.Book, one series) {
	for _, value := range one.Time.Value.Values {
		date, figure, ok := value.figure()
		if !ok {
			continue
		}
		day := book.Day(date)
		switch {
		case one.Metric == metricWebsite:
			day.WebsiteClicks = figure.Value()
		case slices.Contains(impressionMetrics(), one.Metric):
			day.Impressions = plus(day.Impressions, figure)
		case slices.Contains(engagementMetrics(), one.Metric):
			day.Engagements = plus(day.Engagements, figure)
		}
	}
}

func plus(sum *int64, figure httpcall.Figure) *int64 {
	if sum != nil {
		figure = httpcall.Sum(httpcall.Count(*sum), figure)
	}
	return figure.Value()
}

func (c *Connector) series(
	ctx context.Context, account platform.Account, location string, since, until analytics.Date,
) ([]series, error) {
	query := url.Values{"dailyMetrics": slices.Concat(impressionMetrics(), engagementMetrics(), []string{metricWebsite})}
	for name, date := range map[string]analytics.Date{"startDate": since, "endDate": until} {
		query.Set("dailyRange."+name+".year", strconv.Itoa(date.Year))
		query.Set("dailyRange."+name+".month", strconv.Itoa(int(date.Month)))
		query.Set("dailyRange."+name+".day", strconv.Itoa(date.Day))
	}
	response, err := c.performance.Call(ctx, httpcall.Request{
		Operation: "insights",
		Path:      []string{performanceVersion, "locations", location + ":fetchMultiDailyMetricsTimeSeries"},
		Query:     query,
		Header:    bearer(account),
		Secrets:   []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return nil, err
	}
	if !response.OK() {
		return nil, c.client.InsightsFailure(response, c.failure(response))
	}
	var result struct {
		Multi httpcall.Some[struct {
			Series httpcall.Some[series] `json:"dailyMetricTimeSeries"`
		}] `json:"multiDailyMetricTimeSeries"`
	}
	if err := response.Decode(&result); err != nil || result.Multi == nil {
		return nil, c.client.Unclear(response, "no series in the response")
	}
	var all []series
	for _, group := range result.Multi {
		all = append(all, group.Series...)
	}
	return all, nil
}
