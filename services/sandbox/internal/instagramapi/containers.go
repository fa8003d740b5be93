package instagramapi

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fencepost.internal/services/sandbox/internal/count"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/shared/domain/media"
)

// The kinds of containers. An image has no media_type.
const (
	kindVideo    = "VIDEO"
	kindReel     = "REELS"
	kindStory    = "STORIES"
	kindCarousel = "CAROUSEL"
)

// Limits of Instagram.
const (
	captionLimit        = 2_200
	mentionLimit        = 20
	fewest, most        = 2, 10 // items of a carousel
	pictureLimit        = 8 << 20
	videoLimit          = 300 << 20
	storyVideoLimit     = 100 << 20
	narrowest, broadest = 0.75, 1.91 // aspect ratio (width/height) of an image
	altTextLimit        = 1_000      // characters
)

var mentionPattern = regexp.MustCompile(`(^|[^\w.])@\w`)

// create creates a container.
func (a *API) create(w http.ResponseWriter, r metaapi.Request) {
	made := metaapi.Container{
		Account: r.Account, Kind: r.Values.Get("media_type"), Text: r.Values.Get("caption"),
		Item: r.Values.Get("is_carousel_item") == "true",
	}
	if made.Item || made.Kind == kindStory {
		made.Text = "" // shown nowhere
	}
	switch {
	case count.Characters(made.Text) > captionLimit:
		a.refuse(w, refusedCaption)
		return
	case len(mentionPattern.FindAllString(made.Text, -1)) > mentionLimit:
		a.refuse(w, refusedMentions)
		return
	}
	if !a.settled(w, r, &made) {
		return
	}
	fill := a.file
	if made.Kind == kindCarousel {
		fill = a.carousel
	}
	if !fill(w, r, &made) {
		return
	}
	made, err := a.containers.Add(made)
	if err != nil {
		a.Unavailable(w)
		return
	}
	r.Answer(w, map[string]string{"id": made.ID})
}

// settled checks the parameters that only some kinds of containers have, and stores those of a reel. If one is not
// valid, it writes an error response and returns false.
func (a *API) settled(w http.ResponseWriter, r metaapi.Request, made *metaapi.Container) bool {
	image := r.Values.Has("image_url") && made.Kind != kindStory
	if text := r.Values.Get("alt_text"); text != "" && !image || count.Characters(text) > altTextLimit {
		a.wrong(w, "(#100) Param alt_text is for images of up to 1000 characters")
		return false
	}
	for _, name := range []string{"cover_url", "thumb_offset", "share_to_feed"} {
		value := r.Values.Get(name)
		if !r.Values.Has(name) {
			continue
		}
		offset, err := strconv.ParseInt(value, 10, 64)
		switch {
		case made.Kind != kindReel, name == "thumb_offset" && (err != nil || offset < 0),
			name == "share_to_feed" && value != "true" && value != "false":
			a.wrong(w, "(#100) Param "+name+" is not valid for this media")
			return false
		case name == "cover_url":
			wanted := metaapi.Wanted{Formats: []string{media.ContentTypeJPEG}, Limit: pictureLimit}
			if _, verdict := metaapi.Fetch(r.Context(), a.Stage, value, wanted); verdict != metaapi.Good {
				a.refuse(w, finding(verdict, false))
				return false
			}
		}
		if made.Details == nil {
			made.Details = make(map[string]string)
		}
		made.Details[name] = value
	}
	return true
}

// file fetches an image or a video. A faulty image is rejected at once, a faulty video sets the container's Problem.
func (a *API) file(w http.ResponseWriter, r metaapi.Request, made *metaapi.Container) bool {
	picture, video := r.Values.Get("image_url"), r.Values.Get("video_url")
	if (picture == "") == (video == "") {
		a.wrong(w, "(#100) Either image_url or video_url is required")
		return false
	}
	wanted, ok := wants(made, video != "")
	if !ok {
		a.refuse(w, refusedType)
		return false
	}
	file, verdict := metaapi.Fetch(r.Context(), a.Stage, picture+video, wanted)
	if verdict == metaapi.Good {
		file.AltText = r.Values.Get("alt_text")
		made.Media = []ledger.Media{file}
		return true
	}
	why := finding(verdict, wanted.Video)
	if wanted.Video {
		made.Problem = fmt.Sprintf("Error: Media upload has failed with error code %d", why.subcode)
		return true
	}
	a.refuse(w, why)
	return false
}

// wants returns the requirements for a file in a container of this kind. It returns false if the kind does not accept
// such a file.
func wants(made *metaapi.Container, video bool) (metaapi.Wanted, bool) {
	story := made.Kind == kindStory
	if video {
		wanted := metaapi.Wanted{
			Video: true, Formats: []string{media.ContentTypeMP4, media.ContentTypeMOV}, Limit: videoLimit,
		}
		if story {
			wanted.Limit = storyVideoLimit
		}
		return wanted, story && !made.Item || made.Kind == kindReel && !made.Item || made.Kind == kindVideo && made.Item
	}
	wanted := metaapi.Wanted{
		Formats: []string{media.ContentTypeJPEG}, Limit: pictureLimit, Narrow: narrowest, Wide: broadest,
	}
	if story {
		wanted.Narrow, wanted.Wide = 0, 0 // is fitted to the screen
	}
	return wanted, story && !made.Item || made.Kind == "" || made.Kind == "IMAGE"
}

func finding(verdict metaapi.Verdict, video bool) refusal {
	if video && verdict == metaapi.Unreachable {
		return refusedVideoFetch
	}
	if video {
		return refusedVideo
	}
	refusals := map[metaapi.Verdict]refusal{
		metaapi.Unreachable: refusedFetch, metaapi.TooLarge: refusedTooLarge, metaapi.WrongFormat: refusedFormat,
		metaapi.WrongShape: refusedShape,
	}
	return refusals[verdict]
}

// carousel collects the files of its items.
func (a *API) carousel(w http.ResponseWriter, r metaapi.Request, made *metaapi.Container) bool {
	children := strings.Split(r.Values.Get("children"), ",")
	if len(children) < fewest || len(children) > most || made.Item {
		a.refuse(w, refusedCount)
		return false
	}
	for i, id := range children {
		item, ok := a.containers.Of(r.Account, id)
		if !ok || !item.Item || slices.Contains(children[:i], id) {
			a.refuse(w, refusedUnknown)
			return false
		}
		if !a.usable(w, item) {
			return false
		}
		made.Media = append(made.Media, item.Media...)
	}
	return true
}

// usable reports whether the container is finished. If it is not, usable writes an error response.
func (a *API) usable(w http.ResponseWriter, made metaapi.Container) bool {
	switch a.containers.State(made) {
	case metaapi.Finished:
		return true
	case metaapi.InProgress:
		a.refuse(w, refusedUnready)
	case metaapi.Expired:
		a.refuse(w, refusedExpired)
	default:
		a.refuse(w, refusedFailed)
	}
	return false
}

// status returns a container's state as a code and in words.
func (a *API) status(made metaapi.Container) map[string]string {
	state := a.containers.State(made)
	if _, published := a.Stage.Ledger.FromOrigin(network, made.ID); published {
		state = metaapi.Published
	}
	words := map[string]string{
		metaapi.InProgress: "In Progress: Media is still being processed.",
		metaapi.Finished:   "Finished: Media has been uploaded and it is ready to be published.",
		metaapi.Published:  "Published: Media has been successfully published.",
		metaapi.Expired:    "Expired: Media was not published within 24 hours.",
		metaapi.Failed:     made.Problem,
	}
	return map[string]string{"id": made.ID, "status_code": state, "status": words[state]}
}
