package httpapi

import (
	"bytes"
	stdjson "encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"socialpub.internal/services/internal/apiforms"
	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/domain/lead"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/kernel/ident"
)

type eventID = ident.Event

const memberComment = "comment"

// eventKind is a type of event, as the document tells of it.
type eventKind struct {
	typ     event.Type
	summary string
	when    string // what fires it
	data    any    // an example; its type has the members
}

// eventKinds lists every type in the specification's order.
func eventKinds() []eventKind {
	comment := "Looks good."
	return append([]eventKind{
		{event.PostCreated, "A post was created", "A post was created, as a draft or to be published, whichever operation did it. A request for several channels creates a post for each, and fires an event for each.", postData(asDraft)},
		{event.PostUpdated, "A post was edited", "What a post says, its options or the time it is meant for was edited. An edit that changes nothing fires nothing, and neither do scheduling and unscheduling.", postData(asScheduled)},
		{event.PostPublished, "A post was published", "A network accepted a post.", postData(asPublished)},
		{event.PostFailed, "A post was not published", "A post was not published, and will not be without somebody's doing; or nobody can know whether it was. The member `error` says which and why.", postData(asFailed)},
		{event.PostDeleted, "A post was deleted", "A post was deleted. The member `status` is the state it was in.", postData(asDraft)},
		{event.PostApprovalRequested, "A post was sent for approval", "A draft was sent for approval.", event.ApprovalData{PostData: postData(asPending)}},
		{event.PostApproved, "A post was approved", "An approver accepted a pending post. The member `status` is SCHEDULED when the post's time was still ahead, otherwise DRAFT.", event.ApprovalData{PostData: postData(asScheduled), Comment: &comment}},
		{event.PostRejected, "A post was rejected", "An approver rejected a pending post, which is a draft again.", event.ApprovalData{PostData: postData(asDraft), Comment: &comment}},
	}, otherEventKinds()...)
}

func otherEventKinds() []eventKind {
	telegram := event.ChannelData{ChannelID: idOf[ident.Channel](exampleChannel), Type: string(channel.TelegramChannel), Name: "Acme News"}
	met := exampleLead()
	moved, _ := met.MoveTo(lead.StageQualified, "", exampleDay(7))
	return []eventKind{
		{event.ChannelConnected, "A channel was connected", "A channel was connected to the workspace, or connected again after it was removed or had lost its access. Fresh credentials for a channel that works fire nothing.", telegram},
		{event.ChannelDisconnected, "A channel was removed", "A channel was removed from the workspace. One that merely lost its access (`tokenStatus` NEEDS_RECONNECT) is still there, and fires nothing.", telegram},
		{event.LeadCreated, "A lead was captured", "A lead was captured: by the Sales Lead agent, by the browser extension or by hand.", event.LeadData{Lead: met.Object()}},
		{event.LeadStageChanged, "A lead moved to another stage", "A lead moved to another stage. Other changes of a lead fire nothing.", event.LeadStageData{
			Lead: moved.Lead.Object(), PreviousStage: string(met.Stage), Stage: string(moved.Lead.Stage),
		}},
		{event.WebhookTest, "A test", "The test operation of this webhook was called. It is sent to this webhook alone, whatever that subscribes to.", event.WebhookTestData{
			WebhookID: idOf[ident.Webhook](exampleWebhook), Message: "This is a test event; the signature and the headers are those of every delivery.",
		}},
	}
}

// schemaName is the name of the event's schema: PostCreatedEvent.
func (k eventKind) schemaName() string {
	return apiforms.Pascal(strings.ToUpper(strings.ReplaceAll(string(k.typ), ".", "_"))) + "Event"
}

// example is the event as it is sent, made by the code that makes events; only its id is always the same.
func (k eventKind) example() stdjson.RawMessage {
	made, err := event.New(idOf[ident.Workspace](exampleRequest), k.typ, exampleDay(7), k.data)
	if err != nil {
		return stdjson.RawMessage("null") // a test compares the examples with their schemas
	}
	return bytes.Replace(made.Body, []byte(made.ID.String()), []byte(exampleEvent), 1)
}

// schema documents the envelope, with the type of its data.
func (k eventKind) schema(schemas huma.Registry) *huma.Schema {
	text := func(description, format string, example any) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Description: description, Format: format, Examples: []any{example}}
	}
	id := text("Id of the event, the same on every attempt. Deduplicate by it.", "", event.ExternalID(idOf[eventID](exampleEvent)))
	id.Pattern = `^evt_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`
	typ := text("What happened.", "", k.typ)
	typ.Enum = []any{k.typ}
	data := k.dataSchema(schemas)
	data.Description = "What it happened to."
	return &huma.Schema{
		Type: huma.TypeObject, Title: k.summary, Description: k.when,
		Required: []string{"id", "type", "createdAt", "workspaceId", "data"},
		Properties: map[string]*huma.Schema{
			"id": id, "type": typ, "createdAt": text("When it happened.", apiforms.FormatTime, apiforms.ExampleTime),
			"workspaceId": text("The workspace that it happened in.", "uuid", exampleRequest), "data": data,
		},
		Examples: []any{k.example()},
	}
}

