package graph

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

// Insights reads figures from one of Meta's APIs. Meta occasionally removes metrics, and refuses a call that names a
// removed one. Insights then splits the call in half until it has found the metric, and does not request that metric
// again. A value serves one read of one account. It is not safe for concurrent use.
type Insights struct {
	// Get makes a call for figures of the account.
	Get func(ctx context.Context, query url.Values, path ...string) (httpcall.Response, error)
	// Class classifies an error response.
	Class func(httpcall.Response) *platform.Failure
	// NoFigures reports whether the error means that the post is gone or has no figures.
	NoFigures func(Error) bool
	Client    *httpcall.Client

	lost      map[string]bool
	responded bool
}

// Failure returns the failure of a call for figures. Meta has a separate code for a missing permission.
func (i *Insights) Failure(response httpcall.Response) *platform.Failure {
	if ErrorOf(response).Meaning(response.Status) == Forbidden {
		return i.Client.InsightsNotGranted(response.Cause("refused"))
	}
	return i.Client.InsightsFailure(response, i.Class(response))
}

// Read reads the metrics at the path. It omits metrics that Meta does not know.
func (i *Insights) Read(ctx context.Context, query url.Values, metrics []string, path ...string) (Metrics, error) {
	r := reading{query: query, path: path, metrics: make(Metrics)}
	if err := i.read(ctx, &r, i.remaining(metrics)); err != nil {
		return nil, err
	}
	if r.refusal != nil && !i.responded {
		return nil, r.refusal // every metric is refused, so the refusal is not about single metrics
	}
	return r.metrics, nil
}

// errNoFigures is the error for a post that NoFigures reports.
var errNoFigures = errors.New("no figures for the post")

// ReadPost reads the metrics of a post. It returns false if the post is gone or has no figures. If a post refuses every
// metric, the metrics are not marked as removed.
func (i *Insights) ReadPost(ctx context.Context, metrics []string, id string) (Metrics, bool, error) {
	r := reading{query: url.Values{}, path: []string{id, "insights"}, metrics: make(Metrics), post: true}
	lost, responded := maps.Clone(i.lost), i.responded
	i.responded = false
	err := i.read(ctx, &r, i.remaining(metrics))
	if r.refusal != nil && !i.responded {
		i.lost = lost
	}
	known := i.responded
	i.responded = i.responded || responded
	if err != nil && !errors.Is(err, errNoFigures) {
		return nil, false, err
	}
	return r.metrics, known && err == nil, nil
}

// GetPost reads the fields of a post into the given value. It returns false if the post is gone or Meta refuses to show
// it.
func (i *Insights) GetPost(ctx context.Context, fields, id string, into any) (bool, error) {
	response, err := i.Get(ctx, url.Values{"fields": {fields}}, id)
	if err != nil {
		return false, err
	}
	if !response.OK() {
		failure := i.Failure(response)
		if i.noFigures(response) || failure.Class == platform.ClassRejected { // the refusal is about this post
			return false, nil
		}
		return false, failure
	}
	if response.Decode(into) != nil {
		return false, i.Client.Unclear(response, "no post in the response")
	}
	return true, nil
}

func (i *Insights) noFigures(response httpcall.Response) bool {
	e := ErrorOf(response)
	return e.Code != 0 && e.Meaning(response.Status) != NoRefusal && i.NoFigures != nil && i.NoFigures(e)
}

// remaining returns the metrics that are not known to be removed.
func (i *Insights) remaining(metrics []string) []string {
	var remaining []string
	for _, name := range metrics {
		if !i.lost[name] {
			remaining = append(remaining, name)
		}
	}
	return remaining
}

// reading is one read of metrics, in one or several calls.
type reading struct {
	query   url.Values
	path    []string
	post    bool // the metrics are a post's
	metrics Metrics
	refusal *platform.Failure // the last refusal of a single metric
}

