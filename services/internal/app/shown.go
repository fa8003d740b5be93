package app

import (
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/presentation"
	"fencepost.internal/shared/platform/rules"
)

// Shown returns how the network of a channel shows the content, whether or not it accepts it. It returns false for a
// channel that cannot be published to.
func (a *postUseCases) Shown(c channel.Channel, content platform.Content) (presentation.View, bool) {
	content.Facts = c.Facts
	return presentation.Of(a.rules, c.Type, content)
}

// Takes reports whether the network of a channel takes parts of the kind after a post.
func (a *postUseCases) Takes(c channel.Channel, part post.PartKind) bool {
	return a.rules.Replies(c.Type, part)
}

// PartFault says why a channel takes no parts of the kind after a post; empty if it does.
func (a *postUseCases) PartFault(c channel.Channel, part post.PartKind) string {
	if !a.Takes(c, part) {
		says := " takes no threads."
		if part == post.PartComment {
			says = " takes no first comments."
		}
		return c.Type.Network().Name() + says
	}
	of := platform.Content{Parts: []platform.Content{{ReplyTo: &platform.ReplyTo{Kind: part}}}}
	for _, gap := range a.scheduling.connectors.Gaps(c, of) {
		if member := post.Member(gap.Member); member == post.MemberThread || member == post.MemberFirstComment {
			return gap.Message
		}
	}
	return ""
}

// TextLength returns the length of the text of a post or a part as the network of a channel counts it; zero for a channel that
// cannot be published to.
func (a *postUseCases) TextLength(c channel.Channel, content platform.Content) rules.TextLength {
	content.Facts = c.Facts
	length, _ := a.rules.TextLength(c.Type, content)
	return length
}

// OptionsOf returns the options that the network of a channel knows, in the published order.
func (a *postUseCases) OptionsOf(c channel.Channel) []rules.Option {
	row, _ := a.rules.Of(c.Type)
	return row.Options
}

// Covered reports whether the network of a channel takes a picture beside a video as its cover, in posts of the content type.
func (a *postUseCases) Covered(c channel.Channel, as post.ContentType) bool {
	return a.rules.Covered(c.Type, as)
}

// CoverFault says why the network of a channel does not take a picture as the cover of a video; empty if it does.
func (a *postUseCases) CoverFault(c channel.Channel, as post.ContentType, picture media.Asset) string {
	return a.rules.CoverFault(c.Type, as, picture)
}

// LongestVideos returns the longest videos that the network of a channel takes, by the forms of its posts.
func (a *postUseCases) LongestVideos(c channel.Channel) []rules.Longest {
	row, _ := a.rules.Of(c.Type)
	if row.Known != nil {
		row.Known(&row, c.Facts)
	}
	return row.LongestVideos()
}

// OptionFaults returns what is wrong with options by themselves, by their names.
func (a *postUseCases) OptionFaults(c channel.Channel, options post.Options) map[string]string {
	faults := make(map[string]string)
	for _, f := range a.rules.CheckOptions(c.Type, options) {
		if name, is := strings.CutPrefix(f.Member, "options/"); is && !f.Warning && faults[name] == "" {
			faults[name] = f.Message
		}
	}
	return faults
}
