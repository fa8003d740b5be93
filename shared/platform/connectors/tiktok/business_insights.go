package tiktok

import (
	"context"
	"encoding/json"
	"slices"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

var _ platform.Insighter = (*Business)(nil)

const (
	// reachBack is the maximum age in days that TikTok reports, less one day for time zones.
	reachBack = 59
	// mostPages is the maximum number of pages read for a list of at most postsPerCall videos.
	mostPages = 3

	accountFields = `["followers_count","daily_total_followers","video_views","unique_video_views","profile_views",` +
		`"bio_link_clicks","likes","comments","shares"]`
	videoFields = `["item_id","video_views","likes","comments","shares","favorites","reach","website_clicks"]`
)

// accountDay holds the account's figures of one day.
type accountDay struct {
	Date         string          `json:"date"`
	Followers    httpcall.Figure `json:"daily_total_followers"`
	Views        httpcall.Figure `json:"video_views"`
	Viewers      httpcall.Figure `json:"unique_video_views"`
	ProfileViews httpcall.Figure `json:"profile_views"`
	LinkClicks   httpcall.Figure `json:"bio_link_clicks"`
	Likes        httpcall.Figure `json:"likes"`
	Comments     httpcall.Figure `json:"comments"`
	Shares       httpcall.Figure `json:"shares"`
}

// AccountInsights reads the account's figures by day, at most sixty days back, and the current number of followers.
// TikTok reports daily figures with a delay of one or two days.
func (b *Business) AccountInsights(
	ctx context.Context, account platform.Account, since, until analytics.Date,
) ([]analytics.ChannelDay, error) {
	if !usable(account) {
		return nil, b.client.Reconnect(errNoToken)
	}
	book, today := readback.NewBook(since, until), analytics.DateOf(b.client.Now())
	from, to, _ := book.Last(reachBack+1, today)
	if earliest := today.Add(-reachBack); from.Before(earliest) {
		from = earliest
	}
	if from.After(to) {
		return book.Days(), nil
	}
	request := b.get("insights", account, "business", "get")
	request.Query.Set("fields", accountFields)
	request.Query.Set("start_date", from.String())
	request.Query.Set("end_date", to.String())
	response, err := b.client.Call(ctx, request)
	if err != nil {
		return nil, err
	}
	var body struct {
		Followers httpcall.Figure                           `json:"followers_count"`
		Metrics   httpcall.Maybe[httpcall.Some[accountDay]] `json:"metrics"`
	}
	if err := b.insights(response, &body); err != nil {
		return nil, err
	}
	if body.Metrics.Value == nil && body.Followers.Value() == nil {
		return nil, b.client.Unclear(response, "no figures in the response")
	}
	for _, one := range body.Metrics.Value {
		one.enter(book)
	}
	if now := body.Followers.Value(); now != nil {
		book.Day(today).Followers = now
	}
	return book.Days(), nil
}

func (a accountDay) enter(book *readback.Book) {
	date, err := analytics.ParseDate(a.Date)
	if err != nil {
		return
	}
	day := book.Day(date)
	day.Followers, day.Impressions, day.Reach = a.Followers.Value(), a.Views.Value(), a.Viewers.Value()
	day.ProfileViews, day.WebsiteClicks = a.ProfileViews.Value(), a.LinkClicks.Value()
	day.Engagements = httpcall.Sum(a.Likes, a.Comments, a.Shares).Value()
}

// PostInsights reads twenty videos per call.
func (b *Business) PostInsights(
	ctx context.Context, account platform.Account, posts []string,
) (map[string]analytics.PostFigures, error) {
	found := make(map[string]analytics.PostFigures, len(posts))
	if !usable(account) {
		return found, b.client.Reconnect(errNoToken)
	}
	named := slices.DeleteFunc(slices.Clone(posts), func(id string) bool { return !videoID.MatchString(id) })
	for batch := range slices.Chunk(named, postsPerCall) {
		if err := b.videos(ctx, account, batch, found); err != nil {
			return found, err
		}
	}
	return found, nil
}

// videoPage is a page of videos with their figures.
type videoPage struct {
	Videos httpcall.Some[struct {
		ID        string          `json:"item_id"`
		Views     httpcall.Figure `json:"video_views"`
		Reach     httpcall.Figure `json:"reach"`
		Likes     httpcall.Figure `json:"likes"`
		Comments  httpcall.Figure `json:"comments"`
		Shares    httpcall.Figure `json:"shares"`
		Favorites httpcall.Figure `json:"favorites"`
		Clicks    httpcall.Figure `json:"website_clicks"`
	}] `json:"videos"`
	More   httpcall.Maybe[bool]        `json:"has_more"`
	Cursor httpcall.Maybe[json.Number] `json:"cursor"`
}

// videos adds the figures of the videos to found.
func (b *Business) videos(
	ctx context.Context, account platform.Account, ids []string, found map[string]analytics.PostFigures,
) error {
	filters, err := json.Marshal(map[string][]string{"video_ids": ids})
	if err != nil {
		return err
	}
	cursor := ""
	for range mostPages {
		page, err := b.videoPage(ctx, account, string(filters), cursor)
		if err != nil {
			return err
		}
		for _, video := range page.Videos {
			figures := analytics.PostFigures{
				Impressions: video.Views.Value(), VideoViews: video.Views.Value(), Reach: video.Reach.Value(),
				Likes:    video.Likes.Value(),
				Comments: video.Comments.Value(), Shares: video.Shares.Value(), Saves: video.Favorites.Value(),
				Clicks: video.Clicks.Value(),
			}
			if slices.Contains(ids, video.ID) && figures != (analytics.PostFigures{}) {
				found[video.ID] = figures
			}
		}
		next := page.Cursor.Value.String()
		if !page.More.Value || next == "" || next == cursor {
			return nil
		}
		cursor = next
	}
	return nil
}

func (b *Business) videoPage(ctx context.Context, account platform.Account, filters, cursor string) (videoPage, error) {
	request := b.get("insights", account, "business", "video", "list")
	request.Query.Set("fields", videoFields)
	request.Query.Set("filters", filters)
	if cursor != "" {
		request.Query.Set("cursor", cursor)
	}
	response, err := b.client.Call(ctx, request)
	if err != nil {
		return videoPage{}, err
	}
	var page videoPage
	if err := b.insights(response, &page); err != nil {
		return videoPage{}, err
	}
	if page.Videos == nil {
		return videoPage{}, b.client.Unclear(response, "no videos in the response")
	}
	return page, nil
}

// insights decodes the figures of a call. A missing permission does not affect the rest of the connection.
func (b *Business) insights(response httpcall.Response, into any) error {
	err := b.data(response, into)
	if err == nil {
		return nil
	}
	failure := platform.FailureOf(err)
	if result, ok := businessResponseOf(response); ok && result.code() == codeNoPermission {
		return b.client.InsightsNotGranted(failure.Cause)
	}
	return b.client.InsightsFailure(response, failure)
}
