package facebook

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

// windowDays is the number of days that Facebook returns per call.
const windowDays = 90

// The metrics to read. Facebook has removed the older families of impressions and reach.
const (
	metricFollows     = "page_follows"
	metricViews       = "page_media_view"
	metricReach       = "page_total_media_view_unique"
	metricPageViews   = "page_views_total"
	metricActions     = "page_total_actions"
	metricEngagements = "page_post_engagements"

	metricPostViews     = "post_media_view"
	metricPostReach     = "post_total_media_view_unique"
	metricPostClicks    = "post_clicks"
	metricPostReactions = "post_reactions_by_type_total"

	countFields = "reactions.limit(0).summary(true),comments.limit(0).summary(true),shares"
)

// AccountInsights reads the Page's series and its current number of followers. For Pages with fewer than a hundred
// likes, Facebook reports only the followers.
func (c *Connector) AccountInsights(
	ctx context.Context, account platform.Account, since, until analytics.Date,
) ([]analytics.ChannelDay, error) {
	if !usable(account) {
		return nil, c.client.Reconnect(errNoToken)
	}
	insights, book, today := c.insights(account), readback.NewBook(since, until), analytics.DateOf(c.client.Now())
	if latest := graph.Today(c.client.Now()); until.After(latest) {
		until = latest
	}
	for from, to := range analytics.Windows(since, until, windowDays) {
		query := graph.Between(from, to, c.client.Now())
		query.Set("period", "day")
		metrics, err := insights.Read(ctx, query, []string{
			metricFollows, metricViews, metricReach, metricPageViews, metricActions, metricEngagements,
		}, account.ExternalID, "insights")
		if err != nil {
			return nil, err
		}
		enter(book, metrics)
	}
	if book.Has(today) {
		followers, err := c.followers(ctx, insights, account)
		if err != nil {
			return nil, err
		}
		if count := followers.Value(); count != nil { // newer than the series
			book.Day(today).Followers = count
		}
	}
	return book.Days(), nil
}

// enter adds the series to the book.
func enter(book *readback.Book, metrics graph.Metrics) {
	for name, member := range map[string]func(*analytics.ChannelDay) **int64{
		metricFollows:     func(d *analytics.ChannelDay) **int64 { return &d.Followers },
		metricViews:       func(d *analytics.ChannelDay) **int64 { return &d.Impressions },
		metricReach:       func(d *analytics.ChannelDay) **int64 { return &d.Reach },
		metricPageViews:   func(d *analytics.ChannelDay) **int64 { return &d.ProfileViews },
		metricActions:     func(d *analytics.ChannelDay) **int64 { return &d.WebsiteClicks },
		metricEngagements: func(d *analytics.ChannelDay) **int64 { return &d.Engagements },
	} {
		for day, figure := range metrics.Days(name) {
			*member(book.Day(day)) = figure.Value()
		}
	}
}

func (c *Connector) followers(
	ctx context.Context, insights *graph.Insights, account platform.Account,
) (httpcall.Figure, error) {
	response, err := insights.Get(ctx, url.Values{"fields": {"followers_count,fan_count"}}, account.ExternalID)
	if err != nil {
		return httpcall.Figure{}, err
	}
	if !response.OK() {
		return httpcall.Figure{}, insights.Failure(response)
	}
	var body struct {
		ID        httpcall.Maybe[string] `json:"id"`
		Followers httpcall.Figure        `json:"followers_count"`
		Fans      httpcall.Figure        `json:"fan_count"`
	}
	if response.Decode(&body) != nil || body.ID.Value == "" {
		return httpcall.Figure{}, c.client.Unclear(response, "no Page in the response")
	}
	return body.Followers.Or(body.Fans), nil
}

// insights returns the state for one read of one Page.
func (c *Connector) insights(account platform.Account) *graph.Insights {
	return &graph.Insights{
		Client: c.client, Class: c.failure, NoFigures: graph.Error.Missing,
		Get: func(ctx context.Context, query url.Values, path ...string) (httpcall.Response, error) {
			return c.get(ctx, "insights", account, query, path...)
		},
	}
}

// PostInsights reads each post's public counts, and then its views, reach and clicks.
func (c *Connector) PostInsights(
	ctx context.Context, account platform.Account, posts []string,
) (map[string]analytics.PostFigures, error) {
	found := make(map[string]analytics.PostFigures, len(posts))
	if !usable(account) {
		return found, c.client.Reconnect(errNoToken)
	}
	insights := c.insights(account)
	for _, id := range posts {
		shown, err := c.showing(ctx, insights, account, id)
		if err != nil {
			return found, err
		}
		if !idPattern.MatchString(shown) {
			continue
		}
		figures, err := c.post(ctx, insights, shown)
		if err != nil {
			return found, err
		}
		if figures != (analytics.PostFigures{}) {
			found[id] = figures
		}
	}
	return found, nil
}

// showing returns the id of the post with these figures. A reel or a video is stored by its own id, and names the post
// that shows it; stories name none. An id that is neither is returned as it is.
func (c *Connector) showing(
	ctx context.Context, insights *graph.Insights, account platform.Account, id string,
) (string, error) {
	if !objectID.MatchString(id) {
		return id, nil
	}
	var video struct {
		Post httpcall.Maybe[string] `json:"post_id"`
	}
	there, err := insights.GetPost(ctx, "post_id", id, &video)
	if err != nil || !there {
		return "", err
	}
	if shown := video.Post.Value; !objectID.MatchString(shown) {
		return shown, nil
	}
	return account.ExternalID + "_" + video.Post.Value, nil // without the Page's id
}

// counts holds the public counts of a post. Facebook omits shares if there are none.
type counts struct {
	Reactions httpcall.Maybe[summed] `json:"reactions"`
	Comments  httpcall.Maybe[summed] `json:"comments"`
	Shares    httpcall.Maybe[struct {
		Count httpcall.Figure `json:"count"`
	}] `json:"shares"`
}

type summed struct {
	Summary httpcall.Maybe[struct {
		Total httpcall.Figure `json:"total_count"`
	}] `json:"summary"`
}

// post reads the figures of one post. It returns zero figures for a post that is gone.
func (c *Connector) post(ctx context.Context, insights *graph.Insights, id string) (analytics.PostFigures, error) {
	var counted counts
	there, err := insights.GetPost(ctx, countFields, id, &counted)
	if err != nil || !there {
		return analytics.PostFigures{}, err
	}
	metrics, _, err := insights.ReadPost(ctx, []string{
		metricPostViews, metricPostReach, metricPostClicks, metricPostReactions,
	}, id)
	if err != nil {
		return analytics.PostFigures{}, err
	}
	return analytics.PostFigures{
		Impressions: metrics.Figure(metricPostViews).Value(),
		Reach:       metrics.Figure(metricPostReach).Value(),
		Likes:       counted.Reactions.Value.Summary.Value.Total.Or(metrics.Figure(metricPostReactions)).Value(),
		Comments:    counted.Comments.Value.Summary.Value.Total.Value(),
		Shares:      counted.Shares.Value.Count.Value(),
		Clicks:      metrics.Figure(metricPostClicks).Value(),
	}, nil
}
