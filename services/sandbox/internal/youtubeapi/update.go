package youtubeapi

import (
	"cmp"
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// update sets the status of a video. YouTube deletes the properties that the part of the request omits.
func (a *API) update(w http.ResponseWriter, r request) {
	var body struct {
		ID     string `json:"id"`
		Status status `json:"status"`
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	made, known := video{}, false
	if kind == "application/json" && json.Unmarshal(r.body, &body) == nil {
		made, known = a.files.Get(body.ID)
	}
	fault := body.Status.fault()
	switch {
	case r.URL.Query().Get("part") != "status":
		apiError(w, http.StatusBadRequest, "unexpectedPart", "The sandbox supports only the part status.")
		return
	case body.ID == "":
		apiError(w, http.StatusBadRequest, "missingRequiredParameter", "The body must have the id of the video.")
		return
	case !known, made.UploadedAt.IsZero(), made.Deleted:
		apiError(w, http.StatusNotFound, "videoNotFound", "The video that you are trying to update cannot be found.")
		return
	case made.Account != r.account:
		apiError(w, http.StatusForbidden, "forbidden", "The video belongs to another channel.")
		return
	case fault != "":
		apiError(w, statusFor(fault), fault, "The request metadata is invalid.")
		return
	}
	made.Status = body.Status
	if err := a.files.Keep(made); err != nil {
		broken(w)
		return
	}
	if err := a.show(r.Request, made); err != nil {
		broken(w)
		return
	}
	r.answer(w, map[string]any{"kind": "youtube#video", "id": made.ID, "status": a.judged(made).resource(a.stage.Clock.Now())})
}

// seen returns a video as its owner reads it, with the requested parts.
func (a *API) seen(account, id string, parts []string) map[string]any {
	made, ok := a.files.Get(id)
	if !ok || made.UploadedAt.IsZero() || made.Deleted || made.Account != account && made.Status.Privacy == privacyPrivate {
		return nil
	}
	shown := map[string]any{"kind": "youtube#video", "id": id}
	now := a.stage.Clock.Now()
	for _, part := range parts {
		switch strings.TrimSpace(part) {
		case "status":
			shown["status"] = a.judged(made).resource(now)
		case "snippet":
			shown["snippet"] = made.Snippet
		case "fileDetails":
			if made.Account == account {
				shown["fileDetails"] = map[string]string{"fileSize": strconv.FormatInt(made.Total, 10)}
			}
		case "processingDetails":
			state := map[string]string{statusUploaded: "processing", statusProcessed: "succeeded"}[a.judged(made).uploadStatus(now)]
			if state == "" {
				state = "failed"
			}
			shown["processingDetails"] = map[string]any{"processingStatus": state}
		}
	}
	return shown
}

// uploadsOf returns the id of the playlist with all uploads of a channel.
func uploadsOf(account string) string { return "UU-" + account }

// playlistItems lists the uploads of the token's channel, newest first. Its owner sees private videos too.
func (a *API) playlistItems(w http.ResponseWriter, r request) {
	query := r.URL.Query()
	size, err := strconv.Atoi(cmp.Or(query.Get("maxResults"), "5"))
	if query.Get("playlistId") != uploadsOf(r.account) {
		apiError(w, http.StatusNotFound, "playlistNotFound", "The playlist cannot be found.")
		return
	}
	if err != nil || size < 0 || size > mostVideos {
		apiError(w, http.StatusBadRequest, "invalidParameter", "maxResults must be from 0 to 50.")
		return
	}
	items := []map[string]any{}
	for _, made := range a.files.List(func(v video) bool { return v.Account == r.account && !v.UploadedAt.IsZero() && !v.Deleted }) {
		items = append(items, map[string]any{
			"kind": "youtube#playlistItem", "id": "PL-" + made.ID,
			"snippet": map[string]any{
				"publishedAt": made.UploadedAt.UTC().Format(time.RFC3339), "title": made.Snippet.Title,
				"description": made.Snippet.Description,
			},
			"contentDetails": map[string]any{"videoId": made.ID},
			"status":         map[string]any{"privacyStatus": made.Status.Privacy},
		})
	}
	r.answer(w, map[string]any{
		"kind": "youtube#playlistItemListResponse", "items": items[:min(len(items), size)],
		"pageInfo": map[string]int{"totalResults": len(items), "resultsPerPage": size},
	})
}

// remove deletes a video of the token's channel.
func (a *API) remove(w http.ResponseWriter, r request) {
	made, known := a.files.Get(r.URL.Query().Get("id"))
	switch {
	case !known, made.UploadedAt.IsZero(), made.Deleted:
		apiError(w, http.StatusNotFound, "videoNotFound", "The video that you are trying to delete cannot be found.")
		return
	case made.Account != r.account:
		apiError(w, http.StatusForbidden, "forbidden", "The video belongs to another channel.")
		return
	}
	made.Deleted = true
	_, err := a.stage.Ledger.Delete(network, made.ID)
	if err != nil || a.files.Keep(made) != nil {
		broken(w)
		return
	}
	if !r.held.Lost(w, r.Request) {
		w.WriteHeader(http.StatusNoContent)
	}
}
