package httpapi

import (
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/webhook"
)

// CreateWebhook is the body of create-webhook.
type CreateWebhook struct {
	URL         string      `json:"url" format:"uri" minLength:"1" maxLength:"2048" example:"https://hooks.example.com/social" doc:"Where to send events: https, a public address, no user information."`
	Events      []EventType `json:"events" minItems:"1" uniqueItems:"true" example:"[\"post.published\",\"post.failed\"]" doc:"The events to send, or [\"*\"] for all, also those to come."`
	Description string      `json:"description,omitempty" nullable:"true" maxLength:"500" example:"Production" doc:"A note of your own."`
}

func (b CreateWebhook) check(a *app.App) []apperr.Field {
	var faults []apperr.Field
	if b.URL != "" {
		if len(b.URL) > webhook.MaxURL {
			faults = append(faults, apperr.Field{Pointer: "/url", Message: "is too long"})
		} else if wrong := a.CheckWebhookURL(b.URL); wrong != "" {
			faults = append(faults, apperr.Field{Pointer: "/url", Message: wrong})
		}
	}
	if len(b.Events) > 1 {
		for _, name := range b.Events {
			if name == webhook.AllEvents {
				faults = append(faults, apperr.Field{Pointer: "/events", Message: `"*" already stands for every event and cannot be mixed with others`})
			}
		}
	}
	return faults
}

func (b CreateWebhook) command() app.CreateWebhook {
	events := make([]string, len(b.Events))
	for i, name := range b.Events {
		events[i] = string(name)
	}
	return app.CreateWebhook{URL: b.URL, Description: b.Description, Events: events}
}
