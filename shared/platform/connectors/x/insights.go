package x

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

var _ platform.Insighter = (*Connector)(nil)

const (
	// postsPerCall is the maximum number of posts per call.
	postsPerCall = 100
	// ownerDays is the number of days for which X reports private figures to a post's owner. X documents 30. One day is
	// kept as a margin.
	ownerDays = 29
	// idEpoch and idBits decode a post's creation time from its id: milliseconds, followed by 22 bits.
	idEpoch, idBits = 1288834974657, 22
)

// The fields of posts: public ones, and those that include the owner's private ones.
const (
	publicMetrics = "public_metrics"
	ownerMetrics  = "public_metrics,non_public_metrics"
)

// AccountInsights reads the current number of followers. X reports no other figure of an account.
func (c *Connector) AccountInsights(
	ctx context.Context, account platform.Account, since, until analytics.Date,
) ([]analytics.ChannelDay, error) {
	if account.Credentials.AccessToken == "" {
		return nil, c.client.Reconnect(errNoToken)
	}
	book, today := readback.NewBook(since, until), analytics.DateOf(c.client.Now())
	if !book.Has(today) {
		return book.Days(), nil
	}
	response, err := c.ask(ctx, account, url.Values{"user.fields": {publicMetrics}}, "users", "me")
	if err != nil {
		return nil, err
	}
	var result struct {
		Data *struct {
			Metrics httpcall.Maybe[struct {
				Followers httpcall.Figure `json:"followers_count"`
			}] `json:"public_metrics"`
		} `json:"data"`
	}
	if err := response.Decode(&result); err != nil || result.Data == nil {
		return nil, c.client.Unclear(response, "no account in the response")
	}
	book.Day(today).Followers = result.Data.Metrics.Value.Followers.Value()
	return book.Days(), nil
}

// PostInsights reads a hundred posts per call. X reports clicks only for recent posts, and omits posts for which a
// requested field is unavailable. Older posts are therefore read by separate calls without clicks.
func (c *Connector) PostInsights(
	ctx context.Context, account platform.Account, posts []string,
) (map[string]analytics.PostFigures, error) {
	found := make(map[string]analytics.PostFigures, len(posts))
	if account.Credentials.AccessToken == "" {
		return found, c.client.Reconnect(errNoToken)
	}
	oldest := c.client.Now().AddDate(0, 0, -ownerDays)
	var young, old []string
	for _, id := range posts {
		switch {
		case !postID.MatchString(id):
		case createdAt(id).After(oldest):
			young = append(young, id)
		default:
			old = append(old, id)
		}
	}
	for batch := range slices.Chunk(young, postsPerCall) {
		withheld, err := c.metrics(ctx, account, batch, ownerMetrics, found)
		if err != nil {
			return found, err
		}
		old = append(old, withheld...)
	}
	for batch := range slices.Chunk(old, postsPerCall) {
		if _, err := c.metrics(ctx, account, batch, publicMetrics, found); err != nil {
			return found, err
		}
	}
	return found, nil
}

// createdAt returns the creation time of the post with this id.
func createdAt(id string) time.Time {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(number>>idBits + idEpoch)
}

// metered is a post with its figures.
type metered struct {
	ID     string `json:"id"`
	Public httpcall.Maybe[struct {
		Impressions httpcall.Figure `json:"impression_count"`
		Likes       httpcall.Figure `json:"like_count"`
		Replies     httpcall.Figure `json:"reply_count"`
		Retweets    httpcall.Figure `json:"retweet_count"` // in the response to tweet.fields
		Reposts     httpcall.Figure `json:"repost_count"`  // the same in the response to post.fields
		Quotes      httpcall.Figure `json:"quote_count"`
		Bookmarks   httpcall.Figure `json:"bookmark_count"`
	}] `json:"public_metrics"`
	Owner httpcall.Maybe[struct {
		LinkClicks httpcall.Figure `json:"url_link_clicks"`
	}] `json:"non_public_metrics"`
	Attached httpcall.Maybe[struct {
		Keys httpcall.Some[string] `json:"media_keys"`
	}] `json:"attachments"`
}

type meteredPosts struct {
	Data     httpcall.Some[metered] `json:"data"`
	Includes httpcall.Maybe[struct {
		Media httpcall.Some[meteredMedia] `json:"media"`
	}] `json:"includes"`
	Errors httpcall.Some[struct {
		Type string `json:"type"`
		ID   string `json:"resource_id"`
	}] `json:"errors"`
}

type meteredMedia struct {
	Key     string `json:"media_key"`
	Metrics httpcall.Maybe[struct {
		Views httpcall.Figure `json:"view_count"` // only for videos
	}] `json:"public_metrics"`
}

// metrics adds the figures of the posts to found. It returns the posts for which X withholds a field.
func (c *Connector) metrics(
	ctx context.Context, account platform.Account, ids []string, fields string, found map[string]analytics.PostFigures,
) ([]string, error) {
	response, err := c.ask(ctx, account, url.Values{
		"ids": {strings.Join(ids, ",")}, string(c.config.Dialect): {fields + ",attachments"},
		"expansions": {"attachments.media_keys"}, "media.fields": {publicMetrics},
	}, "tweets")
	if err != nil {
		return nil, err
	}
	var result meteredPosts
	if err := response.Decode(&result); err != nil || result.Data == nil && result.Errors == nil {
		return nil, c.client.Unclear(response, "no posts in the response")
	}
	views := make(map[string]httpcall.Figure)
	for _, file := range result.Includes.Value.Media {
		views[file.Key] = file.Metrics.Value.Views
	}
	for _, post := range result.Data {
		if figures := post.figures(views); slices.Contains(ids, post.ID) && figures != (analytics.PostFigures{}) {
			found[post.ID] = figures
		}
	}
	var withheld []string
	for _, e := range result.Errors {
		_, known := found[e.ID]
		if (problem{Type: e.Type}).name() == "not-authorized-for-field" && !known && slices.Contains(ids, e.ID) {
			withheld = append(withheld, e.ID)
		}
	}
	slices.Sort(withheld)
	return slices.Compact(withheld), nil
}

func (m metered) figures(views map[string]httpcall.Figure) analytics.PostFigures {
	public := m.Public.Value
	var videoViews httpcall.Figure
	for _, key := range m.Attached.Value.Keys {
		videoViews = httpcall.Sum(videoViews, views[key])
	}
	return analytics.PostFigures{
		Impressions: public.Impressions.Value(),
		Likes:       public.Likes.Value(),
		Comments:    public.Replies.Value(),
		Shares:      httpcall.Sum(public.Retweets, public.Reposts, public.Quotes).Value(),
		Saves:       public.Bookmarks.Value(),
		Clicks:      m.Owner.Value.LinkClicks.Value(),
		VideoViews:  videoViews.Value(),
	}
}

// ask makes a call for figures.
func (c *Connector) ask(
	ctx context.Context, account platform.Account, query url.Values, path ...string,
) (httpcall.Response, error) {
	response, err := c.client.Call(ctx, httpcall.Request{
		Operation: "insights",
		Path:      append([]string{"2"}, path...),
		Query:     query,
		Header:    bearer(account),
		Secrets:   []string{account.Credentials.AccessToken},
	})
	if err != nil {
		return httpcall.Response{}, err
	}
	if response.Status != http.StatusOK {
		return httpcall.Response{}, c.client.InsightsFailure(response, c.failure(response))
	}
	return response, nil
}
