package apiforms

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"fencepost.internal/services/internal/apiforms/jsonbody"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// CreatePosts is the body of create-posts and of validate-posts, and an item of create-posts-in-bulk.
type CreatePosts struct {
	ChannelIDs    []ident.Channel `json:"channelIds,omitempty" format:"uuid" minItems:"1" maxItems:"100" uniqueItems:"true" example:"[\"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59\"]" doc:"IDs of channels. One post is created for each channel, or none if one is rejected. May be omitted with variants: it is then their channels."`
	Content       string          `json:"content,omitempty" maxLength:"100000" example:"Our spring collection is here." doc:"Text of the posts."`
	Title         string          `json:"title,omitempty" nullable:"true" maxLength:"500" example:"Spring collection" doc:"Title, for video-style content."`
	ContentType   ContentType     `json:"contentType,omitempty" doc:"Kind of content: POST is a standard post, REEL a short vertical video, STORY an ephemeral story, VIDEO a regular video with a title. Defaults to POST; with options it follows from them and from the media."`
	MediaIDs      []ident.Media   `json:"mediaIds,omitempty" format:"uuid" maxItems:"50" uniqueItems:"true" doc:"IDs of media in display order."`
	MediaAltTexts AltTexts        `json:"mediaAltTexts,omitzero" doc:"Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset."`
	Options       *PostOptions    `json:"options,omitempty" doc:"Settings of the platform, for channels of one network. Variants take the settings of channels of several networks."`
	Thread        []Part          `json:"thread,omitempty" maxItems:"24" doc:"The parts of a thread after the first, which has content and mediaIds. X, Threads, Bluesky and Mastodon."`
	FirstComment  *Comment        `json:"firstComment,omitempty" doc:"A comment under the post, after its last part. Facebook, Instagram, LinkedIn, YouTube and the networks of threads."`
	Variants      []Variant       `json:"variants,omitempty" maxItems:"100" doc:"What the posts of channels have of their own. Each names another channel."`
	PublishAfter  *PublishAfter   `json:"publishAfter,omitempty" doc:"Waits for another post; schedule is then the earliest time. {{url}} in the text becomes the address of that post."`
	Naming
	When
}

// Variant has what the post of one channel has of its own.
type Variant struct {
	ChannelID     ident.Channel           `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of the channel, one of channelIds."`
	Content       Optional[string]        `json:"content,omitzero" maxLength:"100000" example:"Spring is here." doc:"Text of this post."`
	Title         Optional[string]        `json:"title,omitzero" maxLength:"500" example:"Spring collection" doc:"Title of this post."`
	ContentType   Optional[ContentType]   `json:"contentType,omitzero" doc:"Kind of content of this post."`
	MediaIDs      Optional[[]ident.Media] `json:"mediaIds,omitzero" format:"uuid" maxItems:"50" uniqueItems:"true" doc:"IDs of the media of this post, in display order. An empty list removes all."`
	MediaAltTexts Optional[AltTexts]      `json:"mediaAltTexts,omitzero" doc:"Alternative texts of this post, by ID of the attachment. If omitted, those of its media are kept."`
	Options       Optional[PostOptions]   `json:"options,omitzero" doc:"Settings of the platform for this post. Replaces all options of the request."`
	Thread        Optional[[]Part]        `json:"thread,omitzero" maxItems:"24" doc:"Replaces the thread of the request. An empty list: this post has none."`
	FirstComment  Optional[commentPatch]  `json:"firstComment,omitzero" doc:"Replaces that of the request; null: this post has none."`
	PublishAfter  Optional[afterPatch]    `json:"publishAfter,omitzero" doc:"Replaces that of the request; null: waits for none."`
}

// Check implements Body.
func (b CreatePosts) Check() []apperr.Field {
	faults := append(b.Naming.Check(), b.When.Check()...)
	if b.PublishAfter != nil {
		faults = append(faults, b.PublishAfter.faults("/publishAfter", true)...)
	}
	first := make(map[ident.Channel]int, len(b.Variants))
	for i, v := range b.Variants {
		at := fmt.Sprintf("/variants/%d/channelId", i)
		faults = append(faults, afterFaults(v.PublishAfter, fmt.Sprintf("/variants/%d/publishAfter", i), true)...)
		switch before, again := first[v.ChannelID]; {
		case v.ChannelID.IsZero(): // a known fault, or a channel that does not exist
		case again:
			faults = append(faults, apperr.Field{
				Pointer: at, Message: fmt.Sprintf("is the channel of /variants/%d too; send one variant for each channel", before),
			})
		case len(b.ChannelIDs) > 0 && !slices.Contains(b.ChannelIDs, v.ChannelID):
			faults = append(faults, apperr.Field{
				Pointer: at, Message: "is not one of channelIds; add it there, or omit channelIds",
			})
		default:
			first[v.ChannelID] = i
		}
	}
	return faults
}

