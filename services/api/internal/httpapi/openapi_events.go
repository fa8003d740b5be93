package httpapi

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"socialpub.internal/shared/event"
	"socialpub.internal/shared/webhook"
)

// Event is what webhooks are sent. The type only documents it: the bytes are made once, in package event.
type Event struct {
	ID          string         `json:"id" example:"evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82" doc:"Id of the event, the same on every attempt. Deduplicate by it."`
	Type        event.Type     `json:"type" example:"post.published" doc:"What happened. Tolerate new types."`
	CreatedAt   Timestamp      `json:"createdAt" doc:"When it happened."`
	WorkspaceID string         `json:"workspaceId" format:"uuid" example:"0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10" doc:"The workspace it happened in."`
	Data        map[string]any `json:"data" doc:"Post events: postId, channelId, status, publishedAt, postUrl and error; approval events also comment. Channel events: channelId, type and name. webhook.test: webhookId and message."`
}

// eventOperation documents what a receiver gets.
func eventOperation(registry huma.Registry) *huma.Operation {
	header := func(name, description, example string) *huma.Param {
		return &huma.Param{
			Name: name, In: "header", Required: true, Description: description,
			Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{example}},
		}
	}
	return &huma.Operation{
		OperationID: "receive-event", Method: http.MethodPost, Tags: []string{tagWebhooks},
		Summary:     "Receive an event",
		Description: eventText,
		Parameters: []*huma.Param{
			header(webhook.HeaderEvent, "Type of the event.", string(event.PostPublished)),
			header(webhook.HeaderDelivery, "Id of the event, the same on every attempt.", "evt_"+exampleEvent),
			header(webhook.HeaderSignature, "Proof that the service sent it: the time, and one or more signatures.", "t=1772348400,v1=5257a869…"),
		},
		RequestBody: &huma.RequestBody{
			Required: true,
			Content:  map[string]*huma.MediaType{mediaJSON: {Schema: registry.Schema(reflect.TypeFor[Event](), true, ""), Example: eventExample()}},
		},
		Security: []map[string][]string{{signatureScheme: {}}},
		Responses: map[string]*huma.Response{
			"2XX":     {Description: "Acknowledges the event, when it comes within 15 seconds."},
			"410":     {Description: "The endpoint is gone: the webhook is disabled at once."},
			"default": {Description: "Not delivered: it is tried again. Redirects are not followed."},
		},
	}
}

func eventExample() map[string]any {
	return map[string]any{
		"id": "evt_" + exampleEvent, "type": event.PostPublished, "createdAt": exampleTime, "workspaceId": exampleRequest,
		"data": map[string]any{
			"postId": exampleID, "channelId": exampleChannel, "status": "PUBLISHED", "publishedAt": exampleTime,
			"postUrl": "https://t.me/acme_news/42", "error": nil,
		},
	}
}

const eventText = `Sent to a webhook of yours for each event that it subscribes to. Answer with any 2xx within 15 seconds; do the work afterwards.

A failed delivery is tried five more times, after about 10 s, 40 s, 3, 11 and 43 minutes. Events can arrive out of order and, rarely, more than once. After 10 deliveries in a row that failed for good the webhook is disabled.

Verify the signature before you believe the event: the header ` + "`X-Service-Signature`" + ` is ` + "`t=<unix seconds>,v1=<hex>`" + `, where ` + "`v1`" + ` is the HMAC-SHA256 of ` + "`<t>.<raw body>`" + ` with the webhook's secret (with its prefix ` + "`whsec_`" + `) as key. Compare in constant time, over the bytes as they came, accept any of several ` + "`v1`" + `, and refuse times more than 300 seconds away.`
