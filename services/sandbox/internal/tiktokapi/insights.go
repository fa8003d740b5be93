package tiktokapi

import (
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/analytics"
)

const (
	// mostVideos is the number of videos that either product returns at once.
	mostVideos = 20
	// mostDays is the number of past days that the business product reports. late is the number of days before it reports a day.
	mostDays = 60
	late     = 1
)

// videos returns the account's videos among the ids.
func (a *API) videos(account string, ids []string) []ledger.Post {
	var found []ledger.Post
	for _, id := range ids {
		if post, ok := a.stage.Ledger.Get(network, id); ok && post.Account == account {
			found = append(found, post)
		}
	}
	return found
}

// personalAnswer writes a response of the personal product.
func personalAnswer(w http.ResponseWriter, data any) {
	stage.JSON(w, http.StatusOK, map[string]any{"data": data, "error": personalWord("ok", "")})
}

// userInfo returns the requested fields of the account.
func (a *API) userInfo(w http.ResponseWriter, r request) {
	known := map[string]any{
		"open_id": r.account, "display_name": username(r.account), "avatar_url": a.avatar(r), "username": username(r.account),
		"follower_count": figures.Of(network, r.account).Followers(a.stage.Clock.Now()),
	}
	user := make(map[string]any)
	for field := range strings.SplitSeq(r.URL.Query().Get("fields"), ",") {
		value, ok := known[field]
		if !ok {
			personalError(w, http.StatusBadRequest, "invalid_params", "Fields: unknown field.")
			return
		}
		user[field] = value
	}
	if !r.held.Lost(w, r.Request) {
		personalAnswer(w, map[string]any{"user": user})
	}
}

// queryVideos returns the metrics of videos. It omits videos that do not exist or belong to another account.
func (a *API) queryVideos(w http.ResponseWriter, r request) {
	var body struct {
		Filters struct {
			IDs []string `json:"video_ids"`
		} `json:"filters"`
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "application/json" || json.Unmarshal(r.body, &body) != nil || len(body.Filters.IDs) == 0 ||
		len(body.Filters.IDs) > mostVideos {
		personalError(w, http.StatusBadRequest, "invalid_params", "The body must name 1 to 20 videos.")
		return
	}
	fields := strings.Split(r.URL.Query().Get("fields"), ",")
	videos := []map[string]any{}
	for _, post := range a.videos(r.account, body.Filters.IDs) {
		so, video := figures.OfPost(post, a.stage.Clock.Now()), make(map[string]any)
		for name, value := range map[string]any{
			"id": post.ID, "view_count": so.Impressions, "like_count": so.Likes, "comment_count": so.Comments,
			"share_count": so.Shares,
		} {
			if slices.Contains(fields, name) {
				video[name] = value
			}
		}
		videos = append(videos, video)
	}
	if !r.held.Lost(w, r.Request) {
		personalAnswer(w, map[string]any{"videos": videos})
	}
}

// dailyFields returns the business product's metrics of a day.
func dailyFields(day figures.Day) map[string]int64 {
	return map[string]int64{
		"video_views": day.Impressions, "unique_video_views": day.Reach, "profile_views": day.ProfileViews,
		"bio_link_clicks": day.WebsiteClicks,
		"likes":           day.Likes, "comments": day.Comments, "shares": day.Shares, "daily_total_followers": day.Followers,
	}
}

// daily returns the requested metrics per day. If the dates are invalid, it writes an error response and returns false.
func (a *API) daily(w http.ResponseWriter, r request, fields []string) ([]map[string]any, bool) {
	query, now := r.URL.Query(), a.stage.Clock.Now()
	today := analytics.DateOf(now.UTC())
	since, sinceErr := analytics.ParseDate(query.Get("start_date"))
	until, untilErr := analytics.ParseDate(query.Get("end_date"))
	if sinceErr != nil || untilErr != nil || until.Before(since) || today.DaysSince(since) >= mostDays {
		businessError(w, codeParameter, "start_date, end_date: must be dates of the last 60 days.")
		return nil, false
	}
	if newest := today.Add(-late); until.After(newest) {
		until = newest
	}
	metrics := []map[string]any{}
	for date := range analytics.DaysFrom(since, until) {
		day, ok := figures.Of(network, r.account).Day(date, now)
		if !ok {
			continue
		}
		one := map[string]any{"date": date.String()}
		for name, value := range dailyFields(day) {
			if slices.Contains(fields, name) {
				one[name] = value
			}
		}
		metrics = append(metrics, one)
	}
	return metrics, true
}

// videoList returns the metrics of videos, one page at a time.
func (a *API) videoList(w http.ResponseWriter, r request) {
	if !a.ofTheAccount(w, r) {
		return
	}
	var filters struct {
		IDs []string `json:"video_ids"`
	}
	var fields []string
	query := r.URL.Query()
	if json.Unmarshal([]byte(query.Get("fields")), &fields) != nil {
		businessError(w, codeParameter, "fields: must be a list of strings.")
		return
	}
	if !query.Has("filters") {
		a.newestVideos(w, r, fields)
		return
	}
	if json.Unmarshal([]byte(query.Get("filters")), &filters) != nil || len(filters.IDs) == 0 ||
		len(filters.IDs) > mostVideos {
		businessError(w, codeParameter, "filters: the sandbox lists 1 to 20 videos by their ids.")
		return
	}
	videos := []map[string]any{}
	for _, post := range a.videos(r.account, filters.IDs) {
		so, video := figures.OfPost(post, a.stage.Clock.Now()), make(map[string]any)
		for name, value := range map[string]any{
			"item_id": post.ID, "video_views": so.Impressions, "reach": so.Reach, "likes": so.Likes, "comments": so.Comments,
			"shares": so.Shares, "favorites": so.Saves, "website_clicks": so.Clicks,
		} {
			if slices.Contains(fields, name) {
				video[name] = value
			}
		}
		videos = append(videos, video)
	}
	if !r.held.Lost(w, r.Request) {
		businessAnswer(w, http.StatusOK, codeOK, "OK", map[string]any{"videos": videos, "has_more": false, "cursor": 0})
	}
}
