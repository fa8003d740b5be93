package app

import (
	"slices"
	"strings"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/platform/rules"
)

// Platform is a platform with its own creation endpoint (specification, Platform-specific creation endpoints).
type Platform struct {
	Name  string
	Types []channel.Type
	// oneMedium reports that the endpoint takes mediaId instead of mediaIds.
	oneMedium bool
	// asOptions reports that the request has the platform's settings as the options of a post, and the other fields of
	// a post under their usual names.
	asOptions bool
	// contentType returns the content type of a post with these assets and options.
	contentType func(assets []media.Asset, options post.Options) post.ContentType
}

// VideoTypeShort selects a YouTube Short.
const VideoTypeShort = "short"

// YouTube publishes one video, or a Short, whose content type is REEL.
func YouTube() *Platform {
	return &Platform{Name: "YouTube", Types: []channel.Type{channel.YouTube}, oneMedium: true, contentType: func(_ []media.Asset, o post.Options) post.ContentType {
		if o.VideoType == VideoTypeShort {
			return post.ContentReel
		}
		return post.ContentVideo
	}}
}

// TikTok publishes a video or a series of photos.
func TikTok() *Platform {
	return &Platform{
		Name: "TikTok", Types: []channel.Type{channel.TikTokPersonal, channel.TikTokBusiness},
		contentType: func(assets []media.Asset, _ post.Options) post.ContentType {
			if slices.ContainsFunc(assets, func(a media.Asset) bool { return a.Type == media.Video }) {
				return post.ContentVideo
			}
			return post.ContentPost
		},
	}
}

// Pinterest publishes pins.
func Pinterest() *Platform {
	return &Platform{Name: "Pinterest", Types: []channel.Type{channel.Pinterest}, contentType: standard}
}

// LinkedIn publishes posts of profiles and pages.
func LinkedIn() *Platform {
	return &Platform{Name: "LinkedIn", Types: []channel.Type{channel.LinkedInProfile, channel.LinkedInPage}, contentType: standard}
}

// PlatformOf returns the platform whose settings apply to posts of the channel type, for requests that send them as
// options. It returns false when there is none.
func PlatformOf(t channel.Type) (*Platform, bool) {
	for _, p := range []*Platform{YouTube(), TikTok(), Pinterest(), LinkedIn()} {
		if slices.Contains(p.Types, t) {
			p.asOptions = true
			return p, true
		}
	}
	return nil, false
}

func standard([]media.Asset, post.Options) post.ContentType { return post.ContentPost }

// admits checks, for drafts too, that the channel belongs to the platform and that the options are valid. Errors:
// CHANNEL_TYPE_MISMATCH, VALIDATION_FAILED.
func (p *Platform) admits(c channel.Channel, options post.Options) error {
	if !slices.Contains(p.Types, c.Type) {
		return typeMismatch(c, p.Types)
	}
	var faults []apperr.Field
	for _, f := range rules.CheckOptions(c.Type, options) {
		if !f.Warning {
			faults = append(faults, apperr.Field{Pointer: "/" + f.Member, Message: f.Message})
		}
	}
	return apperr.Invalid(p.pointAt(faults))
}

// pointAt maps the pointers of faults to the fields of the endpoint's body: options are at the top level, there is one
// channel, and oneMedium endpoints have mediaId instead of a list.
func (p *Platform) pointAt(faults []apperr.Field) []apperr.Field {
	if p.asOptions {
		return faults
	}
	for i, f := range faults {
		pointer := strings.Replace(f.Pointer, "/options/", "/", 1)
		switch {
		case pointer == "/channelIds":
			pointer = "/channelId"
		case p.oneMedium && strings.HasPrefix(pointer, "/mediaIds"):
			pointer = "/mediaId"
		}
		faults[i].Pointer = pointer
	}
	return faults
}

// typeMismatch returns the error for a channel of another type.
func typeMismatch(c channel.Channel, wanted []channel.Type) error {
	names := make([]string, len(wanted))
	for i, t := range wanted {
		names[i] = string(t)
	}
	return apperr.New(apperr.ChannelTypeMismatch, "Channel %s is of type %s; this operation needs a channel of type %s.", c.ID, c.Type, strings.Join(names, " or "))
}