// CheckMissing implements Alternative.
func (b CreatePosts) CheckMissing(known []apperr.Field) []apperr.Field {
	sent := slices.ContainsFunc(known, func(f apperr.Field) bool {
		return strings.HasPrefix(f.Pointer, "/channelIds") || strings.HasPrefix(f.Pointer, "/variants")
	})
	if sent || len(b.ChannelIDs) > 0 || len(b.Variants) > 0 {
		return nil
	}
	return []apperr.Field{{Pointer: "/channelIds", Message: "is missing; send the IDs of channels, or variants"}}
}

// Authorize implements Authorizer.
func (b CreatePosts) Authorize(p app.Principal) error { return b.Command().Authorize(p) }

// Command returns the input of the use case.
func (b CreatePosts) Command() app.CreatePosts {
	out := app.CreatePosts{
		ChannelIDs: b.ChannelIDs, Content: b.Content, Title: b.Title, ContentType: post.ContentType(b.ContentType),
		MediaIDs: b.MediaIDs, MediaAltTexts: post.AltTexts(b.MediaAltTexts), Schedule: b.plan(),
		Thread: commandOf(b.Thread),
	}
	if b.FirstComment != nil {
		out.Comment = b.FirstComment.command()
	}
	if b.PublishAfter != nil {
		out.After = b.PublishAfter.command()
	}
	if b.Options != nil {
		out.Options, out.HasOptions = post.Options(*b.Options), true
	}
	for _, v := range b.Variants {
		out.Variants = append(out.Variants, v.command())
		if len(b.ChannelIDs) == 0 {
			out.ChannelIDs = append(out.ChannelIDs, v.ChannelID)
		}
	}
	return b.named(out)
}

func (v Variant) command() app.Variant {
	out := app.Variant{
		ChannelID: v.ChannelID, Content: v.Content.pointer(), Title: v.Title.pointer(), MediaIDs: v.MediaIDs.pointer(),
		After: optionalAfter(v.PublishAfter), Thread: optionalThread(v.Thread), Comment: optionalComment(v.FirstComment),
	}
	if kind := v.ContentType.pointer(); kind != nil {
		out.ContentType = new(post.ContentType(*kind))
	}
	if texts := v.MediaAltTexts.pointer(); texts != nil {
		out.MediaAltTexts = new(post.AltTexts(*texts))
	}
	if options := v.Options.pointer(); options != nil {
		out.Options = new(post.Options(*options))
	}
	return out
}

// CreateBulk is the body of create-posts-in-bulk. Its items are parsed one by one, so that a fault in one item does not
// affect the others.
type CreateBulk struct {
	Posts itemsApart[CreatePosts] `json:"posts" minItems:"1" maxItems:"50" doc:"Items to create, each with the fields of create-posts."`
}

// Check implements Body.
func (CreateBulk) Check() []apperr.Field { return nil }

// itemsApart holds list items of type T that are parsed one by one, each with its own faults.
type itemsApart[T any] []jsontext.Value

// Schema documents the items.
func (itemsApart[T]) Schema(registry huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeArray, Items: registry.Schema(reflect.TypeFor[T](), true, ""),
		Extensions: map[string]any{jsonbody.ExtensionItemsApart: true},
	}
}

