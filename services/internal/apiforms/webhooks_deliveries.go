package apiforms

import (
	"github.com/danielgtaylor/huma/v2"

	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/domain/webhook"
	"socialpub.internal/shared/kernel/ident"
)

// DeliveryStatus is a webhook.State.
type DeliveryStatus string

// Schema documents the type.
func (DeliveryStatus) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "DeliveryStatus", "PENDING: on its way, or in line. SUCCEEDED: the endpoint took it. FAILED: its attempts are used up. "+
		"CANCELLED: the webhook was disabled before it got through. SKIPPED: the event happened while the webhook was disabled. Tolerate new values.", webhook.States())
}

// WebhookDelivery is the delivery of one event to one webhook (decisions, section 7).
type WebhookDelivery struct {
	ID            ident.Delivery    `json:"id" format:"uuid" example:"0190a3cc-8279-7ee0-91bb-c08e9d02b1c6" doc:"Id of the delivery."`
	WebhookID     ident.Webhook     `json:"webhookId" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"The webhook that it is for."`
	EventID       string            `json:"eventId" example:"evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82" doc:"Id of the event: the envelope's id, and X-Service-Delivery on every attempt."`
	EventType     event.Type        `json:"eventType" example:"post.published" doc:"Type of the event."`
	Status        DeliveryStatus    `json:"status" example:"FAILED" doc:"Where it stands."`
	AttemptCount  int               `json:"attemptCount" example:"1" doc:"How many attempts were made, redeliveries among them."`
	NextAttemptAt OptionalTimestamp `json:"nextAttemptAt" doc:"When the next attempt is made; null when none is to come, and while it waits in line for its turn: an endpoint gets at most 4 requests at a time, and one while it fails."`
	CreatedAt     Timestamp         `json:"createdAt" doc:"When it was made: moments after the event, or by a replay."`
	CompletedAt   OptionalTimestamp `json:"completedAt" doc:"When it came to its end; null while it is PENDING."`
}

// WebhookDeliveryLog is a delivery with all its attempts.
type WebhookDeliveryLog struct {
	WebhookDelivery
	Attempts []DeliveryAttempt `json:"attempts" doc:"Every attempt, the first one first."`
}

// DeliveryAttempt is one request to the endpoint.
type DeliveryAttempt struct {
	N          int             `json:"n" minimum:"1" example:"1" doc:"Number of the attempt, from 1."`
	Trigger    webhook.Trigger `json:"trigger" example:"AUTOMATIC" doc:"What made it happen. AUTOMATIC: the event, the schedule of retries, or a replay. MANUAL: a redelivery. TEST: webhook.test. Tolerate new values."`
	StartedAt  Timestamp       `json:"startedAt" doc:"When it began; the t of its signature."`
	DurationMs int64           `json:"durationMs" example:"15000" doc:"How long it took, in milliseconds."`
	StatusCode *int            `json:"statusCode" example:"503" doc:"What the endpoint answered with; null when no answer began."`
	Response   OptionalText    `json:"response" example:"upstream is down" doc:"The first 2 KiB of the answer's body, as text without control characters; null when there was none."`
	Error      OptionalText    `json:"error" example:"status_5xx" doc:"Why it failed; null when it did not. status_1xx, status_3xx, status_4xx or status_5xx: the endpoint answered so (redirects are not followed). timeout: no answer, or not the whole of its head, within 15 seconds. dns_error: the name does not resolve. connection_refused: no connection came about. connection_reset: it ended before the answer did. tls_error: no trustworthy TLS connection. blocked_address, blocked_url: the address is not public, or not allowed. too_large: the head of the answer is too large. protocol_error: the answer is not HTTP. canceled: the service gave up, through no fault of the endpoint. Tolerate new values."`
}

// TransformSchema documents that statusCode is nullable.
func (DeliveryAttempt) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["statusCode"].Nullable = true
	return s
}

// WebhookDeliveryPage is a page of deliveries.
type WebhookDeliveryPage struct {
	Data       []WebhookDelivery `json:"data" doc:"Deliveries, newest first."`
	NextCursor OptionalText      `json:"nextCursor" example:"AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ" doc:"Send it as cursor to get the next page; null on the last one."`
}

// WebhookReplay is a repeated delivery of a range of the event log to a webhook.
type WebhookReplay struct {
	ID          ident.Replay        `json:"id" format:"uuid" example:"0190a3cd-938a-7ff1-82cc-d19fae13c2d7" doc:"Id of the replay."`
	WebhookID   ident.Webhook       `json:"webhookId" format:"uuid" example:"0190a3c7-3d24-7f8b-8c66-7b3f4e5d6c71" doc:"The webhook that it is for."`
	Since       Timestamp           `json:"since" doc:"Events from then on."`
	Until       Timestamp           `json:"until" doc:"Events before then."`
	Only        string              `json:"only" enum:"failed,all" example:"failed" doc:"failed: what was not delivered. all: what was delivered, too."`
	Status      webhook.ReplayState `json:"status" example:"COMPLETED" doc:"RUNNING: it is looking for events. COMPLETED: everything that it found stands in the webhook's line, behind what happens meanwhile. CANCELLED: the webhook was disabled. Tolerate new values."`
	Queued      int                 `json:"queued" example:"42" doc:"How many deliveries it has found and put in line so far."`
	CreatedAt   Timestamp           `json:"createdAt" doc:"When it was started."`
	CompletedAt OptionalTimestamp   `json:"completedAt" doc:"When it ended; null while it is RUNNING."`
}

// ToAPIDelivery converts a delivery.
func ToAPIDelivery(d webhook.Delivery) WebhookDelivery {
	return WebhookDelivery{
		ID: d.ID, WebhookID: d.WebhookID, EventID: event.ExternalID(d.EventID), EventType: d.EventType, Status: DeliveryStatus(d.State),
		AttemptCount: d.Attempts, NextAttemptAt: OptionalTimestamp(d.NextAttemptAt), CreatedAt: Timestamp(d.CreatedAt),
		CompletedAt: OptionalTimestamp(d.CompletedAt),
	}
}

// ToAPIDeliveries converts deliveries.
func ToAPIDeliveries(deliveries []webhook.Delivery) []WebhookDelivery {
	list := make([]WebhookDelivery, len(deliveries))
	for i, d := range deliveries {
		list[i] = ToAPIDelivery(d)
	}
	return list
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
		ID: r.ID, WebhookID: r.WebhookID, Since: Timestamp(r.Since), Until: Timestamp(r.Until), Only: only, Status: r.State, Queued: r.Queued,
		CreatedAt: Timestamp(r.CreatedAt), CompletedAt: OptionalTimestamp(r.CompletedAt),
	}
}
