// Code generated from docs/openapi.yaml by tools/gen (make generate); DO NOT EDIT.

package fencepost

import (
	"net/url"
	"time"
)

// The operations of the API.
var (
	opGetChannelAnalytics      = operation{method: "GET", path: "/v1/analytics/channels/{id}"}
	opGetPostAnalytics         = operation{method: "GET", path: "/v1/analytics/posts/{id}"}
	opGetWorkspaceAnalytics    = operation{method: "GET", path: "/v1/analytics/workspace"}
	opListChannels             = operation{method: "GET", path: "/v1/channels"}
	opGetChannel               = operation{method: "GET", path: "/v1/channels/{id}"}
	opListPinterestBoards      = operation{method: "GET", path: "/v1/channels/{id}/pinterest/boards"}
	opGetChannelQuota          = operation{method: "GET", path: "/v1/channels/{id}/quota"}
	opGetChannelSchedule       = operation{method: "GET", path: "/v1/channels/{id}/schedule"}
	opGetTikTokCreatorInfo     = operation{method: "GET", path: "/v1/channels/{id}/tiktok/creator-info"}
	opListEvents               = operation{method: "GET", path: "/v1/events"}
	opGetEvent                 = operation{method: "GET", path: "/v1/events/{id}"}
	opListIdeaBoards           = operation{method: "GET", path: "/v1/idea-boards"}
	opGetIdeaBoard             = operation{method: "GET", path: "/v1/idea-boards/{id}"}
	opCreateIdeaCard           = operation{method: "POST", path: "/v1/idea-boards/{id}/cards", keyed: true}
	opListLinkPages            = operation{method: "GET", path: "/v1/link-pages"}
	opCreateLinkPage           = operation{method: "POST", path: "/v1/link-pages", keyed: true}
	opDeleteLinkPage           = operation{method: "DELETE", path: "/v1/link-pages/{id}"}
	opGetLinkPage              = operation{method: "GET", path: "/v1/link-pages/{id}"}
	opUpdateLinkPage           = operation{method: "PATCH", path: "/v1/link-pages/{id}", keyed: true}
	opGetLinkPageAnalytics     = operation{method: "GET", path: "/v1/link-pages/{id}/analytics"}
	opAddLinkBlock             = operation{method: "POST", path: "/v1/link-pages/{id}/blocks", keyed: true}
	opOrderLinkBlocks          = operation{method: "PUT", path: "/v1/link-pages/{id}/blocks/order"}
	opDeleteLinkBlock          = operation{method: "DELETE", path: "/v1/link-pages/{id}/blocks/{blockId}"}
	opUpdateLinkBlock          = operation{method: "PATCH", path: "/v1/link-pages/{id}/blocks/{blockId}", keyed: true}
	opPublishLinkPage          = operation{method: "POST", path: "/v1/link-pages/{id}/publish", keyed: true}
	opUnpublishLinkPage        = operation{method: "POST", path: "/v1/link-pages/{id}/unpublish", keyed: true}
	opListMedia                = operation{method: "GET", path: "/v1/media"}
	opImportMedia              = operation{method: "POST", path: "/v1/media", keyed: true}
	opStartUpload              = operation{method: "POST", path: "/v1/media/uploads", keyed: true}
	opCompleteUpload           = operation{method: "POST", path: "/v1/media/uploads/{id}/complete", keyed: true}
	opDeleteMedia              = operation{method: "DELETE", path: "/v1/media/{id}"}
	opGetMedia                 = operation{method: "GET", path: "/v1/media/{id}"}
	opEditMedia                = operation{method: "PATCH", path: "/v1/media/{id}", keyed: true}
	opGetOpenAPI               = operation{method: "GET", path: "/v1/openapi.json"}
	opListPosts                = operation{method: "GET", path: "/v1/posts"}
	opCreatePosts              = operation{method: "POST", path: "/v1/posts", keyed: true}
	opCreatePostsInBulk        = operation{method: "POST", path: "/v1/posts/bulk", keyed: true}
	opUpdatePostsInBulk        = operation{method: "POST", path: "/v1/posts/bulk-update", keyed: true}
	opCreateLinkedInPost       = operation{method: "POST", path: "/v1/posts/linkedin", keyed: true}
	opCreatePinterestPost      = operation{method: "POST", path: "/v1/posts/pinterest", keyed: true}
	opSimulatePosts            = operation{method: "POST", path: "/v1/posts/simulate"}
	opCreateTikTokPost         = operation{method: "POST", path: "/v1/posts/tiktok", keyed: true}
	opValidatePosts            = operation{method: "POST", path: "/v1/posts/validate"}
	opCreateYouTubePost        = operation{method: "POST", path: "/v1/posts/youtube", keyed: true}
	opDeletePost               = operation{method: "DELETE", path: "/v1/posts/{id}"}
	opGetPost                  = operation{method: "GET", path: "/v1/posts/{id}"}
	opEditPost                 = operation{method: "PATCH", path: "/v1/posts/{id}", keyed: true}
	opApprovePost              = operation{method: "POST", path: "/v1/posts/{id}/approve", keyed: true}
	opContinueParts            = operation{method: "POST", path: "/v1/posts/{id}/continue", keyed: true}
	opPublishPost              = operation{method: "POST", path: "/v1/posts/{id}/publish", keyed: true}
	opRejectPost               = operation{method: "POST", path: "/v1/posts/{id}/reject", keyed: true}
	opRequestPostApproval      = operation{method: "POST", path: "/v1/posts/{id}/request-approval", keyed: true}
	opSchedulePost             = operation{method: "POST", path: "/v1/posts/{id}/schedule", keyed: true}
	opGetPostTimeline          = operation{method: "GET", path: "/v1/posts/{id}/timeline"}
	opUnschedulePost           = operation{method: "POST", path: "/v1/posts/{id}/unschedule", keyed: true}
	opListWebhooks             = operation{method: "GET", path: "/v1/webhooks"}
	opCreateWebhook            = operation{method: "POST", path: "/v1/webhooks", keyed: true}
	opDeleteWebhook            = operation{method: "DELETE", path: "/v1/webhooks/{id}"}
	opGetWebhook               = operation{method: "GET", path: "/v1/webhooks/{id}"}
	opUpdateWebhook            = operation{method: "PATCH", path: "/v1/webhooks/{id}", keyed: true}
	opListWebhookDeliveries    = operation{method: "GET", path: "/v1/webhooks/{id}/deliveries"}
	opGetWebhookDelivery       = operation{method: "GET", path: "/v1/webhooks/{id}/deliveries/{deliveryId}"}
	opRedeliverWebhookDelivery = operation{method: "POST", path: "/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver", keyed: true}
	opStartWebhookReplay       = operation{method: "POST", path: "/v1/webhooks/{id}/replay", keyed: true}
	opGetWebhookReplay         = operation{method: "GET", path: "/v1/webhooks/{id}/replays/{replayId}"}
	opRotateWebhookSecret      = operation{method: "POST", path: "/v1/webhooks/{id}/rotate-secret", keyed: true}
	opTestWebhook              = operation{method: "POST", path: "/v1/webhooks/{id}/test", keyed: true}
	opGetWorkspace             = operation{method: "GET", path: "/v1/workspace"}
)

