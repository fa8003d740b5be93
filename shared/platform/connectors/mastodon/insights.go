package mastodon

import (
	"context"
	"net/http"
	"slices"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

var _ platform.Insighter = (*Connector)(nil)

// figures are the counts of a status.
type figures struct {
	Replies    httpcall.Figure `json:"replies_count"`
	Reblogs    httpcall.Figure `json:"reblogs_count"`
	Quotes     httpcall.Figure `json:"quotes_count"`
	Favourites httpcall.Figure `json:"favourites_count"`
}

// AccountInsights reads the current number of followers. Mastodon reports no other figure of an account.
func (c *Connector) AccountInsights(
	ctx context.Context, account platform.Account, since, until analytics.Date,
) ([]analytics.ChannelDay, error) {
	s, err := c.open(account)
	if err != nil {
		return nil, err
	}
	book, today := readback.NewBook(since, until), analytics.DateOf(s.Now())
	if !book.Has(today) {
		return book.Days(), nil
	}
	var own struct {
		ID        string          `json:"id"`
		Followers httpcall.Figure `json:"followers_count"`
	}
	response, err := s.read(ctx, &own, "v1", "accounts", "verify_credentials")
	if err != nil {
		return nil, err
	}
	if own.ID != s.id {
		return nil, s.Unclear(response, "not the account of the channel")
	}
	book.Day(today).Followers = own.Followers.Value()
	return book.Days(), nil
}

// PostInsights reads one status per call: servers of other software have no call for several.
func (c *Connector) PostInsights(
	ctx context.Context, account platform.Account, posts []string,
) (map[string]analytics.PostFigures, error) {
	found := make(map[string]analytics.PostFigures, len(posts))
	s, err := c.open(account)
	if err != nil {
		return found, err
	}
	ids := slices.DeleteFunc(slices.Clone(posts), func(id string) bool { return !idPattern.MatchString(id) })
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		var one status
		response, err := s.read(ctx, &one, "v1", "statuses", id)
		if err != nil {
			return found, err
		}
		if response.Status == http.StatusNotFound {
			continue
		}
		if one.ID != id {
			return found, s.Unclear(response, "not the post that was asked for")
		}
		found[id] = analytics.PostFigures{
			Likes: one.Favourites.Value(), Comments: one.Replies.Value(),
			Shares: httpcall.Sum(one.Reblogs, one.Quotes).Value(),
		}
	}
	return found, nil
}

// read makes a call for figures. 404 with Mastodon's error is no failure: the post is gone.
func (s session) read(ctx context.Context, into any, path ...string) (httpcall.Response, error) {
	response, err := s.Call(ctx, s.authorized(httpcall.Request{Operation: "insights"}, path...))
	if err != nil {
		return httpcall.Response{}, err
	}
	var p problem
	if response.Status == http.StatusNotFound && response.Decode(&p) == nil && p.Error != "" {
		return response, nil
	}
	if !response.OK() {
		return httpcall.Response{}, s.InsightsFailure(response, failure(s.Client, response))
	}
	if response.Decode(into) != nil {
		return httpcall.Response{}, s.Unclear(response, "not the expected response")
	}
	return response, nil
}
