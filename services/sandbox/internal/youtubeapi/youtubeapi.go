// Package youtubeapi is the sandbox's YouTube API: uploads and videos of the Data API, metrics of it and of the Analytics
// API, and Google's tokens. The id of a channel is the name of its account. A channel with "hidden" in its name hides its
// number of subscribers, and one with "unverified" has no verified phone number. A video with "[duplicate]" in its title
// is rejected after its upload.
package youtubeapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/channel"
)

const (
	network = string(channel.NetworkYouTube)

	scopeRead      = "https://www.googleapis.com/auth/youtube.readonly"
	scopeUpload    = "https://www.googleapis.com/auth/youtube.upload"
	scopeWrite     = "https://www.googleapis.com/auth/youtube"
	scopeAnalytics = "https://www.googleapis.com/auth/yt-analytics.readonly"

	// mostVideos is the number of videos that YouTube returns at once.
	mostVideos = 50
)

// Network declares YouTube.
func Network() stage.Network {
	return stage.Network{
		ID: channel.NetworkYouTube, Reviews: stage.ReviewEnds(), Mount: stage.Stored("youtube-videos", mount),
		Tokens: stage.GoogleTokens(scopeRead, scopeAnalytics, scopeUpload, scopeWrite, scopeComments),
	}
}

// api serves YouTube's calls.
type api struct {
	*stage.Service

	files *mediastore.Uploads[video]
	board stage.Board
	units units
}

func mount(mux *http.ServeMux, s *stage.Stage, files *mediastore.Uploads[video]) {
	a := &api{files: files, Service: &stage.Service{
		Stage: s, Network: channel.NetworkYouTube, Prefix: "/youtube",
		Missing: refuse(http.StatusNotFound, "notFound", "The sandbox does not have this call."),
		Broken:  refuse(http.StatusInternalServerError, "backendError", "The sandbox's files cannot be written."),
		Words: stage.Words{
			Rejected:     badRequest("badRequest", "The query is not supported."),
			Limited:      refuse(http.StatusForbidden, "rateLimitExceeded", "Rate Limit Exceeded"),
			Unavailable:  refuse(http.StatusServiceUnavailable, "backendError", "Backend Error"),
			Unauthorized: refuse(http.StatusUnauthorized, "authError", "Invalid Credentials"),
			Scope: refuse(http.StatusForbidden, "insufficientPermissions",
				"Request had insufficient authentication scopes."),
		},
	}}
	a.Handle(mux, append(a.commentCalls(), []stage.Route{
		{Pattern: "GET /channels", Step: stage.StepStatus, Scopes: scopeRead, Serve: a.channels},
		{Pattern: "GET /videos", Step: stage.StepStatus, Scopes: scopeRead, Serve: a.videos},
		{Pattern: "GET /playlistItems", Step: stage.StepStatus, Scopes: scopeRead, Serve: a.playlistItems},
		{Pattern: "PUT /videos", Step: stage.StepCommit, Scopes: scopeWrite, Serve: a.update},
		{Pattern: "DELETE /videos", Step: stage.StepOther, Scopes: scopeWrite, Serve: a.remove},
		{Pattern: "GET /analytics/reports", Step: stage.StepStatus, Scopes: scopeAnalytics, Serve: a.report},
	}...))
	a.HandleAt(mux, stage.Route{Pattern: "POST " + uploadPath, Step: stage.StepCreate, Scopes: scopeUpload, Serve: a.insert})
	mux.HandleFunc("PUT "+uploadPath, a.upload)
	a.HandleAt(mux, stage.Route{
		Pattern: "POST /upload/youtube/thumbnails/set", Step: stage.StepUpload, Scopes: scopeWrite, File: largestCover,
		Serve: a.setCover,
	})
	s.ToPage(mux, channel.NetworkYouTube, "GET /youtube/shorts/{id}")
	mux.HandleFunc("GET /youtube/watch", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, stage.Page(ledger.Post{Platform: network, ID: r.URL.Query().Get("v")}), http.StatusFound)
	})
	s.AuthorizationServer(mux, stage.Google(channel.NetworkYouTube, "/youtube", ""))
}

// refuse returns the Data API's error shape.
func refuse(code int, reason, message string) stage.Response {
	return stage.Refuse(code, stage.Object{"error": stage.Object{
		"code": code, "message": message, "errors": []map[string]string{
			{"message": message, "domain": "global", "reason": reason},
		},
	}})
}

func badRequest(reason, message string) stage.Response {
	return refuse(http.StatusBadRequest, reason, message)
}

