package youtube

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

const (
	// windowDays is the number of days per call.
	windowDays = 365
	// postsPerCall is the maximum number of videos per call.
	postsPerCall = 50
	// firstDay precedes every video on YouTube.
	firstDay = "2005-02-14"
)

// AccountInsights reads the channel's views and the interactions with its videos by day, and the current number of
// subscribers. YouTube reports daily figures with a delay of two or three days, and rounds the number of subscribers.
func (c *Connector) AccountInsights(
	ctx context.Context, account platform.Account, since, until analytics.Date,
) ([]analytics.ChannelDay, error) {
	if !usable(account) {
		return nil, c.client.Reconnect(errNoToken)
	}
	book, today := readback.NewBook(since, until), analytics.DateOf(c.client.Now())
	if until.After(today) {
		until = today
	}
	for from, to := range analytics.Windows(since, until, windowDays) {
		table, err := c.report(ctx, account, url.Values{
			"startDate": {from.String()}, "endDate": {to.String()}, "dimensions": {"day"}, "sort": {"day"},
			"metrics": {"views,likes,comments,shares"},
		})
		if err != nil {
			return nil, err
		}
		for day, figures := range table.by("day") {
			if date, err := analytics.ParseDate(day); err == nil {
				entry := book.Day(date)
				entry.Impressions = figures["views"].Value()
				entry.Engagements = httpcall.Sum(figures["likes"], figures["comments"], figures["shares"]).Value()
			}
		}
	}
	if book.Has(today) {
		subscribers, err := c.subscribers(ctx, account)
		if err != nil {
			return nil, err
		}
		book.Day(today).Followers = subscribers.Value()
	}
	return book.Days(), nil
}

// subscribers returns the number of subscribers. It is unknown for a channel that hides it.
func (c *Connector) subscribers(ctx context.Context, account platform.Account) (httpcall.Figure, error) {
	var result struct {
		Items httpcall.Some[struct {
			ID         string `json:"id"`
			Statistics httpcall.Maybe[struct {
				Subscribers httpcall.Figure      `json:"subscriberCount"`
				Hidden      httpcall.Maybe[bool] `json:"hiddenSubscriberCount"`
			}] `json:"statistics"`
		}] `json:"items"`
	}
	response, err := c.ask(ctx, c.client, account, url.Values{"part": {"id,statistics"}, "mine": {"true"}}, "channels")
	if err != nil {
		return httpcall.Figure{}, err
	}
	if response.Decode(&result) != nil || result.Items == nil {
		return httpcall.Figure{}, c.client.Unclear(response, "no channels in the response")
	}
	for _, item := range result.Items {
		if item.ID == account.ExternalID && !item.Statistics.Value.Hidden.Value {
			return item.Statistics.Value.Subscribers, nil
		}
	}
	return httpcall.Figure{}, nil
}

// PostInsights reads fifty videos per call, and their shares in another call.
func (c *Connector) PostInsights(
	ctx context.Context, account platform.Account, posts []string,
) (map[string]analytics.PostFigures, error) {
	found := make(map[string]analytics.PostFigures, len(posts))
	if !usable(account) {
		return found, c.client.Reconnect(errNoToken)
	}
	named := slices.DeleteFunc(slices.Clone(posts), func(id string) bool { return !videoID.MatchString(id) })
	for batch := range slices.Chunk(named, postsPerCall) {
		if err := c.statistics(ctx, account, batch, found); err != nil {
			return found, err
		}
		if err := c.shares(ctx, account, batch, found); err != nil {
			return found, err
		}
	}
	return found, nil
}

