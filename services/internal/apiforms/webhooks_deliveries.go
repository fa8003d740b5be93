package apiforms

import (
	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/ident"
)

// DeliveryStatus is a webhook.State.
type DeliveryStatus string

// Schema documents the type.
func (DeliveryStatus) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "DeliveryStatus", "PENDING: queued or being attempted. SUCCEEDED: the endpoint accepted it. FAILED: "+
		"all attempts failed. "+
		"CANCELLED: the webhook was disabled before an attempt succeeded. SKIPPED: the event was created while the "+
		"webhook was disabled. Tolerate new values.", webhook.States())
}

// WebhookDelivery is the delivery of one event to one webhook (docs/contract.md, Webhooks).
type WebhookDelivery struct {
	ID            ident.Delivery    `json:"id" format:"uuid" example:"0190a3cc-8279-7ee0-91bb-c08e9d02b1c6" doc:"ID of the delivery."`
	WebhookID     ident.Webhook     `json:"webhookId" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"ID of the webhook."`
	EventID       string            `json:"eventId" example:"evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82" doc:"ID of the event: id of the envelope, and X-Service-Delivery of every attempt."`
	EventType     event.Type        `json:"eventType" example:"post.published" doc:"Type of the event."`
	Status        DeliveryStatus    `json:"status" example:"FAILED" doc:"State of the delivery."`
	AttemptCount  int               `json:"attemptCount" example:"1" doc:"Number of attempts, including redeliveries."`
	NextAttemptAt OptionalTimestamp `json:"nextAttemptAt" doc:"Time of the next attempt. Null if there is none, and while the delivery is queued: an endpoint receives at most 4 concurrent requests, and one while it fails."`
	CreatedAt     Timestamp         `json:"createdAt" doc:"Time at which the delivery was created, moments after the event or by a replay."`
	CompletedAt   OptionalTimestamp `json:"completedAt" doc:"Time of completion; null while the delivery is PENDING."`
}

// WebhookDeliveryLog is a delivery with all its attempts.
type WebhookDeliveryLog struct {
	WebhookDelivery
	Attempts []DeliveryAttempt `json:"attempts" doc:"Attempts, oldest first."`
}

// DeliveryAttempt is one request to the endpoint.
type DeliveryAttempt struct {
	N          int             `json:"n" minimum:"1" example:"1" doc:"Number of the attempt, starting at 1."`
	Trigger    webhook.Trigger `json:"trigger" example:"AUTOMATIC" doc:"Trigger of the attempt. AUTOMATIC: the event, a scheduled retry, or a replay. MANUAL: a redelivery. TEST: webhook.test. Tolerate new values."`
	StartedAt  Timestamp       `json:"startedAt" doc:"Start of the attempt; t in its signature."`
	DurationMs int64           `json:"durationMs" example:"15000" doc:"Duration of the attempt, in milliseconds."`
	StatusCode *int            `json:"statusCode" example:"503" doc:"HTTP status of the response; null if none was received."`
	Response   OptionalText    `json:"response" example:"upstream is down" doc:"The first 2 KiB of the response body, as text without control characters; null if there is none."`
	Error      OptionalText    `json:"error" example:"status_5xx" doc:"Error of the attempt; null if it succeeded. status_1xx, status_3xx, status_4xx or status_5xx: the status of the response (redirects are not followed). timeout: no complete response header within 15 seconds. dns_error: the host name does not resolve. connection_refused: no connection was established. connection_reset: the connection was closed before the end of the response. tls_error: the TLS handshake or the certificate check failed. blocked_address, blocked_url: the address or the URL is not public or not allowed. too_large: the response header is too large. protocol_error: the response is not valid HTTP. canceled: the service canceled the attempt; the endpoint is not at fault. Tolerate new values."`
}

// TransformSchema documents that statusCode is nullable.
func (DeliveryAttempt) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["statusCode"].Nullable = true
	return s
}

// WebhookDeliveryPage is a page of deliveries.
type WebhookDeliveryPage struct {
	Data       []WebhookDelivery `json:"data" doc:"Deliveries, newest first."`
	NextCursor OptionalText      `json:"nextCursor" example:"AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ" doc:"Cursor of the next page; null on the last page."`
}

// WebhookReplay is a repeated delivery of a range of the event log to a webhook.
type WebhookReplay struct {
	ID          ident.Replay        `json:"id" format:"uuid" example:"0190a3cd-938a-7ff1-82cc-d19fae13c2d7" doc:"ID of the replay."`
	WebhookID   ident.Webhook       `json:"webhookId" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"ID of the webhook."`
	Since       Timestamp           `json:"since" doc:"Start of the time range, inclusive."`
	Until       Timestamp           `json:"until" doc:"End of the time range, exclusive."`
	Only        string              `json:"only" enum:"failed,all" example:"failed" doc:"failed: only events that were not delivered. all: also events that were delivered."`
	Status      webhook.ReplayState `json:"status" example:"COMPLETED" doc:"RUNNING: the replay is selecting events. COMPLETED: all selected events are queued, after new events. CANCELLED: the webhook was disabled. Tolerate new values."`
	Queued      int                 `json:"queued" example:"42" doc:"Number of deliveries queued so far."`
	CreatedAt   Timestamp           `json:"createdAt" doc:"Time at which the replay was started."`
	CompletedAt OptionalTimestamp   `json:"completedAt" doc:"Time at which the replay ended; null while it is RUNNING."`
}

// ToAPIDelivery converts a delivery.
func ToAPIDelivery(d webhook.Delivery) WebhookDelivery {
	return WebhookDelivery{
		ID: d.ID, WebhookID: d.WebhookID, EventID: event.ExternalID(d.EventID), EventType: d.EventType,
		Status:       DeliveryStatus(d.State),
		AttemptCount: d.Attempts, NextAttemptAt: OptionalTimestamp(d.NextAttemptAt), CreatedAt: Timestamp(d.CreatedAt),
		CompletedAt: OptionalTimestamp(d.CompletedAt),
	}
}

// ToAPIDeliveries converts deliveries.
func ToAPIDeliveries(deliveries []webhook.Delivery) []WebhookDelivery {
	return each(deliveries, ToAPIDelivery)
}

// ToAPIDeliveryLog converts a delivery with its attempts.
func ToAPIDeliveryLog(d app.DeliveryLog) WebhookDeliveryLog {
	out := WebhookDeliveryLog{WebhookDelivery: ToAPIDelivery(d.Delivery), Attempts: make([]DeliveryAttempt, len(d.Log))}
	for i, a := range d.Log {
		out.Attempts[i] = DeliveryAttempt{
			N: a.N, Trigger: a.Trigger, StartedAt: Timestamp(a.StartedAt), DurationMs: a.Duration.Milliseconds(),
			Response: OptionalText(a.Response), Error: OptionalText(a.ErrorClass),
		}
		if a.StatusCode != 0 {
			out.Attempts[i].StatusCode = &a.StatusCode
		}
	}
	return out
}

// ToAPIReplay converts a replay.
func ToAPIReplay(r webhook.Replay) WebhookReplay {
	only := ReplayAll
	if r.OnlyFailed {
		only = replayFailed
	}
	return WebhookReplay{
		ID: r.ID, WebhookID: r.WebhookID, Since: Timestamp(r.Since), Until: Timestamp(r.Until), Only: only, Status: r.State,
		Queued:    r.Queued,
		CreatedAt: Timestamp(r.CreatedAt), CompletedAt: OptionalTimestamp(r.CompletedAt),
	}
}
