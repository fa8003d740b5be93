package tiktokapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

// mostVideos is the number of videos that either product returns at once.
const mostVideos = 20

// creatorInfo returns the account's posting settings. The error for a banned account has HTTP status 200.
func (a *api) creatorInfo(r stage.Request) stage.Response {
	switch {
	case !r.IsJSON():
		return invalid("The content type must be application/json.")
	case banned(r.Account):
		banned := refuse(http.StatusOK, "spam_risk_user_banned_from_posting", "The user is banned from making new posts.")
		banned.Refused = false
		return banned
	}
	return respond(struct {
		allowed

		AvatarURL string `json:"creator_avatar_url"`
		Username  string `json:"creator_username"`
		Nickname  string `json:"creator_nickname"`
	}{allowedTo(r.Account), a.avatar(r), username(r.Account), username(r.Account)})
}

// initPhotos makes a post of photos, which TikTok fetches.
func (a *api) initPhotos(r stage.Request) stage.Response {
	body, rule := bodyOf(r)
	if body.Post == nil {
		body.Post = &info{}
		rule = rule.Or(true, invalid("media_type, post_mode or source is invalid."))
	}
	draft, from, post := body.Mode == "MEDIA_UPLOAD", body.Source, *body.Post
	rule = rule.Or(body.Media != "PHOTO" || !draft && body.Mode != "DIRECT_POST" || from.Source != "PULL_FROM_URL",
		invalid("media_type, post_mode or source is invalid.")).
		Or(len(from.Images) < 1 || len(from.Images) > mostPhotos || from.Cover < 0 || from.Cover >= len(from.Images),
			invalid("There must be 1 to 35 photos, and one of them is the cover.")).
		Or(figures.UTF16(post.Title) > longestPhotoTitle || figures.UTF16(post.Description) > longestPhotoText,
			invalid("The title or the description is too long.")).
		Or(strings.Contains(r.Account, "unverified"), refuse(http.StatusForbidden, "url_ownership_unverified",
			"Please review our URL ownership verification rules.")).
		Or(draft && post.Privacy != "", invalid("A draft has no privacy_level."))
	if !rule.Broken && !draft {
		rule = a.permitted(r, post, true)
	}
	if rule.Broken {
		return rule.Fault
	}
	p := publication{
		ID: "p_pub_url~v2." + number(), Draft: draft, Privacy: post.Privacy, Title: post.Title, Text: post.Description,
	}
	return a.After(a.pullPhotos(r, p, from.Images), respond(stage.Object{"publish_id": p.ID}))
}

// fetchStatus returns the state of a post that is being published.
func (a *api) fetchStatus(r stage.Request) stage.Response {
	var body struct {
		ID string `json:"publish_id"`
	}
	_ = json.Unmarshal(r.Body, &body)
	p, ok := a.found(r.Account, body.ID)
	if !ok {
		return refuse(http.StatusBadRequest, "invalid_publish_id", "The publish_id does not exist.")
	}
	state, reason, posts := a.state(p)
	data := stage.Object{"status": state}
	if state == stateFailed {
		data["fail_reason"] = reason
	}
	if p.Pulled {
		data["downloaded_bytes"] = p.Got
	} else {
		data["uploaded_bytes"] = p.Got
	}
	if len(posts) > 0 {
		data["publicaly_available_post_id"] = []json.Number{json.Number(posts[0])}
	}
	return respond(data)
}

// videosOf returns the account's videos among the ids.
func (a *api) videosOf(account string, ids []string) []ledger.Post {
	var found []ledger.Post
	for _, id := range ids {
		if post, ok := a.Stage.Ledger.Get(network, id); ok && post.Account == account {
			found = append(found, post)
		}
	}
	return found
}

// listed returns the requested fields of posts, as the personal product names them or as the business product does.
func (a *api) listed(r stage.Request, posts []ledger.Post, fields []string) []stage.Object {
	return stage.Each(posts, func(post ledger.Post) stage.Object {
		so := figures.OfPost(post, a.Stage.Clock.Now())
		return stage.Pick(fields, stage.Object{
			"id": post.ID, "create_time": post.CreatedAt.Unix(), "video_description": post.Text, "title": post.Title,
			"share_url": a.Stage.Base(r.Request) + stage.Page(post), "view_count": so.Impressions, "like_count": so.Likes,
			"comment_count": so.Comments, "share_count": so.Shares,
			"item_id": post.ID, "caption": post.Text, "video_views": so.Impressions, "reach": so.Reach, "likes": so.Likes,
			"comments": so.Comments, "shares": so.Shares, "favorites": so.Saves, "website_clicks": so.Clicks,
		})
	})
}

// listVideos returns the account's public posts, newest first.
func (a *api) listVideos(r stage.Request) stage.Response {
	var body struct {
		Max int `json:"max_count"`
	}
	if json.Unmarshal(r.Body, &body) != nil || body.Max < 1 || body.Max > mostVideos {
		return invalid("max_count must be from 1 to 20.")
	}
	videos := a.listed(r, a.public(r.Account, body.Max), r.List("fields"))
	return respond(stage.Object{"videos": videos, "cursor": 0, "has_more": false})
}

