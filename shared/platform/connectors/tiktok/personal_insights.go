package tiktok

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

var _ platform.Insighter = (*Personal)(nil)

// AccountInsights reads the current number of followers. This API reports no other figure of an account.
func (p *Personal) AccountInsights(
	ctx context.Context, account platform.Account, since, until analytics.Date,
) ([]analytics.ChannelDay, error) {
	if account.Credentials.AccessToken == "" {
		return nil, p.client.Reconnect(errNoToken)
	}
	book, today := readback.NewBook(since, until), analytics.DateOf(p.client.Now())
	if !book.Has(today) {
		return book.Days(), nil
	}
	request := p.request("insights", account, "user", "info")
	request.Query = url.Values{"fields": {"follower_count"}}
	response, err := p.client.Call(ctx, request)
	if err != nil {
		return nil, err
	}
	var body struct {
		User *struct {
			Followers httpcall.Figure `json:"follower_count"`
		} `json:"user"`
	}
	if err := p.insights(response, &body); err != nil {
		return nil, err
	}
	if body.User == nil {
		return nil, p.client.Unclear(response, "no account in the response")
	}
	book.Day(today).Followers = body.User.Followers.Value()
	return book.Days(), nil
}

// PostInsights reads twenty videos per call.
func (p *Personal) PostInsights(
	ctx context.Context, account platform.Account, posts []string,
) (map[string]analytics.PostFigures, error) {
	found := make(map[string]analytics.PostFigures, len(posts))
	if account.Credentials.AccessToken == "" {
		return found, p.client.Reconnect(errNoToken)
	}
	named := slices.DeleteFunc(slices.Clone(posts), func(id string) bool { return !videoID.MatchString(id) })
	for batch := range slices.Chunk(named, postsPerCall) {
		if err := p.videos(ctx, account, batch, found); err != nil {
			return found, err
		}
	}
	return found, nil
}

// videos adds the figures of the videos to found.
func (p *Personal) videos(
	ctx context.Context, account platform.Account, ids []string, found map[string]analytics.PostFigures,
) error {
	request := p.request("insights", account, "video", "query")
	request.Method = http.MethodPost
	request.Query = url.Values{"fields": {"id,view_count,like_count,comment_count,share_count"}}
	request.JSON = map[string]any{"filters": map[string]any{"video_ids": ids}}
	response, err := p.client.Call(ctx, request)
	if err != nil {
		return err
	}
	var body struct {
		Videos httpcall.Some[struct {
			ID       string          `json:"id"`
			Views    httpcall.Figure `json:"view_count"`
			Likes    httpcall.Figure `json:"like_count"`
			Comments httpcall.Figure `json:"comment_count"`
			Shares   httpcall.Figure `json:"share_count"`
		}] `json:"videos"`
	}
	if err := p.insights(response, &body); err != nil {
		return err
	}
	if body.Videos == nil {
		return p.client.Unclear(response, "no videos in the response")
	}
	for _, video := range body.Videos {
		figures := analytics.PostFigures{
			Impressions: video.Views.Value(), VideoViews: video.Views.Value(), Likes: video.Likes.Value(),
			Comments: video.Comments.Value(), Shares: video.Shares.Value(),
		}
		if slices.Contains(ids, video.ID) && figures != (analytics.PostFigures{}) {
			found[video.ID] = figures
		}
	}
	return nil
}

// request returns a request with the account's token.
func (p *Personal) request(operation string, account platform.Account, path ...string) httpcall.Request {
	return httpcall.Request{
		Operation: operation,
		Path:      append([]string{personalVersion}, path...),
		PathSlash: true,
		Header:    http.Header{"Authorization": {"Bearer " + account.Credentials.AccessToken}},
		Secrets:   []string{account.Credentials.AccessToken},
	}
}

// insights decodes the figures of a call. A missing permission does not affect the rest of the connection.
func (p *Personal) insights(response httpcall.Response, into any) error {
	err := p.data(response, into)
	if err == nil {
		return nil
	}
	failure := platform.FailureOf(err)
	var result struct {
		Error httpcall.Maybe[personalError] `json:"error"`
	}
	if response.Decode(&result) == nil && result.Error.Value.scope() {
		return p.client.InsightsNotGranted(failure.Cause)
	}
	return p.client.InsightsFailure(response, failure)
}
