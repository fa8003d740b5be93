// Code generated from docs/openapi.yaml by tools/gen (make generate); DO NOT EDIT.

package fencepost

import (
	"encoding/json"
	"time"
)

// AddCountdownBlock: A block of the type COUNTDOWN.
type AddCountdownBlock struct {
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings CountdownBlockSettingsInput `json:"settings"`
	// Whether the block is shown. Default: true.
	IsVisible *bool `json:"isVisible,omitempty"`
	// Position among the blocks, from 0. Default: at the end.
	Position *int64 `json:"position,omitempty"`
	// Start of the display period: RFC 3339 with an offset.
	ShowFrom time.Time `json:"showFrom,omitzero"`
	// End of the display period: RFC 3339 with an offset.
	ShowUntil time.Time `json:"showUntil,omitzero"`
}

// AddCouponBlock: A block of the type COUPON.
type AddCouponBlock struct {
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings CouponBlockSettingsInput `json:"settings"`
	// Whether the block is shown. Default: true.
	IsVisible *bool `json:"isVisible,omitempty"`
	// Position among the blocks, from 0. Default: at the end.
	Position *int64 `json:"position,omitempty"`
	// Start of the display period: RFC 3339 with an offset.
	ShowFrom time.Time `json:"showFrom,omitzero"`
	// End of the display period: RFC 3339 with an offset.
	ShowUntil time.Time `json:"showUntil,omitzero"`
}

// AddFaqBlock: A block of the type FAQ.
type AddFaqBlock struct {
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings FaqBlockSettingsInput `json:"settings"`
	// Whether the block is shown. Default: true.
	IsVisible *bool `json:"isVisible,omitempty"`
	// Position among the blocks, from 0. Default: at the end.
	Position *int64 `json:"position,omitempty"`
	// Start of the display period: RFC 3339 with an offset.
	ShowFrom time.Time `json:"showFrom,omitzero"`
	// End of the display period: RFC 3339 with an offset.
	ShowUntil time.Time `json:"showUntil,omitzero"`
}

// AddLinkBlock: A block of the type LINK.
type AddLinkBlock struct {
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings LinkBlockSettingsInput `json:"settings"`
	// Whether the block is shown. Default: true.
	IsVisible *bool `json:"isVisible,omitempty"`
	// Position among the blocks, from 0. Default: at the end.
	Position *int64 `json:"position,omitempty"`
	// Start of the display period: RFC 3339 with an offset.
	ShowFrom time.Time `json:"showFrom,omitzero"`
	// End of the display period: RFC 3339 with an offset.
	ShowUntil time.Time `json:"showUntil,omitzero"`
}

// AddLinkPageBlockRequest is one of several types, by its member type.
// Value is one of AddLinkBlock, AddTextBlock, AddSectionBlock, AddPostCardBlock, AddProductBlock, AddCouponBlock, AddCountdownBlock, AddNoticeBarBlock, AddFaqBlock, AddTestimonialBlock;
// a json.RawMessage if the type is unknown.
type AddLinkPageBlockRequest struct{ Value any }

// UnmarshalJSON decodes the type that the member type names.
func (u *AddLinkPageBlockRequest) UnmarshalJSON(raw []byte) (err error) {
	switch discriminator(raw, "type") {
	case "COUNTDOWN":
		u.Value, err = decodeAs[AddCountdownBlock](raw)
	case "COUPON":
		u.Value, err = decodeAs[AddCouponBlock](raw)
	case "FAQ":
		u.Value, err = decodeAs[AddFaqBlock](raw)
	case "LINK":
		u.Value, err = decodeAs[AddLinkBlock](raw)
	case "NOTICE_BAR":
		u.Value, err = decodeAs[AddNoticeBarBlock](raw)
	case "POST_CARD":
		u.Value, err = decodeAs[AddPostCardBlock](raw)
	case "PRODUCT":
		u.Value, err = decodeAs[AddProductBlock](raw)
	case "SECTION":
		u.Value, err = decodeAs[AddSectionBlock](raw)
	case "TESTIMONIAL":
		u.Value, err = decodeAs[AddTestimonialBlock](raw)
	case "TEXT":
		u.Value, err = decodeAs[AddTextBlock](raw)
	default:
		u.Value = append(json.RawMessage(nil), raw...)
	}
	return err
}

// MarshalJSON encodes the value.
func (u AddLinkPageBlockRequest) MarshalJSON() ([]byte, error) { return json.Marshal(u.Value) }

// AddNoticeBarBlock: A block of the type NOTICE_BAR.
type AddNoticeBarBlock struct {
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings NoticeBarBlockSettingsInput `json:"settings"`
	// Whether the block is shown. Default: true.
	IsVisible *bool `json:"isVisible,omitempty"`
	// Position among the blocks, from 0. Default: at the end.
	Position *int64 `json:"position,omitempty"`
	// Start of the display period: RFC 3339 with an offset.
	ShowFrom time.Time `json:"showFrom,omitzero"`
	// End of the display period: RFC 3339 with an offset.
	ShowUntil time.Time `json:"showUntil,omitzero"`
}

// AddPostCardBlock: A block of the type POST_CARD.
type AddPostCardBlock struct {
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings PostCardBlockSettingsInput `json:"settings"`
	// Whether the block is shown. Default: true.
	IsVisible *bool `json:"isVisible,omitempty"`
	// Position among the blocks, from 0. Default: at the end.
	Position *int64 `json:"position,omitempty"`
	// Start of the display period: RFC 3339 with an offset.
	ShowFrom time.Time `json:"showFrom,omitzero"`
	// End of the display period: RFC 3339 with an offset.
	ShowUntil time.Time `json:"showUntil,omitzero"`
}

// AddProductBlock: A block of the type PRODUCT.
type AddProductBlock struct {
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings ProductBlockSettingsInput `json:"settings"`
	// Whether the block is shown. Default: true.
	IsVisible *bool `json:"isVisible,omitempty"`
	// Position among the blocks, from 0. Default: at the end.
	Position *int64 `json:"position,omitempty"`
	// Start of the display period: RFC 3339 with an offset.
	ShowFrom time.Time `json:"showFrom,omitzero"`
	// End of the display period: RFC 3339 with an offset.
	ShowUntil time.Time `json:"showUntil,omitzero"`
}

// AddSectionBlock: A block of the type SECTION.
type AddSectionBlock struct {
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings SectionBlockSettingsInput `json:"settings"`
	// Whether the block is shown. Default: true.
	IsVisible *bool `json:"isVisible,omitempty"`
	// Position among the blocks, from 0. Default: at the end.
	Position *int64 `json:"position,omitempty"`
	// Start of the display period: RFC 3339 with an offset.
	ShowFrom time.Time `json:"showFrom,omitzero"`
	// End of the display period: RFC 3339 with an offset.
	ShowUntil time.Time `json:"showUntil,omitzero"`
}

// AddTestimonialBlock: A block of the type TESTIMONIAL.
type AddTestimonialBlock struct {
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings TestimonialBlockSettingsInput `json:"settings"`
	// Whether the block is shown. Default: true.
	IsVisible *bool `json:"isVisible,omitempty"`
	// Position among the blocks, from 0. Default: at the end.
	Position *int64 `json:"position,omitempty"`
	// Start of the display period: RFC 3339 with an offset.
	ShowFrom time.Time `json:"showFrom,omitzero"`
	// End of the display period: RFC 3339 with an offset.
	ShowUntil time.Time `json:"showUntil,omitzero"`
}

// AddTextBlock: A block of the type TEXT.
type AddTextBlock struct {
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings TextBlockSettingsInput `json:"settings"`
	// Whether the block is shown. Default: true.
	IsVisible *bool `json:"isVisible,omitempty"`
	// Position among the blocks, from 0. Default: at the end.
	Position *int64 `json:"position,omitempty"`
	// Start of the display period: RFC 3339 with an offset.
	ShowFrom time.Time `json:"showFrom,omitzero"`
	// End of the display period: RFC 3339 with an offset.
	ShowUntil time.Time `json:"showUntil,omitzero"`
}

// Appearance: Color scheme of a link page. AUTO follows the visitor's system. One of AUTO, LIGHT, DARK. Tolerate new
// values.
type Appearance string

// The present values of Appearance; there may be others.
const (
	AppearanceAUTO  Appearance = "AUTO"
	AppearanceLight Appearance = "LIGHT"
	AppearanceDARK  Appearance = "DARK"
)

// Approval is an object of the API.
type Approval struct {
	// State of the approval.
	Status ApprovalStatus `json:"status"`
	// Comment of the approver.
	Comment *string `json:"comment"`
	// Time of the decision; null while it is pending.
	DecidedAt *time.Time `json:"decidedAt"`
	// Approval policy of the post's channel.
	Policy ApprovalPolicy `json:"policy"`
	// Approvals of the present content that count under the policies REQUIRED and TWO_STEP.
	Approvals []GivenApproval `json:"approvals"`
}

// ApprovalEventData is an object of the API.
type ApprovalEventData struct {
	// ID of the post.
	PostID string `json:"postId"`
	// ID of the post's channel.
	ChannelID string `json:"channelId"`
	// State of the post after the event; for a deleted post, its last state.
	Status PostStatus `json:"status"`
	// Time at which the post was published; null unless the post is PUBLISHED.
	PublishedAt *time.Time `json:"publishedAt"`
	// URL of the published post; null if the post is not published or its network provides no URL.
	PostURL *string `json:"postUrl"`
	// Whether the network is known to show the post: false if it reports nothing about it, or its review took longer
	// than 24 hours; null unless the post is PUBLISHED.
	Confirmed *bool `json:"confirmed"`
	// Reason why publishing failed; null unless the post is FAILED.
	Error *PostError `json:"error"`
	// Type of the post's channel.
	ChannelType ChannelType `json:"channelType"`
	// Time at which the post is to be published; null if it has none.
	ScheduledAt *time.Time `json:"scheduledAt"`
	// ID of the set: the posts that were created by one request.
	GroupID string `json:"groupId"`
	// Labels of the post.
	Labels []string `json:"labels"`
	// ID of the post in the client's own system; null if it has none.
	ExternalID *string `json:"externalId"`
	// Values that the client stored with the post.
	Metadata map[string]string `json:"metadata"`
	// Comment of the approver; null if there is none, and always null in a request for approval.
	Comment *string `json:"comment"`
}

// ApprovalPolicy: Who must approve posts before they are published. NONE: no approval. OPTIONAL: people and programs
// may ask. REQUIRED: another person. TWO_STEP: two people. One of NONE, OPTIONAL, REQUIRED, TWO_STEP. Tolerate new
// values.
type ApprovalPolicy string

// The present values of ApprovalPolicy; there may be others.
const (
	ApprovalPolicyNONE     ApprovalPolicy = "NONE"
	ApprovalPolicyOptional ApprovalPolicy = "OPTIONAL"
	ApprovalPolicyRequired ApprovalPolicy = "REQUIRED"
	ApprovalPolicyTwoStep  ApprovalPolicy = "TWO_STEP"
)

// ApprovalStatus: State of the approval. One of PENDING, APPROVED, REJECTED. Tolerate new values.
type ApprovalStatus string

// The present values of ApprovalStatus; there may be others.
const (
	ApprovalStatusPending  ApprovalStatus = "PENDING"
	ApprovalStatusApproved ApprovalStatus = "APPROVED"
	ApprovalStatusRejected ApprovalStatus = "REJECTED"
)

// BlockClicks is an object of the API.
type BlockClicks struct {
	// The block.
	BlockID string `json:"blockId"`
	// Type of the block. Null after the block is deleted.
	Type *string `json:"type"`
	// Title or start of the text of the block. Null if it has none, or after the block is deleted.
	Label *string `json:"label"`
	// Number of clicks on the block.
	Clicks int64 `json:"clicks"`
	// Days with clicks, oldest first.
	Data []BlockDay `json:"data"`
}

// BlockDay is an object of the API.
type BlockDay struct {
	// The day, in UTC.
	Date string `json:"date"`
	// Number of clicks on the block.
	Clicks int64 `json:"clicks"`
}

// BulkItemResult is an object of the API.
type BulkItemResult struct {
	// Zero-based position of the item in the request.
	Index int64 `json:"index"`
	// Whether the posts of the item were created.
	Success bool `json:"success"`
	// The created posts; empty if the item failed.
	Posts []Post `json:"posts"`
	// Reason of the failure: the code of the problem, a colon, and the detail. Omitted if the item succeeded.
	Error string `json:"error,omitempty"`
	// The failure as the problem document that the item alone would return. Its pointers are into the item. Omitted if
	// the item succeeded.
	Problem *Problem `json:"problem,omitempty"`
}

// BulkUpdateResult is an object of the API.
type BulkUpdateResult struct {
	// Zero-based position of the item in the request.
	Index int64 `json:"index"`
	// Whether the post was changed or deleted; with dryRun, whether it would be.
	Success bool `json:"success"`
	// The changed post; with dryRun as it would be. Null if it was deleted, or if the item failed.
	Post *Post `json:"post"`
	// The failure as the problem document that edit-post or delete-post would return. Its pointers are into the item.
	// Null if the item succeeded.
	Problem *Problem `json:"problem"`
}

// Capabilities is an object of the API.
type Capabilities struct {
	// Whether posts can be created for the channel and published to it.
	Publish bool `json:"publish"`
	// Whether the network provides analytics for the channel.
	Analytics bool `json:"analytics"`
	// Whether the network allows changes to a published post.
	EditAfterPublish bool `json:"editAfterPublish"`
	// Whether the network allows deleting a published post.
	DeleteAfterPublish bool `json:"deleteAfterPublish"`
}

// Channel is an object of the API.
type Channel struct {
	// ID of the channel, for the fields channelId and channelIds of other operations.
	ID string `json:"id"`
	// Name of the account.
	Name string `json:"name"`
	// Kind of account. Treat unknown types as a generic channel.
	Type ChannelType `json:"type"`
	// Name of the account on its network.
	Username string `json:"username"`
	// URL of the account's image.
	Avatar *string `json:"avatar"`
	// Whether posts can be scheduled for and published to the channel.
	IsConnected bool `json:"isConnected"`
	// State of the access to the network. NEEDS_RECONNECT: reconnect the channel in the application, under Channels.
	// EXPIRING: the channel must be reconnected within 7 days. Tolerate new values.
	TokenStatus TokenStatus `json:"tokenStatus"`
	// Whether the channel is paused, or all publishing of the workspace is stopped: its due posts wait.
	IsQueuePaused bool `json:"isQueuePaused"`
	// Approval policy of the channel's posts: the stricter of its own and the workspace's.
	ApprovalPolicy ApprovalPolicy `json:"approvalPolicy"`
	// IANA time zone of the channel.
	Timezone string `json:"timezone"`
	// Time at which the channel was first connected.
	CreatedAt time.Time `json:"createdAt"`
	// Capabilities of channels of this type.
	Capabilities Capabilities `json:"capabilities"`
}

// ChannelAccessLostEvent: Sent when the network rejects the credentials of a connected channel (`tokenStatus`
// NEEDS_RECONNECT): a person must connect it again.
type ChannelAccessLostEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data ChannelEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// ChannelAccessRestoredEvent: Sent when a connected channel that had lost its access gets credentials that work,
// after channel.connected if a person has connected it.
type ChannelAccessRestoredEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data ChannelEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// ChannelAnalytics is an object of the API.
type ChannelAnalytics struct {
	// ID of the channel.
	ChannelID string `json:"channelId"`
	// Days that have figures, oldest first.
	Data []ChannelDay `json:"data"`
}

// ChannelConnectedEvent: Sent when a channel is connected, or connected again after it was removed or lost its
// access. New credentials for a working channel send no event.
type ChannelConnectedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data ChannelEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// ChannelDay is an object of the API.
type ChannelDay struct {
	// The day, in the time zone of the network.
	Date string `json:"date"`
	// Followers at the end of the day, or at the time of the count.
	Followers *int64 `json:"followers"`
	// Engagements ÷ impressions, or ÷ reach if there are no impressions. A ratio: 0.05 is 5 %.
	EngagementRate *float64 `json:"engagementRate"`
	// Number of times that content of the account was shown on that day.
	Impressions *int64 `json:"impressions"`
	// Number of people who saw content of the account on that day.
	Reach *int64 `json:"reach"`
	// Views of the profile on that day.
	ProfileViews *int64 `json:"profileViews"`
	// Clicks on the profile's website on that day.
	WebsiteClicks *int64 `json:"websiteClicks"`
}

// ChannelDisconnectedEvent: Sent when a channel is removed from the workspace. A channel that loses its access is not
// removed.
type ChannelDisconnectedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data ChannelEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// ChannelEventData is an object of the API.
type ChannelEventData struct {
	// ID of the channel.
	ChannelID string `json:"channelId"`
	// Kind of account.
	Type ChannelType `json:"type"`
	// Name of the channel.
	Name string `json:"name"`
}

// ChannelExpiringEvent: Sent when only a person can extend the access of a connected channel beyond the next 7 days
// (`tokenStatus` EXPIRING).
type ChannelExpiringEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data ChannelEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// ChannelSchedule is an object of the API.
type ChannelSchedule struct {
	// The channel.
	ChannelID string `json:"channelId"`
	// IANA time zone of the slots.
	Timezone string `json:"timezone"`
	// Whether the channel is paused, or all publishing of the workspace is stopped: its due posts wait, and next_slot is
	// rejected.
	IsQueuePaused bool `json:"isQueuePaused"`
	// Weekly time slots, starting on Monday.
	Slots []Slot `json:"slots"`
	// Next free slot; null if there is none.
	NextSlotAt *time.Time `json:"nextSlotAt"`
	// The next free slots within 90 days, at most ten. Empty while the channel is paused.
	NextSlots []time.Time `json:"nextSlots"`
}

// ChannelStanding is an object of the API.
type ChannelStanding struct {
	// ID of the channel.
	ChannelID string `json:"channelId"`
	// Name of the account.
	Name string `json:"name"`
	// Kind of account. Treat unknown types as a generic channel.
	Type ChannelType `json:"type"`
	// Last count of followers in or before the range.
	Followers *int64 `json:"followers"`
	// Engagement rate of this channel, computed like averageEngagementRate.
	EngagementRate *float64 `json:"engagementRate"`
	// Number of posts published in the range.
	PostsPublished int64 `json:"postsPublished"`
	// Increase of likes in the range.
	Likes *int64 `json:"likes"`
	// Increase of comments in the range.
	Comments *int64 `json:"comments"`
	// Increase of shares in the range.
	Shares *int64 `json:"shares"`
	// Time at which figures were last read completely; null if never.
	CollectedAt *time.Time `json:"collectedAt"`
	// Reason why figures are not read until the channel is reconnected; null if they are read.
	Problem *string `json:"problem"`
}

// ChannelType: Kind of account. Treat unknown types as a generic channel. One of FACEBOOK_PAGE, FACEBOOK_GROUP,
// INSTAGRAM_PROFESSIONAL, INSTAGRAM_PERSONAL, TWITTER, LINKEDIN_PROFILE, LINKEDIN_PAGE, TIKTOK_PERSONAL,
// TIKTOK_BUSINESS, YOUTUBE, PINTEREST, GOOGLE_BUSINESS, THREADS, TELEGRAM_CHANNEL, TELEGRAM_BUSINESS,
// WHATSAPP_BUSINESS, BLUESKY, MASTODON. Tolerate new values.
type ChannelType string