// userInfo returns the requested fields of the account.
func (a *api) userInfo(r stage.Request) stage.Response {
	known := stage.Object{
		"open_id": r.Account, "display_name": username(r.Account), "avatar_url": a.avatar(r), "username": username(r.Account),
		"follower_count": figures.Of(network, r.Account).Followers(a.Stage.Clock.Now()),
	}
	user := stage.Pick(r.List("fields"), known)
	if len(user) < len(r.List("fields")) {
		return invalid("Fields: unknown field.")
	}
	return respond(stage.Object{"user": user})
}

// filters is the part of a request that names videos.
type filters struct {
	IDs []string `json:"video_ids"`
}

func (f filters) valid() bool { return len(f.IDs) > 0 && len(f.IDs) <= mostVideos }

// queryVideos returns the metrics of videos. It omits videos that do not exist or belong to another account.
func (a *api) queryVideos(r stage.Request) stage.Response {
	var body struct {
		Filters filters `json:"filters"`
	}
	if !r.IsJSON() || json.Unmarshal(r.Body, &body) != nil || !body.Filters.valid() {
		return invalid("The body must name 1 to 20 videos.")
	}
	return respond(stage.Object{"videos": a.listed(r, a.videosOf(r.Account, body.Filters.IDs), r.List("fields"))})
}

// ofAccount checks that a call of the business product is about the token's own account.
func ofAccount(r stage.Request, id string) stage.Rule[stage.Response] {
	return stage.If(id == "", businessError(codeParameter, "business_id: Missing data for required field.")).
		Or(id != r.Account, businessError(codeNoPermission, "No permission to operate this account."))
}

// settings returns the account's posting settings.
func (a *api) settings(r stage.Request) stage.Response {
	return ofAccount(r, r.Values.Get("business_id")).Else(businessOK(allowedTo(r.Account)))
}

// profile returns the requested fields of the account.
func (a *api) profile(r stage.Request) stage.Response {
	if rule := ofAccount(r, r.Values.Get("business_id")); rule.Broken {
		return rule.Fault
	}
	known := stage.Object{
		"display_name": username(r.Account), "username": username(r.Account), "profile_image": a.avatar(r),
		"is_business_account": true, "followers_count": figures.Of(network, r.Account).Followers(a.Stage.Clock.Now()),
	}
	fields := []string{"display_name", "profile_image"}
	if text := r.Values.Get("fields"); text != "" && json.Unmarshal([]byte(text), &fields) != nil {
		return businessError(codeParameter, "fields: must be a list of strings.")
	}
	daily := slices.Collect(maps.Keys(stage.Pick(fields, dailyFields(figures.Day{}))))
	values := stage.Pick(fields, known)
	if len(values)+len(daily) < len(fields) {
		return businessError(codeParameter, "fields: unknown field.")
	}
	if len(daily) > 0 {
		metrics, ok := a.daily(r, daily)
		if !ok {
			return businessError(codeParameter, "start_date, end_date: must be dates of the last 60 days.")
		}
		values["metrics"] = metrics
	}
	return businessOK(values)
}

// dailyFields returns the business product's metrics of a day.
func dailyFields(day figures.Day) map[string]int64 {
	return map[string]int64{
		"video_views": day.Impressions, "unique_video_views": day.Reach, "profile_views": day.ProfileViews,
		"bio_link_clicks": day.WebsiteClicks, "likes": day.Likes, "comments": day.Comments, "shares": day.Shares,
		"daily_total_followers": day.Followers,
	}
}

// daily returns the requested metrics per day, of the last sixty days and without today. It returns false if the dates are
// invalid.
func (a *api) daily(r stage.Request, fields []string) ([]stage.Object, bool) {
	const mostDays = 60
	today := a.Stage.Today()
	since, until, ok := r.Days("start_date", "end_date", today.Add(-1))
	metrics := []stage.Object{}
	for date, day := range figures.Of(network, r.Account).Days(since, until, a.Stage.Clock.Now()) {
		one := stage.Object{"date": date.String()}
		for name, value := range stage.Pick(fields, dailyFields(day)) {
			one[name] = value
		}
		metrics = append(metrics, one)
	}
	return metrics, ok && today.DaysSince(since) < mostDays
}

// videoList returns the metrics of videos, or the newest public posts if the call names none.
func (a *api) videoList(r stage.Request) stage.Response {
	var named filters
	var fields []string
	readable := json.Unmarshal([]byte(r.Values.Get("fields")), &fields) == nil
	all := !r.Values.Has("filters")
	found := all || json.Unmarshal([]byte(r.Values.Get("filters")), &named) == nil && named.valid()
	posts := a.videosOf(r.Account, named.IDs)
	if all {
		posts = a.public(r.Account, mostVideos)
	}
	return ofAccount(r, r.Values.Get("business_id")).
		Or(!readable, businessError(codeParameter, "fields: must be a list of strings.")).
		Or(!found, businessError(codeParameter, "filters: the sandbox lists 1 to 20 videos by their ids.")).
		Else(businessOK(stage.Object{"videos": a.listed(r, posts, fields), "has_more": false, "cursor": 0}))
}

