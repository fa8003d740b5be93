package facebook

import (
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
)

// sessionVersion is the format version of a handle. Handles of another version are ignored.
const sessionVersion = 1

const (
	// uploadLife is the lifetime of an upload that no post contains. Facebook deletes unpublished photos after about a
	// day.
	uploadLife = 24 * time.Hour
	// clockMargin is the remaining lifetime below which an upload is no longer used, because the post must be published
	// before Facebook deletes the upload.
	clockMargin = time.Hour
)

// form is the kind of object that a post becomes on Facebook.
type form string

const (
	formText       form = "text"
	formPhotos     form = "photos"
	formReel       form = "reel"
	formVideo      form = "video" // in the feed
	formPhotoStory form = "photo_story"
	formVideoStory form = "video_story"
)

// formOf returns the form of the content. A video that fits into a reel becomes one: Facebook turns videos of a Page into
// reels anyway, and only a reel has its id before it is published.
func formOf(content platform.Content) form {
	if len(content.Media) == 0 {
		return formText
	}
	first := content.Media[0]
	isVideo, isStory := first.Type == media.Video, content.ContentType == post.ContentStory
	switch {
	case isStory && isVideo:
		return formVideoStory
	case isStory:
		return formPhotoStory
	case isVideo && (content.ContentType == post.ContentReel || fitsReel(first)):
		return formReel
	case isVideo:
		return formVideo
	default:
		return formPhotos
	}
}

// Limits of reels (Video API, Reels publishing).
const (
	shortestReel, longestReel = 3 * time.Second, 90 * time.Second
	reelWidth, reelHeight     = 540, 960
	reelSlack                 = 0.01 // relative, for rounded pixels
)

// fitsReel reports whether the known properties of the video are those of a reel.
func fitsReel(video media.Asset) bool {
	probe := video.Probe
	wide, high := float64(probe.Width)*16, float64(probe.Height)*9
	return video.ContentType == media.ContentTypeMP4 && probe.Duration >= shortestReel && probe.Duration <= longestReel &&
		probe.Width >= reelWidth && probe.Height >= reelHeight && math.Abs(wide-high) <= reelSlack*high
}

// session is the progress of a post's uploads. Its JSON is the post's handle.
type session struct {
	Version int      `json:"v"`
	Form    form     `json:"form"`
	Uploads []upload `json:"media"` // one for each attachment, in order
}

// stage is the progress of one upload.
type stage string

const (
	stageNew        stage = ""           // not created on Facebook yet
	stageSending    stage = "sending"    // created; Facebook reports how many bytes it has
	stageProcessing stage = "processing" // completely sent; Facebook checks it
	stageReady      stage = "ready"
)

// upload is the copy of an attachment on Facebook. It is invisible until it is part of a post.
type upload struct {
	Asset   string `json:"asset"`
	ID      string `json:"id,omitempty"` // of the photo, the video, or the upload session
	Stage   stage  `json:"stage,omitempty"`
	Size    int64  `json:"size,omitempty"`    // bytes, as declared to Facebook; zero for photos
	File    string `json:"file,omitempty"`    // identifies the uploaded file of a feed video
	Expires int64  `json:"expires,omitempty"` // when Facebook deletes it, in Unix seconds
	Again   bool   `json:"again,omitempty"`   // it was restarted once
	App     bool   `json:"app,omitempty"`     // the application's token uploads the file: the person's is refused
}

// Values from Facebook become part of URLs and of forms, so others are refused.
var (
	// objectPattern matches the id of a photo, of a video or of a story.
	objectPattern = regexp.MustCompile(`^[0-9]{1,32}$`)
	// uploadPattern matches the id of an upload session, which ends in a signature as a query.
	uploadPattern = regexp.MustCompile(`^upload:[0-9A-Za-z_=:.-]{1,1000}(\?sig=[0-9A-Za-z_=.-]{1,500})?$`)
)

// fresh returns a session in which nothing is uploaded.
func fresh(content platform.Content) session {
	s := session{Version: sessionVersion, Form: formOf(content), Uploads: make([]upload, len(content.Media))}
	for i, asset := range content.Media {
		s.Uploads[i] = upload{Asset: asset.ID.String()}
	}
	return s
}

// sessionOf restores the session from the handle, as far as its uploads are still usable. All other uploads start
// again.
func sessionOf(handle platform.Handle, content platform.Content, now time.Time) session {
	s := fresh(content)
	kept, ok := parse(handle)
	if !ok || kept.Form != s.Form || len(kept.Uploads) != len(s.Uploads) {
		return s
	}
	for i, u := range kept.Uploads {
		switch own := &s.Uploads[i]; {
		case u.Asset != own.Asset:
		case u.usable(s.Form, now):
			*own = u
		case u.Stage == stageNew:
			own.Again, own.App = u.Again, u.App
		}
	}
	return s
}

// parse decodes a handle. It returns false for one of another version.
func parse(handle platform.Handle) (session, bool) {
	var kept session
	err := json.Unmarshal([]byte(handle), &kept)
	return kept, err == nil && kept.Version == sessionVersion
}

// usable reports whether a stored upload can be continued.
func (u upload) usable(of form, now time.Time) bool {
	known := slices.Contains([]stage{stageSending, stageProcessing, stageReady}, u.Stage)
	id := objectPattern
	if of == formVideo {
		id = uploadPattern
	}
	file := of != formVideo || u.Stage != stageReady || isFile(u.File)
	return known && file && id.MatchString(u.ID) && now.Add(clockMargin).Unix() < u.Expires
}

// anew returns a new upload of the same attachment. It returns false if the upload was already restarted once.
func (u upload) anew() (upload, bool) {
	return upload{Asset: u.Asset, Again: true, App: u.App}, !u.Again
}

// longestFile bounds the text that identifies an uploaded file, in bytes. It has a line of some hundred bytes for each
// of Facebook's internal chunks.
const longestFile = 256 << 10

// isFile reports whether the text can identify an uploaded file: lines of visible ASCII.
func isFile(text string) bool {
	return text != "" && len(text) <= longestFile &&
		!strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && (r <= ' ' || r > '~') })
}

// path returns the last segment of the path of an upload session, and its signature.
func (u upload) path() (segment, signature string) {
	segment, query, _ := strings.Cut(u.ID, "?")
	return segment, strings.TrimPrefix(query, "sig=")
}

// ready reports whether every attachment is uploaded.
func (s session) ready() bool {
	return !slices.ContainsFunc(s.Uploads, func(u upload) bool { return u.Stage != stageReady })
}

// empty reports whether no upload exists on Facebook.
func (s session) empty() bool {
	return !slices.ContainsFunc(s.Uploads, func(u upload) bool { return u.Stage != stageNew })
}

// ids returns the ids of the uploads, in order.
func (s session) ids() []string {
	ids := make([]string, len(s.Uploads))
	for i, u := range s.Uploads {
		ids[i] = u.ID
	}
	return ids
}

var errNotUploaded = errors.New("an attachment is not uploaded")