// GetChannelAnalyticsParams are the parameters of get-channel-analytics. The zero value of a field is not sent.
type GetChannelAnalyticsParams struct {
	// First day of the range, as 2026-02-01. Defaults to the day that makes the range 30 days long.
	From string
	// Last day of the range, inclusive. Defaults to today in the workspace's time zone.
	To string
}

func (p GetChannelAnalyticsParams) values() url.Values {
	query := url.Values{}
	add(query, "from", p.From)
	add(query, "to", p.To)
	return query
}

// GetPostAnalyticsParams are the parameters of get-post-analytics. The zero value of a field is not sent.
type GetPostAnalyticsParams struct {
	// First day of the range, as 2026-02-01. Without from and to, all snapshots are returned. With to alone, the range
	// has 30 days.
	From string
	// Last day of the range, inclusive. With from alone, today in the workspace's time zone.
	To string
}

func (p GetPostAnalyticsParams) values() url.Values {
	query := url.Values{}
	add(query, "from", p.From)
	add(query, "to", p.To)
	return query
}

// GetWorkspaceAnalyticsParams are the parameters of get-workspace-analytics. The zero value of a field is not sent.
type GetWorkspaceAnalyticsParams struct {
	// First day of the range, as 2026-02-01. Defaults to the day that makes the range 30 days long.
	From string
	// Last day of the range, inclusive. Defaults to today in the workspace's time zone.
	To string
}

func (p GetWorkspaceAnalyticsParams) values() url.Values {
	query := url.Values{}
	add(query, "from", p.From)
	add(query, "to", p.To)
	return query
}

// ListChannelsParams are the parameters of list-channels. The zero value of a field is not sent.
type ListChannelsParams struct {
	// Returns only channels of one of these types. May be repeated.
	Type []ChannelType
	// Returns only channels whose access to the network is in this state.
	TokenStatus TokenStatus
}

func (p ListChannelsParams) values() url.Values {
	query := url.Values{}
	add(query, "type", p.Type)
	add(query, "tokenStatus", p.TokenStatus)
	return query
}

// ListEventsParams are the parameters of list-events. The zero value of a field is not sent.
type ListEventsParams struct {
	// Returns only events of this type; * matches every type.
	Type EventType
	// Returns only events created at this time or later: RFC 3339 with an offset, a plus written as %2B.
	From time.Time
	// Returns only events created before this time.
	To time.Time
	// Order of the log: seq is oldest first, -seq newest first. To poll, use seq.
	Sort string
	// Maximum number of entries per page.
	Limit int64
	// The nextCursor of the previous page, with the same filters and sort. Omit it for the first page.
	Cursor string
}

func (p ListEventsParams) values() url.Values {
	query := url.Values{}
	add(query, "type", p.Type)
	add(query, "from", p.From)
	add(query, "to", p.To)
	add(query, "sort", p.Sort)
	add(query, "limit", p.Limit)
	add(query, "cursor", p.Cursor)
	return query
}

