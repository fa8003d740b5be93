package httpapi

import (
	"bytes"
	stdjson "encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/lead"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/ident"
)

type eventID = ident.Event

const memberComment = "comment"

// eventKind documents one event type.
type eventKind struct {
	typ     event.Type
	summary string
	when    string // the trigger
	data    any    // an example; its type determines the schema
}

// eventKinds returns every event type in the published order.
func eventKinds() []eventKind {
	comment := "Looks good."
	return append([]eventKind{
		{event.PostCreated, "A post was created", "Sent when a post is created by any operation, as a draft or for " +
			"publishing. A request for several channels creates one post, and one event, per channel.", postData(asDraft)},
		{
			event.PostScheduled, "A post got a time", "Sent when a post becomes SCHEDULED, and when the time of a SCHEDULED " +
				"post changes, whatever the way: creation (after post.created), scheduling, publishing at once, the next slot, an " +
				"edit (after post.updated), an approval (after post.approved). The intended time of a DRAFT sends post.updated only.",
			postData(asScheduled),
		},
		{event.PostUnscheduled, "A post lost its time", "Sent when a SCHEDULED post becomes a DRAFT.", postData(asDraft)},
		{event.PostUpdated, "A post was edited", "Sent when the content, the options or the time of a post is " +
			"edited, and when a published post is changed or deleted on its network. Scheduling, unscheduling and edits without " +
			"a change do not send it.", postData(asScheduled)},
		{event.PostPublished, "A post was published", "Sent when the network accepts a post.", postData(asPublished)},
		{event.PostPartFailed, "A part of a post was not published", "Sent when a part of a published post is not published: a reply of its " +
			"thread, or its first comment. The parts after it wait for a decision (continue-parts).", event.PartData{
			PostData: postData(asPublished), Part: event.FailedPart{
				Index: 2, Kind: string(post.PartReply), Status: string(post.PartFailed), Error: postData(asFailed).Error,
			},
		}},
		{event.PostCompleted, "All parts of a post are published", "Sent when the last part of a post with a thread or a first comment is " +
			"published, and when a client gives up the rest.", postData(asPublished)},
		{event.PostFailed, "A post was not published", "Sent when a post is not published and needs a manual retry, or " +
			"when the outcome cannot be determined. `error` contains the reason.", postData(asFailed)},
		{event.PostDeleted, "A post was deleted", "Sent when a post is deleted. `status` is the state before the " +
			"deletion.", postData(asDraft)},
		{event.PostApprovalRequested, "A post was sent for approval", "Sent when a post waits for approval: " +
			"requested, changed after its approval, approved by one of two people, or held by a stricter policy.", event.ApprovalData{PostData: postData(asPending)}},
		{
			event.PostApproved, "A post was approved", "Sent when an approver accepts a pending post. `status` is SCHEDULED " +
				"if the post's time is in the future, otherwise DRAFT.",
			event.ApprovalData{PostData: postData(asScheduled), Comment: &comment},
		},
		{event.PostRejected, "A post was rejected", "Sent when an approver rejects a pending post. The post becomes a " +
			"draft again.", event.ApprovalData{PostData: postData(asDraft), Comment: &comment}},
		{event.PostCommented, "A person commented on a post", "Sent when a person comments on a post. The comment is in " +
			"the timeline of the post.", postData(asPending)},
	}, otherEventKinds()...)
}

