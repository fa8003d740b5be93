// Package event holds what happened in a workspace, as integrators are told of it: the event types, the data each
// carries, and the envelope whose bytes are stored once and sent as they are (specification, Events; decisions,
// section 7).
package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"socialpub.internal/shared/kernel/ident"
)

// Type names an event.
type Type string

// The event types of the specification.
const (
	PostCreated           Type = "post.created"
	PostUpdated           Type = "post.updated"
	PostPublished         Type = "post.published"
	PostFailed            Type = "post.failed"
	PostDeleted           Type = "post.deleted"
	PostApprovalRequested Type = "post.approval_requested"
	PostApproved          Type = "post.approved"
	PostRejected          Type = "post.rejected"
	ChannelConnected      Type = "channel.connected"
	ChannelDisconnected   Type = "channel.disconnected"
	LeadCreated           Type = "lead.created"
	LeadStageChanged      Type = "lead.stage_changed"
	WebhookTest           Type = "webhook.test"
)

// Types lists every event type in the specification's order.
func Types() []Type {
	return []Type{
		PostCreated, PostUpdated, PostPublished, PostFailed, PostDeleted, PostApprovalRequested, PostApproved, PostRejected,
		ChannelConnected, ChannelDisconnected, LeadCreated, LeadStageChanged, WebhookTest,
	}
}

// Known reports whether the type is one of the specification's.
func (t Type) Known() bool { return slices.Contains(Types(), t) }

// Event is one thing that happened. Body is the envelope, byte for byte as every receiver gets it.
type Event struct {
	ID          ident.Event
	WorkspaceID ident.Workspace
	Type        Type
	CreatedAt   time.Time
	Body        []byte
}

// MaxBody is the size that no envelope exceeds, in bytes. What tells an event bounds what it tells: texts have their limits
// where they are taken, and an event carries no content of a post.
const MaxBody = 64 << 10

// ErrTooLarge says that an envelope would exceed MaxBody. The change that it tells of must not be made then, because nobody
// could ever be told.
var ErrTooLarge = errors.New("the event is larger than 64 KiB")

// TimeFormat is how times are written in every answer and every event: UTC, milliseconds, Z (decisions, section 1).
const TimeFormat = "2006-01-02T15:04:05.000Z"

// FormatTime writes t in TimeFormat.
func FormatTime(t time.Time) string { return t.UTC().Format(TimeFormat) }

// ExternalID is the identifier receivers see and deduplicate by: evt_ and a UUID.
func ExternalID(id ident.Event) string { return "evt_" + id.String() }

type envelope struct {
	ID          string          `json:"id"`
	Type        Type            `json:"type"`
	CreatedAt   string          `json:"createdAt"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
	Data        any             `json:"data"`
}

// New makes an event with its envelope (specification, Webhook envelope). ErrTooLarge when that exceeds MaxBody.
func New(workspace ident.Workspace, typ Type, at time.Time, data any) (Event, error) {
	id := ident.New[ident.Event]()
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // addresses stay readable; this is no HTML
	err := encoder.Encode(envelope{
		ID: ExternalID(id), Type: typ, CreatedAt: FormatTime(at), WorkspaceID: workspace, Data: data,
	})
	if err != nil {
		return Event{}, fmt.Errorf("encode %s event: %w", typ, err)
	}
	raw := bytes.TrimSuffix(body.Bytes(), []byte("\n"))
	if len(raw) > MaxBody {
		return Event{}, fmt.Errorf("%s of %d bytes: %w", typ, len(raw), ErrTooLarge)
	}
	return Event{ID: id, WorkspaceID: workspace, Type: typ, CreatedAt: at, Body: raw}, nil
}
