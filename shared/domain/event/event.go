// Package event defines the events of a workspace that integrators receive: the event types, their data, and the
// envelope, which is stored once and sent unchanged (docs/contract.md, Event types).
package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// Type is the name of an event type.
type Type string

// Event types.
const (
	PostCreated           Type = "post.created"
	PostUpdated           Type = "post.updated"
	PostPublished         Type = "post.published"
	PostFailed            Type = "post.failed"
	PostDeleted           Type = "post.deleted"
	PostApprovalRequested Type = "post.approval_requested"
	PostApproved          Type = "post.approved"
	PostRejected          Type = "post.rejected"
	PostCommented         Type = "post.commented"
	PostPartFailed        Type = "post.part_failed"
	PostCompleted         Type = "post.completed"
	PostScheduled         Type = "post.scheduled"
	PostUnscheduled       Type = "post.unscheduled"
	ChannelConnected      Type = "channel.connected"
	ChannelDisconnected   Type = "channel.disconnected"
	ChannelAccessLost     Type = "channel.access_lost"
	ChannelAccessRestored Type = "channel.access_restored"
	ChannelExpiring       Type = "channel.expiring"
	MediaReady            Type = "media.ready"
	MediaFailed           Type = "media.failed"
	LeadCreated           Type = "lead.created"
	LeadStageChanged      Type = "lead.stage_changed"
	WebhookTest           Type = "webhook.test"
)

// Types lists every event type in the published order.
func Types() []Type {
	return []Type{
		PostCreated, PostScheduled, PostUnscheduled, PostUpdated, PostPublished, PostPartFailed, PostCompleted, PostFailed, PostDeleted,
		PostApprovalRequested, PostApproved, PostRejected, PostCommented, ChannelConnected, ChannelDisconnected,
		ChannelAccessLost, ChannelAccessRestored, ChannelExpiring, MediaReady, MediaFailed, LeadCreated, LeadStageChanged, WebhookTest,
	}
}

// Known reports whether the type exists.
func (t Type) Known() bool { return slices.Contains(Types(), t) }

// Event is one event. Body is the envelope: with its sequence number, byte for byte as every receiver gets it, and without
// it until the event is numbered (see Numbered).
type Event struct {
	ID          ident.Event
	WorkspaceID ident.Workspace
	Type        Type
	CreatedAt   time.Time
	Body        []byte
}

// MaxBody is the maximum size of an envelope in bytes. Events are small by design: texts are limited when they are
// accepted, and an event contains no post content.
const MaxBody = 64 << 10

// ErrTooLarge reports that an envelope would exceed MaxBody. The change behind the event must then be refused, because
// it could never be delivered.
var ErrTooLarge = errors.New("the event is larger than 64 KiB")

// TimeFormat is the format of times in every response and every event: UTC, milliseconds, Z (docs/contract.md, Times).
const TimeFormat = "2006-01-02T15:04:05.000Z"

// FormatTime formats t in TimeFormat.
func FormatTime(t time.Time) string { return t.UTC().Format(TimeFormat) }

// ExternalID returns the identifier that receivers see and deduplicate by: evt_ and a UUID.
func ExternalID(id ident.Event) string { return "evt_" + id.String() }

type envelope struct {
	ID          string          `json:"id"`
	Type        Type            `json:"type"`
	CreatedAt   string          `json:"createdAt"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
	Data        any             `json:"data"`
}

// New returns an event with its envelope. It returns ErrTooLarge if the envelope exceeds MaxBody.
func New(workspace ident.Workspace, typ Type, at time.Time, data any) (Event, error) {
	id := ident.New[ident.Event]()
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // URLs stay readable; this is not HTML
	err := encoder.Encode(envelope{
		ID: ExternalID(id), Type: typ, CreatedAt: FormatTime(at), WorkspaceID: workspace, Data: data,
	})
	if err != nil {
		return Event{}, fmt.Errorf("encode %s event: %w", typ, err)
	}
	raw := bytes.TrimSuffix(body.Bytes(), []byte("\n"))
	if len(raw)+longestNumber > MaxBody {
		return Event{}, fmt.Errorf("%s of %d bytes: %w", typ, len(raw), ErrTooLarge)
	}
	return Event{ID: id, WorkspaceID: workspace, Type: typ, CreatedAt: at, Body: raw}, nil
}

// longestNumber is the length of the longest member that Numbered adds.
const longestNumber = len(`,"sequence":9223372036854775807`)

// Numbered returns an envelope with its sequence number, the position of the event in the log of its workspace; zero is
// null. An envelope that has one stays unchanged. The store does the same in sql/event_fanout.sql, once, when it numbers
// the event. Events that were numbered by an earlier version have envelopes without it.
func Numbered(body []byte, sequence int64) []byte {
	rest, unnumbered := bytes.CutSuffix(body, []byte("}}")) // of the data, which is the last member, and the envelope
	if !unnumbered {
		return body
	}
	number := "null"
	if sequence > 0 {
		number = strconv.FormatInt(sequence, 10)
	}
	return slices.Concat(rest, []byte(`},"sequence":`+number+`}`))
}
