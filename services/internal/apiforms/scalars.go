package apiforms

import (
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/domain/webhook"
	"fencepost.internal/shared/domain/workspace"
)

const (
	// ComponentSchemas is the path prefix of named schemas.
	ComponentSchemas = "#/components/schemas/"

	// FormatTime is the format of times in schemas.
	FormatTime = "date-time"
	// ExampleTime is an example of such a time.
	ExampleTime = "2026-03-01T07:00:00.000Z"
)

// ConfigureSchemas sets a package variable of Huma: lists are never null. It must be called before the first schema is
// created. Only the first call has an effect.
func ConfigureSchemas() { listsAreNotNull() }

var listsAreNotNull = sync.OnceFunc(func() { huma.DefaultArrayNullable = false })

// Timestamp is a time in a response: UTC, milliseconds, Z (docs/contract.md, Times).
type Timestamp time.Time

// MarshalJSONTo writes the time without an allocation.
func (t Timestamp) MarshalJSONTo(enc *jsontext.Encoder) error {
	text := append(enc.AvailableBuffer(), '"')
	text = time.Time(t).UTC().AppendFormat(text, event.TimeFormat)
	return enc.WriteValue(append(text, '"'))
}

// Schema documents the type.
func (Timestamp) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: FormatTime, Examples: []any{ExampleTime}}
}

// OptionalTimestamp is a Timestamp whose zero value is null.
type OptionalTimestamp time.Time

// MarshalJSONTo writes the time, or null.
func (t OptionalTimestamp) MarshalJSONTo(enc *jsontext.Encoder) error {
	if time.Time(t).IsZero() {
		return enc.WriteToken(jsontext.Null)
	}
	return Timestamp(t).MarshalJSONTo(enc)
}

// Schema documents the type.
func (OptionalTimestamp) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: FormatTime, Nullable: true, Examples: []any{ExampleTime}}
}

// OptionalText is a text whose zero value is null.
type OptionalText string

// MarshalJSONTo writes the text, or null.
func (t OptionalText) MarshalJSONTo(enc *jsontext.Encoder) error {
	if t == "" {
		return enc.WriteToken(jsontext.Null)
	}
	return enc.WriteToken(jsontext.String(string(t)))
}

// Schema documents the type.
func (OptionalText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Nullable: true}
}

// The enumerations below are documented from the domain's own lists, each once, under the name of its type.
type (
	// MediaType is a media.Type.
	MediaType string
	// PostStatus is a post.Status.
	PostStatus string
	// OnFailure is a post.OnFailure.
	OnFailure string
	// PartKind is a post.PartKind.
	PartKind string
	// PartStatus is a post.PartStatus.
	PartStatus string
	// PartsState is a post.PartsState.
	PartsState string
	// ContentType is a post.ContentType.
	ContentType string
	// ChannelType is a channel.Type.
	ChannelType string
	// TokenStatus is a channel.TokenStatus.
	TokenStatus string
	// Plan is a workspace.Plan.
	Plan string
	// Scope is a credential.Scope.
	Scope string
	// EventType is an event.Type, or * for all types.
	EventType string
)

// Schema documents the type.
func (MediaType) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "MediaType", "Kind of a file. Tolerate new values.", media.Types())
}

// Schema documents the values.
func (OnFailure) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "OnFailure", "What happens to a post if the post before it is not published.", post.OnFailures())
}

// Schema documents the type.
func (PartKind) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "PartKind", "Kind of a part of a post.", []post.PartKind{post.PartRoot, post.PartReply, post.PartComment})
}

// Schema documents the type.
func (PartStatus) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "PartStatus", "State of a part of a post.",
		[]post.PartStatus{post.PartPending, post.PartPublished, post.PartFailed, post.PartUnknown})
}

// Schema documents the type.
func (PartsState) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "PartsState", "State of the parts of a post as a whole.",
		[]post.PartsState{post.PartsPending, post.PartsInProgress, post.PartsComplete, post.PartsIncomplete})
}

// Schema documents the type.
func (PostStatus) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "PostStatus", "State of a post.", post.Statuses())
}

// Schema documents the type.
func (ApprovalPolicy) Schema(r huma.Registry) *huma.Schema {
	names := make([]ApprovalPolicy, len(approval.Policies()))
	for i, p := range approval.Policies() {
		names[i] = ApprovalPolicy(p.String())
	}
	return Enum(r, "ApprovalPolicy", "Who must approve posts before they are published. NONE: no approval. OPTIONAL: people and "+
		"programs may ask. REQUIRED: another person. TWO_STEP: two people.", names)
}

// Schema documents the type.
func (ContentType) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "ContentType",
		"Kind of content: POST is a standard post, REEL a short vertical video, STORY an ephemeral story, VIDEO a "+
			"regular video.",
		[]post.ContentType{post.ContentPost, post.ContentReel, post.ContentStory, post.ContentVideo})
}

// Schema documents the type.
func (ChannelType) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "ChannelType", "Kind of account. Treat unknown types as a generic channel.", channel.Types())
}

// Schema documents the type.
func (TokenStatus) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "TokenStatus", "State of the access to a network. Tolerate new values.",
		[]channel.TokenStatus{channel.TokenHealthy, channel.TokenExpiring, channel.TokenNeedsReconnect})
}

// Schema documents the type.
func (Plan) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "Plan", "Plan of a workspace. Tolerate new values.", workspace.Plans())
}

// Schema documents the type.
func (Scope) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "Scope", "Scope of a credential. Tolerate new values.", credential.Scopes())
}

// Schema documents the type.
func (EventType) Schema(r huma.Registry) *huma.Schema {
	return Enum(r, "EventType", "Type of an event; * matches all types, including future ones. Tolerate new values.",
		append([]event.Type{webhook.AllEvents}, event.Types()...))
}

// Enum registers the schema of an enumeration and returns a reference to it.
func Enum[T ~string](r huma.Registry, name, description string, values []T) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Description: description, Examples: []any{string(values[0])}}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	s.PrecomputeMessages()
	r.Map()[name] = s
	return &huma.Schema{Ref: ComponentSchemas + name}
}

// Nullable makes object properties of an object nullable.
func Nullable(s *huma.Schema, names ...string) *huma.Schema {
	for _, name := range names {
		member := s.Properties[name]
		s.Properties[name] = &huma.Schema{
			Description: member.Description,
			AnyOf:       []*huma.Schema{{Ref: member.Ref}, {Type: "null"}},
		}
	}
	return s
}

// Pascal returns the component name of a code's response, for example NotFound.
func Pascal(code string) string {
	var name strings.Builder
	for word := range strings.SplitSeq(code, "_") {
		name.WriteString(word[:1] + strings.ToLower(word[1:]))
	}
	return name.String()
}