// channels returns the token's channel. The first three digits of the number of subscribers are kept.
func (a *api) channels(r stage.Request) stage.Response {
	if r.Values.Get("mine") != "true" {
		return badRequest("missingRequiredParameter", "The sandbox supports only mine.")
	}
	statistics := stage.Object{"viewCount": "0", "videoCount": "0", "hiddenSubscriberCount": true}
	if !strings.Contains(r.Account, "hidden") {
		count, unit := figures.Of(network, r.Account).Followers(a.Stage.Clock.Now()), int64(1)
		for rest := count; rest >= 1000; rest /= 10 {
			unit *= 10
		}
		statistics["hiddenSubscriberCount"], statistics["subscriberCount"] = false, strconv.FormatInt(count/unit*unit, 10)
	}
	return stage.OK(stage.Object{
		"kind": "youtube#channelListResponse", "pageInfo": map[string]int{"totalResults": 1, "resultsPerPage": 5},
		"items": []stage.Object{{
			"kind": "youtube#channel", "id": r.Account, "statistics": statistics, "snippet": stage.Object{
				"title":      r.Account,
				"thumbnails": stage.Object{"default": stage.Object{"url": a.Stage.Avatar(r.Request, r.Account), "width": 88, "height": 88}},
			},
			"contentDetails": stage.Object{"relatedPlaylists": map[string]string{"uploads": uploadsOf(r.Account)}},
		}},
	})
}

// videos returns videos by their ids and omits those that do not exist. Counts are strings.
func (a *api) videos(r stage.Request) stage.Response {
	ids, parts := r.List("id"), r.List("part")
	if ids[0] == "" || len(ids) > mostVideos {
		return badRequest("invalidParameter", "There must be 1 to 50 ids.")
	}
	items := []stage.Object{}
	for _, id := range ids {
		shown := a.seen(r.Account, id, parts)
		if post, ok := a.Stage.Ledger.Get(network, id); ok && slices.Contains(parts, "statistics") {
			if shown == nil {
				shown = stage.Object{"kind": "youtube#video", "id": id}
			}
			so := figures.OfPost(post, a.Stage.Clock.Now())
			shown["statistics"] = map[string]string{
				"viewCount": strconv.FormatInt(so.Impressions, 10), "likeCount": strconv.FormatInt(so.Likes, 10),
				"commentCount": strconv.FormatInt(so.Comments, 10), "favoriteCount": "0",
			}
		}
		if shown != nil {
			items = append(items, shown)
		}
	}
	return stage.OK(stage.Object{"kind": "youtube#videoListResponse", "items": items})
}

// report returns metrics of the token's own channel, per day or per video. YouTube reports the latest days later.
func (a *api) report(r stage.Request) stage.Response {
	since, until, ok := r.Days("startDate", "endDate", a.Stage.Today().Add(-2))
	metrics, dimension := r.List("metrics"), r.Values.Get("dimensions")
	unknown := func(name string) bool {
		return !slices.Contains([]string{"views", "likes", "comments", "shares"}, name)
	}
	rule := stage.If(r.Values.Get("ids") != "channel==MINE",
		refuse(http.StatusForbidden, "forbidden", "The sandbox supports only channel==MINE.")).
		Or(!ok, badRequest("badRequest", "The dates cannot be used.")).
		Or(slices.ContainsFunc(metrics, unknown),
			badRequest("badRequest", "Unknown identifier given in field parameters.metrics.")).
		Or(dimension != "day" && dimension != "video",
			badRequest("badRequest", "The sandbox supports only the dimensions day and video."))
	if rule.Broken {
		return rule.Fault
	}
	columns := []map[string]string{{"name": dimension, "columnType": "DIMENSION", "dataType": "STRING"}}
	for _, name := range metrics {
		columns = append(columns, map[string]string{"name": name, "columnType": "METRIC", "dataType": "INTEGER"})
	}
	var rows [][]any // omitted if there are none
	add := func(key string, views, likes, comments, shares int64) {
		values := map[string]int64{"views": views, "likes": likes, "comments": comments, "shares": shares}
		rows = append(rows, append([]any{key}, stage.Each(metrics, func(name string) any { return values[name] })...))
	}
	now := a.Stage.Clock.Now()
	if dimension == "day" {
		for date, day := range figures.Of(network, r.Account).Days(since, until, now) {
			add(date.String(), day.Impressions, day.Likes, day.Comments, day.Shares)
		}
	} else {
		named, _ := strings.CutPrefix(r.Values.Get("filters"), "video==")
		for id := range strings.SplitSeq(named, ",") {
			if post, ok := a.Post(r, id); ok {
				so := figures.OfPost(post, now)
				add(id, so.Impressions, so.Likes, so.Comments, so.Shares)
			}
		}
	}
	table := stage.Object{"kind": "youtubeAnalytics#resultTable", "columnHeaders": columns}
	if rows != nil {
		table["rows"] = rows
	}
	return stage.OK(table)
}

