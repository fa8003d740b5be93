package linkedin

import (
	"context"
	"net/url"
	"strconv"

	"socialpub.internal/shared/domain/analytics"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/days"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

var _ platform.Insighter = (*Connector)(nil)

// AccountInsights reads the statistics by day, at most a year back, and the current number of followers. A page has its
// own figures. For a profile, LinkedIn reports the figures of its posts.
func (c *Connector) AccountInsights(
	ctx context.Context, account platform.Account, since, until analytics.Date,
) ([]analytics.ChannelDay, error) {
	author, err := c.author(account)
	if err != nil {
		return nil, err
	}
	const reachBack = 364 // maximum age in days that LinkedIn reports
	book, today := days.New(since, until), analytics.DateOf(c.client.Now())
	from, to, _ := book.Last(reachBack+1, today)
	if earliest := today.Add(-reachBack); from.Before(earliest) {
		from = earliest
	}
	if !from.After(to) {
		if c.kind.listed {
			err = c.pageDays(ctx, account, author, book, from, to)
		} else {
			err = c.profileDays(ctx, account, book, from, to)
		}
		if err != nil {
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

// PostInsights reads many posts per call for a page. For a profile, LinkedIn offers only one figure of one post per
// call.
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
	if c.kind.listed {
		return found, c.pagePosts(ctx, account, author, named, found)
	}
	for _, id := range named {
		figures, err := c.profilePost(ctx, account, id)
		if err != nil {
			return found, err
		}
		if figures != (analytics.PostFigures{}) {
			found[id] = figures
		}
	}
	return found, nil
}

// followers returns the current number of followers.
func (c *Connector) followers(ctx context.Context, account platform.Account, author string) (httpcall.Figure, error) {
	if !c.kind.listed {
		return c.profileFollowers(ctx, account)
	}
	request := c.insights(account, url.Values{"edgeType": {"COMPANY_FOLLOWED_BY_MEMBER"}}, "networkSizes", author)
	request.PathKeys = true
	response, err := c.ask(ctx, account, request)
	if err != nil {
		return httpcall.Figure{}, err
	}
	var answer struct {
		Size httpcall.Figure `json:"firstDegreeSize"`
	}
	if response.Decode(&answer) != nil || answer.Size.Value() == nil {
		return httpcall.Figure{}, c.client.Unclear(response, "no size in the response")
	}
	return answer.Size, nil
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

// dateTuple formats a date for Rest.li.
func dateTuple(date analytics.Date) string {
	return "(year:" + strconv.Itoa(date.Year) + ",month:" + strconv.Itoa(int(date.Month)) + ",day:" +
		strconv.Itoa(date.Day) + ")"
}
