package instagram

import (
	"context"
	"net/url"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

var _ platform.Insighter = (*Connector)(nil)

const (
	// windowDays is the number of days that Instagram returns per call.
	windowDays = 30
	// totalDays is the number of latest days for which figures other than the reach are read. Instagram reports these
	// only as a sum over a range, so each day costs a call.
	totalDays = 30
)

// dayMetrics returns the metrics of one day of the account. Instagram no longer reports profile_views for every
// account.
func dayMetrics() []string {
	return []string{"views", "total_interactions", "profile_links_taps", "profile_views"}
}

// postMetrics returns the metrics of a post. Stories have fewer.
func postMetrics(product string) []string {
	if product == "STORY" {
		return []string{"views", "reach", "replies", "shares"}
	}
	return []string{"views", "reach", "likes", "comments", "saved", "shares"}
}

// AccountInsights reads the reach by day, the other figures of each of the latest days, and the current number of
// followers.
func (c *Connector) AccountInsights(
	ctx context.Context, account platform.Account, since, until analytics.Date,
) ([]analytics.ChannelDay, error) {
	c = c.of(account)
	if err := c.api.Check(account); err != nil {
		return nil, err
	}
	insights, book, today := c.insights(account), readback.NewBook(since, until), analytics.DateOf(c.client.Now())
	latest := graph.Today(c.client.Now())
	if until.After(latest) {
		until = latest
	}
	for from, to := range analytics.Windows(since, until, windowDays) {
		query := graph.Between(from, to, c.client.Now())
		query.Set("period", "day")
		query.Set("metric_type", "time_series")
		metrics, err := insights.Read(ctx, query, []string{"reach"}, account.ExternalID, "insights")
		if err != nil {
			return nil, err
		}
		for day, reach := range metrics.Days("reach") {
			book.Day(day).Reach = reach.Value()
		}
	}
	if from, to, ok := book.Last(totalDays, latest); ok {
		if err := c.totals(ctx, insights, account, book, from, to); err != nil {
			return nil, err
		}
	}
	if book.Has(today) {
		followers, err := c.followers(ctx, insights, account)
		if err != nil {
			return nil, err
		}
		book.Day(today).Followers = followers.Value()
	}
	return book.Days(), nil
}

// totals reads the figures of each day.
func (c *Connector) totals(
	ctx context.Context, insights *graph.Insights, account platform.Account, book *readback.Book, since, until analytics.Date,
) error {
	for date := range analytics.DaysFrom(since, until) {
		query := graph.Between(date, date, c.client.Now())
		query.Set("period", "day")
		query.Set("metric_type", "total_value")
		metrics, err := insights.Read(ctx, query, dayMetrics(), account.ExternalID, "insights")
		if err != nil {
			return err
		}
		day := book.Day(date)
		day.Impressions = metrics.Figure("views").Value()
		day.Engagements = metrics.Figure("total_interactions").Value()
		day.ProfileViews = metrics.Figure("profile_views").Value()
		day.WebsiteClicks = metrics.Figure("profile_links_taps").Value()
	}
	return nil
}

func (c *Connector) followers(
	ctx context.Context, insights *graph.Insights, account platform.Account,
) (httpcall.Figure, error) {
	response, err := insights.Get(ctx, url.Values{"fields": {"followers_count"}}, account.ExternalID)
	if err != nil {
		return httpcall.Figure{}, err
	}
	if !response.OK() {
		return httpcall.Figure{}, insights.Failure(response)
	}
	var body struct {
		Followers httpcall.Figure `json:"followers_count"`
	}
	if response.Decode(&body) != nil || body.Followers.Value() == nil {
		return httpcall.Figure{}, c.client.Unclear(response, "no followers in the response")
	}
	return body.Followers, nil
}

// insights returns the state for one read of one account.
func (c *Connector) insights(account platform.Account) *graph.Insights {
	return &graph.Insights{
		Client: c.client, Class: c.failure, NoFigures: noFigures,
		Get: func(ctx context.Context, query url.Values, path ...string) (httpcall.Response, error) {
			return c.api.Get(ctx, "insights", account, query, path...)
		},
	}
}

// PostInsights reads each post's kind, and then its figures. Instagram reports none for a post that is gone, for a
// story older than a day, or for a post with too few viewers.
func (c *Connector) PostInsights(
	ctx context.Context, account platform.Account, posts []string,
) (map[string]analytics.PostFigures, error) {
	c = c.of(account)
	found := make(map[string]analytics.PostFigures, len(posts))
	if err := c.api.Check(account); err != nil {
		return found, err
	}
	kinds := make(map[string]*graph.Insights) // by product type, because each has different metrics
	for _, id := range posts {
		if !graph.ID(id) {
			continue
		}
		figures, err := c.post(ctx, account, kinds, id)
		if err != nil {
			return found, err
		}
		if figures != (analytics.PostFigures{}) {
			found[id] = figures
		}
	}
	return found, nil
}

// noFigures reports whether the error means that the post is gone or has too few viewers.
func noFigures(e graph.Error) bool {
	const goneCode, goneSubcode = 24, 2207006
	return e.Missing() || e.Is(goneSubcode) || e.Code == goneCode || e.Says("NOT ENOUGH VIEWERS")
}

// post reads the figures of one post. It returns zero figures for a post that is gone.
func (c *Connector) post(
	ctx context.Context, account platform.Account, kinds map[string]*graph.Insights, id string,
) (analytics.PostFigures, error) {
	var about struct {
		ID      string                 `json:"id"`
		Kind    httpcall.Maybe[string] `json:"media_type"`
		Product httpcall.Maybe[string] `json:"media_product_type"`
	}
	there, err := c.insights(account).GetPost(ctx, "id,media_type,media_product_type", id, &about)
	if err != nil || !there {
		return analytics.PostFigures{}, err
	}
	insights, met := kinds[about.Product.Value]
	if !met {
		insights = c.insights(account)
		kinds[about.Product.Value] = insights
	}
	metrics, known, err := insights.ReadPost(ctx, postMetrics(about.Product.Value), id)
	if err != nil || !known {
		return analytics.PostFigures{}, err
	}
	figures := analytics.PostFigures{
		Impressions: metrics.Figure("views").Value(),
		Reach:       metrics.Figure("reach").Value(),
		Likes:       metrics.Figure("likes").Value(),
		Comments:    metrics.Figure("comments").Or(metrics.Figure("replies")).Value(),
		Shares:      metrics.Figure("shares").Value(),
		Saves:       metrics.Figure("saved").Value(),
	}
	if about.Kind.Value == "VIDEO" {
		figures.VideoViews = figures.Impressions
	}
	return figures, nil
}