func (i *Insights) read(ctx context.Context, r *reading, metrics []string) error {
	if len(metrics) == 0 {
		return nil
	}
	r.query.Set("metric", strings.Join(metrics, ","))
	response, err := i.Get(ctx, r.query, r.path...)
	if err != nil {
		return err
	}
	e := ErrorOf(response)
	switch {
	case response.OK():
		i.responded = true
		return i.take(response, r.metrics)
	case r.post && i.noFigures(response):
		return errNoFigures
	case e.Code != codeParameter, e.Missing(), e.Meaning(response.Status) != Specific:
		return i.Failure(response)
	case len(metrics) == 1:
		if i.lost == nil {
			i.lost = make(map[string]bool)
		}
		i.lost[metrics[0]] = true
		r.refusal = i.Failure(response)
		return nil
	}
	half := len(metrics) / 2
	if err := i.read(ctx, r, metrics[:half]); err != nil {
		return err
	}
	return i.read(ctx, r, metrics[half:])
}

func (i *Insights) take(response httpcall.Response, metrics Metrics) error {
	var result struct {
		Data httpcall.Some[Metric] `json:"data"`
	}
	if err := response.Decode(&result); err != nil || result.Data == nil {
		return i.Client.Unclear(response, "no figures in the response")
	}
	for _, metric := range result.Data {
		metrics[metric.Name] = metric
	}
	return nil
}

// Metrics holds the reported metrics by name.
type Metrics map[string]Metric

// Metric is one metric of a response: a series, a total, or totals of links.
type Metric struct {
	Name   string                `json:"name"`
	Values httpcall.Some[Point]  `json:"values"`
	Total  httpcall.Maybe[Point] `json:"total_value"`
	Links  httpcall.Some[Point]  `json:"link_total_values"`
}

// Point is one figure of a metric.
type Point struct {
	Value   Amount `json:"value"`
	EndTime string `json:"end_time"` // in a series: the end of the day
}

// Amount is a figure, or the sum of figures by kind.
type Amount struct{ httpcall.Figure }

// UnmarshalJSON decodes either form. Any other value leaves the figure unknown.
func (a *Amount) UnmarshalJSON(data []byte) error {
	var kinds map[string]httpcall.Figure
	if json.Unmarshal(data, &kinds) != nil || kinds == nil {
		return a.Figure.UnmarshalJSON(data)
	}
	a.Figure = httpcall.Figure{}
	for _, one := range kinds {
		a.Figure = httpcall.Sum(a.Figure, one)
	}
	return nil
}

// Figure returns the total of the metric: its total value, the sum of its links, or its only value.
func (m Metrics) Figure(name string) httpcall.Figure {
	metric := m[name]
	links := httpcall.Figure{}
	for _, link := range metric.Links {
		links = httpcall.Sum(links, link.Value.Figure)
	}
	single := httpcall.Figure{}
	if len(metric.Values) == 1 {
		single = metric.Values[0].Value.Figure
	}
	return metric.Total.Value.Value.Or(links).Or(single)
}

// Days returns the metric's figures by day.
func (m Metrics) Days(name string) map[analytics.Date]httpcall.Figure {
	byDay := make(map[analytics.Date]httpcall.Figure)
	for _, point := range m[name].Values {
		if end, err := ParseTime(point.EndTime); err == nil {
			byDay[dayEnding(end)] = point.Value.Figure
		}
	}
	return byDay
}

// dayEnding returns the day that ends at the instant. Meta's days end at midnight in California, for some metrics at
// midnight of Pacific Standard Time all year. Twelve hours earlier is certainly within that day.
func dayEnding(end time.Time) analytics.Date {
	const half = 12 * time.Hour
	return analytics.DateOf(end.In(readback.Pacific()).Add(-half))
}

// Today returns the latest day that can have figures: the current day in California, with a margin of a minute.
func Today(now time.Time) analytics.Date {
	return analytics.DateOf(now.Add(-time.Minute).In(readback.Pacific()))
}

// Between returns the query parameters for the days from since to until, both included. The end is at most now.
func Between(since, until analytics.Date, now time.Time) url.Values {
	zone := readback.Pacific()
	start, end := since.Start(zone), until.Next().Start(zone)
	if end.After(now) {
		end = now
	}
	return url.Values{"since": {strconv.FormatInt(start.Unix(), 10)}, "until": {strconv.FormatInt(end.Unix(), 10)}}
}
