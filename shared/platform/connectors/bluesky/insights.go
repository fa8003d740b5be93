package bluesky

import (
	"context"
	"net/url"
	"slices"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

var _ platform.Insighter = (*Connector)(nil)

// postsPerCall is the maximum number of posts per call (lexicon app.bsky.feed.getPosts).
const postsPerCall = 25

// AccountInsights reads the current number of followers. Bluesky reports no other figure of an account.
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
	var profile struct {
		DID       string          `json:"did"`
		Followers httpcall.Figure `json:"followersCount"`
	}
	response, err := s.figures(ctx, "app.bsky.actor.getProfile", url.Values{"actor": {account.ExternalID}}, &profile)
	if err != nil {
		return nil, err
	}
	if profile.DID != account.ExternalID {
		return nil, s.Unclear(response, "not the profile of the account")
	}
	book.Day(today).Followers = profile.Followers.Value()
	return book.Days(), nil
}

// counted is a post with its figures (lexicon app.bsky.feed.defs#postView).
type counted struct {
	URI       string          `json:"uri"`
	Likes     httpcall.Figure `json:"likeCount"`
	Replies   httpcall.Figure `json:"replyCount"`
	Reposts   httpcall.Figure `json:"repostCount"`
	Quotes    httpcall.Figure `json:"quoteCount"`
	Bookmarks httpcall.Figure `json:"bookmarkCount"`
}

// PostInsights reads 25 posts per call.
func (c *Connector) PostInsights(
	ctx context.Context, account platform.Account, posts []string,
) (map[string]analytics.PostFigures, error) {
	found := make(map[string]analytics.PostFigures, len(posts))
	s, err := c.open(account)
	if err != nil {
		return found, err
	}
	var uris []string
	for _, key := range posts {
		if keyPattern.MatchString(key) {
			uris = append(uris, uriOf(account, key))
		}
	}
	for batch := range slices.Chunk(uris, postsPerCall) {
		var result struct {
			Posts httpcall.Some[counted] `json:"posts"`
		}
		response, err := s.figures(ctx, "app.bsky.feed.getPosts", url.Values{"uris": batch}, &result)
		if err != nil {
			return found, err
		}
		if result.Posts == nil {
			return found, s.Unclear(response, "no posts in the response")
		}
		for _, post := range result.Posts {
			key, own := keyIn(post.URI, account)
			if figures := post.figures(); own && slices.Contains(batch, post.URI) && figures != (analytics.PostFigures{}) {
				found[key] = figures
			}
		}
	}
	return found, nil
}

func (p counted) figures() analytics.PostFigures {
	return analytics.PostFigures{
		Likes: p.Likes.Value(), Comments: p.Replies.Value(), Shares: httpcall.Sum(p.Reposts, p.Quotes).Value(),
		Saves: p.Bookmarks.Value(),
	}
}

// figures makes a call for figures.
func (s session) figures(ctx context.Context, method string, query url.Values, into any) (httpcall.Response, error) {
	response, err := s.Call(ctx, s.authorized(method, httpcall.Request{Operation: "insights", Query: query}))
	if err != nil {
		return httpcall.Response{}, err
	}
	if !response.OK() {
		return httpcall.Response{}, s.InsightsFailure(response, failure(s.Client, response))
	}
	if response.Decode(into) != nil {
		return httpcall.Response{}, s.Unclear(response, "not the response of "+method)
	}
	return response, nil
}
