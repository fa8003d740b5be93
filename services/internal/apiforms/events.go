package apiforms

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/infra/postgres"
)

// loggedEvent documents the JSON form that LoggedEvent writes.
type loggedEvent struct {
	ID          string     `json:"id" example:"evt_0190a3c8-4e35-7a9c-9d77-8c4a5f6e7d82" doc:"ID of the event, the same for every delivery attempt."`
	Type        event.Type `json:"type" example:"post.published" doc:"Type of the event. Tolerate new types."`
	CreatedAt   Timestamp  `json:"createdAt" doc:"Time at which the event was created."`
	WorkspaceID string     `json:"workspaceId" format:"uuid" example:"0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10" doc:"ID of the event's workspace."`
	Data        loggedData `json:"data" doc:"Data of the event, as sent to webhooks. The type determines the fields."`
	Sequence    *int64     `json:"sequence" minimum:"1" example:"1207" doc:"Position of the event in the workspace's log, starting at 1, without gaps, in the order of the list. Assigned moments after the event is created and null until then."`
	Mode        string     `json:"mode,omitempty" enum:"test" example:"test" doc:"test in events of a test workspace; absent in others."`
}

// loggedData is the data of an event of any type.
type loggedData struct{}

// SchemaOfLoggedData is the name of the schema of an event's data in the log: the fields of all types, each optional.
const SchemaOfLoggedData = "LoggedEventData"

// Schema refers to the schema, which the OpenAPI document has with those of the events.
func (loggedData) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Ref: ComponentSchemas + SchemaOfLoggedData}
}

// TransformSchema documents that sequence is nullable.
func (loggedEvent) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["sequence"].Nullable = true
	return s
}

// LoggedEvent is an event of the log: the bytes that webhooks receive.
type LoggedEvent struct{ logged postgres.LoggedEvent }

// MarshalJSONTo writes the envelope with its sequence number, also that of an event from before envelopes had one.
func (e LoggedEvent) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteValue(event.Numbered(e.logged.Body, e.logged.Sequence))
}

// Schema documents the event.
func (LoggedEvent) Schema(registry huma.Registry) *huma.Schema {
	return registry.Schema(reflect.TypeFor[loggedEvent](), true, "")
}

// EventPage is a page of the log.
type EventPage struct {
	Data       []LoggedEvent `json:"data" doc:"Events in the order of sort."`
	NextCursor OptionalText  `json:"nextCursor" example:"AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ" doc:"Cursor of the following events. Send it as cursor, now or later, with the same filters. Set on every page with events, also on the last one. Null on a page without events: keep the previous cursor."`
	HasMore    bool          `json:"hasMore" example:"false" doc:"Whether the log contains further events."`
}

// ToAPIEvent converts an event of the log.
func ToAPIEvent(e postgres.LoggedEvent) LoggedEvent { return LoggedEvent{logged: e} }

// ToAPIEvents converts events of the log.
func ToAPIEvents(events []postgres.LoggedEvent) []LoggedEvent {
	return each(events, ToAPIEvent)
}

// Filter returns the event type of a filter, or "" for all types.
func (t EventType) Filter() event.Type {
	if t == webhook.AllEvents {
		return ""
	}
	return event.Type(t)
}
