package instagramapi

import (
	"fmt"
	"regexp"
	"strconv"

	"fencepost.internal/services/sandbox/internal/count"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/metaapi"
	"fencepost.internal/services/sandbox/internal/stage"
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

// refusal is one of Instagram's error codes with its message.
type refusal struct {
	code, subcode int
	message       string
}

// The refusals.
var (
	refusedType     = refusal{100, 2207023, "The media type is unknown"}
	refusedCount    = refusal{100, 2207028, "Invalid number of items in the carousel: it must have 2 to 10"}
	refusedCaption  = refusal{100, 2207010, "The caption was too long"}
	refusedMentions = refusal{100, 2207040, "Cannot use more than 20 @ tags"}
	refusedUnready  = refusal{
		9007, 2207027, "Media ID is not available: the media is not ready for publishing, please wait for a moment",
	}
	refusedUnknown = refusal{24, 2207006, "The requested resource does not exist: the media could not be found"}
	refusedFailed  = refusal{24, 2207008, "The media builder does not exist or failed"}
	refusedExpired = refusal{-2, 2207020, "The media you are trying to access has expired"}
	refusedFetch   = refusal{
		9004, 2207052, "Only photo or video can be accepted as media type: the media could not be fetched from this URI",
	}
	refusedTooLarge = refusal{36000, 2207004, "The image is too large to download. It should be less than 8 MiB"}
	refusedFormat   = refusal{36001, 2207005, "The image format is not supported: it must be JPEG"}
	refusedShape    = refusal{
		36003, 2207009, "The submitted image has an aspect ratio that is not supported: it must be from 3:4 to 1.91:1",
	}
	refusedVideo      = refusal{352, 2207026, "The video format is not supported"}
	refusedVideoFetch = refusal{9004, 2207077, "The video could not be fetched"}
)

func (a *api) refuse(why refusal) stage.Response { return a.Error(why.code, why.subcode, why.message) }

// create creates a container.
func (a *api) create(r stage.Request) stage.Response {
	c := metaapi.Container{
		Account: r.Account, Kind: r.Values.Get("media_type"), Text: r.Values.Get("caption"),
		Item: r.Values.Get("is_carousel_item") == "true",
	}
	if c.Item || c.Kind == kindStory {
		c.Text = "" // shown nowhere
	}
	described, image := r.Values.Get("alt_text"), r.Values.Has("image_url") && c.Kind != kindStory
	bad := stage.If(count.Characters(c.Text) > captionLimit, a.refuse(refusedCaption)).
		Or(len(mentionPattern.FindAllString(c.Text, -1)) > mentionLimit, a.refuse(refusedMentions)).
		Or(described != "" && !image || count.Characters(described) > altTextLimit,
			a.Invalid("(#100) Param alt_text is for images of up to 1000 characters"))
	for _, fill := range []func(stage.Request, *metaapi.Container) stage.Check{a.settle, a.fill} {
		if !bad.Broken {
			bad = fill(r, &c)
		}
	}
	if bad.Broken {
		return bad.Fault
	}
	c, err := a.Add(c)
	if err != nil {
		return a.Words.Unavailable
	}
	return stage.OK(map[string]string{"id": c.ID})
}

// settle stores the parameters that only reels have.
func (a *api) settle(r stage.Request, c *metaapi.Container) stage.Check {
	c.Details = make(map[string]string)
	for _, name := range []string{"cover_url", "thumb_offset", "share_to_feed"} {
		value := r.Values.Get(name)
		if !r.Values.Has(name) {
			continue
		}
		offset, err := strconv.ParseInt(value, 10, 64)
		if c.Kind != kindReel || name == "thumb_offset" && (err != nil || offset < 0) ||
			name == "share_to_feed" && value != "true" && value != "false" {
			return stage.Refused(a.Invalid("(#100) Param " + name + " is not valid for this media"))
		}
		if name == "cover_url" {
			wanted := metaapi.Wanted{Formats: []string{media.ContentTypeJPEG}, Limit: pictureLimit}
			if _, verdict := a.Fetch(r.Context(), value, wanted); verdict != metaapi.Good {
				return stage.Refused(a.refuse(finding(verdict, false)))
			}
		}
		c.Details[name] = value
	}
	return stage.Check{}
}

// fill fetches an image or a video, or collects the files of a carousel. A faulty image is refused at once, a faulty video
// sets the container's Problem.
func (a *api) fill(r stage.Request, c *metaapi.Container) stage.Check {
	if c.Kind == kindCarousel {
		return a.carousel(r, c)
	}
	picture, video := r.Values.Get("image_url"), r.Values.Get("video_url")
	wanted, ok := wants(c, video != "")
	bad := stage.If((picture == "") == (video == ""), a.Invalid("(#100) Either image_url or video_url is required")).
		Or(!ok, a.refuse(refusedType))
	if bad.Broken {
		return bad
	}
	file, verdict := a.Fetch(r.Context(), picture+video, wanted)
	file.AltText = r.Values.Get("alt_text")
	why := finding(verdict, wanted.Video)
	switch {
	case verdict == metaapi.Good:
		c.Media = []ledger.Media{file}
	case wanted.Video:
		c.Problem = fmt.Sprintf("Error: Media upload has failed with error code %d", why.subcode)
	default:
		return stage.Refused(a.refuse(why))
	}
	return stage.Check{}
}

// wants returns the requirements for a file in a container of this kind. It returns false if the kind does not accept
// such a file.
func wants(c *metaapi.Container, video bool) (metaapi.Wanted, bool) {
	story := c.Kind == kindStory
	switch {
	case video && story:
		return metaapi.Videos(storyVideoLimit), !c.Item
	case video:
		return metaapi.Videos(videoLimit), c.Kind == kindReel && !c.Item || c.Kind == kindVideo && c.Item
	case story: // is fitted to the screen
		return metaapi.Wanted{Formats: []string{media.ContentTypeJPEG}, Limit: pictureLimit}, !c.Item
	default:
		return metaapi.Wanted{
			Formats: []string{media.ContentTypeJPEG}, Limit: pictureLimit, Narrow: narrowest, Wide: broadest,
		}, c.Kind == "" || c.Kind == "IMAGE"
	}
}

func finding(verdict metaapi.Verdict, video bool) refusal {
	if video && verdict == metaapi.Unreachable {
		return refusedVideoFetch
	}
	if video {
		return refusedVideo
	}
	return map[metaapi.Verdict]refusal{
		metaapi.Unreachable: refusedFetch, metaapi.TooLarge: refusedTooLarge, metaapi.WrongFormat: refusedFormat,
		metaapi.WrongShape: refusedShape,
	}[verdict]
}

// carousel collects the files of its items.
func (a *api) carousel(r stage.Request, c *metaapi.Container) stage.Check {
	if items := len(r.List("children")); items < fewest || items > most || c.Item {
		return stage.Refused(a.refuse(refusedCount))
	}
	return a.Children(r, c, func(item metaapi.Container) stage.Check {
		if item.ID == "" {
			return stage.Refused(a.refuse(refusedUnknown))
		}
		return a.unusable(item)
	})
}

// unusable refuses a container that is not finished.
func (a *api) unusable(c metaapi.Container) stage.Check {
	why, unfinished := map[string]refusal{
		metaapi.InProgress: refusedUnready, metaapi.Expired: refusedExpired, metaapi.Failed: refusedFailed,
	}[a.State(c)]
	return stage.If(unfinished, a.refuse(why))
}
