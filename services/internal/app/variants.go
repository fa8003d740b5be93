package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// Variant has the members of the post of one channel that replace those of the request. The other members are nil.
type Variant struct {
	ChannelID     ident.Channel
	Content       *string
	Title         *string
	ContentType   *post.ContentType
	MediaIDs      *[]ident.Media
	MediaAltTexts *post.AltTexts
	Options       *post.Options
	Thread        *[]post.Part  // empty: no further parts
	Comment       *post.Comment // zero: none
	After         *After        // zero: the post waits for none
}

// entry is the post of one channel in a request.
type entry struct {
	post.NewPost

	of      channel.Channel
	assets  []media.Asset // of the post, then of its parts
	variant int           // index of its variant; negative: it has none
	after   After
	// ownAfter reports that the variant says what the post waits for.
	ownAfter bool
}

// none is the variant of a post without one.
const none = -1

// entriesOf returns the posts of a request, in the order of the channels; NOT_FOUND for an unknown asset.
func (a *postUseCases) entriesOf(
	ctx context.Context, p Principal, in CreatePosts, channels map[ident.Channel]channel.Channel,
) ([]entry, error) {
	found, err := a.assetsOf(ctx, p, in.attached())
	if err != nil {
		return nil, err
	}
	byID := make(map[ident.Media]media.Asset, len(found))
	for _, asset := range found {
		byID[asset.ID] = asset
	}
	return a.entriesWith(in, channels, byID), nil
}

// entriesWith is entriesOf with the assets of the request.
func (a *postUseCases) entriesWith(
	in CreatePosts, channels map[ident.Channel]channel.Channel, byID map[ident.Media]media.Asset,
) []entry {
	entries := make([]entry, len(in.ChannelIDs))
	for i, id := range in.ChannelIDs {
		e := in.entryOf(channels[id])
		for _, of := range slices.Concat(e.MediaIDs, post.MediaOf(e.Thread)) {
			e.assets = append(e.assets, byID[of])
		}
		if e.ContentType == "" {
			e.ContentType = post.ContentPost
			if e.HasOptions {
				e.ContentType = a.contentTypeOf(e.of.Type, e.assets[:len(e.MediaIDs)], e.Options)
			}
		}
		entries[i] = e
	}
	return entries
}

// attached returns the assets of the request and of its variants, each once.
func (in CreatePosts) attached() []ident.Media {
	ids := slices.Clone(in.MediaIDs)
	threads := slices.Clone(in.Thread)
	for _, v := range in.Variants {
		threads = append(threads, value(v.Thread)...)
	}
	more := [][]ident.Media{post.MediaOf(threads)}
	for _, v := range in.Variants {
		more = append(more, value(v.MediaIDs))
	}
	for _, of := range more {
		for _, id := range of {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// entryOf returns the post of a channel: the members of the request, replaced by those of its variant.
func (in CreatePosts) entryOf(of channel.Channel) entry {
	e := entry{of: of, variant: none, NewPost: post.NewPost{
		ChannelID: of.ID, ChannelType: string(of.Type), Content: in.Content, Title: in.Title, ContentType: in.ContentType,
		MediaIDs: in.MediaIDs, MediaAltTexts: in.MediaAltTexts, Options: in.Options,
		HasOptions: in.HasOptions || in.Platform != nil, Thread: in.Thread, Comment: in.Comment,
	}, after: in.After}
	if e.variant = slices.IndexFunc(in.Variants, func(v Variant) bool { return v.ChannelID == of.ID }); e.variant < 0 {
		return e
	}
	v := in.Variants[e.variant]
	replace(&e, post.MemberContent, &e.Content, v.Content)
	replace(&e, post.MemberTitle, &e.Title, v.Title)
	replace(&e, post.MemberContentType, &e.ContentType, v.ContentType)
	if replace(&e, post.MemberMediaIDs, &e.MediaIDs, v.MediaIDs); v.MediaIDs != nil {
		e.MediaAltTexts = e.MediaAltTexts.Of(e.MediaIDs)
	}
	replace(&e, post.MemberMediaAltTexts, &e.MediaAltTexts, v.MediaAltTexts)
	replace(&e, post.MemberThread, &e.Thread, v.Thread)
	replace(&e, post.MemberFirstComment, &e.Comment, v.Comment)
	if v.After != nil {
		e.after, e.ownAfter = *v.After, true
	}
	if replace(&e, post.MemberOptions, &e.Options, v.Options); v.Options != nil {
		e.HasOptions = true
	}
	return e
}

// replace sets a member to that of a variant, if it has one.
func replace[T any](e *entry, name post.Member, member, own *T) {
	if own != nil {
		*member, e.Own = *own, append(e.Own, name)
	}
}

// content returns what the rules of the network check.
func (e entry) content() platform.Content {
	would := post.Post{
		Content: e.Content, Title: e.Title, ContentType: e.ContentType, MediaAltTexts: e.MediaAltTexts, Options: e.Options,
		After: e.after.After, Thread: e.Thread, Comment: e.Comment,
	}
	return platform.ContentOf(would, e.assets[:len(e.MediaIDs)]).WithParts(would, e.assets)
}

// pointed makes the members of findings relative to the body: those of the variant are in it.
func (e entry) pointed(found []platform.Finding) []platform.Finding {
	for i, f := range found {
		found[i].Member = e.pointer(f.Member)
	}
	return found
}

// pointer returns the place of a member of the post in the body, without the leading slash.
func (e entry) pointer(member string) string {
	name, _, _ := strings.Cut(member, "/")
	switch {
	case e.variant < 0:
		return member
	case name == memberChannels:
		return fmt.Sprintf("variants/%d/channelId", e.variant)
	case slices.Contains(e.Own, post.Member(name)):
		return fmt.Sprintf("variants/%d/%s", e.variant, member)
	default:
		return member
	}
}

// afterPointer returns the place in the body of what the post waits for, without the leading slash.
func (e entry) afterPointer() string {
	if e.ownAfter {
		return fmt.Sprintf("variants/%d/%s", e.variant, memberAfter)
	}
	return memberAfter
}

// memberChannels is the member of the body that has the channels.
const memberChannels = "channelIds"

// faults returns the faults of the request that no network decides.
func (in CreatePosts) faults(entries []entry) []apperr.Field {
	faults := in.MediaAltTexts.Faults(in.MediaIDs)
	for _, e := range entries {
		if e.variant < 0 || in.Variants[e.variant].MediaAltTexts == nil {
			continue
		}
		for _, f := range e.MediaAltTexts.Faults(e.MediaIDs) {
			f.Pointer = fmt.Sprintf("/variants/%d%s", e.variant, f.Pointer)
			faults = append(faults, f)
		}
	}
	if names := networksOf(entries); in.HasOptions && len(names) > 1 {
		faults = append(faults, apperr.Field{
			Pointer: "/options", Message: "are for channels of one network, and these are of " + strings.Join(names, ", ") +
				"; send the options of each channel in its variant",
		})
	}
	return faults
}

// networksOf returns the names of the networks of posts, each once.
func networksOf(entries []entry) []string {
	var names []string
	for _, e := range entries {
		if name := e.of.Type.Network().Name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// optionFaults returns the faults of the options of drafts, which are checked although a draft may break other rules.
func (a *postUseCases) optionFaults(entries []entry) []apperr.Field {
	var faults []apperr.Field
	for _, e := range entries {
		if e.HasOptions {
			faults = append(faults, faultsOf(e.pointed(a.rules.CheckOptions(e.of.Type, e.Options)), e.of)...)
		}
	}
	return faults
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