// The present values of ChannelType; there may be others.
const (
	ChannelTypeFacebookPage          ChannelType = "FACEBOOK_PAGE"
	ChannelTypeFacebookGroup         ChannelType = "FACEBOOK_GROUP"
	ChannelTypeInstagramProfessional ChannelType = "INSTAGRAM_PROFESSIONAL"
	ChannelTypeInstagramPersonal     ChannelType = "INSTAGRAM_PERSONAL"
	ChannelTypeTwitter               ChannelType = "TWITTER"
	ChannelTypeLinkedInProfile       ChannelType = "LINKEDIN_PROFILE"
	ChannelTypeLinkedInPage          ChannelType = "LINKEDIN_PAGE"
	ChannelTypeTikTokPersonal        ChannelType = "TIKTOK_PERSONAL"
	ChannelTypeTikTokBusiness        ChannelType = "TIKTOK_BUSINESS"
	ChannelTypeYouTube               ChannelType = "YOUTUBE"
	ChannelTypePinterest             ChannelType = "PINTEREST"
	ChannelTypeGoogleBusiness        ChannelType = "GOOGLE_BUSINESS"
	ChannelTypeThreads               ChannelType = "THREADS"
	ChannelTypeTelegramChannel       ChannelType = "TELEGRAM_CHANNEL"
	ChannelTypeTelegramBusiness      ChannelType = "TELEGRAM_BUSINESS"
	ChannelTypeWhatsappBusiness      ChannelType = "WHATSAPP_BUSINESS"
	ChannelTypeBluesky               ChannelType = "BLUESKY"
	ChannelTypeMastodon              ChannelType = "MASTODON"
)

// ChannelValidation is an object of the API.
type ChannelValidation struct {
	// ID of the channel.
	ChannelID string `json:"channelId"`
	// Type of the channel.
	Type ChannelType `json:"type"`
	// Whether the post can be published to the channel.
	Valid bool `json:"valid"`
	// Findings that prevent publishing.
	Errors []Finding `json:"errors"`
	// Findings that do not prevent publishing but are probably unintended.
	Warnings []Finding `json:"warnings"`
}

// Comment is an object of the API.
type Comment struct {
	// Text of the comment; empty: none.
	Content string `json:"content,omitempty"`
	// Seconds after the last part of the post.
	DelaySeconds *int64 `json:"delaySeconds,omitempty"`
}

// Conflict is an object of the API.
type Conflict struct {
	// SAME_TIME: due within 10 minutes. SAME_TEXT: the same text within 30 days, apart from case and white space, which
	// networks refuse as a duplicate or show to fewer people. Tolerate new values.
	Kind ConflictKind `json:"kind"`
	// ID of the other post.
	PostID string `json:"postId"`
}

// ConflictKind: SAME_TIME: due within 10 minutes. SAME_TEXT: the same text within 30 days, apart from case and white
// space, which networks refuse as a duplicate or show to fewer people. One of SAME_TIME, SAME_TEXT. Tolerate new
// values.
type ConflictKind string

// The present values of ConflictKind; there may be others.
const (
	ConflictKindSameTime ConflictKind = "SAME_TIME"
	ConflictKindSameText ConflictKind = "SAME_TEXT"
)

// ContentType: Kind of content: POST is a standard post, REEL a short vertical video, STORY an ephemeral story, VIDEO
// a regular video. One of POST, REEL, STORY, VIDEO. Tolerate new values.
type ContentType string

// The present values of ContentType; there may be others.
const (
	ContentTypePOST  ContentType = "POST"
	ContentTypeREEL  ContentType = "REEL"
	ContentTypeStory ContentType = "STORY"
	ContentTypeVideo ContentType = "VIDEO"
)

// ContinuePartsRequest is an object of the API.
type ContinuePartsRequest struct {
	// Whether the parts that are not published are given up, instead of published.
	End *bool `json:"end,omitempty"`
}

// Conversion is an object of the API.
type Conversion struct {
	// ID of the attachment.
	MediaID string `json:"mediaId"`
	// MIME type of the file that is sent.
	To string `json:"to"`
	// Maximum width of the file in pixels; null if the attachment is not measured yet.
	Width *int64 `json:"width"`
	// Its height in pixels.
	Height *int64 `json:"height"`
	// Size of the file; null until the file was made.
	Bytes *int64 `json:"bytes"`
}

// Cost is an object of the API.
type Cost struct {
	// Price in units of the currency, with up to three decimals.
	Amount float64 `json:"amount"`
	// ISO 4217 code.
	Currency string `json:"currency"`
}

// CountUsage is an object of the API.
type CountUsage struct {
	// Number in use.
	Used int64 `json:"used"`
	// Number allowed by the plan.
	Limit int64 `json:"limit"`
}

// CountdownBlock: A block of the type COUNTDOWN.
type CountdownBlock struct {
	// Id of the block. It stays the same when the page is published.
	ID string `json:"id"`
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings CountdownBlockSettings `json:"settings"`
	// Whether the block is shown.
	IsVisible bool `json:"isVisible"`
	// Start of the display period. Null: no start.
	ShowFrom *time.Time `json:"showFrom"`
	// End of the display period. Null: no end.
	ShowUntil *time.Time `json:"showUntil"`
}

// CountdownBlockSettings is an object of the API.
type CountdownBlockSettings struct {
	// Name of the event.
	Title string `json:"title"`
	// End of the countdown.
	EndsAt time.Time `json:"endsAt"`
	// Text shown after the end.
	EndedText *string `json:"endedText"`
	// A URL with https, mailto or tel.
	URL *string `json:"url"`
	// Text of the button. Requires url.
	ButtonLabel *string `json:"buttonLabel"`
}

// CountdownBlockSettingsInput is an object of the API.
type CountdownBlockSettingsInput struct {
	// Name of the event.
	Title string `json:"title"`
	// End of the countdown.
	EndsAt time.Time `json:"endsAt"`
	// Text of the button. Requires url.
	ButtonLabel string `json:"buttonLabel,omitempty"`
	// Text shown after the end.
	EndedText string `json:"endedText,omitempty"`
	// A URL with https, mailto or tel.
	URL string `json:"url,omitempty"`
}

// CouponBlock: A block of the type COUPON.
type CouponBlock struct {
	// Id of the block. It stays the same when the page is published.
	ID string `json:"id"`
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings CouponBlockSettings `json:"settings"`
	// Whether the block is shown.
	IsVisible bool `json:"isVisible"`
	// Start of the display period. Null: no start.
	ShowFrom *time.Time `json:"showFrom"`
	// End of the display period. Null: no end.
	ShowUntil *time.Time `json:"showUntil"`
}

// CouponBlockSettings is an object of the API.
type CouponBlockSettings struct {
	// Title, such as the discount.
	Title string `json:"title"`
	// Code that visitors copy.
	Code string `json:"code"`
	// Description of the offer.
	Description *string `json:"description"`
	// A URL with https, mailto or tel.
	URL *string `json:"url"`
	// Text of the button. Requires url.
	ButtonLabel *string `json:"buttonLabel"`
	// Time until which the code is valid. Null: no end.
	ExpiresAt *time.Time `json:"expiresAt"`
}

// CouponBlockSettingsInput is an object of the API.
type CouponBlockSettingsInput struct {
	// Title, such as the discount.
	Title string `json:"title"`
	// Code that visitors copy.
	Code string `json:"code"`
	// Text of the button. Requires url.
	ButtonLabel string `json:"buttonLabel,omitempty"`
	// Description of the offer.
	Description string `json:"description,omitempty"`
	// Time until which the code is valid. Null: no end.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	// A URL with https, mailto or tel.
	URL string `json:"url,omitempty"`
}

// CreateBulkRequest is an object of the API.
type CreateBulkRequest struct {
	// Items to create, each with the fields of create-posts.
	Posts []CreatePostsRequest `json:"posts"`
}

// CreateIdeaCardRequest is an object of the API.
type CreateIdeaCardRequest struct {
	// The idea in one line.
	Title string `json:"title"`
	// ID of a column of the board. Defaults to the first column.
	ColumnID string `json:"columnId,omitempty"`
	// Notes; may have several lines.
	Content string `json:"content,omitempty"`
	// IDs of labels of the board.
	LabelIDs []string `json:"labelIds,omitempty"`
	// Source of the idea: an http or https URL. The service never requests it.
	Link string `json:"link,omitempty"`
	// IDs of media in display order. They cannot be deleted while the card uses them.
	MediaIDs []string `json:"mediaIds,omitempty"`
	// Zero-based position in the column; 0 is the top. Defaults to the bottom.
	Position *int64 `json:"position,omitempty"`
}

// CreateLinkPageRequest is an object of the API.
type CreateLinkPageRequest struct {
	// Last part of the page's URL: letters a to z and digits, with single - or _ between them. Unique in the whole
	// service and case-insensitive.
	Handle string `json:"handle"`
	// Title, on one line.
	Title string `json:"title"`
	// Text below the title. Line breaks are kept.
	Bio string `json:"bio,omitempty"`
	// Data for search engines and link previews.
	SEO *LinkPageSEOInput `json:"seo,omitempty"`
	// Design of the page.
	Theme *LinkPageThemeInput `json:"theme,omitempty"`
}

// CreateLinkedInRequest is an object of the API.
type CreateLinkedInRequest struct {
	// ID of a LINKEDIN_PROFILE or LINKEDIN_PAGE channel.
	ChannelID string `json:"channelId"`
	// Text of the post.
	Content string `json:"content"`
	// Campaign of the posts.
	CampaignID string `json:"campaignId,omitempty"`
	// ID of the posts in the client's own system. No other post of a channel may have it.
	ExternalID string `json:"externalId,omitempty"`
	// Labels of the posts. A label that the workspace does not have is created.
	Labels []string `json:"labels,omitempty"`
	// Values that the client stores with the posts: at most 20, with names of at most 40 characters.
	Metadata map[string]string `json:"metadata,omitempty"`
	// draft creates a draft. now publishes at once. next_slot publishes at the next free slot of the channel's posting
	// schedule. A time (RFC 3339 with an offset, or without one beside timezone) publishes at that time. Every value
	// except draft also needs the scope posts:publish. Default: `draft`.
	Schedule string `json:"schedule,omitempty"`
	// IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time
	// that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is
	// valid beside any.
	Timezone string `json:"timezone,omitempty"`
	// Visibility of the post. CONNECTIONS is available for profiles only. Default: `PUBLIC`.
	Visibility CreateLinkedInVisibility `json:"visibility,omitempty"`
}

// CreateLinkedInVisibility: Visibility of the post. CONNECTIONS is available for profiles only. Default: `PUBLIC`.
type CreateLinkedInVisibility string

// The present values of CreateLinkedInVisibility; there may be others.
const (
	CreateLinkedInVisibilityPublic      CreateLinkedInVisibility = "PUBLIC"
	CreateLinkedInVisibilityConnections CreateLinkedInVisibility = "CONNECTIONS"
)

// CreatePinterestRequest is an object of the API.
type CreatePinterestRequest struct {
	// ID of a PINTEREST channel.
	ChannelID string `json:"channelId"`
	// ID of the board to pin to; list-pinterest-boards returns the channel's boards.
	BoardID string `json:"boardId"`
	// IDs of one image, one video, or 2 to 5 images that form a carousel.
	MediaIDs []string `json:"mediaIds"`
	// Alternative text of the image, for screen readers.
	AltText string `json:"altText,omitempty"`
	// ID of a section of the board.
	BoardSectionID string `json:"boardSectionId,omitempty"`
	// Campaign of the posts.
	CampaignID string `json:"campaignId,omitempty"`
	// Description of the pin.
	Content string `json:"content,omitempty"`
	// ID of the posts in the client's own system. No other post of a channel may have it.
	ExternalID string `json:"externalId,omitempty"`
	// Labels of the posts. A label that the workspace does not have is created.
	Labels []string `json:"labels,omitempty"`
	// Target URL of the pin.
	Link string `json:"link,omitempty"`
	// Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset.
	MediaAltTexts map[string]string `json:"mediaAltTexts,omitempty"`
	// Values that the client stores with the posts: at most 20, with names of at most 40 characters.
	Metadata map[string]string `json:"metadata,omitempty"`
	// draft creates a draft. now publishes at once. next_slot publishes at the next free slot of the channel's posting
	// schedule. A time (RFC 3339 with an offset, or without one beside timezone) publishes at that time. Every value
	// except draft also needs the scope posts:publish. Default: `draft`.
	Schedule string `json:"schedule,omitempty"`
	// IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time
	// that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is
	// valid beside any.
	Timezone string `json:"timezone,omitempty"`
	// Title of the pin. Pinterest shows up to 100 characters.
	Title string `json:"title,omitempty"`
}

// CreatePostsRequest is an object of the API.
type CreatePostsRequest struct {
	// Campaign of the posts.
	CampaignID string `json:"campaignId,omitempty"`
	// IDs of channels. One post is created for each channel, or none if one is rejected. May be omitted with variants:
	// it is then their channels.
	ChannelIDs []string `json:"channelIds,omitempty"`
	// Text of the posts.
	Content string `json:"content,omitempty"`
	// Kind of content: POST is a standard post, REEL a short vertical video, STORY an ephemeral story, VIDEO a regular
	// video with a title. Defaults to POST; with options it follows from them and from the media.
	ContentType ContentType `json:"contentType,omitempty"`
	// ID of the posts in the client's own system. No other post of a channel may have it.
	ExternalID string `json:"externalId,omitempty"`
	// A comment under the post, after its last part. Facebook, Instagram, LinkedIn, YouTube and the networks of threads.
	FirstComment *Comment `json:"firstComment,omitempty"`
	// Labels of the posts. A label that the workspace does not have is created.
	Labels []string `json:"labels,omitempty"`
	// Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset.
	MediaAltTexts map[string]string `json:"mediaAltTexts,omitempty"`
	// IDs of media in display order.
	MediaIDs []string `json:"mediaIds,omitempty"`
	// Values that the client stores with the posts: at most 20, with names of at most 40 characters.
	Metadata map[string]string `json:"metadata,omitempty"`
	// Settings of the platform, for channels of one network. Variants take the settings of channels of several networks.
	Options *PostOptions `json:"options,omitempty"`
	// Waits for another post; schedule is then the earliest time. {{url}} in the text becomes the address of that post.
	PublishAfter *PublishAfter `json:"publishAfter,omitempty"`
	// draft creates a draft. now publishes at once. next_slot publishes at the next free slot of the channel's posting
	// schedule. A time (RFC 3339 with an offset, or without one beside timezone) publishes at that time. Every value
	// except draft also needs the scope posts:publish. Default: `draft`.
	Schedule string `json:"schedule,omitempty"`
	// The parts of a thread after the first, which has content and mediaIds. X, Threads, Bluesky and Mastodon.
	Thread []Part `json:"thread,omitempty"`
	// IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time
	// that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is
	// valid beside any.
	Timezone string `json:"timezone,omitempty"`
	// Title, for video-style content.
	Title string `json:"title,omitempty"`
	// What the posts of channels have of their own. Each names another channel.
	Variants []Variant `json:"variants,omitempty"`
}

// CreateTikTokRequest is an object of the API.
type CreateTikTokRequest struct {
	// ID of a TIKTOK_PERSONAL or TIKTOK_BUSINESS channel.
	ChannelID string `json:"channelId"`
	// IDs of one video, or of up to 35 photos in display order.
	MediaIDs []string `json:"mediaIds"`
	// Whether comments are allowed. Defaults to the account's setting. Comments stay disabled if the account has
	// disabled them.
	AllowComments *bool `json:"allowComments,omitempty"`
	// Whether duets are allowed. Defaults like allowComments.
	AllowDuet *bool `json:"allowDuet,omitempty"`
	// Whether stitches are allowed. Defaults like allowComments.
	AllowStitch *bool `json:"allowStitch,omitempty"`
	// Discloses a paid partnership.
	BrandContent *bool `json:"brandContent,omitempty"`
	// Discloses that the account promotes its own business.
	BrandOrganic *bool `json:"brandOrganic,omitempty"`
	// Campaign of the posts.
	CampaignID string `json:"campaignId,omitempty"`
	// Caption.
	Content string `json:"content,omitempty"`
	// ID of the posts in the client's own system. No other post of a channel may have it.
	ExternalID string `json:"externalId,omitempty"`
	// Labels of the posts. A label that the workspace does not have is created.
	Labels []string `json:"labels,omitempty"`
	// Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset. TikTok takes
	// none.
	MediaAltTexts map[string]string `json:"mediaAltTexts,omitempty"`
	// Values that the client stores with the posts: at most 20, with names of at most 40 characters.
	Metadata map[string]string `json:"metadata,omitempty"`
	// Accepted and ignored: posts are published publicly.
	PrivacyLevel string `json:"privacyLevel,omitempty"`
	// draft creates a draft. now publishes at once. next_slot publishes at the next free slot of the channel's posting
	// schedule. A time (RFC 3339 with an offset, or without one beside timezone) publishes at that time. Every value
	// except draft also needs the scope posts:publish. Default: `draft`.
	Schedule string `json:"schedule,omitempty"`
	// IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time
	// that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is
	// valid beside any.
	Timezone string `json:"timezone,omitempty"`
	// Title of a photo post. TikTok shows up to 90 characters.
	Title string `json:"title,omitempty"`
	// true sends the post to the creator's inbox as a draft. The other settings are then ignored and chosen in the
	// TikTok app.
	UploadToDraft *bool `json:"uploadToDraft,omitempty"`
}

// CreateWebhookRequest is an object of the API.
type CreateWebhookRequest struct {
	// URL that receives events: https, port 443, a public address, no user information.
	URL string `json:"url"`
	// Event types to send, or ["*"] for all, including future types.
	Events []EventType `json:"events"`
	// IDs of channels of which the webhook gets events. It then gets no events without a channel. Null or omitted: every
	// event.
	ChannelIDs []string `json:"channelIds,omitempty"`
	// Description of the webhook.
	Description string `json:"description,omitempty"`
}

// CreateYouTubeLicense: Licence of the video.
type CreateYouTubeLicense string

// The present values of CreateYouTubeLicense; there may be others.
const (
	CreateYouTubeLicenseYouTube        CreateYouTubeLicense = "youtube"
	CreateYouTubeLicenseCreativeCommon CreateYouTubeLicense = "creativeCommon"
)

// CreateYouTubeRequest is an object of the API.
type CreateYouTubeRequest struct {
	// ID of a YOUTUBE channel.
	ChannelID string `json:"channelId"`
	// Title of the video. YouTube shows up to 100 characters and does not allow < and >.
	Title string `json:"title"`
	// ID of the video.
	MediaID string `json:"mediaId"`
	// Whether other sites may embed the video.
	AllowEmbedding *bool `json:"allowEmbedding,omitempty"`
	// Campaign of the posts.
	CampaignID string `json:"campaignId,omitempty"`
	// Number of the YouTube category.
	Category string `json:"category,omitempty"`
	// ID of the posts in the client's own system. No other post of a channel may have it.
	ExternalID string `json:"externalId,omitempty"`
	// Labels of the posts. A label that the workspace does not have is created.
	Labels []string `json:"labels,omitempty"`
	// Licence of the video.
	License CreateYouTubeLicense `json:"license,omitempty"`
	// Whether the video is made for children.
	MadeForKids *bool `json:"madeForKids,omitempty"`
	// Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset. YouTube takes
	// none.
	MediaAltTexts map[string]string `json:"mediaAltTexts,omitempty"`
	// Values that the client stores with the posts: at most 20, with names of at most 40 characters.
	Metadata map[string]string `json:"metadata,omitempty"`
	// Whether subscribers are notified.
	NotifySubscribers *bool `json:"notifySubscribers,omitempty"`
	// draft creates a draft. now publishes at once. next_slot publishes at the next free slot of the channel's posting
	// schedule. A time (RFC 3339 with an offset, or without one beside timezone) publishes at that time. Every value
	// except draft also needs the scope posts:publish. Default: `draft`.
	Schedule string `json:"schedule,omitempty"`
	// IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time
	// that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is
	// valid beside any.
	Timezone string `json:"timezone,omitempty"`
	// video: a regular video. short: a Short, vertical or square and at most 3 minutes long.
	VideoType CreateYouTubeVideoType `json:"videoType,omitempty"`
	// Visibility of the video. Default: `public`.
	Visibility CreateYouTubeVisibility `json:"visibility,omitempty"`
}

// CreateYouTubeVideoType: video: a regular video. short: a Short, vertical or square and at most 3 minutes long.
type CreateYouTubeVideoType string

// The present values of CreateYouTubeVideoType; there may be others.
const (
	CreateYouTubeVideoTypeVideo CreateYouTubeVideoType = "video"
	CreateYouTubeVideoTypeShort CreateYouTubeVideoType = "short"
)

// CreateYouTubeVisibility: Visibility of the video. Default: `public`.
type CreateYouTubeVisibility string