// EditPost is the body of edit-post. Omitted fields stay unchanged.
type EditPost struct {
	Content       Optional[string]         `json:"content,omitzero" maxLength:"100000" example:"Our spring collection is here at last." doc:"Text of the post."`
	Title         Optional[string]         `json:"title,omitzero" nullable:"true" maxLength:"500" example:"Spring collection" doc:"Title; null removes it."`
	ContentType   Optional[ContentType]    `json:"contentType,omitzero" doc:"Kind of content."`
	MediaIDs      Optional[[]ident.Media]  `json:"mediaIds,omitzero" format:"uuid" maxItems:"50" uniqueItems:"true" doc:"IDs of media in display order. Replaces all media of the post."`
	MediaAltTexts Optional[AltTexts]       `json:"mediaAltTexts,omitzero" nullable:"true" doc:"Alternative texts of this post, by ID of the attachment. Replaces all of them; null removes them. If omitted, those of removed media are removed."`
	ScheduledAt   Optional[string]         `json:"scheduledAt,omitzero" nullable:"true" example:"2026-03-01T09:00:00+02:00" doc:"RFC 3339 with an offset, or without one beside timezone. For a DRAFT, sets the intended time, which is kept through approval and does not schedule the post; null removes it. For a SCHEDULED post, changes the time of publishing, which also needs the scope posts:publish."`
	Labels        Optional[Labels]         `json:"labels,omitzero" nullable:"true" doc:"Labels of the post. Replaces all of them; null removes them."`
	CampaignID    Optional[ident.Campaign] `json:"campaignId,omitzero" nullable:"true" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b65" doc:"Campaign of the post; null takes it out of its campaign."`
	ExternalID    Optional[string]         `json:"externalId,omitzero" nullable:"true" maxLength:"200" example:"cms-4711" doc:"ID of the post in the client's own system; null removes it."`
	Metadata      Optional[metadataPatch]  `json:"metadata,omitzero" doc:"Values that the client stores with the post. Values that are sent replace those of the post, null removes a value, and other values are unchanged (RFC 7396). null instead of an object removes all."`
	Options       Optional[optionsPatch]   `json:"options,omitzero" doc:"Settings of the platform. Fields that are sent replace those of the post, null removes a field, and other fields are unchanged (RFC 7396). null instead of an object removes all settings."`
	Thread        Optional[[]Part]         `json:"thread,omitzero" nullable:"true" maxItems:"24" doc:"The parts after the first. Replaces all of them; null or an empty list removes them."`
	FirstComment  Optional[commentPatch]   `json:"firstComment,omitzero" doc:"The first comment. Replaces it; null removes it."`
	PublishAfter  Optional[afterPatch]     `json:"publishAfter,omitzero" doc:"Waits for another post; null: waits for none. For a SCHEDULED post it also needs the scope posts:publish."`
	Zoned
}

// Check implements Body.
func (b EditPost) Check() []apperr.Field {
	if !b.Content.Set && !b.Title.Set && !b.ContentType.Set && !b.MediaIDs.Set && !b.MediaAltTexts.Set &&
		!b.ScheduledAt.Set && !b.Options.Set && !b.Labels.Set && !b.CampaignID.Set && !b.ExternalID.Set && !b.Metadata.Set &&
		!b.PublishAfter.Set && !b.Thread.Set && !b.FirstComment.Set {
		return []apperr.Field{
			{
				Pointer: "",
				Message: "nothing to edit; send at least one of content, title, contentType, mediaIds, mediaAltTexts, " +
					"scheduledAt, options, labels, campaignId, externalId, metadata, thread, firstComment, publishAfter",
			},
		}
	}
	_, faults := b.time()
	faults = append(faults, afterFaults(b.PublishAfter, "/publishAfter", false)...)
	_, wrong := post.ReadLabels(b.Labels.Value, "/labels")
	faults = append(append(faults, wrong...), externalIDFaults(b.ExternalID.Value)...)
	return append(faults, b.Metadata.Value.faults()...)
}

// time returns the time to set; zero for null, and if none was sent.
func (b EditPost) time() (time.Time, []apperr.Field) {
	if !b.ScheduledAt.Set || b.ScheduledAt.null {
		return time.Time{}, b.timezoneFaults()
	}
	return b.moment("/scheduledAt", b.ScheduledAt.Value, nil)
}

// CheckTime implements Timed.
func (b EditPost) CheckTime(now time.Time) []apperr.Field {
	at, faults := b.time()
	if len(faults) > 0 || at.IsZero() {
		return nil
	}
	return timeFaults("/scheduledAt", at, now)
}

// Edit returns the changes to the post.
func (b EditPost) Edit(before post.Post) (post.Edit, error) {
	out := post.Edit{Content: b.Content.pointer(), Title: b.Title.pointer(), MediaIDs: b.MediaIDs.pointer()}
	out.Thread, out.Comment = optionalThread(b.Thread), optionalComment(b.FirstComment)
	if b.ContentType.Set {
		contentType := post.ContentType(b.ContentType.Value)
		out.ContentType = &contentType
	}
	if b.MediaAltTexts.Set {
		texts := post.AltTexts(b.MediaAltTexts.Value)
		out.MediaAltTexts = &texts
	}
	if b.ScheduledAt.Set {
		at, faults := b.time()
		if err := apperr.Invalid(faults); err != nil { // cannot fail after Check
			return out, err
		}
		out.ScheduledAt = &at
	}
	if b.Labels.Set {
		labels, _ := post.ReadLabels(b.Labels.Value, "/labels") // Check has found no fault
		out.Labels = &labels
	}
	out.CampaignID, out.ExternalID = b.CampaignID.pointer(), b.ExternalID.pointer()
	if after := optionalAfter(b.PublishAfter); after != nil {
		out.After = &after.After
	}
	if b.Metadata.Set {
		metadata, err := b.Metadata.Value.apply(before.Metadata)
		if err != nil {
			return out, err
		}
		out.Metadata = &metadata
	}
	if b.Options.Set {
		options, err := b.Options.Value.apply(before.Options)
		if err != nil {
			return out, err
		}
		out.Options = &options
	}
	return out, nil
}
