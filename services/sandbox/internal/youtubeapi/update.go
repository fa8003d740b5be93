package youtubeapi

import (
	"encoding/json"
	"mime"
	"net/http"
	"strings"
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
	case !known, made.UploadedAt.IsZero():
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
	r.answer(w, map[string]any{"kind": "youtube#video", "id": made.ID, "status": made.resource(a.stage.Clock.Now())})
}

// seen returns a video as its owner reads it, with the requested parts.
func (a *API) seen(account, id string, parts []string) map[string]any {
	made, ok := a.files.Get(id)
	if !ok || made.UploadedAt.IsZero() || made.Account != account && made.Status.Privacy == privacyPrivate {
		return nil
	}
	shown := map[string]any{"kind": "youtube#video", "id": id}
	now := a.stage.Clock.Now()
	for _, part := range parts {
		switch strings.TrimSpace(part) {
		case "status":
			shown["status"] = made.resource(now)
		case "snippet":
			shown["snippet"] = made.Snippet
		case "processingDetails":
			state := map[string]string{statusUploaded: "processing", statusProcessed: "succeeded"}[made.uploadStatus(now)]
			if state == "" {
				state = "failed"
			}
			shown["processingDetails"] = map[string]any{"processingStatus": state}
		}
	}
	return shown
}