// The present values of CreateYouTubeVisibility; there may be others.
const (
	CreateYouTubeVisibilityPublic   CreateYouTubeVisibility = "public"
	CreateYouTubeVisibilityUnlisted CreateYouTubeVisibility = "unlisted"
	CreateYouTubeVisibilityPrivate  CreateYouTubeVisibility = "private"
)

// CreatedWebhook is an object of the API.
type CreatedWebhook struct {
	// Secret of the signatures (X-Service-Signature). Store it safely: only this response contains it.
	Secret string `json:"secret"`
	// ID of the webhook.
	ID string `json:"id"`
	// URL that receives events.
	URL string `json:"url"`
	// Description of the webhook.
	Description *string `json:"description"`
	// Event types that are sent; * matches all types, including future ones.
	Events []EventType `json:"events"`
	// IDs of the channels of which events are sent; null: every event, also those without a channel. A channel stays in
	// the list while it is disconnected.
	ChannelIDs []string `json:"channelIds"`
	// Whether events are sent. False after 10 consecutive exhausted deliveries, after a response 410 Gone, or if the
	// webhook was disabled by a request.
	IsActive bool `json:"isActive"`
	// Number of consecutive deliveries that used up all attempts. A successful delivery and enabling the webhook set it
	// to 0.
	ConsecutiveFailures int64 `json:"consecutiveFailures"`
	// Time at which the webhook was disabled; null while it is active.
	DisabledAt *time.Time `json:"disabledAt"`
	// Reason: CONSECUTIVE_FAILURES, GONE or MANUAL; null while the webhook is active. Tolerate new values.
	DisabledReason *string `json:"disabledReason"`
	// Time at which the webhook was created.
	CreatedAt time.Time `json:"createdAt"`
	// Time of the last change of the webhook.
	UpdatedAt time.Time `json:"updatedAt"`
	// Time until which the previous secret also signs; null if only the current secret signs.
	PreviousSecretExpiresAt *time.Time `json:"previousSecretExpiresAt"`
}

// CreatorInfo is an object of the API.
type CreatorInfo struct {
	// Display name of the account.
	Nickname string `json:"nickname"`
	// URL of the account's image. It expires after some hours.
	AvatarURL *string `json:"avatarUrl"`
	// Visibilities that TikTok offers to the account. Without PUBLIC_TO_EVERYONE the account is private and requires
	// uploadToDraft. Tolerate new values.
	PrivacyLevelOptions []string `json:"privacyLevelOptions"`
	// Whether the account has disabled comments.
	CommentDisabled bool `json:"commentDisabled"`
	// Whether the account has disabled duets.
	DuetDisabled bool `json:"duetDisabled"`
	// Whether the account has disabled stitches.
	StitchDisabled bool `json:"stitchDisabled"`
	// Maximum duration of a video, in seconds.
	MaxVideoDurationSec int64 `json:"maxVideoDurationSec"`
}

// DecisionRequest is an object of the API.
type DecisionRequest struct {
	// Comment for the author. Included in the timeline and in the event.
	Comment string `json:"comment,omitempty"`
}

// DeliveryAttempt is an object of the API.
type DeliveryAttempt struct {
	// Number of the attempt, starting at 1.
	N int64 `json:"n"`
	// Trigger of the attempt. AUTOMATIC: the event, a scheduled retry, or a replay. MANUAL: a redelivery. TEST:
	// webhook.test. Tolerate new values.
	Trigger string `json:"trigger"`
	// Start of the attempt; t in its signature.
	StartedAt time.Time `json:"startedAt"`
	// Duration of the attempt, in milliseconds.
	DurationMs int64 `json:"durationMs"`
	// HTTP status of the response; null if none was received.
	StatusCode *int64 `json:"statusCode"`
	// The first 2 KiB of the response body, as text without control characters; null if there is none.
	Response *string `json:"response"`
	// Error of the attempt; null if it succeeded. status_1xx, status_3xx, status_4xx or status_5xx: the status of the
	// response (redirects are not followed). timeout: no complete response header within 15 seconds. dns_error: the host
	// name does not resolve. connection_refused: no connection was established. connection_reset: the connection was
	// closed before the end of the response. tls_error: the TLS handshake or the certificate check failed.
	// blocked_address, blocked_url: the address or the URL is not public or not allowed. too_large: the response header
	// is too large. protocol_error: the response is not valid HTTP. canceled: the service canceled the attempt; the
	// endpoint is not at fault. Tolerate new values.
	Error *string `json:"error"`
}

// DeliveryStatus: PENDING: queued or being attempted. SUCCEEDED: the endpoint accepted it. FAILED: all attempts
// failed. CANCELLED: the webhook was disabled before an attempt succeeded. SKIPPED: the event was created while the
// webhook was disabled. One of PENDING, SUCCEEDED, FAILED, CANCELLED, SKIPPED. Tolerate new values.
type DeliveryStatus string

// The present values of DeliveryStatus; there may be others.
const (
	DeliveryStatusPending   DeliveryStatus = "PENDING"
	DeliveryStatusSucceeded DeliveryStatus = "SUCCEEDED"
	DeliveryStatusFailed    DeliveryStatus = "FAILED"
	DeliveryStatusCancelled DeliveryStatus = "CANCELLED"
	DeliveryStatusSkipped   DeliveryStatus = "SKIPPED"
)

// EditMediaRequest is an object of the API.
type EditMediaRequest struct {
	// Alternative text, for people who cannot see the file. null removes it.
	AltText Optional[string] `json:"altText,omitzero"`
	// Name of the asset, stored unchanged. Must not contain control characters, / or \.
	Name Optional[string] `json:"name,omitzero"`
}

// EditPostFirstComment: The first comment. Replaces it; null removes it.
type EditPostFirstComment struct {
	// Text of the comment; empty: none.
	Content Optional[string] `json:"content,omitzero"`
	// Seconds after the last part of the post.
	DelaySeconds Optional[int64] `json:"delaySeconds,omitzero"`
}

// EditPostOptions: Settings of the platform. Fields that are sent replace those of the post, null removes a field,
// and other fields are unchanged (RFC 7396). null instead of an object removes all settings.
type EditPostOptions struct {
	// Google Business: URL of the button.
	ActionURL Optional[string] `json:"actionUrl,omitzero"`
	// Instagram, X, TikTok and YouTube: whether the post is labelled as AI-generated.
	AiGenerated Optional[bool] `json:"aiGenerated,omitzero"`
	// TikTok: whether others may comment, by default as the account has it.
	AllowComments Optional[bool] `json:"allowComments,omitzero"`
	// TikTok: whether others may make duets with the video.
	AllowDuet Optional[bool] `json:"allowDuet,omitzero"`
	// YouTube: whether other sites may embed the video.
	AllowEmbedding Optional[bool] `json:"allowEmbedding,omitzero"`
	// TikTok: whether others may stitch the video into theirs.
	AllowStitch Optional[bool] `json:"allowStitch,omitzero"`
	// Pinterest: alternative text of the image.
	AltText Optional[string] `json:"altText,omitzero"`
	// Pinterest: the board to pin to.
	BoardID Optional[string] `json:"boardId,omitzero"`
	// Pinterest: the section of the board to pin to.
	BoardSectionID Optional[string] `json:"boardSectionId,omitzero"`
	// X: whether the post is labelled as a paid partnership. TikTok: discloses a paid partnership.
	BrandContent Optional[bool] `json:"brandContent,omitzero"`
	// TikTok: discloses that the account promotes its own business.
	BrandOrganic Optional[bool] `json:"brandOrganic,omitzero"`
	// Google Business: kind of the button: BOOK, ORDER, SHOP, LEARN_MORE, SIGN_UP or CALL.
	CallToAction Optional[string] `json:"callToAction,omitzero"`
	// YouTube: the number of YouTube's category, such as 22.
	Category Optional[string] `json:"category,omitzero"`
	// Instagram: user names of accounts that are invited as authors.
	Collaborators Optional[[]string] `json:"collaborators,omitzero"`
	// Bluesky: label of the attachments, by which readers hide them: sexual, nudity, porn or graphic-media.
	ContentLabel Optional[string] `json:"contentLabel,omitzero"`
	// Mastodon: warning that is shown instead of the post until a reader opens it, and counts as its text.
	ContentWarning Optional[string] `json:"contentWarning,omitzero"`
	// Google Business: code of the offer.
	CouponCode Optional[string] `json:"couponCode,omitzero"`
	// Instagram: URL of a reel's cover.
	CoverURL Optional[string] `json:"coverUrl,omitzero"`
	// Google Business: end, like eventStart.
	EventEnd Optional[string] `json:"eventEnd,omitzero"`
	// Google Business: start, as a date or as a date and a time of the location.
	EventStart Optional[string] `json:"eventStart,omitzero"`
	// Google Business: title of an event or offer.
	EventTitle Optional[string] `json:"eventTitle,omitzero"`
	// Bluesky and Mastodon: language of the text, as a tag like en or pt-BR.
	Language Optional[string] `json:"language,omitzero"`
	// YouTube: the licence of the video: youtube or creativeCommon.
	License Optional[string] `json:"license,omitzero"`
	// Facebook and Threads: URL of the card. LinkedIn: publishes the post as the card of this link, with the post's
	// title and its image as the thumbnail. Pinterest: target URL of the pin.
	Link Optional[string] `json:"link,omitzero"`
	// Telegram: where the message shows the page of its first link: below, above or none.
	LinkPreview Optional[string] `json:"linkPreview,omitzero"`
	// Instagram: id of the Facebook Page of the place.
	LocationID Optional[string] `json:"locationId,omitzero"`
	// X: publishes a text of up to 25,000 characters, for accounts with X Premium. Threads: a text of more than 500
	// characters is attached, and the post shows its beginning. Telegram: publishes a text of up to 32,768 characters as
	// a rich message.
	LongText Optional[bool] `json:"longText,omitzero"`
	// YouTube: whether the video is made for children.
	MadeForKids Optional[bool] `json:"madeForKids,omitzero"`
	// YouTube: whether subscribers are notified.
	NotifySubscribers Optional[bool] `json:"notifySubscribers,omitzero"`
	// X and Mastodon: minutes for which the poll is open, by default a day. LinkedIn: minutes for which the poll is
	// open, by default a day: 1440, 4320, 10080 or 20160.
	PollMinutes Optional[int64] `json:"pollMinutes,omitzero"`
	// Telegram and Mastodon: whether a reader may choose several answers.
	PollMultiple Optional[bool] `json:"pollMultiple,omitzero"`
	// X, LinkedIn, Threads, Telegram and Mastodon: answers of a poll below the text.
	PollOptions Optional[[]string] `json:"pollOptions,omitzero"`
	// LinkedIn: question of the poll, which it requires.
	PollQuestion Optional[string] `json:"pollQuestion,omitzero"`
	// TikTok: who may watch: a level that the creator's information lists: PUBLIC_TO_EVERYONE, MUTUAL_FOLLOW_FRIENDS,
	// FOLLOWER_OF_CREATOR or SELF_ONLY.
	Privacy Optional[string] `json:"privacy,omitzero"`
	// Telegram: whether Telegram prevents forwarding and saving the post.
	Protected Optional[bool] `json:"protected,omitzero"`
	// X and Bluesky: address of the post to quote.
	Quote Optional[string] `json:"quote,omitzero"`
	// Google Business: URL at which the offer is redeemed.
	RedeemURL Optional[string] `json:"redeemUrl,omitzero"`
	// X: who may reply: everyone, following, mentioned, subscribers or verified. Threads: who may reply: everyone,
	// following, followers or mentioned. Bluesky: who may reply: everyone, following, followers, mentioned or none.
	Replies Optional[string] `json:"replies,omitzero"`
	// Threads, Telegram and Mastodon: whether the attachments are hidden until a reader opens them.
	Sensitive Optional[bool] `json:"sensitive,omitzero"`
	// Instagram: whether a reel is also shown in the feed.
	ShareToFeed Optional[bool] `json:"shareToFeed,omitzero"`
	// Telegram: whether subscribers are notified without a sound.
	Silent Optional[bool] `json:"silent,omitzero"`
	// YouTube: tags of the video.
	Tags Optional[[]string] `json:"tags,omitzero"`
	// Google Business: terms of the offer.
	Terms Optional[string] `json:"terms,omitzero"`
	// Instagram, TikTok and Pinterest: the frame that is the cover.
	ThumbOffset Optional[int64] `json:"thumbOffset,omitzero"`
	// Threads: topic of the post, without #.
	TopicTag Optional[string] `json:"topicTag,omitzero"`
	// Google Business: kind of post: STANDARD, EVENT or OFFER.
	TopicType Optional[string] `json:"topicType,omitzero"`
	// Instagram: shows a reel to people who do not follow first, and to followers by hand or when it does well: manual
	// or automatic.
	TrialReel Optional[string] `json:"trialReel,omitzero"`
	// TikTok: sends a draft to the creator's inbox instead of publishing.
	UploadToDraft Optional[bool] `json:"uploadToDraft,omitzero"`
	// Instagram: user names of accounts that are tagged in the first file.
	UserTags Optional[[]string] `json:"userTags,omitzero"`
	// YouTube: a regular video or a Short: video or short.
	VideoType Optional[string] `json:"videoType,omitzero"`
	// LinkedIn: visibility of the post: everyone, or the member's connections: PUBLIC or CONNECTIONS. YouTube:
	// visibility of the video: public, unlisted or private. Mastodon: visibility of the post: everyone, everyone but not
	// in public lists, or followers: public, unlisted or private.
	Visibility Optional[string] `json:"visibility,omitzero"`
}

// EditPostPublishAfter: Waits for another post; null: waits for none. For a SCHEDULED post it also needs the scope
// posts:publish.
type EditPostPublishAfter struct {
	// Instead of postId: the channel whose post of this request must be published first.
	ChannelID Optional[string] `json:"channelId,omitzero"`
	// Seconds after that post.
	DelaySeconds Optional[int64] `json:"delaySeconds,omitzero"`
	// If that post fails or is deleted: hold (default) waits for it, cancel returns to DRAFT, publish publishes.
	OnFailure Optional[OnFailure] `json:"onFailure,omitzero"`
	// Post that must be published first.
	PostID Optional[string] `json:"postId,omitzero"`
}

// EditPostRequest is an object of the API.
type EditPostRequest struct {
	// Campaign of the post; null takes it out of its campaign.
	CampaignID Optional[string] `json:"campaignId,omitzero"`
	// Text of the post.
	Content Optional[string] `json:"content,omitzero"`
	// Kind of content.
	ContentType Optional[ContentType] `json:"contentType,omitzero"`
	// ID of the post in the client's own system; null removes it.
	ExternalID Optional[string] `json:"externalId,omitzero"`
	// The first comment. Replaces it; null removes it.
	FirstComment Optional[EditPostFirstComment] `json:"firstComment,omitzero"`
	// Labels of the post. Replaces all of them; null removes them.
	Labels Optional[[]string] `json:"labels,omitzero"`
	// Alternative texts of this post, by ID of the attachment. Replaces all of them; null removes them. If omitted,
	// those of removed media are removed.
	MediaAltTexts Optional[map[string]string] `json:"mediaAltTexts,omitzero"`
	// IDs of media in display order. Replaces all media of the post.
	MediaIDs Optional[[]string] `json:"mediaIds,omitzero"`
	// Values that the client stores with the post. Values that are sent replace those of the post, null removes a value,
	// and other values are unchanged (RFC 7396). null instead of an object removes all.
	Metadata Optional[map[string]*string] `json:"metadata,omitzero"`
	// Settings of the platform. Fields that are sent replace those of the post, null removes a field, and other fields
	// are unchanged (RFC 7396). null instead of an object removes all settings.
	Options Optional[EditPostOptions] `json:"options,omitzero"`
	// Waits for another post; null: waits for none. For a SCHEDULED post it also needs the scope posts:publish.
	PublishAfter Optional[EditPostPublishAfter] `json:"publishAfter,omitzero"`
	// RFC 3339 with an offset, or without one beside timezone. For a DRAFT, sets the intended time, which is kept
	// through approval and does not schedule the post; null removes it. For a SCHEDULED post, changes the time of
	// publishing, which also needs the scope posts:publish.
	ScheduledAt Optional[string] `json:"scheduledAt,omitzero"`
	// The parts after the first. Replaces all of them; null or an empty list removes them.
	Thread Optional[[]Part] `json:"thread,omitzero"`
	// IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time
	// that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is
	// valid beside any.
	Timezone Optional[string] `json:"timezone,omitzero"`
	// Title; null removes it.
	Title Optional[string] `json:"title,omitzero"`
}

// EventType: Type of an event; * matches all types, including future ones. One of *, post.created, post.scheduled,
// post.unscheduled, post.updated, post.published, post.part_failed, post.completed, post.failed, post.deleted,
// post.approval_requested, post.approved, post.rejected, post.commented, channel.connected, channel.disconnected,
// channel.access_lost, channel.access_restored, channel.expiring, media.ready, media.failed, lead.created,
// lead.stage_changed, webhook.test. Tolerate new values.
type EventType string

// The present values of EventType; there may be others.
const (
	EventTypeAll                   EventType = "*"
	EventTypePostCreated           EventType = "post.created"
	EventTypePostScheduled         EventType = "post.scheduled"
	EventTypePostUnscheduled       EventType = "post.unscheduled"
	EventTypePostUpdated           EventType = "post.updated"
	EventTypePostPublished         EventType = "post.published"
	EventTypePostPartFailed        EventType = "post.part_failed"
	EventTypePostCompleted         EventType = "post.completed"
	EventTypePostFailed            EventType = "post.failed"
	EventTypePostDeleted           EventType = "post.deleted"
	EventTypePostApprovalRequested EventType = "post.approval_requested"
	EventTypePostApproved          EventType = "post.approved"
	EventTypePostRejected          EventType = "post.rejected"
	EventTypePostCommented         EventType = "post.commented"
	EventTypeChannelConnected      EventType = "channel.connected"
	EventTypeChannelDisconnected   EventType = "channel.disconnected"
	EventTypeChannelAccessLost     EventType = "channel.access_lost"
	EventTypeChannelAccessRestored EventType = "channel.access_restored"
	EventTypeChannelExpiring       EventType = "channel.expiring"
	EventTypeMediaReady            EventType = "media.ready"
	EventTypeMediaFailed           EventType = "media.failed"
	EventTypeLeadCreated           EventType = "lead.created"
	EventTypeLeadStageChanged      EventType = "lead.stage_changed"
	EventTypeWebhookTest           EventType = "webhook.test"
)

// FailedPart is an object of the API.
type FailedPart struct {
	// Position of the part, from 0, the post itself.
	Index int64 `json:"index"`
	// REPLY in a thread, or COMMENT under the post.
	Kind FailedPartKind `json:"kind"`
	// FAILED, or UNKNOWN: the network may have the part.
	Status FailedPartStatus `json:"status"`
	// Reason why the part is not published.
	Error *PostError `json:"error"`
}

// FailedPartKind: REPLY in a thread, or COMMENT under the post. One of REPLY, COMMENT. Tolerate new values.
type FailedPartKind string

// The present values of FailedPartKind; there may be others.
const (
	FailedPartKindReply   FailedPartKind = "REPLY"
	FailedPartKindComment FailedPartKind = "COMMENT"
)

// FailedPartStatus: FAILED, or UNKNOWN: the network may have the part. One of FAILED, UNKNOWN. Tolerate new values.
type FailedPartStatus string

// The present values of FailedPartStatus; there may be others.
const (
	FailedPartStatusFailed  FailedPartStatus = "FAILED"
	FailedPartStatusUnknown FailedPartStatus = "UNKNOWN"
)

// FaqBlock: A block of the type FAQ.
type FaqBlock struct {
	// Id of the block. It stays the same when the page is published.
	ID string `json:"id"`
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings FaqBlockSettings `json:"settings"`
	// Whether the block is shown.
	IsVisible bool `json:"isVisible"`
	// Start of the display period. Null: no start.
	ShowFrom *time.Time `json:"showFrom"`
	// End of the display period. Null: no end.
	ShowUntil *time.Time `json:"showUntil"`
}