// businessPost is the body of both calls of the business product that publish.
type businessPost struct {
	BusinessID string   `json:"business_id"`
	VideoURL   string   `json:"video_url"`
	Images     []string `json:"photo_images"`
	Cover      int      `json:"photo_cover_index"`
	Offset     int32    `json:"thumbnail_offset"`
	Info       *info    `json:"post_info"`
}

// readPost decodes and checks the body of a call that publishes.
func (a *api) readPost(r stage.Request) (businessPost, stage.Rule[stage.Response]) {
	var body businessPost
	incomplete := !r.IsJSON() || json.Unmarshal(r.Body, &body) != nil || body.Info == nil
	if body.Info == nil {
		body.Info = &info{}
	}
	return body, stage.If(incomplete, businessError(codeParameter, "post_info: Missing data for required field.")).
		Or(body.BusinessID != r.Account, businessError(codeNoPermission, "No permission to operate this account.")).
		Or(body.Info.BrandOrganic == nil || body.Info.BrandContent == nil,
			businessError(codeParameter, "post_info: is_brand_organic and is_branded_content are required.")).
		Or(strings.Contains(r.Account, "unverified"),
			businessError(codeParameter, "url_ownership_unverified: the URL property is not verified for the app.")).
		Or(banned(r.Account), businessError(codeParameter, "spam_risk_user_banned_from_posting"))
}

// publishVideo makes a post of a video that TikTok fetches.
func (a *api) publishVideo(r stage.Request) stage.Response {
	const largest = 1 << 30
	body, rule := a.readPost(r)
	draft := body.Info.VideoDraft // every other setting is ignored
	rule = rule.Or(body.VideoURL == "", businessError(codeParameter, "video_url: Missing data for required field.")).
		Or(figures.UTF16(body.Info.Caption) > longestCaption, businessError(codeParameter, "post_info.caption: is too long.")).
		Or(body.Offset < 0, businessError(codeParameter, "thumbnail_offset: Must be greater than or equal to 0.")).
		Or(!draft && body.Info.disabled(allowedTo(r.Account), false),
			businessError(codeParameter, "The creator has disabled an interaction."))
	if rule.Broken {
		return rule.Fault
	}
	p := publication{ID: "v_pub_url~v2." + number(), Text: body.Info.Caption, Reason: a.full(r.Account, draft)}
	if draft {
		p = publication{ID: "v_inbox_url~v2." + number(), Draft: true, Reason: p.Reason}
	}
	err := a.pull(r, p, []string{body.VideoURL}, largest, "video_pull_failed", string(media.Video))
	return a.business.After(err, businessOK(map[string]string{"share_id": p.ID}))
}

// publishPhotos makes a post of photos that TikTok fetches.
func (a *api) publishPhotos(r stage.Request) stage.Response {
	body, rule := a.readPost(r)
	may, draft := allowedTo(r.Account), body.Info.PhotoDraft
	rule = rule.Or(len(body.Images) < 1 || len(body.Images) > mostPhotos || body.Cover < 0 || body.Cover >= len(body.Images),
		businessError(codeParameter, "photo_images: 1 to 35 photos are needed, and one of them is the cover.")).
		Or(figures.UTF16(body.Info.Title) > longestPhotoTitle || figures.UTF16(body.Info.Caption) > longestPhotoText,
			businessError(codeParameter, "post_info: the title or the caption is too long.")).
		Or(!draft && body.Info.disabled(may, true), businessError(codeParameter, "The creator has disabled an interaction.")).
		Or(!draft && !slices.Contains(may.Privacies, body.Info.Privacy),
			businessError(codeParameter, "post_info.privacy_level: is not among the options of the account."))
	if rule.Broken {
		return rule.Fault
	}
	p := publication{
		ID: "p_pub_url~v2." + number(), Draft: draft, Title: body.Info.Title, Text: body.Info.Caption,
		Reason: a.full(r.Account, draft),
	}
	return a.business.After(a.pullPhotos(r, p, body.Images), businessOK(map[string]string{"share_id": p.ID}))
}

// full returns the reason for which an account can have no further post or draft today; empty if it can.
func (a *api) full(account string, draft bool) string {
	used := a.used(account, draft)
	return stage.If(draft && used >= draftsPerDay, "spam_risk_too_many_pending_share").
		Or(!draft && used >= postsPerDay, "spam_risk_too_many_posts").Fault
}

// publishStatus returns the state of a post that is being published.
func (a *api) publishStatus(r stage.Request) stage.Response {
	p, ok := a.found(r.Account, r.Values.Get("publish_id"))
	state, reason, posts := a.state(p)
	shown := stage.Object{"status": state, "reason": reason, "post_ids": append([]string{}, posts...)}
	return ofAccount(r, r.Values.Get("business_id")).
		Or(!ok, businessError(codeParameter, "publish_id: does not exist.")).Else(businessOK(shown))
}
