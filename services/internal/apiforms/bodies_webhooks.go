package apiforms

import (
	"slices"
	"time"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// CreateWebhook is the body of create-webhook.
type CreateWebhook struct {
	URL         string          `json:"url" format:"uri" minLength:"1" maxLength:"2048" example:"https://hooks.example.com/social" doc:"URL that receives events: https, port 443, a public address, no user information."`
	Events      []EventType     `json:"events" minItems:"1" uniqueItems:"true" example:"[\"post.published\",\"post.failed\"]" doc:"Event types to send, or [\"*\"] for all, including future types."`
	ChannelIDs  []ident.Channel `json:"channelIds,omitempty" nullable:"true" format:"uuid" minItems:"1" maxItems:"100" uniqueItems:"true" example:"[\"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59\"]" doc:"IDs of channels of which the webhook gets events. It then gets no events without a channel. Null or omitted: every event."`
	Description string          `json:"description,omitempty" nullable:"true" maxLength:"500" example:"Production" doc:"Description of the webhook."`
}

// Check implements Body.
func (b CreateWebhook) Check() []apperr.Field {
	return checkEvents(b.Events)
}

// CheckTarget implements Target.
func (b CreateWebhook) CheckTarget(refused func(address string) string) []apperr.Field {
	return checkHook(refused, b.URL)
}

// Command returns the input of the use case.
func (b CreateWebhook) Command() app.CreateWebhook {
	return app.CreateWebhook{URL: b.URL, Description: b.Description, Events: eventNames(b.Events), ChannelIDs: b.ChannelIDs}
}

// UpdateWebhook is the body of update-webhook. Omitted fields stay unchanged.
type UpdateWebhook struct {
	URL         Optional[string]          `json:"url,omitzero" format:"uri" minLength:"1" maxLength:"2048" example:"https://hooks.example.com/social" doc:"URL that receives events from now on, including retries of earlier deliveries: https, port 443, a public address, no user information."`
	Events      Optional[[]EventType]     `json:"events,omitzero" minItems:"1" uniqueItems:"true" example:"[\"post.published\",\"post.failed\"]" doc:"Complete list of event types to send, or [\"*\"]. Applies to new events."`
	ChannelIDs  Optional[[]ident.Channel] `json:"channelIds,omitzero" nullable:"true" format:"uuid" minItems:"1" maxItems:"100" uniqueItems:"true" example:"[\"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59\"]" doc:"Complete list of IDs of channels of which the webhook gets events, without those that have no channel; null sends every event. Applies to new events."`
	Description Optional[string]          `json:"description,omitzero" nullable:"true" maxLength:"500" example:"Production" doc:"Description of the webhook; null removes it."`
	IsActive    Optional[bool]            `json:"isActive,omitzero" example:"true" doc:"true enables the webhook and sets consecutiveFailures to 0. false disables it with disabledReason MANUAL and cancels its pending deliveries."`
}

// Check implements Body.
func (b UpdateWebhook) Check() []apperr.Field {
	if !b.URL.Set && !b.Events.Set && !b.ChannelIDs.Set && !b.Description.Set && !b.IsActive.Set {
		return []apperr.Field{
			{Pointer: "", Message: "nothing to change; send at least one of url, events, channelIds, description, isActive"},
		}
	}
	return checkEvents(b.Events.Value)
}

// CheckTarget implements Target.
func (b UpdateWebhook) CheckTarget(refused func(address string) string) []apperr.Field {
	return checkHook(refused, b.URL.Value)
}

// Change returns the changes for the use case.
func (b UpdateWebhook) Change() webhook.Change {
	out := webhook.Change{URL: b.URL.pointer(), Description: b.Description.pointer(), ChannelIDs: b.ChannelIDs.pointer(), IsActive: b.IsActive.pointer()}
	if b.Events.Set {
		out.Events = eventNames(b.Events.Value)
	}
	return out
}

// RotateSecret is the body of rotate-webhook-secret.
type RotateSecret struct {
	OverlapHours Optional[int] `json:"overlapHours,omitzero" minimum:"0" maximum:"168" example:"24" doc:"Hours during which the current secret also signs. Defaults to 24. 0 expires it at once, for a leaked secret."`
	Force        bool          `json:"force,omitempty" example:"false" doc:"true rotates even if the secret from before the last rotation still signs, and expires that secret at once."`
}

// Check implements Body.
func (RotateSecret) Check() []apperr.Field { return nil }

// Command returns the input of the use case.
func (b RotateSecret) Command() app.RotateSecret {
	overlap := webhook.DefaultOverlap
	if b.OverlapHours.Set {
		overlap = time.Duration(b.OverlapHours.Value) * time.Hour
	}
	return app.RotateSecret{Overlap: overlap, Force: b.Force}
}

// The values of the field only.
const (
	replayFailed = "failed"
	ReplayAll    = "all"
)

// StartReplay is the body of start-webhook-replay.
type StartReplay struct {
	Since string `json:"since" format:"date-time" example:"2026-03-01T00:00:00Z" doc:"Start of the time range, inclusive: RFC 3339 with an offset, at most 30 days ago."`
	Until string `json:"until,omitempty" format:"date-time" example:"2026-03-01T06:00:00Z" doc:"End of the time range, exclusive: RFC 3339 with an offset, not in the future. Defaults to now."`
	Only  string `json:"only,omitempty" enum:"failed,all" default:"failed" example:"failed" doc:"failed delivers events that were not delivered for any reason. all also delivers events that were delivered."`
}

// Check implements Body.
func (StartReplay) Check() []apperr.Field { return nil }

// Command returns the input of the use case.
func (b StartReplay) Command() (app.StartReplay, error) {
	out := app.StartReplay{OnlyFailed: b.Only != ReplayAll}
	var err error
	if out.Since, err = OptionalTime(b.Since); err != nil { // cannot fail after schema validation
		return out, err
	}
	out.Until, err = OptionalTime(b.Until)
	return out, err
}

// checkHook returns the faults of a webhook URL. An empty URL has none.
func checkHook(refused func(address string) string, address string) []apperr.Field {
	if address == "" {
		return nil
	}
	wrong := refused(address)
	if len(address) > webhook.MaxURL {
		wrong = "is too long"
	}
	if wrong == "" {
		return nil
	}
	return []apperr.Field{{Pointer: "/url", Message: wrong}}
}

// checkEvents applies the rule for a webhook's events that a schema cannot express.
func checkEvents(names []EventType) []apperr.Field {
	if len(names) < 2 || !slices.Contains(names, webhook.AllEvents) {
		return nil
	}
	return []apperr.Field{{Pointer: "/events", Message: `"*" matches every event and cannot be combined with other types`}}
}

func eventNames(names []EventType) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = string(name)
	}
	return out
}