// FaqBlockSettings is an object of the API.
type FaqBlockSettings struct {
	// Heading of the questions.
	Title *string `json:"title"`
	// Questions with their answers, in display order.
	Items []FaqItem `json:"items"`
}

// FaqBlockSettingsInput is an object of the API.
type FaqBlockSettingsInput struct {
	// Questions with their answers, in display order.
	Items []FaqItemInput `json:"items"`
	// Heading of the questions.
	Title string `json:"title,omitempty"`
}

// FaqItem is an object of the API.
type FaqItem struct {
	// The question, on one line.
	Question string `json:"question"`
	// The answer. Line breaks are kept.
	Answer string `json:"answer"`
}

// FaqItemInput is an object of the API.
type FaqItemInput struct {
	// The question, on one line.
	Question string `json:"question"`
	// The answer. Line breaks are kept.
	Answer string `json:"answer"`
}

// Fault is an object of the API.
type Fault struct {
	// Location of the fault: a JSON Pointer (RFC 6901) into the body, or the name of a parameter.
	Pointer string `json:"pointer"`
	// Explanation of the fault.
	Message string `json:"message"`
}

// Finding is an object of the API.
type Finding struct {
	// Code of the problem that scheduling or publishing would return.
	Code string `json:"code"`
	// Location of the finding: a JSON Pointer (RFC 6901) into the body.
	Pointer string `json:"pointer"`
	// Explanation of the finding.
	Message string `json:"message"`
}

// GivenApproval is an object of the API.
type GivenApproval struct {
	// Name of the person.
	By string `json:"by"`
	// Time of the approval.
	At time.Time `json:"at"`
}

// IdeaBoard is an object of the API.
type IdeaBoard struct {
	// ID of the board.
	ID string `json:"id"`
	// Name of the board.
	Name string `json:"name"`
	// Number of cards on the board.
	CardCount int64 `json:"cardCount"`
	// Columns from left to right.
	Columns []IdeaColumn `json:"columns"`
	// Labels available to cards of the board.
	Labels []IdeaLabel `json:"labels"`
	// Time at which the board was created.
	CreatedAt time.Time `json:"createdAt"`
	// Time of the last change of the board or of a card on it.
	UpdatedAt time.Time `json:"updatedAt"`
}

// IdeaBoardCards is an object of the API.
type IdeaBoardCards struct {
	// Cards by column from left to right, then from top to bottom.
	Cards []IdeaCard `json:"cards"`
	// Cursor of the following cards; null if there are none.
	NextCursor *string `json:"nextCursor"`
	// ID of the board.
	ID string `json:"id"`
	// Name of the board.
	Name string `json:"name"`
	// Number of cards on the board.
	CardCount int64 `json:"cardCount"`
	// Columns from left to right.
	Columns []IdeaColumn `json:"columns"`
	// Labels available to cards of the board.
	Labels []IdeaLabel `json:"labels"`
	// Time at which the board was created.
	CreatedAt time.Time `json:"createdAt"`
	// Time of the last change of the board or of a card on it.
	UpdatedAt time.Time `json:"updatedAt"`
}

// IdeaBoardList is an object of the API.
type IdeaBoardList struct {
	// Boards, oldest first.
	Data []IdeaBoard `json:"data"`
	// Always null: the list has a single page.
	NextCursor *string `json:"nextCursor"`
}

// IdeaCard is an object of the API.
type IdeaCard struct {
	// ID of the card.
	ID string `json:"id"`
	// ID of the card's board.
	BoardID string `json:"boardId"`
	// ID of the card's column.
	ColumnID string `json:"columnId"`
	// Zero-based position in the column, from the top.
	Position int64 `json:"position"`
	// The idea in one line.
	Title string `json:"title"`
	// Notes; empty if there are none.
	Content string `json:"content"`
	// IDs of the card's labels, in the board's order.
	LabelIDs []string `json:"labelIds"`
	// IDs of the card's media, in display order.
	MediaIDs []string `json:"mediaIds"`
	// Source of the idea; null if there is none.
	Link *string `json:"link"`
	// Time at which the card was created.
	CreatedAt time.Time `json:"createdAt"`
	// Time of the last change of the card.
	UpdatedAt time.Time `json:"updatedAt"`
}

// IdeaColumn is an object of the API.
type IdeaColumn struct {
	// ID of the column.
	ID string `json:"id"`
	// Name of the column.
	Name string `json:"name"`
	// Number of cards in the column.
	CardCount int64 `json:"cardCount"`
}

// IdeaLabel is an object of the API.
type IdeaLabel struct {
	// ID of the label.
	ID string `json:"id"`
	// Name of the label.
	Name string `json:"name"`
	// Color of the label: #rrggbb in lower case, dark enough for white text.
	Color string `json:"color"`
}

// ImportMediaRequest is an object of the API.
type ImportMediaRequest struct {
	// URL of the file: http or https, a public address, port 80 or 443, no user information.
	URL string `json:"url"`
	// Name of the asset, stored unchanged. Must not contain control characters, / or \. Defaults to the name of the
	// file.
	Name string `json:"name,omitempty"`
	// Source of the file, stored as attribution within the workspace. The service never requests it and never returns
	// it.
	SourceURL string `json:"sourceUrl,omitempty"`
}

// Lead is an object of the API.
type Lead struct {
	// ID of the lead.
	ID string `json:"id"`
	// ID of the person, if the lead is linked to a person of the workspace.
	PersonID *string `json:"person_id"`
	// Name of the person.
	Name string `json:"name"`
	// Name of the account on its platform.
	Handle *string `json:"handle"`
	// URL of the profile; http or https.
	ProfileURL *string `json:"profile_url"`
	// Platform of the lead. One of FACEBOOK, INSTAGRAM, TWITTER, LINKEDIN, TIKTOK, YOUTUBE, PINTEREST, GOOGLE_BUSINESS,
	// THREADS, TELEGRAM, WHATSAPP, BLUESKY, MASTODON. Tolerate new values.
	Platform *string `json:"platform"`
	// Source of the lead.
	Source LeadSource `json:"source"`
	// Estimated likelihood that the lead buys. One of COLD, WARM, HOT. Tolerate new values.
	Temperature *string `json:"temperature"`
	// Interest of the lead.
	Interest *string `json:"interest"`
	// Stage of the lead.
	Stage LeadStage `json:"stage"`
	// Estimated value of the deal, in units of the currency.
	Value *float64 `json:"value"`
	// Currency of the value (ISO 4217).
	Currency *string `json:"currency"`
	// Planned time of the next contact.
	FollowUpAt *time.Time `json:"follow_up_at"`
	// Email address of the lead.
	ContactEmail *string `json:"contact_email"`
	// Phone number of the lead, stored unchanged.
	ContactPhone *string `json:"contact_phone"`
	// Reason why the lead was lost; null unless the stage is LOST.
	LostReason *string `json:"lost_reason"`
	// Time at which the lead was captured.
	CreatedAt time.Time `json:"created_at"`
	// Time of the last change of the lead.
	UpdatedAt time.Time `json:"updated_at"`
}

// LeadCreatedEvent: Sent when a lead is captured by the Sales Lead agent, by the browser extension or by hand.
type LeadCreatedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data LeadEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// LeadEventData is an object of the API.
type LeadEventData struct {
	// The lead.
	Lead Lead `json:"lead"`
}

// LeadSource: Source of a lead. One of SALES_LEAD_AGENT, BROWSER_EXTENSION, MANUAL. Tolerate new values.
type LeadSource string

// The present values of LeadSource; there may be others.
const (
	LeadSourceSalesLeadAgent   LeadSource = "SALES_LEAD_AGENT"
	LeadSourceBrowserExtension LeadSource = "BROWSER_EXTENSION"
	LeadSourceManual           LeadSource = "MANUAL"
)

// LeadStage: Stage of a lead. One of NEW, CONTACTED, QUALIFIED, PROPOSAL, WON, LOST. Tolerate new values.
type LeadStage string

// The present values of LeadStage; there may be others.
const (
	LeadStageNEW       LeadStage = "NEW"
	LeadStageContacted LeadStage = "CONTACTED"
	LeadStageQualified LeadStage = "QUALIFIED"
	LeadStageProposal  LeadStage = "PROPOSAL"
	LeadStageWON       LeadStage = "WON"
	LeadStageLOST      LeadStage = "LOST"
)

// LeadStageChangedEvent: Sent when a lead moves to another stage. Other changes of a lead send no event.
type LeadStageChangedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data LeadStageEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// LeadStageEventData is an object of the API.
type LeadStageEventData struct {
	// The changed lead.
	Lead Lead `json:"lead"`
	// Previous stage of the lead.
	PreviousStage LeadStage `json:"previous_stage"`
	// Current stage of the lead, equal to stage of the lead.
	Stage LeadStage `json:"stage"`
}

// LinkBlock: A block of the type LINK.
type LinkBlock struct {
	// Id of the block. It stays the same when the page is published.
	ID string `json:"id"`
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings LinkBlockSettings `json:"settings"`
	// Whether the block is shown.
	IsVisible bool `json:"isVisible"`
	// Start of the display period. Null: no start.
	ShowFrom *time.Time `json:"showFrom"`
	// End of the display period. Null: no end.
	ShowUntil *time.Time `json:"showUntil"`
}

// LinkBlockSettings is an object of the API.
type LinkBlockSettings struct {
	// Text of the button, on one line.
	Title string `json:"title"`
	// A URL with https, mailto or tel.
	URL string `json:"url"`
	// A line below the title.
	Description *string `json:"description"`
	// An IMAGE or a GIF of the workspace.
	ImageMediaID *string `json:"imageMediaId"`
	// Whether the button is filled with the accent color.
	Featured bool `json:"featured"`
}

// LinkBlockSettingsInput is an object of the API.
type LinkBlockSettingsInput struct {
	// Text of the button, on one line.
	Title string `json:"title"`
	// A URL with https, mailto or tel.
	URL string `json:"url"`
	// A line below the title.
	Description string `json:"description,omitempty"`
	// Whether the button is filled with the accent color. Default: `false`.
	Featured *bool `json:"featured,omitempty"`
	// An IMAGE or a GIF of the workspace.
	ImageMediaID string `json:"imageMediaId,omitempty"`
}

// LinkPage is an object of the API.
type LinkPage struct {
	// Id of the page.
	ID string `json:"id"`
	// Last part of the page's URL, in the draft.
	Handle string `json:"handle"`
	// URL of the page once the draft is published.
	URL string `json:"url"`
	// PUBLISHED while visitors can see the page, otherwise DRAFT.
	Status LinkPageStatus `json:"status"`
	// Title, in the draft.
	Title string `json:"title"`
	// Text below the title, in the draft.
	Bio *string `json:"bio"`
	// Data for search engines and link previews, in the draft.
	SEO LinkPageSEO `json:"seo"`
	// Design of the page, in the draft.
	Theme LinkPageTheme `json:"theme"`
	// Blocks of the draft, in display order.
	Blocks []LinkPageBlock `json:"blocks"`
	// Number of changes of the page. In quotes, it is the page's ETag.
	Revision int64 `json:"revision"`
	// Whether publishing would change what visitors see. True while the page is not published.
	HasUnpublishedChanges bool `json:"hasUnpublishedChanges"`
	// The published version, which visitors see. Null while the page is not published.
	Published *PublishedLinkPage `json:"published"`
	// Time at which the page was created.
	CreatedAt time.Time `json:"createdAt"`
	// Time of the last change.
	UpdatedAt time.Time `json:"updatedAt"`
}

// LinkPageAnalytics is an object of the API.
type LinkPageAnalytics struct {
	// The page.
	LinkPageID string `json:"linkPageId"`
	// First day, in UTC.
	From string `json:"from"`
	// Last day, in UTC.
	To string `json:"to"`
	// Number of page views. Requests by crawlers are not counted.
	Views int64 `json:"views"`
	// Sum of the unique visitors of each day. A visitor on two days counts twice, because visitors are not identified
	// across days.
	UniqueVisitors int64 `json:"uniqueVisitors"`
	// Number of clicks on blocks.
	Clicks int64 `json:"clicks"`
	// Days of the range, oldest first.
	Data []PageDay `json:"data"`
	// Blocks with clicks, most clicked first.
	Blocks []BlockClicks `json:"blocks"`
}

// LinkPageBlock is one of several types, by its member type.
// Value is one of LinkBlock, TextBlock, SectionBlock, PostCardBlock, ProductBlock, CouponBlock, CountdownBlock, NoticeBarBlock, FaqBlock, TestimonialBlock;
// a json.RawMessage if the type is unknown.
type LinkPageBlock struct{ Value any }

// UnmarshalJSON decodes the type that the member type names.
func (u *LinkPageBlock) UnmarshalJSON(raw []byte) (err error) {
	switch discriminator(raw, "type") {
	case "COUNTDOWN":
		u.Value, err = decodeAs[CountdownBlock](raw)
	case "COUPON":
		u.Value, err = decodeAs[CouponBlock](raw)
	case "FAQ":
		u.Value, err = decodeAs[FaqBlock](raw)
	case "LINK":
		u.Value, err = decodeAs[LinkBlock](raw)
	case "NOTICE_BAR":
		u.Value, err = decodeAs[NoticeBarBlock](raw)
	case "POST_CARD":
		u.Value, err = decodeAs[PostCardBlock](raw)
	case "PRODUCT":
		u.Value, err = decodeAs[ProductBlock](raw)
	case "SECTION":
		u.Value, err = decodeAs[SectionBlock](raw)
	case "TESTIMONIAL":
		u.Value, err = decodeAs[TestimonialBlock](raw)
	case "TEXT":
		u.Value, err = decodeAs[TextBlock](raw)
	default:
		u.Value = append(json.RawMessage(nil), raw...)
	}
	return err
}

// MarshalJSON encodes the value.
func (u LinkPageBlock) MarshalJSON() ([]byte, error) { return json.Marshal(u.Value) }

// LinkPageBlockSettingsChange: Settings of a block to change. Only fields of the block's own type are accepted.
type LinkPageBlockSettingsChange struct {
	// TEXT: Alignment of the lines.
	Align Optional[TextBlockSettingsAlign] `json:"align,omitzero"`
	// TESTIMONIAL: Name of the author.
	Author Optional[string] `json:"author,omitzero"`
	// PRODUCT: Text of the button. Null: a default text. COUPON, COUNTDOWN, NOTICE_BAR: Text of the button. Requires
	// url.
	ButtonLabel Optional[string] `json:"buttonLabel,omitzero"`
	// POST_CARD: A line below the post.
	Caption Optional[string] `json:"caption,omitzero"`
	// COUPON: Code that visitors copy.
	Code Optional[string] `json:"code,omitzero"`
	// PRODUCT: Currency of the price (ISO 4217).
	Currency Optional[string] `json:"currency,omitzero"`
	// LINK: A line below the title. SECTION: Text below the heading. PRODUCT: Description of the product. COUPON:
	// Description of the offer.
	Description Optional[string] `json:"description,omitzero"`
	// COUNTDOWN: Text shown after the end.
	EndedText Optional[string] `json:"endedText,omitzero"`
	// COUNTDOWN: End of the countdown.
	EndsAt Optional[time.Time] `json:"endsAt,omitzero"`
	// COUPON: Time until which the code is valid. Null: no end.
	ExpiresAt Optional[time.Time] `json:"expiresAt,omitzero"`
	// LINK: Whether the button is filled with the accent color.
	Featured Optional[bool] `json:"featured,omitzero"`
	// LINK, PRODUCT, TESTIMONIAL: An IMAGE or a GIF of the workspace.
	ImageMediaID Optional[string] `json:"imageMediaId,omitzero"`
	// FAQ: Questions with their answers, in display order.
	Items Optional[[]FaqItemInput] `json:"items,omitzero"`
	// PRODUCT: Name of the product.
	Name Optional[string] `json:"name,omitzero"`
	// POST_CARD: Post of the workspace. It is shown once it is published.
	PostID Optional[string] `json:"postId,omitzero"`
	// PRODUCT: Exact amount, as text. Requires currency.
	Price Optional[string] `json:"price,omitzero"`
	// TESTIMONIAL: The quote.
	Quote Optional[string] `json:"quote,omitzero"`
	// TESTIMONIAL: Number of stars. Null: no stars are shown.
	Rating Optional[int64] `json:"rating,omitzero"`
	// TESTIMONIAL: Role or company of the author.
	Role Optional[string] `json:"role,omitzero"`
	// TEXT: The text. Line breaks are kept. NOTICE_BAR: The notice, on one line.
	Text Optional[string] `json:"text,omitzero"`
	// LINK: Text of the button, on one line. SECTION: Heading of the following blocks. COUPON: Title, such as the
	// discount. COUNTDOWN: Name of the event. FAQ: Heading of the questions.
	Title Optional[string] `json:"title,omitzero"`
	// NOTICE_BAR: Kind of the notice.
	Tone Optional[NoticeBarBlockSettingsTone] `json:"tone,omitzero"`
	// LINK, PRODUCT, COUPON, COUNTDOWN, NOTICE_BAR: A URL with https, mailto or tel.
	URL Optional[string] `json:"url,omitzero"`
}

// LinkPageList is an object of the API.
type LinkPageList struct {
	// Link pages, oldest first, without their blocks. A workspace has at most 100, so the list has a single page.
	Data []LinkPageSummary `json:"data"`
	// Always null.
	NextCursor *string `json:"nextCursor"`
}

// LinkPageSEO is an object of the API.
type LinkPageSEO struct {
	// Title. Null: the page's title.
	Title *string `json:"title"`
	// Description. Null: the page's bio.
	Description *string `json:"description"`
	// Image of previews. Null: the page's avatar.
	ImageMediaID *string `json:"imageMediaId"`
	// Whether the page asks search engines not to index it.
	NoIndex bool `json:"noIndex"`
}

// LinkPageSEOInput is an object of the API.
type LinkPageSEOInput struct {
	// Description. Null: the page's bio.
	Description Optional[string] `json:"description,omitzero"`
	// Image of previews: an IMAGE or a GIF of the workspace. Null: the page's avatar.
	ImageMediaID Optional[string] `json:"imageMediaId,omitzero"`
	// Whether the page asks search engines not to index it. Default: false.
	NoIndex Optional[bool] `json:"noIndex,omitzero"`
	// Title. Null: the page's title.
	Title Optional[string] `json:"title,omitzero"`
}

// LinkPageStatus: State of a link page. One of DRAFT, PUBLISHED. Tolerate new values.
type LinkPageStatus string

// The present values of LinkPageStatus; there may be others.
const (
	LinkPageStatusDraft     LinkPageStatus = "DRAFT"
	LinkPageStatusPublished LinkPageStatus = "PUBLISHED"
)

// LinkPageSummary is an object of the API.
type LinkPageSummary struct {
	// Id of the page.
	ID string `json:"id"`
	// Last part of the page's URL, in the draft.
	Handle string `json:"handle"`
	// URL of the page once the draft is published.
	URL string `json:"url"`
	// PUBLISHED while visitors can see the page, otherwise DRAFT.
	Status LinkPageStatus `json:"status"`
	// Title, in the draft.
	Title string `json:"title"`
	// Number of blocks in the draft.
	BlockCount int64 `json:"blockCount"`
	// Number of changes of the page.
	Revision int64 `json:"revision"`
	// Whether publishing would change what visitors see. True while the page is not published.
	HasUnpublishedChanges bool `json:"hasUnpublishedChanges"`
	// URL of the published version. Null while the page is not published.
	PublishedURL *string `json:"publishedUrl"`
	// Time of the last publication. Null while the page is not published.
	PublishedAt *time.Time `json:"publishedAt"`
	// Time at which the page was created.
	CreatedAt time.Time `json:"createdAt"`
	// Time of the last change.
	UpdatedAt time.Time `json:"updatedAt"`
}

// LinkPageTheme is an object of the API.
type LinkPageTheme struct {
	// Name of the theme.
	Name ThemeName `json:"name"`
	// Color of buttons and highlights.
	AccentColor string `json:"accentColor"`
	// Color scheme of the page.
	Appearance Appearance `json:"appearance"`
	// Image at the top. Null: the first letter of the title.
	AvatarMediaID *string `json:"avatarMediaId"`
}

