package instagramapi

import (
	"fmt"
	"regexp"
	"strconv"

	"fencepost.internal/services/sandbox/internal/figures"
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
	pictureLimit        = 8 << 20
	videoLimit          = 300 << 20
	storyVideoLimit     = 100 << 20
	narrowest, broadest = 0.75, 1.91 // aspect ratio (width/height) of an image
	altTextLimit        = 1_000      // characters
)

var mentionPattern = regexp.MustCompile(`(^|[^\w.])@\w`)

// rules returns Instagram's rules for containers.
func (a *api) rules() metaapi.Rules {
	video := func(code int) string { return fmt.Sprintf("Error: Media upload has failed with error code %d", code) }
	const unsupported, unreachable = 2207026, 2207077
	return metaapi.Rules{
		Fewest: 2, Most: 10,
		Count:   a.Error(100, 2207028, "Invalid number of items in the carousel: it must have 2 to 10"),
		Unknown: a.Error(24, 2207006, "The requested resource does not exist: the media could not be found"),
		States: map[string]stage.Response{
			metaapi.InProgress: a.Error(9007, 2207027, "Media ID is not available: the media is not ready for publishing, "+
				"please wait for a moment"),
			metaapi.Failed:  a.Error(24, 2207008, "The media builder does not exist or failed"),
			metaapi.Expired: a.Error(-2, 2207020, "The media you are trying to access has expired"),
		},
		Images: map[metaapi.Verdict]stage.Response{
			metaapi.Unreachable: a.Error(9004, 2207052, "Only photo or video can be accepted as media type: the media could "+
				"not be fetched from this URI"),
			metaapi.TooLarge:    a.Error(36000, 2207004, "The image is too large to download. It should be less than 8 MiB"),
			metaapi.WrongFormat: a.Error(36001, 2207005, "The image format is not supported: it must be JPEG"),
			metaapi.WrongShape: a.Error(36003, 2207009, "The submitted image has an aspect ratio that is not supported: it "+
				"must be from 3:4 to 1.91:1"),
		},
		Videos: map[metaapi.Verdict]string{
			metaapi.Unreachable: video(unreachable), metaapi.TooLarge: video(unsupported),
			metaapi.WrongFormat: video(unsupported),
		},
	}
}

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
	bad := stage.If(figures.Characters(c.Text) > captionLimit, a.Error(100, 2207010, "The caption was too long")).
		Or(len(mentionPattern.FindAllString(c.Text, -1)) > mentionLimit,
			a.Error(100, 2207040, "Cannot use more than 20 @ tags")).
		Or(described != "" && !image || figures.Characters(described) > altTextLimit,
			a.Invalid("(#100) Param alt_text is for images of up to 1000 characters"))
	for _, fill := range []func(stage.Request, *metaapi.Container) stage.Check{a.settle, a.set, a.fill} {
		if !bad.Broken {
			bad = fill(r, &c)
		}
	}
	return a.Store(c, bad)
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
			required := metaapi.Requirements{Formats: []string{media.ContentTypeJPEG}, Limit: pictureLimit}
			if _, verdict := a.Fetch(r.Context(), value, required); verdict != metaapi.Good {
				return stage.Refused(a.Rules.Images[verdict])
			}
		}
		c.Details[name] = value
	}
	return stage.Check{}
}

// fill fetches an image or a video, or collects the files of a carousel.
func (a *api) fill(r stage.Request, c *metaapi.Container) stage.Check {
	if c.Kind == kindCarousel {
		return a.Carousel(r, c)
	}
	picture, video := r.Values.Get("image_url"), r.Values.Get("video_url")
	required, ok := requirements(c, video != "")
	bad := stage.If((picture == "") == (video == ""), a.Invalid("(#100) Either image_url or video_url is required")).
		Or(!ok, a.Error(100, 2207023, "The media type is unknown"))
	if bad.Broken {
		return bad
	}
	return a.Attach(r, c, picture+video, required)
}

// requirements returns those for a file in a container of this kind. It returns false if the kind does not
// accept such a file.
func requirements(c *metaapi.Container, video bool) (metaapi.Requirements, bool) {
	story := c.Kind == kindStory
	switch {
	case video && story:
		return metaapi.Videos(storyVideoLimit), !c.Item
	case video:
		return metaapi.Videos(videoLimit), c.Kind == kindReel && !c.Item || c.Kind == kindVideo && c.Item
	case story: // is fitted to the screen
		return metaapi.Requirements{Formats: []string{media.ContentTypeJPEG}, Limit: pictureLimit}, !c.Item
	default:
		return metaapi.Requirements{
			Formats: []string{media.ContentTypeJPEG}, Limit: pictureLimit, Narrow: narrowest, Wide: broadest,
		}, c.Kind == "" || c.Kind == "IMAGE"
	}
}
