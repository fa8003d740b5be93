package linkedin

import (
	"context"
	"net/url"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

var _ platform.Insighter = (*Connector)(nil)

// AccountInsights reads the statistics of a page by day, at most a year back, and its current number of followers.
// LinkedIn reports no figures of profiles to an application with which members sign in.
func (c *Connector) AccountInsights(
	ctx context.Context, account platform.Account, since, until analytics.Date,
) ([]analytics.ChannelDay, error) {
	author, err := c.author(account)
	if err != nil {
		return nil, err
	}
	const reachBack = 364 // maximum age in days that LinkedIn reports
	book, today := readback.NewBook(since, until), analytics.DateOf(c.client.Now())
	from, to, _ := book.Last(reachBack+1, today)
	if earliest := today.Add(-reachBack); from.Before(earliest) {
		from = earliest
	}
	if !from.After(to) {
		if err := c.pageDays(ctx, account, author, book, from, to); err != nil {
			return nil, err
		}
	}
	if book.Has(today) {
		followers, err := c.followers(ctx, account, author)
		if err != nil {
			return nil, err
		}
		book.Day(today).Followers = followers.Value()
	}
	return book.Days(), nil
}

// PostInsights reads the figures of a page's posts, many per call.
func (c *Connector) PostInsights(
	ctx context.Context, account platform.Account, posts []string,
) (map[string]analytics.PostFigures, error) {
	found := make(map[string]analytics.PostFigures, len(posts))
	author, err := c.author(account)
	if err != nil {
		return found, err
	}
	var named []string
	for _, id := range posts {
		if entityOf(id) != "" {
			named = append(named, id)
		}
	}
	return found, c.pagePosts(ctx, account, author, named, found)
}

// followers returns the current number of followers.
func (c *Connector) followers(ctx context.Context, account platform.Account, author string) (httpcall.Figure, error) {
	request := c.insights(account, url.Values{"edgeType": {"COMPANY_FOLLOWED_BY_MEMBER"}}, "networkSizes", author)
	request.PathKeys = true
	response, err := c.ask(ctx, account, request)
	if err != nil {
		return httpcall.Figure{}, err
	}
	var result struct {
		Size httpcall.Figure `json:"firstDegreeSize"`
	}
	if response.Decode(&result) != nil || result.Size.Value() == nil {
		return httpcall.Figure{}, c.client.Unclear(response, "no size in the response")
	}
	return result.Size, nil
}

// insights returns a request for figures.
func (c *Connector) insights(account platform.Account, query url.Values, path ...string) httpcall.Request {
	header := c.header(account)
	if query.Has("q") {
		header.Set("X-Restli-Method", "FINDER")
	}
	return httpcall.Request{
		Operation: "insights",
		Path:      append([]string{"rest"}, path...),
		Query:     query,
		Header:    header,
		Secrets:   []string{account.Credentials.AccessToken},
	}
}

// ask makes the call. It returns a failure for an error response.
func (c *Connector) ask(
	ctx context.Context, account platform.Account, request httpcall.Request,
) (httpcall.Response, error) {
	response, err := c.client.Call(ctx, request)
	if err != nil {
		return httpcall.Response{}, err
	}
	if !response.OK() {
		return httpcall.Response{}, c.client.InsightsFailure(response, c.failure(account, response))
	}
	return response, nil
}
