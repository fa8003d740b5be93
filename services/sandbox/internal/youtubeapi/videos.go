package youtubeapi

import (
	"slices"
	"time"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
)

// Values of a video's status.
const (
	privacyPrivate = "private"
	privacyPublic  = "public"

	statusUploaded  = "uploaded"
	statusProcessed = "processed"
	statusFailed    = "failed"
	statusRejected  = "rejected"
)

// processingFor is the duration of the simulated processing.
const processingFor = 250 * time.Millisecond

// sessionLife is the time for which an upload can be resumed.
const sessionLife = 7 * 24 * time.Hour

// video is a video, or the session that uploads one: a video exists from the end of its upload.
type video struct {
	ID      string    `json:"id"`      // of the video
	Session string    `json:"session"` // secret in the address of the upload session
	Account string    `json:"account"`
	Begun   time.Time `json:"begun"` // when the session was created
	Total   int64     `json:"total"` // bytes
	Got     int64     `json:"got"`   // bytes from the start of the file
	Snippet snippet   `json:"snippet"`
	Status  status    `json:"status"`
	Notify  bool      `json:"notify"` // whether subscribers are notified

	UploadedAt time.Time    `json:"uploadedAt,omitzero"` // zero while the upload goes on
	Media      ledger.Media `json:"media,omitzero"`
	Refusal    refusal      `json:"refusal,omitzero"` // the end of the processing, if the video cannot be used
	Cover      string       `json:"cover,omitempty"`  // SHA-256 of the thumbnail
	Deleted    bool         `json:"deleted,omitempty"`
}

// refusal is why a video cannot be used.
type refusal struct {
	Status string `json:"status,omitempty"` // failed or rejected
	Reason string `json:"reason,omitempty"`
}

// Key returns the video's id.
func (v video) Key() string { return v.ID }

// snippet is the part of a video that its author writes.
type snippet struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Tags        []string `json:"tags,omitempty"`
	CategoryID  string   `json:"categoryId"`
}

// status is the part of a video that its author sets.
type status struct {
	Privacy     string `json:"privacyStatus"`
	License     string `json:"license"`
	Embeddable  *bool  `json:"embeddable,omitempty"`
	Statistics  *bool  `json:"publicStatsViewable,omitempty"`
	MadeForKids *bool  `json:"selfDeclaredMadeForKids,omitempty"`
}

// uploadStatus returns YouTube's processing state of the video.
func (v video) uploadStatus(now time.Time) string {
	switch {
	case now.Sub(v.UploadedAt) < processingFor:
		return statusUploaded
	case v.Refusal.Status != "":
		return v.Refusal.Status
	default:
		return statusProcessed
	}
}

// judged returns the video as the review that was set for its account leaves it.
func (a *API) judged(v video) video {
	end, set := a.stage.Reviewed(network, v.Account, v.UploadedAt)
	switch {
	case !set:
	case end == stage.ReviewNever:
		v.UploadedAt = a.stage.Clock.Now()
	case end == stage.ReviewRefused:
		v.Refusal = refusal{Status: statusRejected, Reason: "termsOfUse"}
	}
	return v
}

// resource returns the status part of the video, as YouTube reports it.
func (v video) resource(now time.Time) map[string]any {
	state := map[string]any{
		"uploadStatus": v.uploadStatus(now), "privacyStatus": v.Status.Privacy, "license": v.Status.License,
		"embeddable": v.Status.Embeddable == nil || *v.Status.Embeddable, "madeForKids": v.Status.MadeForKids != nil &&
			*v.Status.MadeForKids,
		"publicStatsViewable": v.Status.Statistics == nil || *v.Status.Statistics,
	}
	if v.Status.MadeForKids != nil {
		state["selfDeclaredMadeForKids"] = *v.Status.MadeForKids
	}
	switch v.uploadStatus(now) {
	case statusFailed:
		state["failureReason"] = v.Refusal.Reason
	case statusRejected:
		state["rejectionReason"] = v.Refusal.Reason
	}
	return state
}

// fault returns the reason why YouTube does not accept the metadata, or an empty string.
func (s snippet) fault() string {
	switch {
	case s.Title == "", runes(s.Title) > longestTitle, angled(s.Title):
		return "invalidTitle"
	case len(s.Description) > longestDescription, angled(s.Description):
		return "invalidDescription"
	case !slices.Contains(categories(), s.CategoryID):
		return "invalidCategoryId"
	case length(s.Tags) > longestTags:
		return "invalidTags"
	default:
		return ""
	}
}

// fault returns the reason why YouTube does not accept the status, or an empty string.
func (s status) fault() string {
	switch {
	case !slices.Contains([]string{privacyPrivate, "unlisted", privacyPublic}, s.Privacy):
		return "invalidVideoMetadata"
	case !slices.Contains([]string{"", "youtube", "creativeCommon"}, s.License):
		return "forbiddenLicenseSetting"
	default:
		return ""
	}
}
