package youtube

import (
	"encoding/json"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/platform"
)

// sessionVersion is the format version of a handle. Handles of another version are ignored.
const sessionVersion = 1

// sessionLife is the age from which an upload session is no longer used. YouTube keeps one for about a week.
const sessionLife = 6 * 24 * time.Hour

// session is the progress of a post's upload. Its JSON is the post's handle.
type session struct {
	Version int    `json:"v"`
	Asset   string `json:"asset"`
	Size    int64  `json:"size,omitempty"` // bytes, as declared to YouTube
	// Query is the query of the session's address, sealed, because a holder of the address can complete the upload.
	Query string `json:"session,omitempty"`
	Begun int64  `json:"begun,omitempty"` // when the session was created, in Unix seconds
	Video string `json:"video,omitempty"` // the video's id, from the end of the upload
	Again bool   `json:"again,omitempty"` // the upload was restarted once
	// Cover is the progress of the thumbnail.
	Cover coverStage `json:"cover,omitempty"`
	// Waits is the time since which the thumbnail waits for the processing of the video, in Unix seconds.
	Waits int64 `json:"waits,omitempty"`
}

// coverStage is the progress of a thumbnail.
type coverStage string

// The stages.
const (
	coverOpen    coverStage = "" // not sent yet, or there is none
	coverSet     coverStage = "set"
	coverRefused coverStage = "refused"
)

// sessionOf restores the session from the handle, if it is still usable. Otherwise the upload starts again.
func sessionOf(handle platform.Handle, asset media.Asset, now time.Time) session {
	fresh := session{Version: sessionVersion, Asset: asset.ID.String()}
	var kept session
	switch {
	case json.Unmarshal([]byte(handle), &kept) != nil, kept.Version != sessionVersion, kept.Asset != fresh.Asset:
		return fresh
	case videoID.MatchString(kept.Video):
		return kept
	case kept.Query == "", kept.Size <= 0, kept.Begun <= 0, now.Sub(time.Unix(kept.Begun, 0)) > sessionLife:
		fresh.Again = kept.Again
		return fresh
	default:
		kept.Video = ""
		return kept
	}
}

// videoOf returns the id of the uploaded video in a handle, whatever the attachment. It is empty if there is none.
func videoOf(handle platform.Handle) string {
	var kept session
	if json.Unmarshal([]byte(handle), &kept) != nil || kept.Version != sessionVersion || !videoID.MatchString(kept.Video) {
		return ""
	}
	return kept.Video
}
