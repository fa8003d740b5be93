package facebookapi

import (
	"net/http"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/metaapi"
)

// mostDays is the longest range that Facebook accepts in one request.
const mostDays = 93

// insights returns the metrics of the Page or of one of its posts.
func (a *API) insights(w http.ResponseWriter, r request) {
	if metaapi.InsightsNode().Refuses(w, r.values, graphError) {
		return
	}
	if id := r.PathValue("id"); id == "me" || id == r.account {
		a.pageInsights(w, r)
		return
	}
	a.postInsights(w, r)
}

// pageInsights returns the Page's metrics per day.
func (a *API) pageInsights(w http.ResponseWriter, r request) {
	known := []string{
		"page_follows", "page_media_view", "page_total_media_view_unique", "page_views_total", "page_total_actions",
		"page_post_engagements",
	}
	asked, fault := metaapi.ReadInsights(r.values, known, mostDays)
	if fault == "" && (!asked.Bounded || r.values.Get("period") != "day") {
		fault = "(#100) The sandbox reports only figures of days: period must be day, with since and until"
	}
	if fault != "" {
		graphError(w, http.StatusBadRequest, 100, 0, fault)
		return
	}
	account, now := figures.Of(network, r.account), a.stage.Clock.Now()
	data := []map[string]any{}
	for _, name := range asked.Metrics {
		data = append(data, asked.Series(name, account, now, func(d figures.Day) int64 {
			return map[string]int64{
				"page_follows": d.Followers, "page_media_view": d.Impressions, "page_total_media_view_unique": d.Reach,
				"page_views_total": d.ProfileViews, "page_total_actions": d.WebsiteClicks, "page_post_engagements": d.Engagements(),
			}[name]
		}))
	}
	r.answer(w, map[string]any{"data": data, "paging": map[string]any{}})
}

// shown returns the post with the id. A video in the feed is shown by a post whose id ends in that of the video.
func (a *API) shown(account, id string) (ledger.Post, bool) {
	if post, ok := a.stage.Ledger.Get(network, id); ok {
		return post, true
	}
	video, ok := strings.CutPrefix(id, account+"_")
	if !ok {
		return ledger.Post{}, false
	}
	return a.stage.Ledger.Get(network, video)
}

// postInsights returns the lifetime metrics of a post.
func (a *API) postInsights(w http.ResponseWriter, r request) {
	known := []string{"post_media_view", "post_total_media_view_unique", "post_clicks", "post_reactions_by_type_total"}
	asked, fault := metaapi.ReadInsights(r.values, known, mostDays)
	if fault != "" {
		graphError(w, http.StatusBadRequest, 100, 0, fault)
		return
	}
	post, ok := a.shown(r.account, r.PathValue("id"))
	if !ok || post.Account != r.account {
		missing(w)
		return
	}
	so := figures.OfPost(post, a.stage.Clock.Now())
	values := map[string]any{
		"post_media_view": so.Impressions, "post_total_media_view_unique": so.Reach, "post_clicks": so.Clicks,
		"post_reactions_by_type_total": map[string]int64{"like": so.Likes - so.Likes/5, "love": so.Likes / 5},
	}
	data := []map[string]any{}
	for _, name := range asked.Metrics {
		data = append(data, metaapi.Lifetime(name, values[name]))
	}
	r.answer(w, map[string]any{"data": data})
}

const fieldShares = "shares"

// counted adds the requested counts. Shares are omitted when there are none.
func (a *API) counted(shown map[string]any, post ledger.Post, wanted []string) {
	so := figures.OfPost(post, a.stage.Clock.Now())
	for name, count := range map[string]int64{"reactions": so.Likes, "comments": so.Comments} {
		if wants(wanted, name) {
			shown[name] = map[string]any{"data": []any{}, "summary": map[string]any{"total_count": count}}
		}
	}
	if wants(wanted, fieldShares) && so.Shares > 0 {
		shown[fieldShares] = map[string]int64{"count": so.Shares}
	}
}
