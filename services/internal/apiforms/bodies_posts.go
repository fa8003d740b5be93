package apiforms

import (
	"reflect"
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
	ChannelIDs    []ident.Channel `json:"channelIds" format:"uuid" minItems:"1" maxItems:"100" uniqueItems:"true" example:"[\"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59\"]" doc:"IDs of channels. One post is created for each channel, or none if one is rejected."`
	Content       string          `json:"content,omitempty" maxLength:"100000" example:"Our spring collection is here." doc:"Text of the posts."`
	Title         string          `json:"title,omitempty" nullable:"true" maxLength:"500" example:"Spring collection" doc:"Title, for video-style content."`
	ContentType   ContentType     `json:"contentType,omitempty" default:"POST" doc:"Kind of content: POST is a standard post, REEL a short vertical video, STORY an ephemeral story, VIDEO a regular video with a title."`
	MediaIDs      []ident.Media   `json:"mediaIds,omitempty" format:"uuid" maxItems:"50" uniqueItems:"true" doc:"IDs of media in display order."`
	MediaAltTexts AltTexts        `json:"mediaAltTexts,omitzero" doc:"Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset."`
	When
}

// Authorize implements Authorizer.
func (b CreatePosts) Authorize(p app.Principal) error { return b.Command().Authorize(p) }

// Command returns the input of the use case.
func (b CreatePosts) Command() app.CreatePosts {
	contentType := post.ContentType(b.ContentType)
	if contentType == "" {
		contentType = post.ContentPost
	}
	return app.CreatePosts{
		ChannelIDs: b.ChannelIDs, Content: b.Content, Title: b.Title, ContentType: contentType, MediaIDs: b.MediaIDs,
		MediaAltTexts: post.AltTexts(b.MediaAltTexts), Schedule: b.plan(),
	}
}

// CreateBulk is the body of create-posts-in-bulk. Its items are parsed one by one, so that a fault in one item does not
// affect the others.
type CreateBulk struct {
	Posts itemsApart `json:"posts" minItems:"1" maxItems:"50" doc:"Items to create, each with the fields of create-posts."`
}

// Check implements Body.
func (CreateBulk) Check() []apperr.Field { return nil }

// itemsApart holds list items that are parsed one by one, each with its own faults.
type itemsApart []jsontext.Value

// Schema documents the items as CreatePosts.
func (itemsApart) Schema(registry huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeArray, Items: registry.Schema(reflect.TypeFor[CreatePosts](), true, ""),
		Extensions: map[string]any{jsonbody.ExtensionItemsApart: true},
	}
}

// EditPost is the body of edit-post. Omitted fields stay unchanged.
type EditPost struct {
	Content       Optional[string]        `json:"content,omitzero" maxLength:"100000" example:"Our spring collection is here at last." doc:"Text of the post."`
	Title         Optional[string]        `json:"title,omitzero" nullable:"true" maxLength:"500" example:"Spring collection" doc:"Title; null removes it."`
	ContentType   Optional[ContentType]   `json:"contentType,omitzero" doc:"Kind of content."`
	MediaIDs      Optional[[]ident.Media] `json:"mediaIds,omitzero" format:"uuid" maxItems:"50" uniqueItems:"true" doc:"IDs of media in display order. Replaces all media of the post."`
	MediaAltTexts Optional[AltTexts]      `json:"mediaAltTexts,omitzero" nullable:"true" doc:"Alternative texts of this post, by ID of the attachment. Replaces all of them; null removes them. If omitted, those of removed media are removed."`
	ScheduledAt   Optional[string]        `json:"scheduledAt,omitzero" nullable:"true" format:"date-time" example:"2026-03-01T09:00:00+02:00" doc:"RFC 3339 with an offset. For a DRAFT, sets the intended time, which is kept through approval and does not schedule the post; null removes it. For a SCHEDULED post, changes the time of publishing, which also needs the scope posts:publish."`
	Options       Optional[optionsPatch]  `json:"options,omitzero" doc:"Settings of the platform. Fields that are sent replace those of the post, null removes a field, and other fields are unchanged (RFC 7396). null instead of an object removes all settings."`
}

// Check implements Body.
func (b EditPost) Check() []apperr.Field {
	if !b.Content.Set && !b.Title.Set && !b.ContentType.Set && !b.MediaIDs.Set && !b.MediaAltTexts.Set &&
		!b.ScheduledAt.Set && !b.Options.Set {
		return []apperr.Field{
			{
				Pointer: "",
				Message: "nothing to edit; send at least one of content, title, contentType, mediaIds, mediaAltTexts, " +
					"scheduledAt, options",
			},
		}
	}
	return nil
}

// CheckTime implements Timed.
func (b EditPost) CheckTime(now time.Time) []apperr.Field {
	return SchedulePost{ScheduledAt: b.ScheduledAt.Value}.CheckTime(now)
}

// Edit returns the changes to the post.
func (b EditPost) Edit(before post.Post) (post.Edit, error) {
	out := post.Edit{Content: b.Content.pointer(), Title: b.Title.pointer(), MediaIDs: b.MediaIDs.pointer()}
	if b.ContentType.Set {
		contentType := post.ContentType(b.ContentType.Value)
		out.ContentType = &contentType
	}
	if b.MediaAltTexts.Set {
		texts := post.AltTexts(b.MediaAltTexts.Value)
		out.MediaAltTexts = &texts
	}
	if b.ScheduledAt.Set {
		at, err := OptionalTime(b.ScheduledAt.Value)
		if err != nil { // cannot fail after schema validation
			return out, err
		}
		out.ScheduledAt = &at
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
