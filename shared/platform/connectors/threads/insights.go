package threads

import (
	"context"
	"net/url"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

var _ platform.Insighter = (*Connector)(nil)

const (
	// windowDays is the number of days of views per call.
	windowDays = 90
	// totalDays is the number of latest days for which likes, replies and other interactions are read. Threads reports
	// these only as a sum over a range, so each day costs a call.
	totalDays = 30
)

// totalMetrics and postMetrics return the metrics of one day of the account, and of one post.
func totalMetrics() []string { return []string{"likes", "replies", "reposts", "quotes", "clicks"} }

func postMetrics() []string {
	return []string{"views", "likes", "replies", "reposts", "quotes", "shares"}
}

// firstDay returns the first day for which Threads reports figures.
func firstDay() analytics.Date { return analytics.Date{Year: 2024, Month: time.April, Day: 14} }

// AccountInsights reads the account's views by day, the interactions with its posts on each of the latest days, and the
// current number of followers. Threads' views become both impressions and profile views.
func (c *Connector) AccountInsights(
	ctx context.Context, account platform.Account, since, until analytics.Date,
) ([]analytics.ChannelDay, error) {
	if err := c.api.Check(account); err != nil {
		return nil, err
	}
	insights, book, today := c.insights(account), readback.NewBook(since, until), analytics.DateOf(c.client.Now())
	if first := firstDay(); since.Before(first) {
		since = first
	}
	latest := graph.Today(c.client.Now())
	if until.After(latest) {
		until = latest
	}
	for from, to := range analytics.Windows(since, until, windowDays) {
		metrics, err := insights.Read(ctx, graph.Between(from, to, c.client.Now()), []string{"views"}, account.ExternalID,
			"threads_insights")
		if err != nil {
			return nil, err
		}
		for day, views := range metrics.Days("views") {
			book.Day(day).Impressions, book.Day(day).ProfileViews = views.Value(), views.Value()
		}
	}
	if from, to, ok := readback.NewBook(since, until).Last(totalDays, latest); ok {
		if err := c.totals(ctx, insights, account, book, from, to); err != nil {
			return nil, err
		}
	}
	if book.Has(today) {
		metrics, err := insights.Read(ctx, url.Values{}, []string{"followers_count"}, account.ExternalID, "threads_insights")
		if err != nil {
			return nil, err
		}
		book.Day(today).Followers = metrics.Figure("followers_count").Value()
	}
	return book.Days(), nil
}

// totals reads the interactions of each day.
func (c *Connector) totals(
	ctx context.Context, insights *graph.Insights, account platform.Account, book *readback.Book, since, until analytics.Date,
) error {
	for day := range analytics.DaysFrom(since, until) {
		metrics, err := insights.Read(ctx, graph.Between(day, day, c.client.Now()), totalMetrics(), account.ExternalID,
			"threads_insights")
		if err != nil {
			return err
		}
		book.Day(day).WebsiteClicks = metrics.Figure("clicks").Value()
		book.Day(day).Engagements = httpcall.Sum(
			metrics.Figure("likes"), metrics.Figure("replies"), metrics.Figure("reposts"), metrics.Figure("quotes"),
		).Value()
	}
	return nil
}

// insights returns the state for one read of one account. A missing post has no figures. A missing account means that
// the connection is lost.
func (c *Connector) insights(account platform.Account) *graph.Insights {
	return &graph.Insights{
		Client: c.client, Class: c.accountFailure,
		Get: func(ctx context.Context, query url.Values, path ...string) (httpcall.Response, error) {
			return c.api.Get(ctx, "insights", account, query, path...)
		},
	}
}

// accountFailure is failure for calls about the account, where a missing object cannot be a container.
func (c *Connector) accountFailure(response httpcall.Response) *platform.Failure {
	if e := graph.ErrorOf(response); e.Meaning(response.Status) == graph.Specific && missing(e) {
		return c.client.Reconnect(response.Cause("the account is gone"))
	}
	return c.failure(response)
}

// PostInsights reads one post per call.
func (c *Connector) PostInsights(
	ctx context.Context, account platform.Account, posts []string,
) (map[string]analytics.PostFigures, error) {
	found := make(map[string]analytics.PostFigures, len(posts))
	if err := c.api.Check(account); err != nil {
		return found, err
	}
	insights := c.insights(account)
	insights.NoFigures = missing
	for _, id := range posts {
		if !graph.ID(id) {
			continue
		}
		metrics, known, err := insights.ReadPost(ctx, postMetrics(), id)
		if err != nil {
			return found, err
		}
		if !known {
			continue
		}
		figures := analytics.PostFigures{
			Impressions: metrics.Figure("views").Value(),
			Likes:       metrics.Figure("likes").Value(),
			Comments:    metrics.Figure("replies").Value(),
			Shares:      httpcall.Sum(metrics.Figure("reposts"), metrics.Figure("quotes"), metrics.Figure("shares")).Value(),
		}
		if figures != (analytics.PostFigures{}) {
			found[id] = figures
		}
	}
	return found, nil
}
