package xapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/domain/media"
)

const (
	categoryImage = "tweet_image"
	categoryGIF   = "tweet_gif"
	categoryLong  = "amplify_video" // a video beyond 140 seconds, for accounts with a subscription

	largestSegment        = 5 << 20
	widestGIF, highestGIF = 1280, 1080
	// segmentBody is the largest request body of an append: a segment and the form around it.
	segmentBody = largestSegment + 64<<10
	// uploadLife is the time in which a post can use an upload.
	uploadLife = 24 * time.Hour
	// pendingFor is the time in which the processing of a video or an animation has not begun.
	pendingFor = 100 * time.Millisecond
)

// category is a kind of media: its limits, and the number of its media keys.
type category struct {
	size  int64
	types []string
	key   string
}

func categories() map[string]category {
	videos := []string{media.ContentTypeMP4, media.ContentTypeMOV}
	return map[string]category{
		categoryImage: {5 << 20, []string{
			media.ContentTypeJPEG, media.ContentTypePNG, media.ContentTypeWebP, media.ContentTypeGIF,
		}, "3_"},
		categoryGIF: {15 << 20, []string{media.ContentTypeGIF}, "16_"}, "tweet_video": {512 << 20, videos, "7_"},
		categoryLong: {512 << 20, videos, "13_"},
	}
}

// file is an upload that no post contains yet.
type file struct {
	ID        string       `json:"id"`
	Account   string       `json:"account"`
	MediaType string       `json:"mediaType"` // as the client declared it
	Category  string       `json:"category"`
	Total     int64        `json:"total"` // bytes
	CreatedAt time.Time    `json:"createdAt"`
	EndedAt   time.Time    `json:"endedAt"`           // when the client finalized it; zero before
	Media     ledger.Media `json:"media"`             // the detected media; zero before
	Failure   string       `json:"failure,omitempty"` // why X cannot use it
}

// Key returns the id.
func (f file) Key() string { return f.ID }

// state returns X's processing state. It is empty if there is no processing.
func (f file) state(now time.Time) string {
	switch {
	case f.EndedAt.IsZero(), f.Category == categoryImage:
		return ""
	case now.Before(f.EndedAt.Add(pendingFor)):
		return "pending"
	default:
		processing := mediastore.Progress{
			Processing: "in_progress", Failed: "failed", Done: "succeeded", Time: 250 * time.Millisecond,
		}
		return processing.State(f.EndedAt, now, f.Failure != "")
	}
}

// upload returns the account's upload with that id. It returns false if there is none or if it is expired.
func (a *api) upload(account, id string) (file, bool) {
	f, ok := a.uploads.Get(id)
	return f, ok && f.Account == account && a.Stage.Clock.Now().Sub(f.CreatedAt) < uploadLife
}

