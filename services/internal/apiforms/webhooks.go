package apiforms

import (
	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/ident"
)

// Webhook is the webhook in responses (docs/contract.md, Webhooks).
type Webhook struct {
	ID                      ident.Webhook     `json:"id" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"ID of the webhook."`
	URL                     string            `json:"url" format:"uri" example:"https://hooks.example.com/social" doc:"URL that receives events."`
	Description             OptionalText      `json:"description" example:"Production" doc:"Description of the webhook."`
	Events                  []EventType       `json:"events" example:"[\"post.published\",\"post.failed\"]" doc:"Event types that are sent; * matches all types, including future ones."`
	ChannelIDs              *[]ident.Channel  `json:"channelIds" nullable:"true" format:"uuid" example:"[\"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59\"]" doc:"IDs of the channels of which events are sent; null: every event, also those without a channel. A channel stays in the list while it is disconnected."`
	IsActive                bool              `json:"isActive" example:"true" doc:"Whether events are sent. False after 10 consecutive exhausted deliveries, after a response 410 Gone, or if the webhook was disabled by a request."`
	ConsecutiveFailures     int               `json:"consecutiveFailures" example:"0" doc:"Number of consecutive deliveries that used up all attempts. A successful delivery and enabling the webhook set it to 0."`
	DisabledAt              OptionalTimestamp `json:"disabledAt" doc:"Time at which the webhook was disabled; null while it is active."`
	DisabledReason          OptionalText      `json:"disabledReason" example:"CONSECUTIVE_FAILURES" doc:"Reason: CONSECUTIVE_FAILURES, GONE or MANUAL; null while the webhook is active. Tolerate new values."`
	CreatedAt               Timestamp         `json:"createdAt" doc:"Time at which the webhook was created."`
	UpdatedAt               Timestamp         `json:"updatedAt" doc:"Time of the last change of the webhook."`
	PreviousSecretExpiresAt OptionalTimestamp `json:"previousSecretExpiresAt" doc:"Time until which the previous secret also signs; null if only the current secret signs."`
}

// CreatedWebhook is a webhook with its secret, which is shown only after its creation and after each rotation.
type CreatedWebhook struct {
	Webhook
	Secret string `json:"secret" example:"whsec_c2VjcmV0IG9mIDMyIHJhbmRvbSBieXRlcyBpbiBiYXM=" doc:"Secret of the signatures (X-Service-Signature). Store it safely: only this response contains it."`
}

// WebhookList is the list of the workspace's webhooks.
type WebhookList struct {
	Data       []Webhook    `json:"data" doc:"Webhooks, oldest first. A workspace has at most 20, in a single page."`
	NextCursor OptionalText `json:"nextCursor" doc:"Always null."`
}

// TransformSchema completes the documentation.
func (WebhookList) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["nextCursor"].Examples = []any{nil}
	return s
}

// WebhookTest is a test event.
type WebhookTest struct {
	EventID   string        `json:"eventId" example:"evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82" doc:"ID of the event: id of the envelope, and X-Service-Delivery of every attempt."`
	Type      event.Type    `json:"type" example:"webhook.test" doc:"Type of the event."`
	WebhookID ident.Webhook `json:"webhookId" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"ID of the webhook that receives the event."`
	CreatedAt Timestamp     `json:"createdAt" doc:"Time at which the event was created."`
}

// ToAPIWebhook converts a webhook.
func ToAPIWebhook(e webhook.Endpoint) Webhook {
	events := make([]EventType, len(e.Events))
	for i, name := range e.Events {
		events[i] = EventType(name)
	}
	var channels *[]ident.Channel // null
	if len(e.ChannelIDs) > 0 {
		channels = &e.ChannelIDs
	}
	return Webhook{
		ID: e.ID, URL: e.URL, Description: OptionalText(e.Description), Events: events, ChannelIDs: channels, IsActive: e.IsActive,
		ConsecutiveFailures: e.ConsecutiveFailures, DisabledAt: OptionalTimestamp(e.DisabledAt),
		DisabledReason: OptionalText(e.DisabledReason), CreatedAt: Timestamp(e.CreatedAt), UpdatedAt: Timestamp(e.UpdatedAt),
		PreviousSecretExpiresAt: OptionalTimestamp(e.PreviousSecretUntil),
	}
}

// ToAPIWebhooks converts webhooks.
func ToAPIWebhooks(endpoints []webhook.Endpoint) WebhookList {
	data := each(endpoints, ToAPIWebhook)
	return WebhookList{Data: data}
}
