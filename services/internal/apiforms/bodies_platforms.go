package apiforms

import (
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// The bodies of the platforms' own creation endpoints (docs/contract.md, Platform endpoints).

// CreateYouTube is the body of create-youtube-post.
type CreateYouTube struct {
	ChannelID         ident.Channel `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of a YOUTUBE channel."`
	Title             string        `json:"title" minLength:"1" maxLength:"500" example:"How we make our tiles" doc:"Title of the video. YouTube shows up to 100 characters and does not allow < and >."`
	MediaID           ident.Media   `json:"mediaId" format:"uuid" example:"0190a3c9-5f46-7bad-ae88-9d5b6a7f8e93" doc:"ID of the video."`
	VideoType         string        `json:"videoType,omitempty" enum:"video,short" example:"video" doc:"video: a regular video. short: a Short, vertical or square and at most 3 minutes long."`
	Category          string        `json:"category,omitempty" maxLength:"10" example:"22" doc:"Number of the YouTube category."`
	Visibility        string        `json:"visibility,omitempty" enum:"public,unlisted,private" default:"public" example:"public" doc:"Visibility of the video."`
	License           string        `json:"license,omitempty" enum:"youtube,creativeCommon" example:"youtube" doc:"Licence of the video."`
	NotifySubscribers *bool         `json:"notifySubscribers,omitempty" example:"true" doc:"Whether subscribers are notified."`
	AllowEmbedding    *bool         `json:"allowEmbedding,omitempty" example:"true" doc:"Whether other sites may embed the video."`
	MadeForKids       *bool         `json:"madeForKids,omitempty" example:"false" doc:"Whether the video is made for children."`
	MediaAltTexts     AltTexts      `json:"mediaAltTexts,omitzero" doc:"Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset. YouTube takes none."`
	Naming
	When
}

// Command returns the input of the use case.
func (b CreateYouTube) Command() app.CreatePosts {
	return b.named(app.CreatePosts{
		ChannelIDs: []ident.Channel{b.ChannelID}, Title: b.Title, MediaIDs: []ident.Media{b.MediaID}, Schedule: b.plan(),
		MediaAltTexts: post.AltTexts(b.MediaAltTexts),
		Platform:      &app.Platform{Network: channel.NetworkYouTube, OneMedium: true}, Options: post.Options{
			VideoType: b.VideoType, Category: b.Category, Visibility: b.Visibility, License: b.License,
			NotifySubscribers: b.NotifySubscribers, AllowEmbedding: b.AllowEmbedding, MadeForKids: b.MadeForKids,
		},
	})
}

// CreateTikTok is the body of create-tiktok-post.
type CreateTikTok struct {
	ChannelID     ident.Channel `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of a TIKTOK_PERSONAL or TIKTOK_BUSINESS channel."`
	MediaIDs      []ident.Media `json:"mediaIds" format:"uuid" minItems:"1" maxItems:"35" uniqueItems:"true" doc:"IDs of one video, or of up to 35 photos in display order."`
	Title         string        `json:"title,omitempty" maxLength:"500" example:"New tiles" doc:"Title of a photo post. TikTok shows up to 90 characters."`
	Content       string        `json:"content,omitempty" maxLength:"100000" example:"Behind the scenes" doc:"Caption."`
	PrivacyLevel  string        `json:"privacyLevel,omitempty" maxLength:"100" example:"PUBLIC_TO_EVERYONE" doc:"Accepted and ignored: posts are published publicly."`
	AllowComments *bool         `json:"allowComments,omitempty" example:"true" doc:"Whether comments are allowed. Defaults to the account's setting. Comments stay disabled if the account has disabled them."`
	AllowDuet     *bool         `json:"allowDuet,omitempty" example:"false" doc:"Whether duets are allowed. Defaults like allowComments."`
	AllowStitch   *bool         `json:"allowStitch,omitempty" example:"false" doc:"Whether stitches are allowed. Defaults like allowComments."`
	BrandContent  *bool         `json:"brandContent,omitempty" example:"false" doc:"Discloses a paid partnership."`
	BrandOrganic  *bool         `json:"brandOrganic,omitempty" example:"false" doc:"Discloses that the account promotes its own business."`
	UploadToDraft *bool         `json:"uploadToDraft,omitempty" example:"false" doc:"true sends the post to the creator's inbox as a draft. The other settings are then ignored and chosen in the TikTok app."`
	MediaAltTexts AltTexts      `json:"mediaAltTexts,omitzero" doc:"Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset. TikTok takes none."`
	Naming
	When
}

// Command returns the input of the use case.
func (b CreateTikTok) Command() app.CreatePosts {
	return b.named(app.CreatePosts{
		ChannelIDs: []ident.Channel{b.ChannelID}, Title: b.Title, Content: b.Content, MediaIDs: b.MediaIDs,
		Schedule: b.plan(), MediaAltTexts: post.AltTexts(b.MediaAltTexts),
		Platform: &app.Platform{Network: channel.NetworkTikTok}, Options: post.Options{
			AllowComments: b.AllowComments, AllowDuet: b.AllowDuet, AllowStitch: b.AllowStitch,
			BrandContent: b.BrandContent, BrandOrganic: b.BrandOrganic, UploadToDraft: b.UploadToDraft,
		},
	})
}

// CreatePinterest is the body of create-pinterest-post.
type CreatePinterest struct {
	ChannelID     ident.Channel `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of a PINTEREST channel."`
	BoardID       string        `json:"boardId" minLength:"1" maxLength:"100" example:"549755885175" doc:"ID of the board to pin to; list-pinterest-boards returns the channel's boards."`
	SectionID     string        `json:"boardSectionId,omitempty" maxLength:"100" example:"549755885176" doc:"ID of a section of the board."`
	MediaIDs      []ident.Media `json:"mediaIds" format:"uuid" minItems:"1" maxItems:"5" uniqueItems:"true" doc:"IDs of one image, one video, or 2 to 5 images that form a carousel."`
	Title         string        `json:"title,omitempty" maxLength:"500" example:"Blue tiles" doc:"Title of the pin. Pinterest shows up to 100 characters."`
	Link          string        `json:"link,omitempty" maxLength:"2048" format:"uri" example:"https://example.com/tiles" doc:"Target URL of the pin."`
	AltText       string        `json:"altText,omitempty" maxLength:"500" example:"Blue tiles on a wall" doc:"Alternative text of the image, for screen readers."`
	Content       string        `json:"content,omitempty" maxLength:"100000" example:"Tiles for your kitchen" doc:"Description of the pin."`
	MediaAltTexts AltTexts      `json:"mediaAltTexts,omitzero" doc:"Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset."`
	Naming
	When
}

// Command returns the input of the use case.
func (b CreatePinterest) Command() app.CreatePosts {
	return b.named(app.CreatePosts{
		ChannelIDs: []ident.Channel{b.ChannelID}, Title: b.Title, Content: b.Content, MediaIDs: b.MediaIDs,
		MediaAltTexts: post.AltTexts(b.MediaAltTexts), Schedule: b.plan(),
		Platform: &app.Platform{Network: channel.NetworkPinterest},
		Options:  post.Options{BoardID: b.BoardID, BoardSectionID: b.SectionID, Link: b.Link, AltText: b.AltText},
	})
}

// CreateLinkedIn is the body of create-linkedin-post.
type CreateLinkedIn struct {
	ChannelID  ident.Channel `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of a LINKEDIN_PROFILE or LINKEDIN_PAGE channel."`
	Content    string        `json:"content" minLength:"1" maxLength:"100000" example:"We are hiring." doc:"Text of the post."`
	Visibility string        `json:"visibility,omitempty" enum:"PUBLIC,CONNECTIONS" default:"PUBLIC" example:"PUBLIC" doc:"Visibility of the post. CONNECTIONS is available for profiles only."`
	Naming
	When
}

// Command returns the input of the use case.
func (b CreateLinkedIn) Command() app.CreatePosts {
	return b.named(app.CreatePosts{
		ChannelIDs: []ident.Channel{b.ChannelID}, Content: b.Content, Schedule: b.plan(),
		Platform: &app.Platform{Network: channel.NetworkLinkedIn}, Options: post.Options{Visibility: b.Visibility},
	})
}

// Check implements Body.
func (b CreateYouTube) Check() []apperr.Field { return append(b.Naming.Check(), b.When.Check()...) }

// Check implements Body.
func (b CreateTikTok) Check() []apperr.Field { return append(b.Naming.Check(), b.When.Check()...) }

// Check implements Body.
func (b CreatePinterest) Check() []apperr.Field { return append(b.Naming.Check(), b.When.Check()...) }

// Check implements Body.
func (b CreateLinkedIn) Check() []apperr.Field { return append(b.Naming.Check(), b.When.Check()...) }

// Authorize implements Authorizer.
func (b CreateYouTube) Authorize(p app.Principal) error { return b.Command().Authorize(p) }

// Authorize implements Authorizer.
func (b CreateTikTok) Authorize(p app.Principal) error { return b.Command().Authorize(p) }

// Authorize implements Authorizer.
func (b CreatePinterest) Authorize(p app.Principal) error { return b.Command().Authorize(p) }

// Authorize implements Authorizer.
func (b CreateLinkedIn) Authorize(p app.Principal) error { return b.Command().Authorize(p) }