// initialize starts an upload.
func (a *api) initialize(r stage.Request) stage.Response {
	var body struct {
		MediaType string `json:"media_type"`
		Total     int64  `json:"total_bytes"`
		Category  string `json:"media_category"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return invalid("The body is not JSON.")
	}
	if body.Category == categoryLong && !premium(r.Account) {
		return forbidden("Your account is not permitted to access this feature.")
	}
	kind, known := categories()[body.Category]
	rule := stage.If(!known, "media_category is not one of those that are known.").
		Or(!slices.Contains(kind.types, body.MediaType), "media_type does not belong to this media_category.").
		Or(body.Total < 1 || body.Total > kind.size, fmt.Sprintf("File size exceeds %d bytes, or is none.", kind.size))
	if rule.Broken {
		return invalid(rule.Fault)
	}
	now := a.Stage.Clock.Now()
	f := file{
		ID: a.uploads.Next(now.UnixMilli() << 20), Account: r.Account, MediaType: body.MediaType, Category: body.Category,
		Total: body.Total, CreatedAt: now,
	}
	return a.After(a.uploads.Keep(f), a.describe(f))
}

// append stores a segment. It replaces an earlier segment with the same index.
func (a *api) append(r stage.Request) stage.Response {
	const mostSegments = 1000
	f, fault := a.open(r)
	if fault != "" {
		return invalid(fault)
	}
	parts, err := r.Parts("")
	index, indexErr := strconv.Atoi(parts["segment_index"])
	segment := parts["media"]
	switch {
	case err != nil || indexErr != nil || index < 0 || index >= mostSegments || segment == "":
		return invalid("segment_index or media is missing or wrong.")
	case len(segment) > largestSegment:
		return problem(http.StatusRequestEntityTooLarge, "", "Payload Too Large", "The segment is too large.")
	}
	expires := stage.OK(data(map[string]int64{"expires_at": f.CreatedAt.Add(uploadLife).Unix()}))
	return a.After(a.uploads.Add(f.ID, index, []byte(segment)), expires)
}

// open returns the upload in the path if it is not finalized.
func (a *api) open(r stage.Request) (f file, fault string) {
	f, ok := a.upload(r.Account, r.PathValue("id"))
	return f, stage.If(!ok, "Media ID is invalid.").Or(!f.EndedAt.IsZero(), "The upload is finalized already.").Fault
}

// finalize ends an upload and checks the file.
func (a *api) finalize(r stage.Request) stage.Response {
	f, fault := a.open(r)
	if fault == "" && a.uploads.Size(f.ID) != f.Total {
		fault = "Segments do not add up to provided total file size."
	}
	if fault != "" {
		return invalid(fault)
	}
	kind := categories()[f.Category]
	item, ok, err := a.uploads.Check(r.Context(), a.Stage.Media, f.ID, f.Total, kind.size, f.MediaType)
	if err != nil {
		return a.Broken
	}
	large := f.Category == categoryGIF && (item.Width > widestGIF || item.Height > highestGIF)
	f.Failure = stage.If(!ok, "InvalidMedia: the file is not of the declared type.").
		Or(large, "InvalidMedia: the animation is too large.").Fault
	if f.Failure != "" && f.Category == categoryImage {
		return invalid(f.Failure)
	}
	f.EndedAt, f.Media = a.Stage.Clock.Now(), item.Media(kind.key+f.ID, "")
	err = errors.Join(a.uploads.Keep(f), a.uploads.Drop(f.ID)) // the bytes are in the media store
	return a.After(err, a.describe(f))
}

// status returns the processing state of an upload.
func (a *api) status(r stage.Request) stage.Response {
	f, ok := a.upload(r.Account, r.Values.Get("media_id"))
	return stage.If(r.Values.Get("command") != "STATUS" || !ok, invalid("Media ID is invalid.")).Else(a.describe(f))
}

func (a *api) describe(f file) stage.Response {
	now := a.Stage.Clock.Now()
	shown := stage.Object{
		"id": f.ID, "media_key": categories()[f.Category].key + f.ID, "size": f.Total,
		"expires_after_secs": int64(f.CreatedAt.Add(uploadLife).Sub(now).Seconds()),
	}
	switch state := f.state(now); state {
	case "":
	case "failed":
		failure := stage.Object{"code": 1, "name": "InvalidMedia", "message": f.Failure}
		shown["processing_info"] = stage.Object{"state": state, "error": failure}
	case "succeeded":
		shown["processing_info"] = stage.Object{"state": state, "progress_percent": 100}
	default:
		shown["processing_info"] = stage.Object{"state": state, "check_after_secs": 1}
	}
	return stage.OK(data(shown))
}

// metadata stores the alternative text of a file.
func (a *api) metadata(r stage.Request) stage.Response {
	const longestAltText = 1000
	var body struct {
		ID       string `json:"id"`
		Metadata struct {
			AltText struct {
				Text string `json:"text"`
			} `json:"alt_text"`
		} `json:"metadata"`
	}
	err := json.Unmarshal(r.Body, &body)
	f, ok := a.upload(r.Account, body.ID)
	words := body.Metadata.AltText.Text
	if err != nil || !ok || f.EndedAt.IsZero() || strings.HasSuffix(f.Category, "_video") ||
		utf8.RuneCountInString(words) > longestAltText {
		return invalid(wrongParameters)
	}
	f.Media.AltText = strings.TrimSpace(words)
	return a.After(a.uploads.Keep(f), stage.OK(data(stage.Object{"id": f.ID})))
}

// attached returns the uploads that a post refers to. The fault is the reason why the post cannot use them.
func (a *api) attached(account string, ids []string) (files []ledger.Media, fault string) {
	const mostPictures = 4
	for _, id := range ids {
		f, ok := a.upload(account, id)
		state := f.state(a.Stage.Clock.Now())
		unusable := !ok || f.EndedAt.IsZero() || state != "" && state != "succeeded"
		rule := stage.If(unusable, "Your media IDs are invalid.").
			Or(len(ids) > 1 && f.Category != categoryImage, "Only photos can be combined in one post.").
			Or(len(ids) > mostPictures, "A post takes at most 4 photos.")
		if rule.Broken {
			return nil, rule.Fault
		}
		files = append(files, f.Media)
	}
	return files, ""
}