// uploadsOf returns the id of the playlist with all uploads of a channel.
func uploadsOf(account string) string { return "UU-" + account }

// playlistItems lists the uploads of the token's channel, newest first. Its owner sees private videos too.
func (a *api) playlistItems(r stage.Request) stage.Response {
	size, ok := r.Int("maxResults", 5, 0, mostVideos)
	rule := stage.If(r.Values.Get("playlistId") != uploadsOf(r.Account),
		refuse(http.StatusNotFound, "playlistNotFound", "The playlist cannot be found.")).
		Or(!ok, badRequest("invalidParameter", "maxResults must be from 0 to 50."))
	if rule.Broken {
		return rule.Fault
	}
	all := a.files.List(func(v video) bool { return v.Account == r.Account && v.exists() })
	items := stage.Each(all[:min(len(all), size)], func(v video) stage.Object {
		return stage.Object{
			"kind": "youtube#playlistItem", "id": "PL-" + v.ID,
			"snippet": stage.Object{
				"publishedAt": v.UploadedAt.UTC().Format("2006-01-02T15:04:05Z07:00"), "title": v.Snippet.Title,
				"description": v.Snippet.Description,
			},
			"contentDetails": stage.Object{"videoId": v.ID}, "status": stage.Object{"privacyStatus": v.Status.Privacy},
		}
	})
	return stage.OK(stage.Object{
		"kind": "youtube#playlistItemListResponse", "items": items,
		"pageInfo": map[string]int{"totalResults": len(all), "resultsPerPage": size},
	})
}

// own returns the video that the account may change.
func (a *api) own(r stage.Request, id, verb string) (video, stage.Rule[stage.Response]) {
	v, known := a.files.Get(id)
	return v, stage.If(!known || !v.exists(),
		refuse(http.StatusNotFound, "videoNotFound", "The video that you are trying to "+verb+" cannot be found.")).
		Or(v.Account != r.Account, refuse(http.StatusForbidden, "forbidden", "The video belongs to another channel."))
}

// update sets the status of a video. YouTube deletes the properties that the part of the request omits.
func (a *api) update(r stage.Request) stage.Response {
	var body struct {
		ID     string `json:"id"`
		Status status `json:"status"`
	}
	if !r.IsJSON() || json.Unmarshal(r.Body, &body) != nil {
		body.ID = ""
	}
	v, rule := a.own(r, body.ID, "update")
	rule = stage.If(r.Values.Get("part") != "status",
		badRequest("unexpectedPart", "The sandbox supports only the part status.")).
		Or(body.ID == "", badRequest("missingRequiredParameter", "The body must have the id of the video.")).
		Or(rule.Broken, rule.Fault).
		Or(body.Status.fault() != "", wrongMetadata(body.Status.fault()))
	if rule.Broken {
		return rule.Fault
	}
	v.Status = body.Status
	err := a.files.Keep(v)
	if err == nil {
		err = a.show(r.Request, v)
	}
	return a.After(err, stage.OK(stage.Object{"kind": "youtube#video", "id": v.ID, "status": a.resource(v)}))
}

// remove deletes a video of the token's channel.
func (a *api) remove(r stage.Request) stage.Response {
	v, rule := a.own(r, r.Values.Get("id"), "delete")
	if rule.Broken {
		return rule.Fault
	}
	v.Deleted = true
	_, err := a.Stage.Ledger.Delete(network, v.ID)
	return a.After(errors.Join(err, a.files.Keep(v)), stage.Empty(http.StatusNoContent))
}

// seen returns a video as its owner reads it, with the requested parts.
func (a *api) seen(account, id string, parts []string) stage.Object {
	v, ok := a.files.Get(id)
	if !ok || !v.exists() || v.Account != account && v.Status.Privacy == privacyPrivate {
		return nil
	}
	processing := map[string]string{
		statusUploaded: "processing", statusProcessed: "succeeded", statusFailed: "failed", statusRejected: "failed",
	}[a.reviewed(v).uploadStatus(a.Stage.Clock.Now())]
	all := stage.Object{
		"kind": "youtube#video", "id": id, "status": a.resource(v), "snippet": v.Snippet,
		"processingDetails": stage.Object{"processingStatus": processing},
	}
	if v.Account == account {
		all["fileDetails"] = map[string]string{"fileSize": strconv.FormatInt(v.Total, 10)}
	}
	return stage.Pick(append(stage.Each(parts, strings.TrimSpace), "kind", "id"), all)
}