// GetIdeaBoardParams are the parameters of get-idea-board. The zero value of a field is not sent.
type GetIdeaBoardParams struct {
	// Maximum number of cards in the response.
	Limit int64
	// The nextCursor of the previous response. Omit it for the first cards.
	Cursor string
}

func (p GetIdeaBoardParams) values() url.Values {
	query := url.Values{}
	add(query, "limit", p.Limit)
	add(query, "cursor", p.Cursor)
	return query
}

// GetLinkPageAnalyticsParams are the parameters of get-link-page-analytics. The zero value of a field is not sent.
type GetLinkPageAnalyticsParams struct {
	// First day, in UTC, such as 2026-02-01. Default: the start of a range of 30 days.
	From string
	// Last day, in UTC, inclusive. Default: today.
	To string
}

func (p GetLinkPageAnalyticsParams) values() url.Values {
	query := url.Values{}
	add(query, "from", p.From)
	add(query, "to", p.To)
	return query
}

// ListMediaParams are the parameters of list-media. The zero value of a field is not sent.
type ListMediaParams struct {
	// Returns only assets of this kind.
	Type MediaType
	// Returns only assets whose name, alternative text or labels have these words, as in the list of posts.
	Q string
	// If true, returns only assets that nothing refers to, which can be deleted.
	Unused string
	// Returns only assets created at this time or later: RFC 3339 with an offset, a plus written as %2B.
	CreatedFrom time.Time
	// Returns only assets created before this time.
	CreatedTo time.Time
	// Maximum number of entries per page.
	Limit int64
	// The nextCursor of the previous page, with the same filters and sort. Omit it for the first page.
	Cursor string
}

func (p ListMediaParams) values() url.Values {
	query := url.Values{}
	add(query, "type", p.Type)
	add(query, "q", p.Q)
	add(query, "unused", p.Unused)
	add(query, "createdFrom", p.CreatedFrom)
	add(query, "createdTo", p.CreatedTo)
	add(query, "limit", p.Limit)
	add(query, "cursor", p.Cursor)
	return query
}

// ListPostsParams are the parameters of list-posts. The zero value of a field is not sent.
type ListPostsParams struct {
	// Returns only posts in one of these states. May be repeated.
	Status []PostStatus
	// Returns only posts for one of these channels. May be repeated.
	ChannelID []string
	// Returns only posts with one of these labels, in either case. May be repeated.
	Label []string
	// Returns only posts of this set.
	GroupID string
	// Returns only posts of this campaign.
	CampaignID string
	// Returns only posts with this externalId.
	ExternalID string
	// Returns only posts whose content or title has each of these words, also as a part of a longer word, in either
	// case. A word of one or two letters matches whole words only, except in Chinese, Japanese and Korean. At most 10
	// words.
	Q string
	// Returns only posts scheduled at this time or later: RFC 3339 with an offset, a plus written as %2B.
	ScheduledFrom time.Time
	// Returns only posts scheduled before this time.
	ScheduledTo time.Time
	// Returns only posts published at this time or later.
	PublishedFrom time.Time
	// Returns only posts published before this time.
	PublishedTo time.Time
	// Returns only posts changed at this time or later.
	UpdatedSince time.Time
	// Order of the list. Defaults to newest first.
	Sort PostSort
	// Maximum number of entries per page.
	Limit int64
	// The nextCursor of the previous page, with the same filters and sort. Omit it for the first page.
	Cursor string
}

func (p ListPostsParams) values() url.Values {
	query := url.Values{}
	add(query, "status", p.Status)
	add(query, "channelId", p.ChannelID)
	add(query, "label", p.Label)
	add(query, "groupId", p.GroupID)
	add(query, "campaignId", p.CampaignID)
	add(query, "externalId", p.ExternalID)
	add(query, "q", p.Q)
	add(query, "scheduledFrom", p.ScheduledFrom)
	add(query, "scheduledTo", p.ScheduledTo)
	add(query, "publishedFrom", p.PublishedFrom)
	add(query, "publishedTo", p.PublishedTo)
	add(query, "updatedSince", p.UpdatedSince)
	add(query, "sort", p.Sort)
	add(query, "limit", p.Limit)
	add(query, "cursor", p.Cursor)
	return query
}

// ListWebhookDeliveriesParams are the parameters of list-webhook-deliveries. The zero value of a field is not sent.
type ListWebhookDeliveriesParams struct {
	// Returns only deliveries in this state.
	Status DeliveryStatus
	// Returns only deliveries of events of this type; * matches every type.
	EventType EventType
	// Maximum number of entries per page.
	Limit int64
	// The nextCursor of the previous page, with the same filters and sort. Omit it for the first page.
	Cursor string
}

func (p ListWebhookDeliveriesParams) values() url.Values {
	query := url.Values{}
	add(query, "status", p.Status)
	add(query, "eventType", p.EventType)
	add(query, "limit", p.Limit)
	add(query, "cursor", p.Cursor)
	return query
}