// LinkPageThemeInput is an object of the API.
type LinkPageThemeInput struct {
	// Color of buttons and highlights as #rrggbb, with a contrast of at least 3 to the background. Null: the theme's own
	// accent.
	AccentColor Optional[string] `json:"accentColor,omitzero"`
	// Color scheme of the page. Default: AUTO.
	Appearance Optional[Appearance] `json:"appearance,omitzero"`
	// Image at the top: an IMAGE or a GIF of the workspace. Null: the first letter of the title.
	AvatarMediaID Optional[string] `json:"avatarMediaId,omitzero"`
	// Name of the theme. Default: PAPER.
	Name Optional[ThemeName] `json:"name,omitzero"`
}

// Media is an object of the API.
type Media struct {
	// ID of the asset, for the field mediaIds of posts.
	ID string `json:"id"`
	// Name of the file.
	Name string `json:"name"`
	// Kind of the file, detected from its content.
	Type MediaType `json:"type"`
	// URL of the file, valid for 24 hours. Do not store it; read the asset again for a new URL.
	URL string `json:"url"`
	// URL of the thumbnail, at most 640 pixels wide or high, valid for 24 hours. Null until the thumbnail exists; stays
	// null if none can be created.
	ThumbnailURL *string `json:"thumbnailUrl"`
	// Alternative text, for people who cannot see the file. A post may replace it by mediaAltTexts.
	AltText *string `json:"altText"`
	// Size of the file, in bytes.
	Size int64 `json:"size"`
	// Time at which the upload or import was started.
	CreatedAt time.Time `json:"createdAt"`
}

// MediaError is an object of the API.
type MediaError struct {
	// Code of the reason.
	Code string `json:"code"`
	// Explanation of the reason.
	Message string `json:"message"`
	// Whether the same file can be opened after another upload.
	Retryable bool `json:"retryable"`
}

// MediaEventData is an object of the API.
type MediaEventData struct {
	// ID of the asset.
	MediaID string `json:"mediaId"`
	// Name of the file.
	Name string `json:"name"`
	// Kind of the file.
	Type MediaType `json:"type"`
}

// MediaFailedEvent: Sent when the processing of a file has ended with a problem: it is damaged, or the service cannot
// open it. `error` contains the reason. A refused upload or import makes no asset and sends no event.
type MediaFailedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data MediaFailedEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// MediaFailedEventData is an object of the API.
type MediaFailedEventData struct {
	// ID of the asset.
	MediaID string `json:"mediaId"`
	// Name of the file.
	Name string `json:"name"`
	// Kind of the file.
	Type MediaType `json:"type"`
	// Reason why the file could not be opened.
	Error MediaError `json:"error"`
}

// MediaReadyEvent: Sent when the processing of an uploaded or imported file has ended: its thumbnail and its
// dimensions are known.
type MediaReadyEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data MediaEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// MediaType: Kind of a file. One of IMAGE, VIDEO, GIF, DOCUMENT. Tolerate new values.
type MediaType string

// The present values of MediaType; there may be others.
const (
	MediaTypeImage    MediaType = "IMAGE"
	MediaTypeVideo    MediaType = "VIDEO"
	MediaTypeGIF      MediaType = "GIF"
	MediaTypeDocument MediaType = "DOCUMENT"
)

// MediaUpload is an object of the API.
type MediaUpload struct {
	// ID of the future asset. Use it to complete the upload.
	MediaID string `json:"mediaId"`
	// URL that receives the bytes, valid for one file of the declared type and size.
	UploadURL string `json:"uploadUrl"`
	// HTTP method of the upload.
	Method string `json:"method"`
	// Headers to send with the bytes, unchanged.
	Headers map[string]string `json:"headers"`
	// Validity of uploadUrl, in seconds.
	ExpiresInSeconds int64 `json:"expiresInSeconds"`
	// Parts of a file above 64 MiB. Send the whole file to uploadUrl, or each part to its own URL in any order, with the
	// same method and headers. A part that failed is sent again alone. Absent for smaller files.
	Parts []UploadPart `json:"parts,omitempty"`
}

// NoticeBarBlock: A block of the type NOTICE_BAR.
type NoticeBarBlock struct {
	// Id of the block. It stays the same when the page is published.
	ID string `json:"id"`
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings NoticeBarBlockSettings `json:"settings"`
	// Whether the block is shown.
	IsVisible bool `json:"isVisible"`
	// Start of the display period. Null: no start.
	ShowFrom *time.Time `json:"showFrom"`
	// End of the display period. Null: no end.
	ShowUntil *time.Time `json:"showUntil"`
}

// NoticeBarBlockSettings is an object of the API.
type NoticeBarBlockSettings struct {
	// The notice, on one line.
	Text string `json:"text"`
	// Kind of the notice.
	Tone NoticeBarBlockSettingsTone `json:"tone"`
	// A URL with https, mailto or tel.
	URL *string `json:"url"`
	// Text of the button. Requires url.
	ButtonLabel *string `json:"buttonLabel"`
}

// NoticeBarBlockSettingsInput is an object of the API.
type NoticeBarBlockSettingsInput struct {
	// The notice, on one line.
	Text string `json:"text"`
	// Text of the button. Requires url.
	ButtonLabel string `json:"buttonLabel,omitempty"`
	// Kind of the notice. Default: `INFO`.
	Tone NoticeBarBlockSettingsTone `json:"tone,omitempty"`
	// A URL with https, mailto or tel.
	URL string `json:"url,omitempty"`
}

// NoticeBarBlockSettingsTone: Kind of the notice. One of INFO, SUCCESS, WARNING. Tolerate new values.
type NoticeBarBlockSettingsTone string

// The present values of NoticeBarBlockSettingsTone; there may be others.
const (
	NoticeBarBlockSettingsToneINFO    NoticeBarBlockSettingsTone = "INFO"
	NoticeBarBlockSettingsToneSuccess NoticeBarBlockSettingsTone = "SUCCESS"
	NoticeBarBlockSettingsToneWarning NoticeBarBlockSettingsTone = "WARNING"
)

// OnFailure: What happens to a post if the post before it is not published. One of hold, cancel, publish. Tolerate
// new values.
type OnFailure string

// The present values of OnFailure; there may be others.
const (
	OnFailureHold    OnFailure = "hold"
	OnFailureCancel  OnFailure = "cancel"
	OnFailurePublish OnFailure = "publish"
)

// OrderLinkBlocksRequest is an object of the API.
type OrderLinkBlocksRequest struct {
	// Every block of the draft, each once, in display order.
	BlockIDs []string `json:"blockIds"`
}

// PageDay is an object of the API.
type PageDay struct {
	// The day, in UTC.
	Date string `json:"date"`
	// Number of page views.
	Views int64 `json:"views"`
	// Number of unique visitors.
	UniqueVisitors int64 `json:"uniqueVisitors"`
	// Number of clicks on blocks.
	Clicks int64 `json:"clicks"`
}

// Part is an object of the API.
type Part struct {
	// Text of the part; may be empty beside media.
	Content string `json:"content"`
	// Alternative texts of the part, by ID of the attachment.
	MediaAltTexts Optional[map[string]string] `json:"mediaAltTexts,omitzero"`
	// IDs of the media of the part, in display order.
	MediaIDs Optional[[]string] `json:"mediaIds,omitzero"`
}

// PartEventData is an object of the API.
type PartEventData struct {
	// ID of the post.
	PostID string `json:"postId"`
	// ID of the post's channel.
	ChannelID string `json:"channelId"`
	// State of the post after the event; for a deleted post, its last state.
	Status PostStatus `json:"status"`
	// Time at which the post was published; null unless the post is PUBLISHED.
	PublishedAt *time.Time `json:"publishedAt"`
	// URL of the published post; null if the post is not published or its network provides no URL.
	PostURL *string `json:"postUrl"`
	// Whether the network is known to show the post: false if it reports nothing about it, or its review took longer
	// than 24 hours; null unless the post is PUBLISHED.
	Confirmed *bool `json:"confirmed"`
	// Reason why publishing failed; null unless the post is FAILED.
	Error *PostError `json:"error"`
	// Type of the post's channel.
	ChannelType ChannelType `json:"channelType"`
	// Time at which the post is to be published; null if it has none.
	ScheduledAt *time.Time `json:"scheduledAt"`
	// ID of the set: the posts that were created by one request.
	GroupID string `json:"groupId"`
	// Labels of the post.
	Labels []string `json:"labels"`
	// ID of the post in the client's own system; null if it has none.
	ExternalID *string `json:"externalId"`
	// Values that the client stored with the post.
	Metadata map[string]string `json:"metadata"`
	// The part that is not published.
	Part FailedPart `json:"part"`
}

// PartKind: Kind of a part of a post. One of ROOT, REPLY, COMMENT. Tolerate new values.
type PartKind string

// The present values of PartKind; there may be others.
const (
	PartKindROOT    PartKind = "ROOT"
	PartKindReply   PartKind = "REPLY"
	PartKindComment PartKind = "COMMENT"
)

// PartState is an object of the API.
type PartState struct {
	// Position of the part, from 0, the post itself.
	Index int64 `json:"index"`
	// ROOT is the post itself, REPLY a part of a thread, COMMENT the first comment.
	Kind PartKind `json:"kind"`
	// UNKNOWN: the network may have the part, and does not say.
	Status PartStatus `json:"status"`
	// URL of the part.
	URL *string `json:"url"`
	// Reason why the part is not published; null unless it is FAILED or UNKNOWN.
	Error *PostError `json:"error"`
}

// PartStatus: State of a part of a post. One of PENDING, PUBLISHED, FAILED, UNKNOWN. Tolerate new values.
type PartStatus string

// The present values of PartStatus; there may be others.
const (
	PartStatusPending   PartStatus = "PENDING"
	PartStatusPublished PartStatus = "PUBLISHED"
	PartStatusFailed    PartStatus = "FAILED"
	PartStatusUnknown   PartStatus = "UNKNOWN"
)

// PinterestBoard is an object of the API.
type PinterestBoard struct {
	// ID of the board, for the field boardId of a pin.
	ID string `json:"id"`
	// Name of the board.
	Name string `json:"name"`
	// Visibility of the board on Pinterest: PUBLIC, PROTECTED or SECRET. Tolerate new values.
	Privacy string `json:"privacy"`
	// Number of pins on the board.
	PinCount int64 `json:"pinCount"`
}

// Plan: Plan of a workspace. One of FREE, CREATOR, GROWTH, AGENCY. Tolerate new values.
type Plan string

// The present values of Plan; there may be others.
const (
	PlanFREE    Plan = "FREE"
	PlanCreator Plan = "CREATOR"
	PlanGrowth  Plan = "GROWTH"
	PlanAgency  Plan = "AGENCY"
)

// Post is an object of the API.
type Post struct {
	// ID of the post.
	ID string `json:"id"`
	// ID of the post's channel. A post belongs to exactly one channel.
	ChannelID string `json:"channelId"`
	// Text of the post.
	Content string `json:"content"`
	// Title, for video-style content.
	Title *string `json:"title"`
	// Kind of content.
	ContentType ContentType `json:"contentType"`
	// State of the post. A post queued for immediate publishing is SCHEDULED until it is published.
	Status PostStatus `json:"status"`
	// Time at which the post is to be published.
	ScheduledAt *time.Time `json:"scheduledAt"`
	// Time at which the post was published.
	PublishedAt *time.Time `json:"publishedAt"`
	// Time at which the post was created.
	CreatedAt time.Time `json:"createdAt"`
	// Time of the last change of the post.
	UpdatedAt time.Time `json:"updatedAt"`
	// IDs of media in display order.
	MediaIDs []string `json:"mediaIds"`
	// Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset.
	MediaAltTexts map[string]string `json:"mediaAltTexts"`
	// Reason why a SCHEDULED post is not published yet; null in other states.
	Waiting *Waiting `json:"waiting"`
	// Settings of the platform; an empty object if none were sent. Null for posts created by the generic endpoint.
	Options *PostOptions `json:"options"`
	// URL of the published post.
	PostURL *string `json:"postUrl"`
	// Whether the network is known to show the post. False if the network reports nothing about it, or if its review
	// took longer than 24 hours. Null unless the post is PUBLISHED.
	Confirmed *bool `json:"confirmed"`
	// Reason why publishing failed; null unless the post is FAILED.
	Error *PostError `json:"error"`
	// The last approval; null if approval was never requested.
	Approval *Approval `json:"approval"`
	// ID of the set: the posts that were created by one request. A post that was created alone is a set of its own.
	GroupID string `json:"groupId"`
	// Labels of the post, in the spelling of the workspace.
	Labels []string `json:"labels"`
	// Campaign of the post; null if it belongs to none.
	CampaignID *string `json:"campaignId"`
	// ID of the post in the client's own system.
	ExternalID *string `json:"externalId"`
	// Values that the client stored with the post.
	Metadata map[string]string `json:"metadata"`
	// The parts of a thread after the first, which is content and mediaIds.
	Thread []Part `json:"thread"`
	// The first comment; null if there is none.
	FirstComment *Comment `json:"firstComment"`
	// What became of each part, the post itself first; empty for a post without parts.
	Parts []PartState `json:"parts"`
	// PENDING until the post itself is published, then IN_PROGRESS, COMPLETE, or INCOMPLETE: a part failed, see
	// continue-parts. Null without parts. One of PENDING, IN_PROGRESS, COMPLETE, INCOMPLETE. Tolerate new values.
	PartsState *string `json:"partsState"`
	// Another post that must be published first; null if the post waits for none.
	PublishAfter *Predecessor `json:"publishAfter"`
}

// PostAnalytics is an object of the API.
type PostAnalytics struct {
	// ID of the post.
	PostID string `json:"postId"`
	// Snapshots, oldest first.
	Data []PostDay `json:"data"`
	// The latest snapshot; null if there is none.
	Latest *PostDay `json:"latest"`
}

// PostApprovalRequestedEvent: Sent when a post waits for approval: requested, changed after its approval, approved by
// one of two people, or held by a stricter policy.
type PostApprovalRequestedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data ApprovalEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// PostApprovedEvent: Sent when an approver accepts a pending post. `status` is SCHEDULED if the post's time is in the
// future, otherwise DRAFT.
type PostApprovedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data ApprovalEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// PostCardBlock: A block of the type POST_CARD.
type PostCardBlock struct {
	// Id of the block. It stays the same when the page is published.
	ID string `json:"id"`
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings PostCardBlockSettings `json:"settings"`
	// Whether the block is shown.
	IsVisible bool `json:"isVisible"`
	// Start of the display period. Null: no start.
	ShowFrom *time.Time `json:"showFrom"`
	// End of the display period. Null: no end.
	ShowUntil *time.Time `json:"showUntil"`
}

// PostCardBlockSettings is an object of the API.
type PostCardBlockSettings struct {
	// Post of the workspace. It is shown once it is published.
	PostID string `json:"postId"`
	// A line below the post.
	Caption *string `json:"caption"`
}

// PostCardBlockSettingsInput is an object of the API.
type PostCardBlockSettingsInput struct {
	// Post of the workspace. It is shown once it is published.
	PostID string `json:"postId"`
	// A line below the post.
	Caption string `json:"caption,omitempty"`
}

// PostCommentedEvent: Sent when a person comments on a post. The comment is in the timeline of the post.
type PostCommentedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data PostEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// PostCompletedEvent: Sent when the last part of a post with a thread or a first comment is published, and when a
// client gives up the rest.
type PostCompletedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data PostEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// PostCreatedEvent: Sent when a post is created by any operation, as a draft or for publishing. A request for several
// channels creates one post, and one event, per channel.
type PostCreatedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data PostEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// PostDay is an object of the API.
type PostDay struct {
	// Day of the snapshot, in the time zone of the workspace.
	Date string `json:"date"`
	// Number of times that the post was shown since its publication.
	Impressions *int64 `json:"impressions"`
	// Number of people who saw the post.
	Reach *int64 `json:"reach"`
	// Number of likes.
	Likes *int64 `json:"likes"`
	// Number of comments.
	Comments *int64 `json:"comments"`
	// Number of shares.
	Shares *int64 `json:"shares"`
	// Number of saves.
	Saves *int64 `json:"saves"`
	// Number of clicks.
	Clicks *int64 `json:"clicks"`
	// Number of views of the post's video.
	VideoViews *int64 `json:"videoViews"`
}

// PostDeletedEvent: Sent when a post is deleted. `status` is the state before the deletion.
type PostDeletedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data PostEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// PostError is an object of the API.
type PostError struct {
	// Code of the reason.
	Code string `json:"code"`
	// Explanation of the reason.
	Message string `json:"message"`
	// Whether publishing the post again can succeed.
	Retryable bool `json:"retryable"`
}

// PostEventData is an object of the API.
type PostEventData struct {
	// ID of the post.
	PostID string `json:"postId"`
	// ID of the post's channel.
	ChannelID string `json:"channelId"`
	// State of the post after the event; for a deleted post, its last state.
	Status PostStatus `json:"status"`
	// Time at which the post was published; null unless the post is PUBLISHED.
	PublishedAt *time.Time `json:"publishedAt"`
	// URL of the published post; null if the post is not published or its network provides no URL.
	PostURL *string `json:"postUrl"`
	// Whether the network is known to show the post: false if it reports nothing about it, or its review took longer
	// than 24 hours; null unless the post is PUBLISHED.
	Confirmed *bool `json:"confirmed"`
	// Reason why publishing failed; null unless the post is FAILED.
	Error *PostError `json:"error"`
	// Type of the post's channel.
	ChannelType ChannelType `json:"channelType"`
	// Time at which the post is to be published; null if it has none.
	ScheduledAt *time.Time `json:"scheduledAt"`
	// ID of the set: the posts that were created by one request.
	GroupID string `json:"groupId"`
	// Labels of the post.
	Labels []string `json:"labels"`
	// ID of the post in the client's own system; null if it has none.
	ExternalID *string `json:"externalId"`
	// Values that the client stored with the post.
	Metadata map[string]string `json:"metadata"`
}

