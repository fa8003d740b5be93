package event

import (
	"encoding/json"

	"socialpub.internal/shared/kernel/ident"
)

// Payloads of events. The struct tags other than json document the fields; the published schemas are generated from
// them.

// PostData is the data of every post event.
type PostData struct {
	PostID      ident.Post    `json:"postId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"The post."`
	ChannelID   ident.Channel `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"The channel that the post is for."`
	Status      string        `json:"status" example:"PUBLISHED" doc:"State of the post after what happened; of a deleted post, the state it was in."`
	PublishedAt *string       `json:"publishedAt" format:"date-time" example:"2026-03-01T07:00:00.000Z" doc:"When it was published; null unless the post is PUBLISHED."`
	PostURL     *string       `json:"postUrl" example:"https://t.me/acme_news/42" doc:"Where the published post can be seen; null when it is not out, or when its network names no address."`
	Error       any           `json:"error" doc:"Why publishing failed; null unless the post is FAILED."`
}

// ApprovalData is the data of approval events: the post and the approver's comment.
type ApprovalData struct {
	PostData

	Comment *string `json:"comment" example:"Looks good." doc:"What the approver wrote; null when there is nothing, and always in a request."`
}

// ChannelData is the data of channel events.
type ChannelData struct {
	ChannelID ident.Channel `json:"channelId" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"The channel."`
	Type      string        `json:"type" example:"TELEGRAM_CHANNEL" doc:"Kind of account."`
	Name      string        `json:"name" example:"Acme News" doc:"Name of the channel."`
}

// WebhookTestData is the data of webhook.test.
type WebhookTestData struct {
	WebhookID ident.Webhook `json:"webhookId" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"The webhook that is tested."`
	Message   string        `json:"message" example:"This is a test event." doc:"A text for people."`
}

// Lead is the specification's Lead object. Its fields keep the names of the specification, which use underscores
// (decisions, section 1).
type Lead struct {
	ID           ident.Lead   `json:"id" format:"uuid" example:"0190a3ca-6057-7cbe-bf99-ae6c7b809fa4" doc:"Id of the lead."`
	PersonID     *string      `json:"person_id" format:"uuid" example:"0190a3cb-7168-7dcf-80aa-bf7d8c91a0b5" doc:"The person, once the lead is known to be one of the workspace's people."`
	Name         string       `json:"name" example:"Mara Lindqvist" doc:"Name of the person."`
	Handle       *string      `json:"handle" example:"mara.builds" doc:"Name of the account on its platform."`
	ProfileURL   *string      `json:"profile_url" format:"uri" example:"https://www.instagram.com/mara.builds" doc:"Address of the profile; http or https."`
	Platform     *string      `json:"platform" example:"INSTAGRAM" doc:"Where the lead was met."`
	Source       string       `json:"source" example:"BROWSER_EXTENSION" doc:"How the lead was captured."`
	Temperature  *string      `json:"temperature" example:"WARM" doc:"How likely the lead is thought to buy."`
	Interest     *string      `json:"interest" example:"Asked for prices of the wall tiles." doc:"What the lead is interested in."`
	Stage        string       `json:"stage" example:"QUALIFIED" doc:"Where the lead stands."`
	Value        *json.Number `json:"value" doc:"What the deal may be worth, in units of the currency."`
	Currency     *string      `json:"currency" example:"EUR" doc:"Currency of the value (ISO 4217)."`
	FollowUpAt   *string      `json:"follow_up_at" format:"date-time" example:"2026-03-04T09:00:00.000Z" doc:"When somebody means to come back to the lead."`
	ContactEmail *string      `json:"contact_email" format:"email" example:"mara@example.com" doc:"Address to write to."`
	ContactPhone *string      `json:"contact_phone" example:"+46 70 123 45 67" doc:"Number to call, as it was given."`
	LostReason   *string      `json:"lost_reason" example:"Chose another supplier." doc:"Why the lead was lost; null unless the stage is LOST."`
	CreatedAt    string       `json:"created_at" format:"date-time" example:"2026-03-01T06:00:00.000Z" doc:"When the lead was captured."`
	UpdatedAt    string       `json:"updated_at" format:"date-time" example:"2026-03-01T07:00:00.000Z" doc:"When the lead changed last."`
}

// LeadData is the data of lead.created.
type LeadData struct {
	Lead Lead `json:"lead" doc:"The lead."`
}

// LeadStageData is the data of lead.stage_changed.
type LeadStageData struct {
	Lead          Lead   `json:"lead" doc:"The lead, as it is now."`
	PreviousStage string `json:"previous_stage" example:"CONTACTED" doc:"Where the lead stood before."`
	Stage         string `json:"stage" example:"QUALIFIED" doc:"Where the lead stands now; the same as in the lead."`
}
