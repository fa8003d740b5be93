package youtubeapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/shared/domain/analytics"
)

const (
	// mostVideos is the number of videos that YouTube returns at once.
	mostVideos = 50
	// late is the number of days before YouTube reports a day.
	late = 2
	// rounded is the smallest number of subscribers that is rounded, to three digits.
	rounded = 1000
)

// channels returns the token's channel.
func (a *API) channels(w http.ResponseWriter, r request) {
	if r.URL.Query().Get("mine") != "true" {
		apiError(w, http.StatusBadRequest, "missingRequiredParameter", "The sandbox supports only mine.")
		return
	}
	statistics := map[string]any{"viewCount": "0", "videoCount": "0", "hiddenSubscriberCount": true}
	if !strings.Contains(r.account, "hidden") {
		statistics["hiddenSubscriberCount"] = false
		statistics["subscriberCount"] = strconv.FormatInt(round(figures.Of(network,
			r.account).Followers(a.stage.Clock.Now())), 10)
	}
	r.answer(w, map[string]any{
		"kind": "youtube#channelListResponse", "pageInfo": map[string]int{"totalResults": 1, "resultsPerPage": 5},
		"items": []map[string]any{
			{
				"kind": "youtube#channel", "id": r.account, "statistics": statistics,
				"snippet":        map[string]any{"title": r.account},
				"contentDetails": map[string]any{"relatedPlaylists": map[string]string{"uploads": uploadsOf(r.account)}},
			},
		},
	})
}

// round keeps the first three digits of a count and sets the others to zero.
func round(count int64) int64 {
	unit := int64(1)
	for rest := count; rest >= rounded; rest /= 10 {
		unit *= 10
	}
	return count / unit * unit
}

// videos returns videos by their ids and omits those that do not exist. Counts are strings.
func (a *API) videos(w http.ResponseWriter, r request) {
	ids := strings.Split(r.URL.Query().Get("id"), ",")
	if ids[0] == "" || len(ids) > mostVideos {
		apiError(w, http.StatusBadRequest, "invalidParameter", "There must be 1 to 50 ids.")
		return
	}
	items := []map[string]any{}
	parts := strings.Split(r.URL.Query().Get("part"), ",")
	for _, id := range ids {
		shown := a.seen(r.account, id, parts)
		if post, ok := a.stage.Ledger.Get(network, id); ok && slices.Contains(parts, "statistics") {
			if shown == nil {
				shown = map[string]any{"kind": "youtube#video", "id": id}
			}
			so := figures.OfPost(post, a.stage.Clock.Now())
			shown["statistics"] = map[string]string{
				"viewCount": strconv.FormatInt(so.Impressions, 10), "likeCount": strconv.FormatInt(so.Likes, 10),
				"commentCount": strconv.FormatInt(so.Comments, 10), "favoriteCount": "0",
			}
		}
		if shown != nil {
			items = append(items, shown)
		}
	}
	r.answer(w, map[string]any{"kind": "youtube#videoListResponse", "items": items})
}

// report returns metrics of the token's own channel, per day or per video.
func (a *API) report(w http.ResponseWriter, r request) {
	query := r.URL.Query()
	since, sinceErr := analytics.ParseDate(query.Get("startDate"))
	until, untilErr := analytics.ParseDate(query.Get("endDate"))
	metrics := strings.Split(query.Get("metrics"), ",")
	known := []string{"views", "likes", "comments", "shares"}
	switch {
	case query.Get("ids") != "channel==MINE":
		apiError(w, http.StatusForbidden, "forbidden", "The sandbox supports only channel==MINE.")
	case sinceErr != nil || untilErr != nil || until.Before(since):
		apiError(w, http.StatusBadRequest, "badRequest", "The dates cannot be used.")
	case slices.ContainsFunc(metrics, func(name string) bool { return !slices.Contains(known, name) }):
		apiError(w, http.StatusBadRequest, "badRequest", "Unknown identifier given in field parameters.metrics.")
	case query.Get("dimensions") == "day":
		a.answerTable(w, r, "day", metrics, a.days(r.account, metrics, since, until))
	case query.Get("dimensions") == "video":
		a.answerTable(w, r, "video", metrics, a.videoRows(r.account, metrics, query))
	default:
		apiError(w, http.StatusBadRequest, "badRequest", "The sandbox supports only the dimensions day and video.")
	}
}

// days returns the channel's metrics per day, without the latest days, which YouTube reports later.
func (a *API) days(account string, metrics []string, since, until analytics.Date) [][]any {
	now := a.stage.Clock.Now()
	if newest := analytics.DateOf(now.UTC()).Add(-late); until.After(newest) {
		until = newest
	}
	var rows [][]any
	for date := range analytics.DaysFrom(since, until) {
		if day, ok := figures.Of(network, account).Day(date, now); ok {
			rows = append(rows, row(date.String(), metrics, map[string]int64{
				"views": day.Impressions, "likes": day.Likes, "comments": day.Comments, "shares": day.Shares,
			}))
		}
	}
	return rows
}

// videoRows returns the metrics of the channel's videos in the filter.
func (a *API) videoRows(account string, metrics []string, query url.Values) [][]any {
	named, _ := strings.CutPrefix(query.Get("filters"), "video==")
	var rows [][]any
	for id := range strings.SplitSeq(named, ",") {
		if post, ok := a.stage.Ledger.Get(network, id); ok && post.Account == account {
			rows = append(rows, a.videoRow(post, metrics))
		}
	}
	return rows
}

func (a *API) videoRow(post ledger.Post, metrics []string) []any {
	so := figures.OfPost(post, a.stage.Clock.Now())
	return row(post.ID, metrics, map[string]int64{
		"views": so.Impressions, "likes": so.Likes, "comments": so.Comments, "shares": so.Shares,
	})
}

func row(key string, metrics []string, values map[string]int64) []any {
	cells := []any{key}
	for _, name := range metrics {
		cells = append(cells, values[name])
	}
	return cells
}

// answerTable writes a table. It omits the rows if there are none.
func (a *API) answerTable(w http.ResponseWriter, r request, dimension string, metrics []string, rows [][]any) {
	columns := []map[string]string{{"name": dimension, "columnType": "DIMENSION", "dataType": "STRING"}}
	for _, name := range metrics {
		columns = append(columns, map[string]string{"name": name, "columnType": "METRIC", "dataType": "INTEGER"})
	}
	answer := map[string]any{"kind": "youtubeAnalytics#resultTable", "columnHeaders": columns}
	if len(rows) > 0 {
		answer["rows"] = rows
	}
	r.answer(w, answer)
}