// statistics adds the figures of the videos to found.
func (c *Connector) statistics(
	ctx context.Context, account platform.Account, ids []string, found map[string]analytics.PostFigures,
) error {
	var result struct {
		Items httpcall.Some[struct {
			ID         string `json:"id"`
			Statistics httpcall.Maybe[struct {
				Views    httpcall.Figure `json:"viewCount"`
				Likes    httpcall.Figure `json:"likeCount"`
				Comments httpcall.Figure `json:"commentCount"`
			}] `json:"statistics"`
		}] `json:"items"`
	}
	query := url.Values{"part": {"id,statistics"}, "id": {strings.Join(ids, ",")}}
	response, err := c.ask(ctx, c.client, account, query, "videos")
	if err != nil {
		return err
	}
	if response.Decode(&result) != nil || result.Items == nil {
		return c.client.Unclear(response, "no videos in the response")
	}
	for _, item := range result.Items {
		statistics := item.Statistics.Value
		figures := analytics.PostFigures{
			Impressions: statistics.Views.Value(), VideoViews: statistics.Views.Value(), Likes: statistics.Likes.Value(),
			Comments: statistics.Comments.Value(),
		}
		if slices.Contains(ids, item.ID) && figures != (analytics.PostFigures{}) {
			found[item.ID] = figures
		}
	}
	return nil
}

// shares adds the number of shares, which only the Analytics API reports. A refusal is not a failure, because the
// connection may lack the permission.
func (c *Connector) shares(
	ctx context.Context, account platform.Account, ids []string, found map[string]analytics.PostFigures,
) error {
	there := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return found[id] == (analytics.PostFigures{}) })
	if len(there) == 0 {
		return nil
	}
	table, err := c.report(ctx, account, url.Values{
		"startDate": {firstDay}, "endDate": {analytics.DateOf(c.client.Now()).String()},
		"dimensions": {"video"}, "filters": {"video==" + strings.Join(there, ",")}, "metrics": {"views,shares"},
	})
	if err != nil {
		if class := platform.FailureOf(err).Class; class == platform.ClassRejected || class == platform.ClassUser {
			return nil
		}
		return err
	}
	for id, row := range table.by("video") {
		if figures, ok := found[id]; ok {
			figures.Shares = row["shares"].Value()
			found[id] = figures
		}
	}
	return nil
}

// table is the response of a report. It has no rows if there are no figures.
type table struct {
	Columns httpcall.Some[struct {
		Name string `json:"name"`
	}] `json:"columnHeaders"`
	Rows httpcall.Some[[]json.RawMessage] `json:"rows"`
}

// by returns the rows by the text in the named column. Each row holds its figures by column name.
func (t table) by(dimension string) map[string]map[string]httpcall.Figure {
	rows := make(map[string]map[string]httpcall.Figure, len(t.Rows))
	for _, row := range t.Rows {
		key, figures := "", make(map[string]httpcall.Figure, len(row))
		for i, cell := range row[:min(len(row), len(t.Columns))] {
			if name := t.Columns[i].Name; name == dimension {
				_ = json.Unmarshal(cell, &key) // a row with another type has no key
			} else {
				var figure httpcall.Figure
				_ = figure.UnmarshalJSON(cell) // never fails
				figures[name] = figure
			}
		}
		if key != "" {
			rows[key] = figures
		}
	}
	return rows
}

// report queries the Analytics API for the account's own channel.
func (c *Connector) report(ctx context.Context, account platform.Account, query url.Values) (table, error) {
	query.Set("ids", "channel==MINE")
	response, err := c.ask(ctx, c.analytics, account, query, "reports")
	if err != nil {
		return table{}, err
	}
	var result table
	if response.Decode(&result) != nil || result.Columns == nil {
		return table{}, c.client.Unclear(response, "no report in the response")
	}
	return result, nil
}

// ask makes a call for figures.
func (c *Connector) ask(
	ctx context.Context, client *httpcall.Client, account platform.Account, query url.Values, path ...string,
) (httpcall.Response, error) {
	response, err := client.Call(ctx, httpcall.Request{
		Operation: "insights",
		Path:      path,
		Query:     query,
		Header:    bearer(account),
		Secrets:   []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return httpcall.Response{}, err
	}
	if !response.OK() {
		return httpcall.Response{}, c.failure(response)
	}
	return response, nil
}