func otherEventKinds() []eventKind {
	telegram := event.ChannelData{
		ChannelID: idOf[ident.Channel](exampleChannel), Type: string(channel.TelegramChannel), Name: "Acme News",
	}
	spring := event.MediaData{MediaID: idOf[ident.Media](exampleMedia), Name: "spring.jpg", Type: string(media.Image)}
	met := exampleLead()
	moved, _ := met.MoveTo(lead.StageQualified, "", exampleDay(7))
	return []eventKind{
		{event.ChannelConnected, "A channel was connected", "Sent when a channel is connected, or connected again after " +
			"it was removed or lost its access. New credentials for a working channel send no event.", telegram},
		{event.ChannelDisconnected, "A channel was removed", "Sent when a channel is removed from the workspace. A " +
			"channel that loses its access is not removed.", telegram},
		{event.ChannelAccessLost, "A channel lost its access", "Sent when the network rejects the credentials of a " +
			"connected channel (`tokenStatus` NEEDS_RECONNECT): a person must connect it again.", telegram},
		{event.ChannelAccessRestored, "A channel has its access again", "Sent when a connected channel that had lost its access " +
			"gets credentials that work, after channel.connected if a person has connected it.", telegram},
		{event.ChannelExpiring, "The access of a channel ends soon", "Sent when only a person can extend the access of a " +
			"connected channel beyond the next 7 days (`tokenStatus` EXPIRING).", telegram},
		{event.MediaReady, "A file was processed", "Sent when the processing of an uploaded or imported file has ended: its " +
			"thumbnail and its dimensions are known.", spring},
		{event.MediaFailed, "A file could not be processed", "Sent when the processing of a file has ended with a problem: it " +
			"is damaged, or the service cannot open it. `error` contains the reason. A refused upload or import makes no asset " +
			"and sends no event.", event.MediaFailedData{MediaData: spring, Error: event.MediaError{
			Code: media.CodeDamaged, Message: "The file is damaged. Save it again with another program.",
		}}},
		{event.LeadCreated, "A lead was captured", "Sent when a lead is captured by the Sales Lead agent, by the browser " +
			"extension or by hand.", event.LeadData{Lead: met.Object()}},
		{event.LeadStageChanged, "A lead moved to another stage", "Sent when a lead moves to another stage. Other changes " +
			"of a lead send no event.", event.LeadStageData{
			Lead: moved.Lead.Object(), PreviousStage: string(met.Stage), Stage: string(moved.Lead.Stage),
		}},
		{event.WebhookTest, "A webhook was tested", "Sent when the test operation of this webhook is called. Sent only to " +
			"this webhook, regardless of its subscriptions.", event.WebhookTestData{
			WebhookID: idOf[ident.Webhook](exampleWebhook),
			Message:   "This is a test event; the signature and the headers are those of every delivery.",
		}},
	}
}

// schemaName returns the name of the event's schema, for example PostCreatedEvent.
func (k eventKind) schemaName() string {
	return apiforms.Pascal(strings.ToUpper(strings.ReplaceAll(string(k.typ), ".", "_"))) + "Event"
}

// example returns the delivered form of the event, generated by the code that creates events, with a fixed id.
func (k eventKind) example() stdjson.RawMessage {
	created, err := event.New(idOf[ident.Workspace](exampleRequest), k.typ, exampleDay(7), k.data)
	if err != nil {
		return stdjson.RawMessage("null") // a test validates the examples
	}
	return bytes.Replace(event.Numbered(created.Body, exampleSequence), []byte(created.ID.String()), []byte(exampleEvent), 1)
}

// schema returns the schema of the envelope with the type of its data.
func (k eventKind) schema(schemas huma.Registry) *huma.Schema {
	text := func(description, format string, example any) *huma.Schema {
		return &huma.Schema{Type: huma.TypeString, Description: description, Format: format, Examples: []any{example}}
	}
	id := text("ID of the event, the same for every attempt. Use it to detect duplicates.", "",
		event.ExternalID(idOf[eventID](exampleEvent)))
	id.Pattern = `^evt_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`
	typ := text("Type of the event.", "", k.typ)
	typ.Enum = []any{k.typ}
	data := k.dataSchema(schemas)
	data.Description = "Data of the event."
	return &huma.Schema{
		Type: huma.TypeObject, Title: k.summary, Description: k.when,
		Required: []string{"id", "type", "createdAt", "workspaceId", "data", "sequence"},
		Properties: map[string]*huma.Schema{
			"id": id, "type": typ, "createdAt": text("Time at which the event was created.", apiforms.FormatTime,
				apiforms.ExampleTime),
			"workspaceId": text("ID of the event's workspace.", "uuid", exampleRequest), "data": data,
			"sequence": {
				Type: huma.TypeInteger, Format: "int64", Minimum: new(1.0), Examples: []any{exampleSequence},
				Description: "Position of the event in the workspace's log: 1, 2, 3 … without gaps. Of two events about the same " +
					"post, the later one has the higher number.",
			},
			"mode": {
				Type: huma.TypeString, Enum: []any{string(workspace.Test)}, Examples: []any{string(workspace.Test)},
				Description: "test in events of a test workspace; absent in others.",
			},
		},
		Examples: []any{k.example()},
	}
}