// PostFailedEvent: Sent when a post is not published and needs a manual retry, or when the outcome cannot be
// determined. `error` contains the reason.
type PostFailedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data PostEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// PostOptions is an object of the API.
type PostOptions struct {
	// Google Business: URL of the button.
	ActionURL string `json:"actionUrl,omitempty"`
	// Instagram, X, TikTok and YouTube: whether the post is labelled as AI-generated.
	AiGenerated *bool `json:"aiGenerated,omitempty"`
	// TikTok: whether others may comment, by default as the account has it.
	AllowComments *bool `json:"allowComments,omitempty"`
	// TikTok: whether others may make duets with the video.
	AllowDuet *bool `json:"allowDuet,omitempty"`
	// YouTube: whether other sites may embed the video.
	AllowEmbedding *bool `json:"allowEmbedding,omitempty"`
	// TikTok: whether others may stitch the video into theirs.
	AllowStitch *bool `json:"allowStitch,omitempty"`
	// Pinterest: alternative text of the image.
	AltText string `json:"altText,omitempty"`
	// Pinterest: the board to pin to.
	BoardID string `json:"boardId,omitempty"`
	// Pinterest: the section of the board to pin to.
	BoardSectionID string `json:"boardSectionId,omitempty"`
	// X: whether the post is labelled as a paid partnership. TikTok: discloses a paid partnership.
	BrandContent *bool `json:"brandContent,omitempty"`
	// TikTok: discloses that the account promotes its own business.
	BrandOrganic *bool `json:"brandOrganic,omitempty"`
	// Google Business: kind of the button: BOOK, ORDER, SHOP, LEARN_MORE, SIGN_UP or CALL.
	CallToAction string `json:"callToAction,omitempty"`
	// YouTube: the number of YouTube's category, such as 22.
	Category string `json:"category,omitempty"`
	// Instagram: user names of accounts that are invited as authors.
	Collaborators []string `json:"collaborators,omitempty"`
	// Bluesky: label of the attachments, by which readers hide them: sexual, nudity, porn or graphic-media.
	ContentLabel string `json:"contentLabel,omitempty"`
	// Mastodon: warning that is shown instead of the post until a reader opens it, and counts as its text.
	ContentWarning string `json:"contentWarning,omitempty"`
	// Google Business: code of the offer.
	CouponCode string `json:"couponCode,omitempty"`
	// Instagram: URL of a reel's cover.
	CoverURL string `json:"coverUrl,omitempty"`
	// Google Business: end, like eventStart.
	EventEnd string `json:"eventEnd,omitempty"`
	// Google Business: start, as a date or as a date and a time of the location.
	EventStart string `json:"eventStart,omitempty"`
	// Google Business: title of an event or offer.
	EventTitle string `json:"eventTitle,omitempty"`
	// Bluesky and Mastodon: language of the text, as a tag like en or pt-BR.
	Language string `json:"language,omitempty"`
	// YouTube: the licence of the video: youtube or creativeCommon.
	License string `json:"license,omitempty"`
	// Facebook and Threads: URL of the card. LinkedIn: publishes the post as the card of this link, with the post's
	// title and its image as the thumbnail. Pinterest: target URL of the pin.
	Link string `json:"link,omitempty"`
	// Telegram: where the message shows the page of its first link: below, above or none.
	LinkPreview string `json:"linkPreview,omitempty"`
	// Instagram: id of the Facebook Page of the place.
	LocationID string `json:"locationId,omitempty"`
	// X: publishes a text of up to 25,000 characters, for accounts with X Premium. Threads: a text of more than 500
	// characters is attached, and the post shows its beginning. Telegram: publishes a text of up to 32,768 characters as
	// a rich message.
	LongText *bool `json:"longText,omitempty"`
	// YouTube: whether the video is made for children.
	MadeForKids *bool `json:"madeForKids,omitempty"`
	// YouTube: whether subscribers are notified.
	NotifySubscribers *bool `json:"notifySubscribers,omitempty"`
	// X and Mastodon: minutes for which the poll is open, by default a day. LinkedIn: minutes for which the poll is
	// open, by default a day: 1440, 4320, 10080 or 20160.
	PollMinutes *int64 `json:"pollMinutes,omitempty"`
	// Telegram and Mastodon: whether a reader may choose several answers.
	PollMultiple *bool `json:"pollMultiple,omitempty"`
	// X, LinkedIn, Threads, Telegram and Mastodon: answers of a poll below the text.
	PollOptions []string `json:"pollOptions,omitempty"`
	// LinkedIn: question of the poll, which it requires.
	PollQuestion string `json:"pollQuestion,omitempty"`
	// TikTok: who may watch: a level that the creator's information lists: PUBLIC_TO_EVERYONE, MUTUAL_FOLLOW_FRIENDS,
	// FOLLOWER_OF_CREATOR or SELF_ONLY.
	Privacy string `json:"privacy,omitempty"`
	// Telegram: whether Telegram prevents forwarding and saving the post.
	Protected *bool `json:"protected,omitempty"`
	// X and Bluesky: address of the post to quote.
	Quote string `json:"quote,omitempty"`
	// Google Business: URL at which the offer is redeemed.
	RedeemURL string `json:"redeemUrl,omitempty"`
	// X: who may reply: everyone, following, mentioned, subscribers or verified. Threads: who may reply: everyone,
	// following, followers or mentioned. Bluesky: who may reply: everyone, following, followers, mentioned or none.
	Replies string `json:"replies,omitempty"`
	// Threads, Telegram and Mastodon: whether the attachments are hidden until a reader opens them.
	Sensitive *bool `json:"sensitive,omitempty"`
	// Instagram: whether a reel is also shown in the feed.
	ShareToFeed *bool `json:"shareToFeed,omitempty"`
	// Telegram: whether subscribers are notified without a sound.
	Silent *bool `json:"silent,omitempty"`
	// YouTube: tags of the video.
	Tags []string `json:"tags,omitempty"`
	// Google Business: terms of the offer.
	Terms string `json:"terms,omitempty"`
	// Instagram, TikTok and Pinterest: the frame that is the cover.
	ThumbOffset *int64 `json:"thumbOffset,omitempty"`
	// Threads: topic of the post, without #.
	TopicTag string `json:"topicTag,omitempty"`
	// Google Business: kind of post: STANDARD, EVENT or OFFER.
	TopicType string `json:"topicType,omitempty"`
	// Instagram: shows a reel to people who do not follow first, and to followers by hand or when it does well: manual
	// or automatic.
	TrialReel string `json:"trialReel,omitempty"`
	// TikTok: sends a draft to the creator's inbox instead of publishing.
	UploadToDraft *bool `json:"uploadToDraft,omitempty"`
	// Instagram: user names of accounts that are tagged in the first file.
	UserTags []string `json:"userTags,omitempty"`
	// YouTube: a regular video or a Short: video or short.
	VideoType string `json:"videoType,omitempty"`
	// LinkedIn: visibility of the post: everyone, or the member's connections: PUBLIC or CONNECTIONS. YouTube:
	// visibility of the video: public, unlisted or private. Mastodon: visibility of the post: everyone, everyone but not
	// in public lists, or followers: public, unlisted or private.
	Visibility string `json:"visibility,omitempty"`
}

// PostPartFailedEvent: Sent when a part of a published post is not published: a reply of its thread, or its first
// comment. The parts after it wait for a decision (continue-parts).
type PostPartFailedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data PartEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// PostPublishedEvent: Sent when the network accepts a post.
type PostPublishedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data PostEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// PostRejectedEvent: Sent when an approver rejects a pending post. The post becomes a draft again.
type PostRejectedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data ApprovalEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// PostScheduledEvent: Sent when a post becomes SCHEDULED, and when the time of a SCHEDULED post changes, whatever the
// way: creation (after post.created), scheduling, publishing at once, the next slot, an edit (after post.updated), an
// approval (after post.approved). The intended time of a DRAFT sends post.updated only.
type PostScheduledEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data PostEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// PostSort: Order of a list of posts: by creation, by scheduled time or by last change, descending with a minus.
// Posts without a scheduled time come last in both orders by scheduledAt.
type PostSort string

// The present values of PostSort; there may be others.
const (
	PostSortCreatedAtDescending   PostSort = "-createdAt"
	PostSortCreatedAt             PostSort = "createdAt"
	PostSortScheduledAt           PostSort = "scheduledAt"
	PostSortScheduledAtDescending PostSort = "-scheduledAt"
	PostSortUpdatedAtDescending   PostSort = "-updatedAt"
	PostSortUpdatedAt             PostSort = "updatedAt"
)

// PostStatus: State of a post. One of DRAFT, PENDING_APPROVAL, SCHEDULED, PUBLISHED, FAILED, ARCHIVED. Tolerate new
// values.
type PostStatus string

// The present values of PostStatus; there may be others.
const (
	PostStatusDraft           PostStatus = "DRAFT"
	PostStatusPendingApproval PostStatus = "PENDING_APPROVAL"
	PostStatusScheduled       PostStatus = "SCHEDULED"
	PostStatusPublished       PostStatus = "PUBLISHED"
	PostStatusFailed          PostStatus = "FAILED"
	PostStatusArchived        PostStatus = "ARCHIVED"
)

// PostUnscheduledEvent: Sent when a SCHEDULED post becomes a DRAFT.
type PostUnscheduledEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data PostEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// PostUpdatedEvent: Sent when the content, the options or the time of a post is edited, and when a published post is
// changed or deleted on its network. Scheduling, unscheduling and edits without a change do not send it.
type PostUpdatedEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data PostEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// Predecessor is an object of the API.
type Predecessor struct {
	// ID of the post that must be published first. It may have been deleted.
	PostID string `json:"postId"`
	// Seconds after the publication of that post.
	DelaySeconds int64 `json:"delaySeconds"`
	// What happens if that post fails or is deleted.
	OnFailure OnFailure `json:"onFailure"`
}

// Problem is an object of the API.
type Problem struct {
	// URL of a page that explains the code.
	Type string `json:"type"`
	// Short name of the problem, the same for every occurrence.
	Title string `json:"title"`
	// HTTP status of the response.
	Status int64 `json:"status"`
	// Explanation of this occurrence. Do not parse it.
	Detail string `json:"detail"`
	// Path of the request.
	Instance string `json:"instance"`
	// Code of the problem. Treat unknown codes by their status.
	Code ProblemCode `json:"code"`
	// X-Request-Id of the response, for support.
	RequestID string `json:"requestId"`
	// INVALID_STATE: the current status of the resource.
	CurrentStatus string `json:"currentStatus,omitempty"`
	// VALIDATION_FAILED: every fault of the request.
	Errors []Fault `json:"errors,omitempty"`
	// EXTERNAL_ID_IN_USE: ID of the post that has the external ID.
	PostID string `json:"postId,omitempty"`
	// MEDIA_IN_USE: the uses of the asset.
	References []Reference `json:"references,omitempty"`
}

// ProblemCode: Code of a problem. Treat unknown codes by their status. One of MALFORMED_REQUEST, NOT_FOUND,
// METHOD_NOT_ALLOWED, NOT_ACCEPTABLE, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, MISDIRECTED_REQUEST,
// UNAUTHENTICATED, INSUFFICIENT_SCOPE, QUOTA_EXCEEDED, RATE_LIMITED, INVALID_STATE, APPROVAL_REQUIRED,
// PUBLISH_IN_PROGRESS, MEDIA_IN_USE, EXTERNAL_ID_IN_USE, IDEMPOTENCY_IN_PROGRESS, PRECONDITION_FAILED,
// UPLOAD_NOT_RECEIVED, VALIDATION_FAILED, INVALID_CURSOR, CHANNEL_NOT_PUBLISHABLE, CHANNEL_DISCONNECTED,
// SCHEDULED_IN_PAST, CHANNEL_TYPE_MISMATCH, NO_FREE_SLOT, QUEUE_PAUSED, IDEMPOTENCY_KEY_REUSED, UPLOAD_MISMATCH,
// IMPORT_FAILED, INTERNAL, UNAVAILABLE. Tolerate new values.
type ProblemCode string

// The present values of ProblemCode; there may be others.
const (
	ProblemCodeMalformedRequest      ProblemCode = "MALFORMED_REQUEST"
	ProblemCodeNotFound              ProblemCode = "NOT_FOUND"
	ProblemCodeMethodNotAllowed      ProblemCode = "METHOD_NOT_ALLOWED"
	ProblemCodeNotAcceptable         ProblemCode = "NOT_ACCEPTABLE"
	ProblemCodePayloadTooLarge       ProblemCode = "PAYLOAD_TOO_LARGE"
	ProblemCodeUnsupportedMediaType  ProblemCode = "UNSUPPORTED_MEDIA_TYPE"
	ProblemCodeMisdirectedRequest    ProblemCode = "MISDIRECTED_REQUEST"
	ProblemCodeUnauthenticated       ProblemCode = "UNAUTHENTICATED"
	ProblemCodeInsufficientScope     ProblemCode = "INSUFFICIENT_SCOPE"
	ProblemCodeQuotaExceeded         ProblemCode = "QUOTA_EXCEEDED"
	ProblemCodeRateLimited           ProblemCode = "RATE_LIMITED"
	ProblemCodeInvalidState          ProblemCode = "INVALID_STATE"
	ProblemCodeApprovalRequired      ProblemCode = "APPROVAL_REQUIRED"
	ProblemCodePublishInProgress     ProblemCode = "PUBLISH_IN_PROGRESS"
	ProblemCodeMediaInUse            ProblemCode = "MEDIA_IN_USE"
	ProblemCodeExternalIDInUse       ProblemCode = "EXTERNAL_ID_IN_USE"
	ProblemCodeIdempotencyInProgress ProblemCode = "IDEMPOTENCY_IN_PROGRESS"
	ProblemCodePreconditionFailed    ProblemCode = "PRECONDITION_FAILED"
	ProblemCodeUploadNotReceived     ProblemCode = "UPLOAD_NOT_RECEIVED"
	ProblemCodeValidationFailed      ProblemCode = "VALIDATION_FAILED"
	ProblemCodeInvalidCursor         ProblemCode = "INVALID_CURSOR"
	ProblemCodeChannelNotPublishable ProblemCode = "CHANNEL_NOT_PUBLISHABLE"
	ProblemCodeChannelDisconnected   ProblemCode = "CHANNEL_DISCONNECTED"
	ProblemCodeScheduledInPast       ProblemCode = "SCHEDULED_IN_PAST"
	ProblemCodeChannelTypeMismatch   ProblemCode = "CHANNEL_TYPE_MISMATCH"
	ProblemCodeNoFreeSlot            ProblemCode = "NO_FREE_SLOT"
	ProblemCodeQueuePaused           ProblemCode = "QUEUE_PAUSED"
	ProblemCodeIdempotencyKeyReused  ProblemCode = "IDEMPOTENCY_KEY_REUSED"
	ProblemCodeUploadMismatch        ProblemCode = "UPLOAD_MISMATCH"
	ProblemCodeImportFailed          ProblemCode = "IMPORT_FAILED"
	ProblemCodeInternal              ProblemCode = "INTERNAL"
	ProblemCodeUnavailable           ProblemCode = "UNAVAILABLE"
)

// ProductBlock: A block of the type PRODUCT.
type ProductBlock struct {
	// Id of the block. It stays the same when the page is published.
	ID string `json:"id"`
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings ProductBlockSettings `json:"settings"`
	// Whether the block is shown.
	IsVisible bool `json:"isVisible"`
	// Start of the display period. Null: no start.
	ShowFrom *time.Time `json:"showFrom"`
	// End of the display period. Null: no end.
	ShowUntil *time.Time `json:"showUntil"`
}

// ProductBlockSettings is an object of the API.
type ProductBlockSettings struct {
	// Name of the product.
	Name string `json:"name"`
	// A URL with https, mailto or tel.
	URL string `json:"url"`
	// Description of the product.
	Description *string `json:"description"`
	// Exact amount, as text. Requires currency.
	Price *string `json:"price"`
	// Currency of the price (ISO 4217).
	Currency *string `json:"currency"`
	// Text of the button. Null: a default text.
	ButtonLabel *string `json:"buttonLabel"`
	// An IMAGE or a GIF of the workspace.
	ImageMediaID *string `json:"imageMediaId"`
}

// ProductBlockSettingsInput is an object of the API.
type ProductBlockSettingsInput struct {
	// Name of the product.
	Name string `json:"name"`
	// A URL with https, mailto or tel.
	URL string `json:"url"`
	// Text of the button. Null: a default text.
	ButtonLabel string `json:"buttonLabel,omitempty"`
	// Currency of the price (ISO 4217).
	Currency string `json:"currency,omitempty"`
	// Description of the product.
	Description string `json:"description,omitempty"`
	// An IMAGE or a GIF of the workspace.
	ImageMediaID string `json:"imageMediaId,omitempty"`
	// Exact amount, as text. Requires currency.
	Price string `json:"price,omitempty"`
}

// PublishAfter is an object of the API.
type PublishAfter struct {
	// Instead of postId: the channel whose post of this request must be published first.
	ChannelID string `json:"channelId,omitempty"`
	// Seconds after that post.
	DelaySeconds *int64 `json:"delaySeconds,omitempty"`
	// If that post fails or is deleted: hold (default) waits for it, cancel returns to DRAFT, publish publishes.
	OnFailure OnFailure `json:"onFailure,omitempty"`
	// Post that must be published first.
	PostID string `json:"postId,omitempty"`
}

// PublishedLinkPage is an object of the API.
type PublishedLinkPage struct {
	// Last part of the page's URL.
	Handle string `json:"handle"`
	// URL of the page.
	URL string `json:"url"`
	// Number of publications of the page.
	Version int64 `json:"version"`
	// Title.
	Title string `json:"title"`
	// Text below the title.
	Bio *string `json:"bio"`
	// Data for search engines and link previews.
	SEO LinkPageSEO `json:"seo"`
	// Design of the page.
	Theme LinkPageTheme `json:"theme"`
	// Blocks, in display order.
	Blocks []LinkPageBlock `json:"blocks"`
	// Time of the publication.
	PublishedAt time.Time `json:"publishedAt"`
}

// Quota is an object of the API.
type Quota struct {
	// Maximum number of posts in the window; null if the network states none, with all other fields.
	Limit *int64 `json:"limit"`
	// Posts that take a place: published ones, SCHEDULED ones, and those of other programs if the network reports them.
	Used *int64 `json:"used"`
	// Further posts that can be published. 0 also while the network itself refuses posts of the channel.
	Remaining *int64 `json:"remaining"`
	// Time at which the next place becomes free: the end of the day, or 24 hours after the first post that takes one.
	// Null if every place is free.
	ResetsAt *time.Time `json:"resetsAt"`
	// P1D: a calendar day of the network. PT24H: any 24 hours. Tolerate new values.
	Window QuotaWindow `json:"window"`
}

// QuotaWindow: P1D: a calendar day of the network. PT24H: any 24 hours. One of P1D, PT24H. Tolerate new values.
type QuotaWindow string

// The present values of QuotaWindow; there may be others.
const (
	QuotaWindowP1D   QuotaWindow = "P1D"
	QuotaWindowPT24H QuotaWindow = "PT24H"
)

// Reference is an object of the API.
type Reference struct {
	// Type of the resource: POST, SERIES, EVERGREEN, LINK_PAGE, IDEA_CARD, CHANNEL_AVATAR, WORKSPACE_LOGO, BRAND_LOGO,
	// BRAND_PERSONA_PHOTO or BRAND_STYLE_REFERENCE. Tolerate new values.
	Type string `json:"type"`
	// ID of the resource.
	ID string `json:"id"`
	// Name of the resource.
	Name string `json:"name"`
}

// RotateSecretRequest is an object of the API.
type RotateSecretRequest struct {
	// true rotates even if the secret from before the last rotation still signs, and expires that secret at once.
	Force *bool `json:"force,omitempty"`
	// Hours during which the current secret also signs. Defaults to 24. 0 expires it at once, for a leaked secret.
	OverlapHours *int64 `json:"overlapHours,omitempty"`
}

// SchedulePostRequest is an object of the API.
type SchedulePostRequest struct {
	// With schedule next_slot: true moves a post that holds a slot to another one.
	Force *bool `json:"force,omitempty"`
	// Selects the next free slot of the channel's posting schedule instead of a time. A SCHEDULED post that holds a slot
	// keeps it.
	Schedule string `json:"schedule,omitempty"`
	// Time of publishing, in the future: RFC 3339 with an offset, or without one beside timezone.
	ScheduledAt string `json:"scheduledAt,omitempty"`
	// IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time
	// that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is
	// valid beside any.
	Timezone string `json:"timezone,omitempty"`
}

// Scope: Scope of a credential. One of channels:read, media:write, posts:write, posts:publish, webhooks:manage,
// analytics:read, links:read, links:write, ideas:read, ideas:write. Tolerate new values.
type Scope string

// The present values of Scope; there may be others.
const (
	ScopeChannelsRead   Scope = "channels:read"
	ScopeMediaWrite     Scope = "media:write"
	ScopePostsWrite     Scope = "posts:write"
	ScopePostsPublish   Scope = "posts:publish"
	ScopeWebhooksManage Scope = "webhooks:manage"
	ScopeAnalyticsRead  Scope = "analytics:read"
	ScopeLinksRead      Scope = "links:read"
	ScopeLinksWrite     Scope = "links:write"
	ScopeIdeasRead      Scope = "ideas:read"
	ScopeIdeasWrite     Scope = "ideas:write"
)

// SectionBlock: A block of the type SECTION.
type SectionBlock struct {
	// Id of the block. It stays the same when the page is published.
	ID string `json:"id"`
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings SectionBlockSettings `json:"settings"`
	// Whether the block is shown.
	IsVisible bool `json:"isVisible"`
	// Start of the display period. Null: no start.
	ShowFrom *time.Time `json:"showFrom"`
	// End of the display period. Null: no end.
	ShowUntil *time.Time `json:"showUntil"`
}

// SectionBlockSettings is an object of the API.
type SectionBlockSettings struct {
	// Heading of the following blocks.
	Title string `json:"title"`
	// Text below the heading.
	Description *string `json:"description"`
}

// SectionBlockSettingsInput is an object of the API.
type SectionBlockSettingsInput struct {
	// Heading of the following blocks.
	Title string `json:"title"`
	// Text below the heading.
	Description string `json:"description,omitempty"`
}

