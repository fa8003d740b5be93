package instagram

import (
	"context"
	"net/url"

	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/days"
	"socialpub.internal/shared/platform/connectors/internal/graph"
	"socialpub.internal/shared/platform/connectors/internal/graph/containers"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

var _ platform.Insighter = (*Connector)(nil)

const (
	// windowDays is how many days Instagram answers for at once.
	windowDays = 30
	// totalDays is of how many days, the latest, everything but the reach is read: Instagram tells its sum over a stretch
	// alone, so that each day costs a call.
	totalDays = 30
)

// dayMetrics are those of a day of the account. Not every account is told of profile_views any more.
func dayMetrics() []string {
	return []string{"views", "total_interactions", "profile_links_taps", "profile_views"}
}

// postMetrics are those of a post; stories have fewer.
func postMetrics(product string) []string {
	if product == "STORY" {
		return []string{"views", "reach", "replies", "shares"}
	}
	return []string{"views", "reach", "likes", "comments", "saved", "shares"}
}

// AccountInsights reads the reach day by day, the other figures of each of the latest days, and how many follow the account at
// this moment.
func (c *Connector) AccountInsights(
	ctx context.Context, account platform.Account, since, until platform.Date,
) ([]platform.AccountDay, error) {
	if err := c.api.Check(account); err != nil {
		return nil, err
	}
	insights, book, today := c.insights(account), days.New(since, until), platform.DateOf(c.client.Now())
	latest := graph.Today(c.client.Now())
	if until.After(latest) {
		until = latest
	}
	for from, to := range platform.Windows(since, until, windowDays) {
		query := graph.Between(from, to, c.client.Now())
		query.Set("period", "day")
		query.Set("metric_type", "time_series")
		told, err := insights.Read(ctx, query, []string{"reach"}, account.ExternalID, "insights")
		if err != nil {
			return nil, err
		}
		for day, reach := range told.Days("reach") {
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

// totals reads the figures of each of the days.
func (c *Connector) totals(
	ctx context.Context, insights *graph.Insights, account platform.Account, book *days.Book, since, until platform.Date,
) error {
	for date := range platform.DaysFrom(since, until) {
		query := graph.Between(date, date, c.client.Now())
		query.Set("period", "day")
		query.Set("metric_type", "total_value")
		told, err := insights.Read(ctx, query, dayMetrics(), account.ExternalID, "insights")
		if err != nil {
			return err
		}
		day := book.Day(date)
		day.Impressions = told.Figure("views").Value()
		day.Engagements = told.Figure("total_interactions").Value()
		day.ProfileViews = told.Figure("profile_views").Value()
		day.WebsiteClicks = told.Figure("profile_links_taps").Value()
	}
	return nil
}

func (c *Connector) followers(ctx context.Context, insights *graph.Insights, account platform.Account) (httpcall.Figure, error) {
	response, err := insights.Get(ctx, url.Values{"fields": {"followers_count"}}, account.ExternalID)
	if err != nil {
		return httpcall.Figure{}, err
	}
	if !response.OK() {
		return httpcall.Figure{}, insights.Failure(response)
	}
	var told struct {
		Followers httpcall.Figure `json:"followers_count"`
	}
	if response.Decode(&told) != nil || told.Followers.Value() == nil {
		return httpcall.Figure{}, c.client.Unclear(response, "no followers in the answer")
	}
	return told.Followers, nil
}

// insights is a reading of one account.
func (c *Connector) insights(account platform.Account) *graph.Insights {
	return &graph.Insights{
		Client: c.client, Class: c.failure, Untold: untold,
		Get: func(ctx context.Context, query url.Values, path ...string) (httpcall.Response, error) {
			return c.api.Get(ctx, "insights", account, query, path...)
		},
	}
}

// PostInsights asks for each post what it is, and then how it does. Nothing is told of a post that is gone, of a story that is
// older than a day, and of one that hardly anybody has seen.
func (c *Connector) PostInsights(ctx context.Context, account platform.Account, posts []string) (map[string]platform.PostFigures, error) {
	found := make(map[string]platform.PostFigures, len(posts))
	if err := c.api.Check(account); err != nil {
		return found, err
	}
	kinds := make(map[string]*graph.Insights) // each knows other metrics
	for _, id := range posts {
		if !containers.ID(id) {
			continue
		}
		figures, err := c.post(ctx, account, kinds, id)
		if err != nil {
			return found, err
		}
		if figures != (platform.PostFigures{}) {
			found[id] = figures
		}
	}
	return found, nil
}

// untold reports the error of a post that is gone, or that hardly anybody has seen.
func untold(e graph.Error) bool {
	const goneCode, goneSubcode = 24, 2207006
	return e.Missing() || e.Is(goneSubcode) || e.Code == goneCode || e.Says("NOT ENOUGH VIEWERS")
}

// post reads the figures of one post; none of one that is gone.
func (c *Connector) post(
	ctx context.Context, account platform.Account, kinds map[string]*graph.Insights, id string,
) (platform.PostFigures, error) {
	var about struct {
		ID      string                 `json:"id"`
		Kind    httpcall.Maybe[string] `json:"media_type"`
		Product httpcall.Maybe[string] `json:"media_product_type"`
	}
	there, err := c.insights(account).GetPost(ctx, "id,media_type,media_product_type", id, &about)
	if err != nil || !there {
		return platform.PostFigures{}, err
	}
	insights, met := kinds[about.Product.Value]
	if !met {
		insights = c.insights(account)
		kinds[about.Product.Value] = insights
	}
	told, known, err := insights.ReadPost(ctx, postMetrics(about.Product.Value), id)
	if err != nil || !known {
		return platform.PostFigures{}, err
	}
	figures := platform.PostFigures{
		Impressions: told.Figure("views").Value(),
		Reach:       told.Figure("reach").Value(),
		Likes:       told.Figure("likes").Value(),
		Comments:    told.Figure("comments").Or(told.Figure("replies")).Value(),
		Shares:      told.Figure("shares").Value(),
		Saves:       told.Figure("saved").Value(),
	}
	if about.Kind.Value == "VIDEO" {
		figures.VideoViews = figures.Impressions
	}
	return figures, nil
}
