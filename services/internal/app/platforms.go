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

// Platform is a platform that has a creation endpoint of its own (specification, Platform-specific creation endpoints).
type Platform struct {
	Name  string
	Types []channel.Type
	// oneMedium: the endpoint takes mediaId instead of mediaIds.
	oneMedium bool
	// asOptions: the request has the platform's settings as options of a post, and the post's members under their own names.
	asOptions bool
	// contentType is the content type of a post with these assets and options.
	contentType func(assets []media.Asset, options post.Options) post.ContentType
}

// VideoTypeShort is YouTube's short vertical video.
const VideoTypeShort = "short"

// YouTube publishes one video, or a Short, which is our REEL.
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

// PlatformOf is the platform whose own settings posts for a channel of the type have, for requests that send them as options of a
// post; false when there are none.
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

// admits checks, at the time of the request and for drafts too, that the channel is the platform's and that the options are
// what the platform knows: CHANNEL_TYPE_MISMATCH, VALIDATION_FAILED.
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

// pointAt moves faults of a post to where the endpoint's body has what is at fault: options are members of their own, there is
// one channel, and where there is one medium alone its member is not a list.
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

// typeMismatch is the refusal of a channel of another type.
func typeMismatch(c channel.Channel, wanted []channel.Type) error {
	names := make([]string, len(wanted))
	for i, t := range wanted {
		names[i] = string(t)
	}
	return apperr.New(apperr.ChannelTypeMismatch, "Channel %s is of type %s; this needs one of type %s.", c.ID, c.Type, strings.Join(names, " or "))
}
