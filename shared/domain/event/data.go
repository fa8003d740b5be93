package event

import (
	"encoding/json"

	"fencepost.internal/shared/kernel/ident"
)

// Payloads of events. The struct tags other than json document the fields; the published schemas are generated from
// them.

// PostData is the data of every post event.
type PostData struct {
	PostID      ident.Post    `json:"postId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post."`
	ChannelID   ident.Channel `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of the post's channel."`
	Status      string        `json:"status" example:"PUBLISHED" doc:"State of the post after the event; for a deleted post, its last state."`
	PublishedAt *string       `json:"publishedAt" format:"date-time" example:"2026-03-01T07:00:00.000Z" doc:"Time at which the post was published; null unless the post is PUBLISHED."`
	PostURL     *string       `json:"postUrl" example:"https://t.me/acme_news/42" doc:"URL of the published post; null if the post is not published or its network provides no URL."`
	Confirmed   *bool         `json:"confirmed" example:"true" doc:"Whether the network is known to show the post: false if it reports nothing about it, or its review took longer than 24 hours; null unless the post is PUBLISHED."`
	Error       any           `json:"error" doc:"Reason why publishing failed; null unless the post is FAILED."`

	ChannelType string            `json:"channelType" example:"TELEGRAM_CHANNEL" doc:"Type of the post's channel."`
	ScheduledAt *string           `json:"scheduledAt" format:"date-time" example:"2026-03-01T07:00:00.000Z" doc:"Time at which the post is to be published; null if it has none."`
	GroupID     ident.Group       `json:"groupId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b61" doc:"ID of the set: the posts that were created by one request."`
	Labels      []string          `json:"labels" example:"[\"Spring\"]" doc:"Labels of the post."`
	ExternalID  *string           `json:"externalId" example:"cms-4711" doc:"ID of the post in the client's own system; null if it has none."`
	Metadata    map[string]string `json:"metadata" example:"{\"campaign\":\"spring\"}" doc:"Values that the client stored with the post."`
}

// PartData is the data of post.part_failed.
type PartData struct {
	PostData

	Part FailedPart `json:"part" doc:"The part that is not published."`
}

// FailedPart is a part of a post that is not published.
type FailedPart struct {
	Index  int    `json:"index" example:"2" doc:"Position of the part, from 0, the post itself."`
	Kind   string `json:"kind" enum:"REPLY,COMMENT" example:"REPLY" doc:"REPLY in a thread, or COMMENT under the post."`
	Status string `json:"status" enum:"FAILED,UNKNOWN" example:"FAILED" doc:"FAILED, or UNKNOWN: the network may have the part."`
	Error  any    `json:"error" doc:"Reason why the part is not published."`
}

// ApprovalData is the data of approval events: the post and the approver's comment.
type ApprovalData struct {
	PostData

	Comment *string `json:"comment" example:"Looks good." doc:"Comment of the approver; null if there is none, and always null in a request for approval."`
}

// ChannelData is the data of channel events.
type ChannelData struct {
	ChannelID ident.Channel `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"ID of the channel."`
	Type      string        `json:"type" example:"TELEGRAM_CHANNEL" doc:"Kind of account."`
	Name      string        `json:"name" example:"Acme News" doc:"Name of the channel."`
}

// MediaData is the data of media events.
type MediaData struct {
	MediaID ident.Media `json:"mediaId" format:"uuid" example:"0190a3c7-2e14-7a5b-9c66-1f2d3e4b5a69" doc:"ID of the asset."`
	Name    string      `json:"name" example:"spring.mp4" doc:"Name of the file."`
	Type    string      `json:"type" example:"VIDEO" doc:"Kind of the file."`
}

// MediaFailedData is the data of media.failed.
type MediaFailedData struct {
	MediaData

	Error MediaError `json:"error" doc:"Reason why the file could not be opened."`
}

// MediaError says why a file could not be opened.
type MediaError struct {
	Code      string `json:"code" example:"MEDIA_DAMAGED" doc:"Code of the reason."`
	Message   string `json:"message" example:"The file is damaged." doc:"Explanation of the reason."`
	Retryable bool   `json:"retryable" example:"false" doc:"Whether the same file can be opened after another upload."`
}

// WebhookTestData is the data of webhook.test.
type WebhookTestData struct {
	WebhookID ident.Webhook `json:"webhookId" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"ID of the tested webhook."`
	Message   string        `json:"message" example:"This is a test event." doc:"Explanation of the event."`
}

// Lead is the lead in events. The names of its fields use underscores (docs/contract.md, Names and IDs).
type Lead struct {
	ID           ident.Lead   `json:"id" format:"uuid" example:"0190a3ca-6057-7cbe-bf99-ae6c7b809fa4" doc:"ID of the lead."`
	PersonID     *string      `json:"person_id" format:"uuid" example:"0190a3cb-7168-7dcf-80aa-bf7d8c91a0b5" doc:"ID of the person, if the lead is linked to a person of the workspace."`
	Name         string       `json:"name" example:"Mara Lindqvist" doc:"Name of the person."`
	Handle       *string      `json:"handle" example:"mara.builds" doc:"Name of the account on its platform."`
	ProfileURL   *string      `json:"profile_url" format:"uri" example:"https://www.instagram.com/mara.builds" doc:"URL of the profile; http or https."`
	Platform     *string      `json:"platform" example:"INSTAGRAM" doc:"Platform of the lead."`
	Source       string       `json:"source" example:"BROWSER_EXTENSION" doc:"Source of the lead."`
	Temperature  *string      `json:"temperature" example:"WARM" doc:"Estimated likelihood that the lead buys."`
	Interest     *string      `json:"interest" example:"Asked for prices of the wall tiles." doc:"Interest of the lead."`
	Stage        string       `json:"stage" example:"QUALIFIED" doc:"Stage of the lead."`
	Value        *json.Number `json:"value" doc:"Estimated value of the deal, in units of the currency."`
	Currency     *string      `json:"currency" example:"EUR" doc:"Currency of the value (ISO 4217)."`
	FollowUpAt   *string      `json:"follow_up_at" format:"date-time" example:"2026-03-04T09:00:00.000Z" doc:"Planned time of the next contact."`
	ContactEmail *string      `json:"contact_email" format:"email" example:"mara@example.com" doc:"Email address of the lead."`
	ContactPhone *string      `json:"contact_phone" example:"+46 70 123 45 67" doc:"Phone number of the lead, stored unchanged."`
	LostReason   *string      `json:"lost_reason" example:"Chose another supplier." doc:"Reason why the lead was lost; null unless the stage is LOST."`
	CreatedAt    string       `json:"created_at" format:"date-time" example:"2026-03-01T06:00:00.000Z" doc:"Time at which the lead was captured."`
	UpdatedAt    string       `json:"updated_at" format:"date-time" example:"2026-03-01T07:00:00.000Z" doc:"Time of the last change of the lead."`
}

// LeadData is the data of lead.created.
type LeadData struct {
	Lead Lead `json:"lead" doc:"The lead."`
}

// LeadStageData is the data of lead.stage_changed.
type LeadStageData struct {
	Lead          Lead   `json:"lead" doc:"The changed lead."`
	PreviousStage string `json:"previous_stage" example:"CONTACTED" doc:"Previous stage of the lead."`
	Stage         string `json:"stage" example:"QUALIFIED" doc:"Current stage of the lead, equal to stage of the lead."`
}
