package httpapi

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/webhook"
)

// The components shared by all events.
const (
	responseTaken = "EventTaken"
	responseAgain = "EventTriedAgain"
	// schemaOfEvents is the schema of an event of any type.
	schemaOfEvents = "WebhookEvent"
)

// describeEvents documents the deliveries to a receiver: one operation and one schema per event type.
func describeEvents(document *huma.OpenAPI) {
	parts := document.Components
	for name, p := range eventHeaders() {
		parts.Parameters[name] = p
	}
	for name, description := range map[string]string{
		responseTaken: "Acknowledges the event if it arrives within 15 seconds.",
		responseAgain: "Fails the attempt; the delivery is retried. Redirects are not followed. 410 disables the webhook " +
			"at once.",
	} {
		parts.Responses[name] = &huma.Response{Description: description}
	}
	document.Webhooks = make(map[string]*huma.PathItem)
	anyOne := &huma.Schema{
		Description:   "An event that is sent to webhooks.",
		Discriminator: &huma.Discriminator{PropertyName: "type", Mapping: map[string]string{}},
	}
	for _, kind := range eventKinds() {
		name := kind.schemaName()
		parts.Schemas.Map()[name] = kind.schema(parts.Schemas)
		document.Webhooks[kind.slug()] = &huma.PathItem{Post: kind.operation()}
		anyOne.OneOf = append(anyOne.OneOf, &huma.Schema{Ref: apiforms.ComponentSchemas + name})
		anyOne.Discriminator.Mapping[string(kind.typ)] = apiforms.ComponentSchemas + name
	}
	parts.Schemas.Map()[schemaOfEvents] = anyOne
	parts.Schemas.Map()[apiforms.SchemaOfLoggedData] = dataOfAll(parts.Schemas)
	documented(document, http.MethodPost, pathWebhooks).Callbacks = eventCallbacks()
}

// dataOfAll returns the schema of the data of an event of any type, known or not: every field of the known types, each
// optional. A union would make some generated clients refuse a new type.
func dataOfAll(schemas huma.Registry) *huma.Schema {
	all := &huma.Schema{
		Type: huma.TypeObject, Description: "Data of an event. The type of the event determines the fields; new ones are " +
			"added without notice.",
		Properties: map[string]*huma.Schema{},
	}
	for _, kind := range eventKinds() {
		data := schemas.Map()[kind.schemaName()].Properties["data"]
		if data.Ref != "" {
			data = schemas.SchemaFromRef(data.Ref)
		}
		for name, property := range data.Properties {
			switch known := all.Properties[name]; {
			case known == nil:
				all.Properties[name] = property
			case known.Ref != "" && property.Ref != "" && known.Ref != property.Ref: // kinds of accounts and of files
				all.Properties[name] = &huma.Schema{
					Type: huma.TypeString, Description: "Kind of account or of file.", Examples: []any{string(media.Image)},
				}
			}
		}
	}
	return all
}

// eventCallbacks documents the deliveries as a callback of the operation that registers a webhook, for tools that
// support callbacks but not webhooks.
func eventCallbacks() map[string]map[string]*huma.PathItem {
	kind := eventKinds()[0]
	received := kind.operation()
	received.OperationID, received.Summary = "receive-event", "An event occurred"
	received.Description = "Sent for each event type of the webhook's subscriptions; `type` contains the event type. " +
		"The section " + tagEventTypes + " describes the types."
	received.RequestBody.Content[mediaJSON].Schema = &huma.Schema{Ref: apiforms.ComponentSchemas + schemaOfEvents}
	return map[string]map[string]*huma.PathItem{"event": {"{$request.body#/url}": {Post: received}}}
}

func eventHeaders() map[string]*huma.Param {
	header := func(name, description, example string) *huma.Param {
		return &huma.Param{
			Name: name, In: "header", Required: true, Description: description,
			Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{example}},
		}
	}
	return map[string]*huma.Param{
		webhook.HeaderEvent: header(webhook.HeaderEvent, "Type of the event.", string(event.PostPublished)),
		webhook.HeaderDelivery: header(webhook.HeaderDelivery, "ID of the event, the same for every "+
			"attempt.", event.ExternalID(idOf[eventID](exampleEvent))),
		webhook.HeaderSignature: header(webhook.HeaderSignature, "Signature of the event: the time, and one or more "+
			"signatures.", "t=1772348400,v1=5257a869…"),
	}
}

// slug returns the name of the event's operation, for example post-approval-requested.
func (k eventKind) slug() string {
	return strings.NewReplacer(".", "-", "_", "-").Replace(string(k.typ))
}

// operation documents the delivery of the event.
func (k eventKind) operation() *huma.Operation {
	return &huma.Operation{
		OperationID: "receive-" + k.slug(), Method: http.MethodPost,
		Tags: []string{tagEventTypes}, Summary: k.summary, Description: k.when,
		Parameters: []*huma.Param{
			{Ref: componentParameter + webhook.HeaderEvent},
			{Ref: componentParameter + webhook.HeaderDelivery},
			{Ref: componentParameter + webhook.HeaderSignature},
		},
		RequestBody: &huma.RequestBody{
			Required: true,
			Content: map[string]*huma.MediaType{mediaJSON: {
				Schema: &huma.Schema{Ref: apiforms.ComponentSchemas + k.schemaName()}, Example: k.example(),
			}},
		},
		Security: []map[string][]string{{signatureScheme: {}}},
		Responses: map[string]*huma.Response{
			"2XX":         {Ref: componentResponses + responseTaken},
			statusDefault: {Ref: componentResponses + responseAgain},
		},
	}
}

const eventText = `The requests that a webhook receives for the events that it subscribes to. Respond with any 2xx within 15 seconds; process the event afterwards.

A failed delivery is retried five times, after about 10 s, 40 s, 3, 11 and 43 minutes. Events can arrive out of order (of two events about a post, the later one has the higher ` + "`sequence`" + `) and, rarely, more than once. The webhook is disabled after 10 consecutive deliveries that failed permanently.

Verify the signature before you process the event: the header ` + "`X-Service-Signature`" + ` is ` +
	"`t=<unix seconds>,v1=<hex>`" + `, where ` + "`v1`" + ` is the HMAC-SHA256 of ` + "`<t>.<raw body>`" +
	` with the webhook's secret (with its prefix ` + "`whsec_`" +
	`) as key. Compute it over the received bytes, compare in constant time, accept any of several ` + "`v1`" +
	` values, and reject times that differ by more than 300 seconds.

An event is JSON without line breaks, at most 64 KiB. New fields and new event types are added without notice: tolerate both.`
