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

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/days"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// Insights reads figures from one of Meta's APIs. Meta ends metrics now and then, and refuses a call that names an ended one
// altogether: such a call is halved until the metric is found, which is then not asked for again. It is of one reading of one
// account, and not safe for concurrent use.
type Insights struct {
	// Get makes a call for figures of the account.
	Get func(ctx context.Context, query url.Values, path ...string) (httpcall.Response, error)
	// Class classes an answer that is no success.
	Class func(httpcall.Response) *platform.Failure
	// Untold reports the error of a post that is gone, or that nothing is told of.
	Untold func(Error) bool
	Client *httpcall.Client

	lost     map[string]bool
	answered bool
}

// Failure is the failure of a call for figures. Meta tells a missing permission by its own code.
func (i *Insights) Failure(response httpcall.Response) *platform.Failure {
	if ErrorOf(response).Meaning(response.Status) == Forbidden {
		return i.Client.InsightsNotGranted(response.Cause("refused"))
	}
	return i.Client.InsightsFailure(response, i.Class(response))
}

// Read reads the metrics at the path, as far as Meta knows them.
func (i *Insights) Read(ctx context.Context, query url.Values, metrics []string, path ...string) (Metrics, error) {
	r := reading{query: query, path: path, told: make(Metrics)}
	if err := i.read(ctx, &r, i.left(metrics)); err != nil {
		return nil, err
	}
	if r.refusal != nil && !i.answered {
		return nil, r.refusal // it is not about single metrics
	}
	return r.told, nil
}

// errUntold is the error of a post that Untold reports.
var errUntold = errors.New("nothing is told of the post")

// ReadPost reads the metrics of a post; false when it is gone, or when nothing is told of it. A post of which all metrics are
// refused says nothing about the metrics.
func (i *Insights) ReadPost(ctx context.Context, metrics []string, id string) (Metrics, bool, error) {
	r := reading{query: url.Values{}, path: []string{id, "insights"}, told: make(Metrics), post: true}
	lost, answered := maps.Clone(i.lost), i.answered
	i.answered = false
	err := i.read(ctx, &r, i.left(metrics))
	if r.refusal != nil && !i.answered {
		i.lost = lost
	}
	known := i.answered
	i.answered = i.answered || answered
	if err != nil && !errors.Is(err, errUntold) {
		return nil, false, err
	}
	return r.told, known && err == nil, nil
}

// GetPost reads the fields of a post into what is given; false when it is gone, or when Meta refuses to show it.
func (i *Insights) GetPost(ctx context.Context, fields, id string, into any) (bool, error) {
	response, err := i.Get(ctx, url.Values{"fields": {fields}}, id)
	if err != nil {
		return false, err
	}
	if !response.OK() {
		failure := i.Failure(response)
		if i.untold(response) || failure.Class == platform.ClassRejected { // which is about this post
			return false, nil
		}
		return false, failure
	}
	if response.Decode(into) != nil {
		return false, i.Client.Unclear(response, "no post in the answer")
	}
	return true, nil
}

func (i *Insights) untold(response httpcall.Response) bool {
	e := ErrorOf(response)
	return e.Code != 0 && e.Meaning(response.Status) != NoRefusal && i.Untold != nil && i.Untold(e)
}

// left are the metrics that have not proved unknown.
func (i *Insights) left(metrics []string) []string {
	var left []string
	for _, name := range metrics {
		if !i.lost[name] {
			left = append(left, name)
		}
	}
	return left
}

// reading is one reading of metrics, in one call or several.
type reading struct {
	query   url.Values
	path    []string
	post    bool // they are a post's
	told    Metrics
	refusal *platform.Failure // the last one of a single metric
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
		i.answered = true
		return i.take(response, r.told)
	case r.post && i.untold(response):
		return errUntold
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

func (i *Insights) take(response httpcall.Response, told Metrics) error {
	var answer struct {
		Data httpcall.Some[Metric] `json:"data"`
	}
	if err := response.Decode(&answer); err != nil || answer.Data == nil {
		return i.Client.Unclear(response, "no figures in the answer")
	}
	for _, metric := range answer.Data {
		told[metric.Name] = metric
	}
	return nil
}

// Metrics are what was told, by name.
type Metrics map[string]Metric

// Metric is one metric of an answer: a series, a total, or one of links.
type Metric struct {
	Name   string                `json:"name"`
	Values httpcall.Some[Point]  `json:"values"`
	Total  httpcall.Maybe[Point] `json:"total_value"`
	Links  httpcall.Some[Point]  `json:"link_total_values"`
}

// Point is one figure of a metric.
type Point struct {
	Value   Amount `json:"value"`
	EndTime string `json:"end_time"` // of a series: when the day was over
}

// Amount is a figure, or one for each of several kinds, which add up.
type Amount struct{ httpcall.Figure }

// UnmarshalJSON reads either; anything else leaves the figure unknown.
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

// Figure is the whole of the metric: its total, that of its links, or its only value.
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

// Days are the metric's figures by day.
func (m Metrics) Days(name string) map[platform.Date]httpcall.Figure {
	byDay := make(map[platform.Date]httpcall.Figure)
	for _, point := range m[name].Values {
		if end, err := ParseTime(point.EndTime); err == nil {
			byDay[dayEnding(end)] = point.Value.Figure
		}
	}
	return byDay
}

// dayEnding is the day that was over at the instant. Meta ends its days at midnight in California, some the whole year as in
// winter: twelve hours earlier it was that day for certain.
func dayEnding(end time.Time) platform.Date {
	const half = 12 * time.Hour
	return platform.DateOf(end.In(days.Pacific()).Add(-half))
}

// Today is the latest day that anything can be told of: the one that it is in California, once it has begun for sure.
func Today(now time.Time) platform.Date {
	return platform.DateOf(now.Add(-time.Minute).In(days.Pacific()))
}

// Between are the parameters of a call for the days from since to until, both included, as far as they are over.
func Between(since, until platform.Date, now time.Time) url.Values {
	zone := days.Pacific()
	start, end := since.Start(zone), until.Next().Start(zone)
	if end.After(now) {
		end = now
	}
	return url.Values{"since": {strconv.FormatInt(start.Unix(), 10)}, "until": {strconv.FormatInt(end.Unix(), 10)}}
}