// SimulatePostsRequest is an object of the API.
type SimulatePostsRequest struct {
	// Campaign of the posts.
	CampaignID string `json:"campaignId,omitempty"`
	// IDs of channels. One post is created for each channel, or none if one is rejected. May be omitted with variants:
	// it is then their channels.
	ChannelIDs []string `json:"channelIds,omitempty"`
	// Text of the posts.
	Content string `json:"content,omitempty"`
	// Kind of content: POST is a standard post, REEL a short vertical video, STORY an ephemeral story, VIDEO a regular
	// video with a title. Defaults to POST; with options it follows from them and from the media.
	ContentType ContentType `json:"contentType,omitempty"`
	// ID of the posts in the client's own system. No other post of a channel may have it.
	ExternalID string `json:"externalId,omitempty"`
	// A comment under the post, after its last part. Facebook, Instagram, LinkedIn, YouTube and the networks of threads.
	FirstComment *Comment `json:"firstComment,omitempty"`
	// Labels of the posts. A label that the workspace does not have is created.
	Labels []string `json:"labels,omitempty"`
	// Alternative texts of this post, by ID of the attachment. Each replaces the altText of the asset.
	MediaAltTexts map[string]string `json:"mediaAltTexts,omitempty"`
	// IDs of media in display order.
	MediaIDs []string `json:"mediaIds,omitempty"`
	// Values that the client stores with the posts: at most 20, with names of at most 40 characters.
	Metadata map[string]string `json:"metadata,omitempty"`
	// Settings of the platform, for channels of one network. Variants take the settings of channels of several networks.
	Options *PostOptions `json:"options,omitempty"`
	// IDs of existing posts, instead of the fields of create-posts.
	PostIDs []string `json:"postIds,omitempty"`
	// Waits for another post; schedule is then the earliest time. {{url}} in the text becomes the address of that post.
	PublishAfter *PublishAfter `json:"publishAfter,omitempty"`
	// draft creates a draft. now publishes at once. next_slot publishes at the next free slot of the channel's posting
	// schedule. A time (RFC 3339 with an offset, or without one beside timezone) publishes at that time. Every value
	// except draft also needs the scope posts:publish. Default: `draft`.
	Schedule string `json:"schedule,omitempty"`
	// The parts of a thread after the first, which has content and mediaIds. X, Threads, Bluesky and Mastodon.
	Thread []Part `json:"thread,omitempty"`
	// IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time
	// that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is
	// valid beside any.
	Timezone string `json:"timezone,omitempty"`
	// Title, for video-style content.
	Title string `json:"title,omitempty"`
	// What the posts of channels have of their own. Each names another channel.
	Variants []Variant `json:"variants,omitempty"`
}

// SimulatedPost is an object of the API.
type SimulatedPost struct {
	// ID of the channel.
	ChannelID string `json:"channelId"`
	// ID of the post; null if it does not exist.
	PostID *string `json:"postId"`
	// Time at which the post would be published: the requested time, the next free slot, or now. Null if it would not be
	// published: for drafts, and if no time is available.
	At *time.Time `json:"at"`
	// Findings that prevent publishing, as in validate-posts. Pointers are into the body, or for an existing post into
	// the post.
	Errors []Finding `json:"errors"`
	// Findings that do not prevent publishing but are probably unintended.
	Warnings []Finding `json:"warnings"`
	// Attachments that the service converts for the network.
	Conversions []Conversion `json:"conversions"`
	// Quota of the network at the time of the post, without this post.
	Quota Quota `json:"quota"`
	// Other posts of the channel, SCHEDULED or published, with which the post collides; the nearest in time first, at
	// most 20.
	Conflicts []Conflict `json:"conflicts"`
	// Price that the network bills the operator of the service for the post; null if it is free.
	Cost *Cost `json:"cost"`
	// Whether the channel will accept the post at its time: it can be published to, is connected, its access does not
	// end before, and it is not paused.
	ChannelReady bool `json:"channelReady"`
}

// Simulation is an object of the API.
type Simulation struct {
	// The posts, in the order of channelIds or postIds.
	Posts []SimulatedPost `json:"posts"`
}

// Slot is an object of the API.
type Slot struct {
	// Day of the week.
	Weekday SlotWeekday `json:"weekday"`
	// Time of day in the channel's time zone. A time skipped by a change to summer time moves to the end of the gap. A
	// time that occurs twice on a day is used once, at its first occurrence.
	Time string `json:"time"`
}

// SlotWeekday: Day of the week. One of MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY, SUNDAY. Tolerate new
// values.
type SlotWeekday string

// The present values of SlotWeekday; there may be others.
const (
	SlotWeekdayMonday    SlotWeekday = "MONDAY"
	SlotWeekdayTuesday   SlotWeekday = "TUESDAY"
	SlotWeekdayWednesday SlotWeekday = "WEDNESDAY"
	SlotWeekdayThursday  SlotWeekday = "THURSDAY"
	SlotWeekdayFriday    SlotWeekday = "FRIDAY"
	SlotWeekdaySaturday  SlotWeekday = "SATURDAY"
	SlotWeekdaySunday    SlotWeekday = "SUNDAY"
)

// StartReplayOnly: failed delivers events that were not delivered for any reason. all also delivers events that were
// delivered. Default: `failed`. One of failed, all. Tolerate new values.
type StartReplayOnly string

// The present values of StartReplayOnly; there may be others.
const (
	StartReplayOnlyFailed StartReplayOnly = "failed"
	StartReplayOnlyAll    StartReplayOnly = "all"
)

// StartReplayRequest is an object of the API.
type StartReplayRequest struct {
	// Start of the time range, inclusive: RFC 3339 with an offset, at most 30 days ago.
	Since time.Time `json:"since"`
	// failed delivers events that were not delivered for any reason. all also delivers events that were delivered.
	// Default: `failed`.
	Only StartReplayOnly `json:"only,omitempty"`
	// End of the time range, exclusive: RFC 3339 with an offset, not in the future. Defaults to now.
	Until time.Time `json:"until,omitzero"`
}

// StartUploadRequest is an object of the API.
type StartUploadRequest struct {
	// Name of the file, stored unchanged. Must not contain control characters, / or \.
	FileName string `json:"fileName"`
	// MIME type of the file: image/jpeg, image/png, image/webp, image/gif, image/heic, image/avif, video/mp4,
	// video/quicktime, video/webm, application/pdf, application/msword,
	// application/vnd.openxmlformats-officedocument.wordprocessingml.document, application/vnd.ms-powerpoint or
	// application/vnd.openxmlformats-officedocument.presentationml.presentation. Must match the uploaded bytes.
	ContentType string `json:"contentType"`
	// Exact size of the file, in bytes.
	SizeBytes int64 `json:"sizeBytes"`
}

// StorageUsage is an object of the API.
type StorageUsage struct {
	// Bytes in use.
	UsedBytes int64 `json:"usedBytes"`
	// Bytes allowed by the plan.
	LimitBytes int64 `json:"limitBytes"`
	// Bytes allowed by the plan for one file.
	MaxFileBytes int64 `json:"maxFileBytes"`
}

// TestimonialBlock: A block of the type TESTIMONIAL.
type TestimonialBlock struct {
	// Id of the block. It stays the same when the page is published.
	ID string `json:"id"`
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings TestimonialBlockSettings `json:"settings"`
	// Whether the block is shown.
	IsVisible bool `json:"isVisible"`
	// Start of the display period. Null: no start.
	ShowFrom *time.Time `json:"showFrom"`
	// End of the display period. Null: no end.
	ShowUntil *time.Time `json:"showUntil"`
}

// TestimonialBlockSettings is an object of the API.
type TestimonialBlockSettings struct {
	// The quote.
	Quote string `json:"quote"`
	// Name of the author.
	Author string `json:"author"`
	// Role or company of the author.
	Role *string `json:"role"`
	// Number of stars. Null: no stars are shown.
	Rating *int64 `json:"rating"`
	// An IMAGE or a GIF of the workspace.
	ImageMediaID *string `json:"imageMediaId"`
}

// TestimonialBlockSettingsInput is an object of the API.
type TestimonialBlockSettingsInput struct {
	// The quote.
	Quote string `json:"quote"`
	// Name of the author.
	Author string `json:"author"`
	// An IMAGE or a GIF of the workspace.
	ImageMediaID string `json:"imageMediaId,omitempty"`
	// Number of stars. Null: no stars are shown.
	Rating *int64 `json:"rating,omitempty"`
	// Role or company of the author.
	Role string `json:"role,omitempty"`
}

// TextBlock: A block of the type TEXT.
type TextBlock struct {
	// Id of the block. It stays the same when the page is published.
	ID string `json:"id"`
	// Type of the block. It never changes.
	Type string `json:"type"`
	// Content of the block. Its fields depend on the type.
	Settings TextBlockSettings `json:"settings"`
	// Whether the block is shown.
	IsVisible bool `json:"isVisible"`
	// Start of the display period. Null: no start.
	ShowFrom *time.Time `json:"showFrom"`
	// End of the display period. Null: no end.
	ShowUntil *time.Time `json:"showUntil"`
}

// TextBlockSettings is an object of the API.
type TextBlockSettings struct {
	// The text. Line breaks are kept.
	Text string `json:"text"`
	// Alignment of the lines.
	Align TextBlockSettingsAlign `json:"align"`
}

// TextBlockSettingsAlign: Alignment of the lines. One of START, CENTER. Tolerate new values.
type TextBlockSettingsAlign string

// The present values of TextBlockSettingsAlign; there may be others.
const (
	TextBlockSettingsAlignStart  TextBlockSettingsAlign = "START"
	TextBlockSettingsAlignCenter TextBlockSettingsAlign = "CENTER"
)

// TextBlockSettingsInput is an object of the API.
type TextBlockSettingsInput struct {
	// The text. Line breaks are kept.
	Text string `json:"text"`
	// Alignment of the lines. Default: `START`.
	Align TextBlockSettingsAlign `json:"align,omitempty"`
}

// ThemeName: Theme of a link page, with a light and a dark palette. One of PAPER, MIST, SAND, FOREST, OCEAN, BLOSSOM,
// SUNSET, MIDNIGHT. Tolerate new values.
type ThemeName string

// The present values of ThemeName; there may be others.
const (
	ThemeNamePaper    ThemeName = "PAPER"
	ThemeNameMIST     ThemeName = "MIST"
	ThemeNameSAND     ThemeName = "SAND"
	ThemeNameForest   ThemeName = "FOREST"
	ThemeNameOcean    ThemeName = "OCEAN"
	ThemeNameBlossom  ThemeName = "BLOSSOM"
	ThemeNameSunset   ThemeName = "SUNSET"
	ThemeNameMidnight ThemeName = "MIDNIGHT"
)

// Timeline is an object of the API.
type Timeline struct {
	// Entries, oldest first.
	Data []TimelineEntry `json:"data"`
}

// TimelineEntry is an object of the API.
type TimelineEntry struct {
	// Time of the entry.
	At time.Time `json:"at"`
	// Kind of the entry: created, edited, scheduled, unscheduled, publish_requested, approval_requested, approved,
	// rejected, commented, attempt_started, attempt_failed, attempt_unknown, waiting, reconciled, published, warning,
	// failed, resumed, archived, unarchived, live_change_requested, live_edited, live_deleted or live_change_failed. The
	// last four are about changes of the published post on its network. Tolerate new values.
	Kind string `json:"kind"`
	// Actor: key and the first characters of an API key, user, guest or program and its name, or service.
	Actor string `json:"actor"`
	// Description of the entry.
	Detail string `json:"detail"`
	// Number of occurrences. Repeated waits for the same reason are counted in one entry.
	Count int64 `json:"count"`
	// Time of the last occurrence; equal to at for a single occurrence.
	LastAt time.Time `json:"lastAt"`
	// Time of the next check or attempt; null if there is none.
	NextAt *time.Time `json:"nextAt"`
}

// TokenStatus: State of the access to a network. One of HEALTHY, EXPIRING, NEEDS_RECONNECT. Tolerate new values.
type TokenStatus string

// The present values of TokenStatus; there may be others.
const (
	TokenStatusHealthy        TokenStatus = "HEALTHY"
	TokenStatusExpiring       TokenStatus = "EXPIRING"
	TokenStatusNeedsReconnect TokenStatus = "NEEDS_RECONNECT"
)

// UpdateBulkRequest is an object of the API.
type UpdateBulkRequest struct {
	// Posts to change, each once.
	Posts []UpdatePost `json:"posts"`
	// true returns what the request would do, and changes nothing.
	DryRun Optional[bool] `json:"dryRun,omitzero"`
}

// UpdateLinkPageBlockRequest is an object of the API.
type UpdateLinkPageBlockRequest struct {
	// Whether the block is shown.
	IsVisible Optional[bool] `json:"isVisible,omitzero"`
	// Changes of the settings: a merge patch (RFC 7396). Null removes an optional field. Lists are replaced as a whole.
	Settings Optional[LinkPageBlockSettingsChange] `json:"settings,omitzero"`
	// Start of the display period: RFC 3339 with an offset. Null: no start.
	ShowFrom Optional[time.Time] `json:"showFrom,omitzero"`
	// End of the display period: RFC 3339 with an offset. Null: no end.
	ShowUntil Optional[time.Time] `json:"showUntil,omitzero"`
}

// UpdateLinkPageRequest is an object of the API.
type UpdateLinkPageRequest struct {
	// Text below the title. Null: no text.
	Bio Optional[string] `json:"bio,omitzero"`
	// Last part of the page's URL, with the rules of create-link-page. The published page keeps its URL until the next
	// publication.
	Handle Optional[string] `json:"handle,omitzero"`
	// Data for search engines and link previews.
	SEO Optional[LinkPageSEOInput] `json:"seo,omitzero"`
	// Design of the page. A theme's own accent color changes with the theme.
	Theme Optional[LinkPageThemeInput] `json:"theme,omitzero"`
	// Title, on one line.
	Title Optional[string] `json:"title,omitzero"`
}

// UpdatePost is an object of the API.
type UpdatePost struct {
	// ID of the post.
	ID string `json:"id"`
	// Text of the post.
	Content Optional[string] `json:"content,omitzero"`
	// true deletes the post. Send it with id alone.
	Delete Optional[bool] `json:"delete,omitzero"`
	// Labels of the post. Replaces all of them; null removes them.
	Labels Optional[[]string] `json:"labels,omitzero"`
	// Time of the post, with the effects and the scopes of edit-post: RFC 3339 with an offset, or without one beside
	// timezone; null removes the intended time of a DRAFT.
	ScheduledAt Optional[string] `json:"scheduledAt,omitzero"`
	// Moves the post by an ISO 8601 duration instead of to a time: P1D to the same time of the next day, -P7D a week
	// back, PT2H by two hours. Counts in the wall-clock time of the post's channel, so that a change of the clocks does
	// not change the time of day.
	ShiftBy Optional[string] `json:"shiftBy,omitzero"`
	// IANA time zone of a time without an offset. A time that the clocks skip is the first instant after the gap; a time
	// that occurs twice is the first of both. A time with an offset keeps it, which must be that of the time zone; Z is
	// valid beside any.
	Timezone Optional[string] `json:"timezone,omitzero"`
	// Title; null removes it.
	Title Optional[string] `json:"title,omitzero"`
}

// UpdateWebhookRequest is an object of the API.
type UpdateWebhookRequest struct {
	// Complete list of IDs of channels of which the webhook gets events, without those that have no channel; null sends
	// every event. Applies to new events.
	ChannelIDs Optional[[]string] `json:"channelIds,omitzero"`
	// Description of the webhook; null removes it.
	Description Optional[string] `json:"description,omitzero"`
	// Complete list of event types to send, or ["*"]. Applies to new events.
	Events Optional[[]EventType] `json:"events,omitzero"`
	// true enables the webhook and sets consecutiveFailures to 0. false disables it with disabledReason MANUAL and
	// cancels its pending deliveries.
	IsActive Optional[bool] `json:"isActive,omitzero"`
	// URL that receives events from now on, including retries of earlier deliveries: https, port 443, a public address,
	// no user information.
	URL Optional[string] `json:"url,omitzero"`
}

// UploadPart is an object of the API.
type UploadPart struct {
	// Number of the part, from 1.
	Number int64 `json:"number"`
	// First byte of the part in the file.
	Offset int64 `json:"offset"`
	// Exact size of the part, in bytes.
	SizeBytes int64 `json:"sizeBytes"`
	// URL that receives the bytes of the part, valid as long as uploadUrl.
	URL string `json:"url"`
}

// UploadUsage is an object of the API.
type UploadUsage struct {
	// Imports and uploads started in this month. Deleting media does not reduce the number.
	Used int64 `json:"used"`
	// Allowed in a month.
	Limit int64 `json:"limit"`
	// Time at which the next month begins.
	ResetsAt time.Time `json:"resetsAt"`
}

// Usage is an object of the API.
type Usage struct {
	// Storage used by media.
	Storage StorageUsage `json:"storage"`
	// Imports and uploads of media in this calendar month, UTC.
	Uploads UploadUsage `json:"uploads"`
	// Webhook endpoints.
	Webhooks CountUsage `json:"webhooks"`
	// Link pages.
	LinkPages CountUsage `json:"linkPages"`
	// Requests per minute that each credential may send.
	RequestsPerMinute int64 `json:"requestsPerMinute"`
}

// Validation is an object of the API.
type Validation struct {
	// Whether the post can be published to all channels.
	Valid bool `json:"valid"`
	// Findings for each channel, in the order of the request.
	Channels []ChannelValidation `json:"channels"`
}

// Variant is an object of the API.
type Variant struct {
	// ID of the channel, one of channelIds.
	ChannelID string `json:"channelId"`
	// Text of this post.
	Content string `json:"content,omitempty"`
	// Kind of content of this post.
	ContentType ContentType `json:"contentType,omitempty"`
	// Replaces that of the request; null: this post has none.
	FirstComment *VariantFirstComment `json:"firstComment,omitempty"`
	// Alternative texts of this post, by ID of the attachment. If omitted, those of its media are kept.
	MediaAltTexts map[string]string `json:"mediaAltTexts,omitempty"`
	// IDs of the media of this post, in display order. An empty list removes all.
	MediaIDs []string `json:"mediaIds,omitempty"`
	// Settings of the platform for this post. Replaces all options of the request.
	Options *VariantOptions `json:"options,omitempty"`
	// Replaces that of the request; null: waits for none.
	PublishAfter *VariantPublishAfter `json:"publishAfter,omitempty"`
	// Replaces the thread of the request. An empty list: this post has none.
	Thread []Part `json:"thread,omitempty"`
	// Title of this post.
	Title string `json:"title,omitempty"`
}

// VariantFirstComment: Replaces that of the request; null: this post has none.
type VariantFirstComment struct {
	// Text of the comment; empty: none.
	Content string `json:"content,omitempty"`
	// Seconds after the last part of the post.
	DelaySeconds *int64 `json:"delaySeconds,omitempty"`
}