// dataSchema registers the schema of the data, once for all the types that share it, and gives a reference to it.
func (k eventKind) dataSchema(schemas huma.Registry) *huma.Schema {
	made := huma.SchemaFromType(schemas, reflect.TypeOf(k.data))
	var name string
	switch k.data.(type) {
	case event.PostData, event.ApprovalData:
		if name = "PostEventData"; made.Properties[memberComment] != nil {
			name = "ApprovalEventData"
			// In the order in which they are sent.
			made.Required = append(slices.DeleteFunc(made.Required, func(m string) bool { return m == memberComment }), memberComment)
		}
		refer(made, "status", apiforms.PostStatus("").Schema(schemas))
		made.Properties["error"].Ref = apiforms.ComponentSchemas + reflect.TypeFor[apiforms.PostError]().Name()
		apiforms.Nullable(made, "error")
	case event.ChannelData:
		name = "ChannelEventData"
		refer(made, "type", apiforms.ChannelType("").Schema(schemas))
	case event.LeadData:
		name = "LeadEventData"
		describeLead(schemas)
	case event.LeadStageData:
		name = "LeadStageEventData"
		stage := leadStage(schemas)
		refer(made, "stage", stage)
		refer(made, "previous_stage", stage)
		describeLead(schemas)
	case event.WebhookTestData:
		name = "WebhookTestEventData"
	}
	schemas.Map()[name] = made
	return &huma.Schema{Ref: apiforms.ComponentSchemas + name}
}

// describeLead gives the members of the Lead object the types that they have in the domain.
func describeLead(schemas huma.Registry) {
	object := schemas.Map()[reflect.TypeFor[event.Lead]().Name()]
	refer(object, "stage", leadStage(schemas))
	refer(object, "source", apiforms.Enum(schemas, "LeadSource", "How a lead was captured. Tolerate new values.", lead.Sources()))
	for member, known := range map[string]*huma.Schema{
		"platform":    apiforms.Enum(schemas, "LeadPlatform", "Where a lead was met. Tolerate new values.", lead.Platforms()),
		"temperature": apiforms.Enum(schemas, "LeadTemperature", "How likely a lead is thought to buy. Tolerate new values.", lead.Temperatures()),
	} {
		if object.Properties[member].AnyOf == nil {
			refer(object, member, known)
			apiforms.Nullable(object, member)
		}
	}
	value := object.Properties["value"]
	value.Type, value.Format, value.Nullable, value.Examples = huma.TypeNumber, "double", true, []any{1200.5}
}

func leadStage(schemas huma.Registry) *huma.Schema {
	return apiforms.Enum(schemas, "LeadStage", "Where a lead stands. Tolerate new values.", lead.Stages())
}

// refer makes a member one of an enumeration.
func refer(object *huma.Schema, member string, to *huma.Schema) {
	object.Properties[member] = &huma.Schema{Ref: to.Ref, Description: object.Properties[member].Description}
}

func postData(change func(p *post.Post)) event.PostData {
	p := post.Post{ID: idOf[ident.Post](exampleID), ChannelID: idOf[ident.Channel](exampleChannel), Status: post.Draft}
	change(&p)
	return p.EventData()
}

func asFailed(p *post.Post) {
	p.Status = post.Failed
	p.Error = &post.Error{
		Code: post.ErrorOutcomeUnknown, Message: "The network did not answer in time; look at the account before you try again.",
	}
}

func exampleLead() lead.Lead {
	return lead.Lead{
		ID: idOf[ident.Lead]("0190a3ca-6057-7cbe-bf99-ae6c7b809fa4"), Name: "Mara Lindqvist", Handle: "mara.builds",
		ProfileURL: "https://www.instagram.com/mara.builds", Platform: "INSTAGRAM", Source: lead.SourceExtension,
		Temperature: lead.TemperatureWarm, Interest: "Asked for prices of the wall tiles.", Stage: lead.StageContacted, Value: "1200.5",
		Currency: "EUR", FollowUpAt: exampleDay(9).Add(3 * 24 * time.Hour), ContactEmail: "mara@example.com",
		CreatedAt: exampleDay(6), UpdatedAt: exampleDay(6),
	}
}
