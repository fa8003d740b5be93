package apiforms

import (
	"github.com/danielgtaylor/huma/v2"

	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/kernel/ident"
)

// Webhook is the webhook in responses (decisions, section 7).
type Webhook struct {
	ID                      ident.Webhook     `json:"id" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"Id of the webhook."`
	URL                     string            `json:"url" format:"uri" example:"https://hooks.example.com/social" doc:"Where events are sent."`
	Description             OptionalText      `json:"description" example:"Production" doc:"A note of your own."`
	Events                  []EventType       `json:"events" example:"[\"post.published\",\"post.failed\"]" doc:"The events that are sent; * is all of them, also those to come."`
	IsActive                bool              `json:"isActive" example:"true" doc:"Whether events are sent. False after 10 exhausted deliveries in a row, after the endpoint answered 410 Gone, or when you said so."`
	ConsecutiveFailures     int               `json:"consecutiveFailures" example:"0" doc:"How many deliveries in a row used up all their attempts. One that succeeds sets it to 0, and so does enabling the webhook."`
	DisabledAt              OptionalTimestamp `json:"disabledAt" doc:"When it was disabled; null while it is active."`
	DisabledReason          OptionalText      `json:"disabledReason" example:"CONSECUTIVE_FAILURES" doc:"Why it was disabled: CONSECUTIVE_FAILURES, GONE or MANUAL; null while it is active. Tolerate new values."`
	CreatedAt               Timestamp         `json:"createdAt" doc:"When it was created."`
	UpdatedAt               Timestamp         `json:"updatedAt" doc:"When it changed last."`
	PreviousSecretExpiresAt OptionalTimestamp `json:"previousSecretExpiresAt" doc:"After a rotation: until when the secret from before signs beside the present one; null when none does."`
}

// CreatedWebhook is a webhook with its secret, which is shown only after its creation and after each rotation.
type CreatedWebhook struct {
	Webhook
	Secret string `json:"secret" example:"whsec_c2VjcmV0IG9mIDMyIHJhbmRvbSBieXRlcyBpbiBiYXM=" doc:"Key of the signatures (X-Service-Signature). Keep it safe: it is shown only in this answer."`
}

// WebhookList is the list of the workspace's webhooks.
type WebhookList struct {
	Data       []Webhook    `json:"data" doc:"Webhooks, oldest first. A workspace has at most 20, so that there is one page only."`
	NextCursor OptionalText `json:"nextCursor" doc:"Always null."`
}

// TransformSchema completes the documentation.
func (WebhookList) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["nextCursor"].Examples = []any{nil}
	return s
}

// WebhookTest is a test event.
type WebhookTest struct {
	EventID   string        `json:"eventId" example:"evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82" doc:"Id of the event: the envelope's id, and X-Service-Delivery on every attempt."`
	Type      event.Type    `json:"type" example:"webhook.test" doc:"Type of the event."`
	WebhookID ident.Webhook `json:"webhookId" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"The webhook that it is sent to, whatever it subscribes to."`
	CreatedAt Timestamp     `json:"createdAt" doc:"When the event was made."`
}

// ToAPIWebhook converts a webhook.
func ToAPIWebhook(e webhook.Endpoint) Webhook {
	events := make([]EventType, len(e.Events))
	for i, name := range e.Events {
		events[i] = EventType(name)
	}
	return Webhook{
		ID: e.ID, URL: e.URL, Description: OptionalText(e.Description), Events: events, IsActive: e.IsActive,
		ConsecutiveFailures: e.ConsecutiveFailures, DisabledAt: OptionalTimestamp(e.DisabledAt),
		DisabledReason: OptionalText(e.DisabledReason), CreatedAt: Timestamp(e.CreatedAt), UpdatedAt: Timestamp(e.UpdatedAt),
		PreviousSecretExpiresAt: OptionalTimestamp(e.PreviousSecretUntil),
	}
}

// ToAPIWebhooks converts webhooks.
func ToAPIWebhooks(endpoints []webhook.Endpoint) WebhookList {
	data := make([]Webhook, len(endpoints))
	for i, e := range endpoints {
		data[i] = ToAPIWebhook(e)
	}
	return WebhookList{Data: data}
}