// dataSchema registers the schema of the data, shared by the types with the same data, and returns a reference to it.
func (k eventKind) dataSchema(schemas huma.Registry) *huma.Schema {
	created := huma.SchemaFromType(schemas, reflect.TypeOf(k.data))
	var name string
	switch k.data.(type) {
	case event.PostData, event.ApprovalData:
		if name = "PostEventData"; created.Properties[memberComment] != nil {
			name = "ApprovalEventData"
			moveLast(created, memberComment)
		}
		refer(created, "status", apiforms.PostStatus("").Schema(schemas))
		refer(created, "channelType", apiforms.ChannelType("").Schema(schemas))
		created.Properties["error"].Ref = apiforms.ComponentSchemas + reflect.TypeFor[apiforms.PostError]().Name()
		apiforms.Nullable(created, "error")
	case event.PartData:
		name = "PartEventData"
		moveLast(created, "part")
		refer(created, "status", apiforms.PostStatus("").Schema(schemas))
		refer(created, "channelType", apiforms.ChannelType("").Schema(schemas))
		part := schemas.Map()["FailedPart"]
		for _, s := range []*huma.Schema{created, part} {
			s.Properties["error"].Ref = apiforms.ComponentSchemas + reflect.TypeFor[apiforms.PostError]().Name()
			apiforms.Nullable(s, "error")
		}
	case event.ChannelData:
		name = "ChannelEventData"
		refer(created, "type", apiforms.ChannelType("").Schema(schemas))
	case event.MediaData:
		name = "MediaEventData"
		refer(created, "type", apiforms.MediaType("").Schema(schemas))
	case event.MediaFailedData:
		name = "MediaFailedEventData"
		moveLast(created, "error")
		refer(created, "type", apiforms.MediaType("").Schema(schemas))
	case event.LeadData:
		name = "LeadEventData"
		describeLead(schemas)
	case event.LeadStageData:
		name = "LeadStageEventData"
		stage := leadStage(schemas)
		refer(created, "stage", stage)
		refer(created, "previous_stage", stage)
		describeLead(schemas)
	case event.WebhookTestData:
		name = "WebhookTestEventData"
	}
	schemas.Map()[name] = created
	return &huma.Schema{Ref: apiforms.ComponentSchemas + name}
}

// moveLast moves a member that follows those of an embedded struct to its place in deliveries.
func moveLast(object *huma.Schema, member string) {
	object.Required = append(slices.DeleteFunc(object.Required, func(m string) bool { return m == member }), member)
}

// describeLead replaces property types of the Lead object with the domain's enumerations.
func describeLead(schemas huma.Registry) {
	object := schemas.Map()[reflect.TypeFor[event.Lead]().Name()]
	refer(object, "stage", leadStage(schemas))
	refer(object, "source", apiforms.Enum(schemas, "LeadSource", "Source of a lead. Tolerate new values.", lead.Sources()))
	for member, known := range map[string]*huma.Schema{
		"platform": apiforms.Enum(schemas, "LeadPlatform", "Platform of a lead. Tolerate new values.", lead.Platforms()),
		"temperature": apiforms.Enum(schemas, "LeadTemperature",
			"Estimated likelihood that a lead buys. Tolerate new values.", lead.Temperatures()),
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
	return apiforms.Enum(schemas, "LeadStage", "Stage of a lead. Tolerate new values.", lead.Stages())
}

// refer replaces a property's schema with a reference to an enumeration.
func refer(object *huma.Schema, member string, to *huma.Schema) {
	object.Properties[member] = &huma.Schema{Ref: to.Ref, Description: object.Properties[member].Description}
}

func postData(change func(p *post.Post)) event.PostData {
	p := post.Post{
		ID: idOf[ident.Post](exampleID), ChannelID: idOf[ident.Channel](exampleChannel), Status: post.Draft,
		ChannelType: string(channel.TelegramChannel), GroupID: idOf[ident.Group](exampleID),
	}
	change(&p)
	return p.EventData()
}

func asFailed(p *post.Post) {
	p.Status = post.Failed
	p.Error = &post.Error{
		Code:    post.ErrorOutcomeUnknown,
		Message: "The network did not respond in time. Check the account before you try again.",
	}
}

func exampleLead() lead.Lead {
	return lead.Lead{
		ID: idOf[ident.Lead]("0190a3ca-6057-7cbe-bf99-ae6c7b809fa4"), Name: "Mara Lindqvist", Handle: "mara.builds",
		ProfileURL: "https://www.instagram.com/mara.builds", Platform: "INSTAGRAM", Source: lead.SourceExtension,
		Temperature: lead.TemperatureWarm, Interest: "Asked for prices of the wall tiles.", Stage: lead.StageContacted,
		Value:    "1200.5",
		Currency: "EUR", FollowUpAt: exampleDay(9).Add(3 * 24 * time.Hour), ContactEmail: "mara@example.com",
		CreatedAt: exampleDay(6), UpdatedAt: exampleDay(6),
	}
}