// VariantOptions: Settings of the platform for this post. Replaces all options of the request.
type VariantOptions struct {
	// Google Business: URL of the button.
	ActionURL string `json:"actionUrl,omitempty"`
	// Instagram, X, TikTok and YouTube: whether the post is labelled as AI-generated.
	AiGenerated *bool `json:"aiGenerated,omitempty"`
	// TikTok: whether others may comment, by default as the account has it.
	AllowComments *bool `json:"allowComments,omitempty"`
	// TikTok: whether others may make duets with the video.
	AllowDuet *bool `json:"allowDuet,omitempty"`
	// YouTube: whether other sites may embed the video.
	AllowEmbedding *bool `json:"allowEmbedding,omitempty"`
	// TikTok: whether others may stitch the video into theirs.
	AllowStitch *bool `json:"allowStitch,omitempty"`
	// Pinterest: alternative text of the image.
	AltText string `json:"altText,omitempty"`
	// Pinterest: the board to pin to.
	BoardID string `json:"boardId,omitempty"`
	// Pinterest: the section of the board to pin to.
	BoardSectionID string `json:"boardSectionId,omitempty"`
	// X: whether the post is labelled as a paid partnership. TikTok: discloses a paid partnership.
	BrandContent *bool `json:"brandContent,omitempty"`
	// TikTok: discloses that the account promotes its own business.
	BrandOrganic *bool `json:"brandOrganic,omitempty"`
	// Google Business: kind of the button: BOOK, ORDER, SHOP, LEARN_MORE, SIGN_UP or CALL.
	CallToAction string `json:"callToAction,omitempty"`
	// YouTube: the number of YouTube's category, such as 22.
	Category string `json:"category,omitempty"`
	// Instagram: user names of accounts that are invited as authors.
	Collaborators []string `json:"collaborators,omitempty"`
	// Bluesky: label of the attachments, by which readers hide them: sexual, nudity, porn or graphic-media.
	ContentLabel string `json:"contentLabel,omitempty"`
	// Mastodon: warning that is shown instead of the post until a reader opens it, and counts as its text.
	ContentWarning string `json:"contentWarning,omitempty"`
	// Google Business: code of the offer.
	CouponCode string `json:"couponCode,omitempty"`
	// Instagram: URL of a reel's cover.
	CoverURL string `json:"coverUrl,omitempty"`
	// Google Business: end, like eventStart.
	EventEnd string `json:"eventEnd,omitempty"`
	// Google Business: start, as a date or as a date and a time of the location.
	EventStart string `json:"eventStart,omitempty"`
	// Google Business: title of an event or offer.
	EventTitle string `json:"eventTitle,omitempty"`
	// Bluesky and Mastodon: language of the text, as a tag like en or pt-BR.
	Language string `json:"language,omitempty"`
	// YouTube: the licence of the video: youtube or creativeCommon.
	License string `json:"license,omitempty"`
	// Facebook and Threads: URL of the card. LinkedIn: publishes the post as the card of this link, with the post's
	// title and its image as the thumbnail. Pinterest: target URL of the pin.
	Link string `json:"link,omitempty"`
	// Telegram: where the message shows the page of its first link: below, above or none.
	LinkPreview string `json:"linkPreview,omitempty"`
	// Instagram: id of the Facebook Page of the place.
	LocationID string `json:"locationId,omitempty"`
	// X: publishes a text of up to 25,000 characters, for accounts with X Premium. Threads: a text of more than 500
	// characters is attached, and the post shows its beginning. Telegram: publishes a text of up to 32,768 characters as
	// a rich message.
	LongText *bool `json:"longText,omitempty"`
	// YouTube: whether the video is made for children.
	MadeForKids *bool `json:"madeForKids,omitempty"`
	// YouTube: whether subscribers are notified.
	NotifySubscribers *bool `json:"notifySubscribers,omitempty"`
	// X and Mastodon: minutes for which the poll is open, by default a day. LinkedIn: minutes for which the poll is
	// open, by default a day: 1440, 4320, 10080 or 20160.
	PollMinutes *int64 `json:"pollMinutes,omitempty"`
	// Telegram and Mastodon: whether a reader may choose several answers.
	PollMultiple *bool `json:"pollMultiple,omitempty"`
	// X, LinkedIn, Threads, Telegram and Mastodon: answers of a poll below the text.
	PollOptions []string `json:"pollOptions,omitempty"`
	// LinkedIn: question of the poll, which it requires.
	PollQuestion string `json:"pollQuestion,omitempty"`
	// TikTok: who may watch: a level that the creator's information lists: PUBLIC_TO_EVERYONE, MUTUAL_FOLLOW_FRIENDS,
	// FOLLOWER_OF_CREATOR or SELF_ONLY.
	Privacy string `json:"privacy,omitempty"`
	// Telegram: whether Telegram prevents forwarding and saving the post.
	Protected *bool `json:"protected,omitempty"`
	// X and Bluesky: address of the post to quote.
	Quote string `json:"quote,omitempty"`
	// Google Business: URL at which the offer is redeemed.
	RedeemURL string `json:"redeemUrl,omitempty"`
	// X: who may reply: everyone, following, mentioned, subscribers or verified. Threads: who may reply: everyone,
	// following, followers or mentioned. Bluesky: who may reply: everyone, following, followers, mentioned or none.
	Replies string `json:"replies,omitempty"`
	// Threads, Telegram and Mastodon: whether the attachments are hidden until a reader opens them.
	Sensitive *bool `json:"sensitive,omitempty"`
	// Instagram: whether a reel is also shown in the feed.
	ShareToFeed *bool `json:"shareToFeed,omitempty"`
	// Telegram: whether subscribers are notified without a sound.
	Silent *bool `json:"silent,omitempty"`
	// YouTube: tags of the video.
	Tags []string `json:"tags,omitempty"`
	// Google Business: terms of the offer.
	Terms string `json:"terms,omitempty"`
	// Instagram, TikTok and Pinterest: the frame that is the cover.
	ThumbOffset *int64 `json:"thumbOffset,omitempty"`
	// Threads: topic of the post, without #.
	TopicTag string `json:"topicTag,omitempty"`
	// Google Business: kind of post: STANDARD, EVENT or OFFER.
	TopicType string `json:"topicType,omitempty"`
	// Instagram: shows a reel to people who do not follow first, and to followers by hand or when it does well: manual
	// or automatic.
	TrialReel string `json:"trialReel,omitempty"`
	// TikTok: sends a draft to the creator's inbox instead of publishing.
	UploadToDraft *bool `json:"uploadToDraft,omitempty"`
	// Instagram: user names of accounts that are tagged in the first file.
	UserTags []string `json:"userTags,omitempty"`
	// YouTube: a regular video or a Short: video or short.
	VideoType string `json:"videoType,omitempty"`
	// LinkedIn: visibility of the post: everyone, or the member's connections: PUBLIC or CONNECTIONS. YouTube:
	// visibility of the video: public, unlisted or private. Mastodon: visibility of the post: everyone, everyone but not
	// in public lists, or followers: public, unlisted or private.
	Visibility string `json:"visibility,omitempty"`
}

// VariantPublishAfter: Replaces that of the request; null: waits for none.
type VariantPublishAfter struct {
	// Instead of postId: the channel whose post of this request must be published first.
	ChannelID string `json:"channelId,omitempty"`
	// Seconds after that post.
	DelaySeconds *int64 `json:"delaySeconds,omitempty"`
	// If that post fails or is deleted: hold (default) waits for it, cancel returns to DRAFT, publish publishes.
	OnFailure OnFailure `json:"onFailure,omitempty"`
	// Post that must be published first.
	PostID string `json:"postId,omitempty"`
}

// Waiting is an object of the API.
type Waiting struct {
	// time: the scheduled time is not reached. retrying: a temporary failure of the network. rate_limited: the network
	// limits requests. platform_processing: the network or the service processes the files. reconciling: the response of
	// the network was lost, and the service checks whether the post was published. platform_review: the network has
	// accepted the post and reviews it before showing it; if it reports nothing until then, the post is PUBLISHED with
	// confirmed false. channel_reconnect: the network no longer accepts the connection of the channel; the post is
	// published when a person has connected the channel again, or fails at until. channel_paused: the channel is paused,
	// or all publishing of the workspace is stopped; the post is published when a person resumes it. after_post: the
	// post before it is not published, or the delay after it is not over. Tolerate new values.
	Reason WaitingReason `json:"reason"`
	// Earliest end of the wait; with channel_reconnect and platform_review its latest end. Null with channel_paused,
	// which only a person ends, and with after_post until the post before it is published.
	Until *time.Time `json:"until"`
}

// WaitingReason: time: the scheduled time is not reached. retrying: a temporary failure of the network. rate_limited:
// the network limits requests. platform_processing: the network or the service processes the files. reconciling: the
// response of the network was lost, and the service checks whether the post was published. platform_review: the
// network has accepted the post and reviews it before showing it; if it reports nothing until then, the post is
// PUBLISHED with confirmed false. channel_reconnect: the network no longer accepts the connection of the channel; the
// post is published when a person has connected the channel again, or fails at until. channel_paused: the channel is
// paused, or all publishing of the workspace is stopped; the post is published when a person resumes it. after_post:
// the post before it is not published, or the delay after it is not over. One of time, retrying, rate_limited,
// platform_processing, reconciling, platform_review, channel_reconnect, channel_paused, after_post. Tolerate new
// values.
type WaitingReason string

// The present values of WaitingReason; there may be others.
const (
	WaitingReasonTime               WaitingReason = "time"
	WaitingReasonRetrying           WaitingReason = "retrying"
	WaitingReasonRateLimited        WaitingReason = "rate_limited"
	WaitingReasonPlatformProcessing WaitingReason = "platform_processing"
	WaitingReasonReconciling        WaitingReason = "reconciling"
	WaitingReasonPlatformReview     WaitingReason = "platform_review"
	WaitingReasonChannelReconnect   WaitingReason = "channel_reconnect"
	WaitingReasonChannelPaused      WaitingReason = "channel_paused"
	WaitingReasonAfterPost          WaitingReason = "after_post"
)

// Webhook is an object of the API.
type Webhook struct {
	// ID of the webhook.
	ID string `json:"id"`
	// URL that receives events.
	URL string `json:"url"`
	// Description of the webhook.
	Description *string `json:"description"`
	// Event types that are sent; * matches all types, including future ones.
	Events []EventType `json:"events"`
	// IDs of the channels of which events are sent; null: every event, also those without a channel. A channel stays in
	// the list while it is disconnected.
	ChannelIDs []string `json:"channelIds"`
	// Whether events are sent. False after 10 consecutive exhausted deliveries, after a response 410 Gone, or if the
	// webhook was disabled by a request.
	IsActive bool `json:"isActive"`
	// Number of consecutive deliveries that used up all attempts. A successful delivery and enabling the webhook set it
	// to 0.
	ConsecutiveFailures int64 `json:"consecutiveFailures"`
	// Time at which the webhook was disabled; null while it is active.
	DisabledAt *time.Time `json:"disabledAt"`
	// Reason: CONSECUTIVE_FAILURES, GONE or MANUAL; null while the webhook is active. Tolerate new values.
	DisabledReason *string `json:"disabledReason"`
	// Time at which the webhook was created.
	CreatedAt time.Time `json:"createdAt"`
	// Time of the last change of the webhook.
	UpdatedAt time.Time `json:"updatedAt"`
	// Time until which the previous secret also signs; null if only the current secret signs.
	PreviousSecretExpiresAt *time.Time `json:"previousSecretExpiresAt"`
}

// WebhookDelivery is an object of the API.
type WebhookDelivery struct {
	// ID of the delivery.
	ID string `json:"id"`
	// ID of the webhook.
	WebhookID string `json:"webhookId"`
	// ID of the event: id of the envelope, and X-Service-Delivery of every attempt.
	EventID string `json:"eventId"`
	// Type of the event.
	EventType string `json:"eventType"`
	// State of the delivery.
	Status DeliveryStatus `json:"status"`
	// Number of attempts, including redeliveries.
	AttemptCount int64 `json:"attemptCount"`
	// Time of the next attempt. Null if there is none, and while the delivery is queued: an endpoint receives at most 4
	// concurrent requests, and one while it fails.
	NextAttemptAt *time.Time `json:"nextAttemptAt"`
	// Time at which the delivery was created, moments after the event or by a replay.
	CreatedAt time.Time `json:"createdAt"`
	// Time of completion; null while the delivery is PENDING.
	CompletedAt *time.Time `json:"completedAt"`
}

// WebhookDeliveryLog is an object of the API.
type WebhookDeliveryLog struct {
	// Attempts, oldest first.
	Attempts []DeliveryAttempt `json:"attempts"`
	// ID of the delivery.
	ID string `json:"id"`
	// ID of the webhook.
	WebhookID string `json:"webhookId"`
	// ID of the event: id of the envelope, and X-Service-Delivery of every attempt.
	EventID string `json:"eventId"`
	// Type of the event.
	EventType string `json:"eventType"`
	// State of the delivery.
	Status DeliveryStatus `json:"status"`
	// Number of attempts, including redeliveries.
	AttemptCount int64 `json:"attemptCount"`
	// Time of the next attempt. Null if there is none, and while the delivery is queued: an endpoint receives at most 4
	// concurrent requests, and one while it fails.
	NextAttemptAt *time.Time `json:"nextAttemptAt"`
	// Time at which the delivery was created, moments after the event or by a replay.
	CreatedAt time.Time `json:"createdAt"`
	// Time of completion; null while the delivery is PENDING.
	CompletedAt *time.Time `json:"completedAt"`
}

// WebhookEvent: An event that is sent to webhooks.
// Value is one of PostCreatedEvent, PostScheduledEvent, PostUnscheduledEvent, PostUpdatedEvent, PostPublishedEvent, PostPartFailedEvent, PostCompletedEvent, PostFailedEvent, PostDeletedEvent, PostApprovalRequestedEvent, PostApprovedEvent, PostRejectedEvent, PostCommentedEvent, ChannelConnectedEvent, ChannelDisconnectedEvent, ChannelAccessLostEvent, ChannelAccessRestoredEvent, ChannelExpiringEvent, MediaReadyEvent, MediaFailedEvent, LeadCreatedEvent, LeadStageChangedEvent, WebhookTestEvent;
// a json.RawMessage if the type is unknown.
type WebhookEvent struct{ Value any }

// UnmarshalJSON decodes the type that the member type names.
func (u *WebhookEvent) UnmarshalJSON(raw []byte) (err error) {
	switch discriminator(raw, "type") {
	case "channel.access_lost":
		u.Value, err = decodeAs[ChannelAccessLostEvent](raw)
	case "channel.access_restored":
		u.Value, err = decodeAs[ChannelAccessRestoredEvent](raw)
	case "channel.connected":
		u.Value, err = decodeAs[ChannelConnectedEvent](raw)
	case "channel.disconnected":
		u.Value, err = decodeAs[ChannelDisconnectedEvent](raw)
	case "channel.expiring":
		u.Value, err = decodeAs[ChannelExpiringEvent](raw)
	case "lead.created":
		u.Value, err = decodeAs[LeadCreatedEvent](raw)
	case "lead.stage_changed":
		u.Value, err = decodeAs[LeadStageChangedEvent](raw)
	case "media.failed":
		u.Value, err = decodeAs[MediaFailedEvent](raw)
	case "media.ready":
		u.Value, err = decodeAs[MediaReadyEvent](raw)
	case "post.approval_requested":
		u.Value, err = decodeAs[PostApprovalRequestedEvent](raw)
	case "post.approved":
		u.Value, err = decodeAs[PostApprovedEvent](raw)
	case "post.commented":
		u.Value, err = decodeAs[PostCommentedEvent](raw)
	case "post.completed":
		u.Value, err = decodeAs[PostCompletedEvent](raw)
	case "post.created":
		u.Value, err = decodeAs[PostCreatedEvent](raw)
	case "post.deleted":
		u.Value, err = decodeAs[PostDeletedEvent](raw)
	case "post.failed":
		u.Value, err = decodeAs[PostFailedEvent](raw)
	case "post.part_failed":
		u.Value, err = decodeAs[PostPartFailedEvent](raw)
	case "post.published":
		u.Value, err = decodeAs[PostPublishedEvent](raw)
	case "post.rejected":
		u.Value, err = decodeAs[PostRejectedEvent](raw)
	case "post.scheduled":
		u.Value, err = decodeAs[PostScheduledEvent](raw)
	case "post.unscheduled":
		u.Value, err = decodeAs[PostUnscheduledEvent](raw)
	case "post.updated":
		u.Value, err = decodeAs[PostUpdatedEvent](raw)
	case "webhook.test":
		u.Value, err = decodeAs[WebhookTestEvent](raw)
	default:
		u.Value = append(json.RawMessage(nil), raw...)
	}
	return err
}

// MarshalJSON encodes the value.
func (u WebhookEvent) MarshalJSON() ([]byte, error) { return json.Marshal(u.Value) }

// WebhookList is an object of the API.
type WebhookList struct {
	// Webhooks, oldest first. A workspace has at most 20, in a single page.
	Data []Webhook `json:"data"`
	// Always null.
	NextCursor *string `json:"nextCursor"`
}

// WebhookReplay is an object of the API.
type WebhookReplay struct {
	// ID of the replay.
	ID string `json:"id"`
	// ID of the webhook.
	WebhookID string `json:"webhookId"`
	// Start of the time range, inclusive.
	Since time.Time `json:"since"`
	// End of the time range, exclusive.
	Until time.Time `json:"until"`
	// failed: only events that were not delivered. all: also events that were delivered.
	Only StartReplayOnly `json:"only"`
	// RUNNING: the replay is selecting events. COMPLETED: all selected events are queued, after new events. CANCELLED:
	// the webhook was disabled. Tolerate new values.
	Status string `json:"status"`
	// Number of deliveries queued so far.
	Queued int64 `json:"queued"`
	// Time at which the replay was started.
	CreatedAt time.Time `json:"createdAt"`
	// Time at which the replay ended; null while it is RUNNING.
	CompletedAt *time.Time `json:"completedAt"`
}

// WebhookTest is an object of the API.
type WebhookTest struct {
	// ID of the event: id of the envelope, and X-Service-Delivery of every attempt.
	EventID string `json:"eventId"`
	// Type of the event.
	Type string `json:"type"`
	// ID of the webhook that receives the event.
	WebhookID string `json:"webhookId"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
}

// WebhookTestEvent: Sent when the test operation of this webhook is called. Sent only to this webhook, regardless of
// its subscriptions.
type WebhookTestEvent struct {
	// ID of the event, the same for every attempt. Use it to detect duplicates.
	ID string `json:"id"`
	// Type of the event.
	Type string `json:"type"`
	// Time at which the event was created.
	CreatedAt time.Time `json:"createdAt"`
	// ID of the event's workspace.
	WorkspaceID string `json:"workspaceId"`
	// Data of the event.
	Data WebhookTestEventData `json:"data"`
	// Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same post, the
	// later one has the higher number.
	Sequence int64 `json:"sequence"`
	// test in events of a test workspace; absent in others.
	Mode string `json:"mode,omitempty"`
}

// WebhookTestEventData is an object of the API.
type WebhookTestEventData struct {
	// ID of the tested webhook.
	WebhookID string `json:"webhookId"`
	// Explanation of the event.
	Message string `json:"message"`
}

// Workspace is an object of the API.
type Workspace struct {
	// ID of the workspace.
	ID string `json:"id"`
	// Name of the workspace.
	Name string `json:"name"`
	// Mode of the workspace: live, or test for the workspace of a test key, whose channels reach no network.
	Mode WorkspaceMode `json:"mode"`
	// Plan of the workspace, which determines its quotas.
	Plan Plan `json:"plan"`
	// IANA time zone of the workspace.
	Timezone string `json:"timezone"`
	// Time at which the workspace was created.
	CreatedAt time.Time `json:"createdAt"`
	// Usage of the plan.
	Usage Usage `json:"usage"`
	// Approval policy of the workspace.
	ApprovalPolicy ApprovalPolicy `json:"approvalPolicy"`
	// Scopes of the credential of this request.
	GrantedScopes []Scope `json:"grantedScopes"`
}

// WorkspaceAnalytics is an object of the API.
type WorkspaceAnalytics struct {
	// First day of the range.
	From string `json:"from"`
	// Last day of the range, inclusive.
	To string `json:"to"`
	// Followers of all channels: the sum of the last count of each channel in or before the range.
	TotalFollowers *int64 `json:"totalFollowers"`
	// Engagements ÷ impressions (or reach, for days without impressions) over the days that have both figures. A ratio:
	// 0.05 is 5 %.
	AverageEngagementRate *float64 `json:"averageEngagementRate"`
	// Number of posts published in the range.
	PostsPublished int64 `json:"postsPublished"`
	// Increase of likes in the range.
	Likes *int64 `json:"likes"`
	// Increase of comments in the range.
	Comments *int64 `json:"comments"`
	// Increase of shares in the range.
	Shares *int64 `json:"shares"`
	// The channels of the workspace, oldest first.
	Channels []ChannelStanding `json:"channels"`
}

// WorkspaceMode: Mode of the workspace: live, or test for the workspace of a test key, whose channels reach no
// network. One of live, test. Tolerate new values.
type WorkspaceMode string

// The present values of WorkspaceMode; there may be others.
const (
	WorkspaceModeLive WorkspaceMode = "live"
	WorkspaceModeTest WorkspaceMode = "test"
)
