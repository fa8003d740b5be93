// Package options makes forms of what a post can set on its network: the options that package rules knows, in words of
// people, and no others.
package options

import (
	"context"
	"errors"
	"slices"
	"time"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/rules"
)

// Style is the style sheet of the forms, for the Styles of a page.
const Style = "options.css"

// Source decides which fields the form of a channel has.
type Source struct {
	Channel channel.Channel
	Options []rules.Option // that the network knows
	Kinds   []media.Type   // of the attachments; options without an effect on them have no field. Empty: all have
	Said    Said
	Video   Video // the first video among the attachments; zero: there is none
	// Faults returns what is wrong with options by themselves, by their names.
	Faults func(post.Options) map[string]string
}

// Video is a video of which a frame is chosen.
type Video struct {
	URL    string
	Length time.Duration // zero: not known
}

// Filmed reports whether a video is attached, or may be.
func (s Source) Filmed() bool { return len(s.Kinds) == 0 || slices.Contains(s.Kinds, media.Video) }

// Said holds the response of the network about the account.
type Said struct {
	Creator  *platform.CreatorInfo // of a TikTok account; nil: not known
	Boards   []platform.Board      // of a Pinterest account; nil: not known
	Sections []platform.BoardSection
	Problem  string // why the network could not be read; empty if it was, or if there is nothing to read
}

// Read returns the source of a channel's form. It reads from the network what the form lists: the creator's information
// of TikTok, and Pinterest's boards with the sections of the chosen one. A network that does not respond is no error.
func Read(
	ctx context.Context, a *app.App, p app.Principal, c channel.Channel, current post.Options, assets []media.Asset,
) (Source, error) {
	s := Source{
		Channel: c, Options: a.OptionsOf(c),
		Faults: func(o post.Options) map[string]string { return a.OptionFaults(c, o) },
	}
	for _, asset := range assets {
		if !slices.Contains(s.Kinds, asset.Type) {
			s.Kinds = append(s.Kinds, asset.Type)
		}
	}
	var err error
	if s.Video, err = video(ctx, a, p, assets); err != nil {
		return s, err
	}
	switch c.Type.Network() { //nolint:exhaustive // the others say nothing
	case channel.NetworkTikTok:
		var info platform.CreatorInfo
		if info, err = a.CreatorInfo(ctx, p, c.ID); err == nil {
			s.Said.Creator = &info
		}
	case channel.NetworkPinterest:
		if s.Said.Boards, err = a.Boards(ctx, p, c.ID); err == nil && current.BoardID != "" {
			_, s.Said.Sections, err = a.BoardSections(ctx, p, c.ID, current.BoardID)
			if apperr.Is(err, apperr.NotFound) { // the board was deleted
				err = nil
			}
		}
	}
	if refusal, ok := errors.AsType[*apperr.Error](err); ok && said(refusal) {
		s.Said.Problem, err = problem(c, refusal), nil
	}
	return s, err
}

// video returns the first video of the attachments.
func video(ctx context.Context, a *app.App, p app.Principal, assets []media.Asset) (Video, error) {
	at := slices.IndexFunc(assets, func(asset media.Asset) bool { return asset.Type == media.Video })
	if at < 0 {
		return Video{}, nil
	}
	found, err := a.Attachments(ctx, p, []ident.Media{assets[at].ID})
	if err != nil || len(found) == 0 {
		return Video{}, err
	}
	return Video{found[0].URL, found[0].Probe.Duration}, nil
}

// said reports whether the network, or its connection, is the reason of a refusal.
func said(refusal *apperr.Error) bool {
	return refusal.Code == apperr.Unavailable || refusal.Code == apperr.ChannelDisconnected
}

func problem(c channel.Channel, refusal *apperr.Error) string {
	name := c.Type.Network().Name()
	if refusal.Code == apperr.ChannelDisconnected {
		return name + " no longer accepts the connection of this channel. Reconnect it to choose."
	}
	return name + " cannot be read right now, so what it offers is not listed. What was chosen before is kept."
}
