package apiforms

import (
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Part is a part of a thread after the first, in requests and responses (docs/contract.md, Threads).
type Part struct {
	Content       string        `json:"content" maxLength:"100000" example:"Every bowl is thrown by hand." doc:"Text of the part; may be empty beside media."`
	MediaIDs      []ident.Media `json:"mediaIds,omitempty" format:"uuid" maxItems:"50" uniqueItems:"true" doc:"IDs of the media of the part, in display order."`
	MediaAltTexts AltTexts      `json:"mediaAltTexts,omitzero" doc:"Alternative texts of the part, by ID of the attachment."`
}

// Comment is the first comment under a post, in requests and responses.
type Comment struct {
	Content      string `json:"content,omitempty" maxLength:"100000" example:"The recipe: https://acme.com/glaze" doc:"Text of the comment; empty: none."`
	DelaySeconds int    `json:"delaySeconds,omitempty" minimum:"0" maximum:"86400" example:"60" doc:"Seconds after the last part of the post."`
}

// commentPatch is Comment in a change, where null removes it.
type commentPatch Comment

// Schema documents the patch.
func (commentPatch) Schema(registry huma.Registry) *huma.Schema {
	s := huma.SchemaFromType(registry, reflect.TypeFor[Comment]())
	s.Nullable = true
	return s
}

func (c Comment) command() post.Comment {
	if c.Content == "" {
		return post.Comment{}
	}
	return post.Comment{Content: c.Content, Delay: time.Duration(c.DelaySeconds) * time.Second}
}

func commandOf(thread []Part) []post.Part {
	return each(thread, func(p Part) post.Part {
		return post.Part{Content: p.Content, MediaIDs: p.MediaIDs, MediaAltTexts: post.AltTexts(p.MediaAltTexts)}
	})
}

// optionalThread returns the thread of a change or a variant: nil if it was omitted.
func optionalThread(o Optional[[]Part]) *[]post.Part {
	if !o.Set {
		return nil
	}
	return new(commandOf(o.Value))
}

// optionalComment is optionalThread for the first comment.
func optionalComment(o Optional[commentPatch]) *post.Comment {
	if !o.Set {
		return nil
	}
	return new(Comment(o.Value).command())
}

// PartState is the state of one part of a post, in responses.
type PartState struct {
	Index  int          `json:"index" minimum:"0" example:"1" doc:"Position of the part, from 0, the post itself."`
	Kind   PartKind     `json:"kind" example:"REPLY" doc:"ROOT is the post itself, REPLY a part of a thread, COMMENT the first comment."`
	Status PartStatus   `json:"status" example:"PUBLISHED" doc:"UNKNOWN: the network may have the part, and does not say."`
	URL    OptionalText `json:"url" format:"uri" example:"https://x.com/acme/status/1789" doc:"URL of the part."`
	Error  *PostError   `json:"error" doc:"Reason why the part is not published; null unless it is FAILED or UNKNOWN."`
}

// TransformSchema documents the nullable properties.
func (PartState) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return Nullable(s, "error")
}

func toAPIThread(thread []post.Part) []Part {
	return each(thread, func(p post.Part) Part {
		return Part{Content: p.Content, MediaIDs: p.MediaIDs, MediaAltTexts: AltTexts(p.MediaAltTexts)}
	})
}

func toAPIComment(c post.Comment) *Comment {
	if c.IsZero() {
		return nil
	}
	return &Comment{Content: c.Content, DelaySeconds: int(c.Delay / time.Second)}
}

func toAPIPartStates(states []post.PartState) []PartState {
	return each(states, func(s post.PartState) PartState {
		return PartState{Index: s.Index, Kind: PartKind(s.Kind), Status: PartStatus(s.Status), URL: OptionalText(s.URL), Error: toAPIError(s.Error)}
	})
}

func toAPIError(e *post.Error) *PostError {
	if e == nil {
		return nil
	}
	return &PostError{Code: e.Code, Message: e.Message, Retryable: e.Retryable}
}

// ContinueParts is the body of continue-post.
type ContinueParts struct {
	End bool `json:"end,omitempty" example:"false" doc:"Whether the parts that are not published are given up, instead of published."`
}

// Check implements Body.
func (ContinueParts) Check() []apperr.Field { return nil }

// Command returns the input of the use case.
func (b ContinueParts) Command() app.ContinueParts { return app.ContinueParts{End: b.End} }
