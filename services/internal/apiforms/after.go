package apiforms

import (
	"cmp"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// PublishAfter makes a post wait for another one in requests.
type PublishAfter struct {
	PostID       ident.Post    `json:"postId,omitempty" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"Post that must be published first."`
	ChannelID    ident.Channel `json:"channelId,omitempty" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"Instead of postId: the channel whose post of this request must be published first."`
	DelaySeconds int           `json:"delaySeconds,omitempty" minimum:"0" maximum:"2592000" example:"600" doc:"Seconds after that post."`
	OnFailure    OnFailure     `json:"onFailure,omitempty" example:"hold" doc:"If that post fails or is deleted: hold (default) waits for it, cancel returns to DRAFT, publish publishes."`
}

// faults returns what is wrong with the names of the post, at a pointer.
func (b PublishAfter) faults(at string, inSet bool) []apperr.Field {
	switch {
	case !inSet && !b.ChannelID.IsZero():
		return []apperr.Field{{Pointer: at + "/channelId", Message: "names a post of the same request, which an existing post cannot wait for; send postId"}}
	case !b.PostID.IsZero() && !b.ChannelID.IsZero():
		return []apperr.Field{{Pointer: at + "/channelId", Message: "cannot be combined with postId; send one of them"}}
	case b.PostID.IsZero() && b.ChannelID.IsZero():
		return []apperr.Field{{Pointer: at + "/postId", Message: "is missing; send the ID of the post that must be published first"}}
	default:
		return nil
	}
}

// command returns the input of the use cases.
func (b PublishAfter) command() app.After {
	return app.After{ChannelID: b.ChannelID, After: post.After{
		PostID: b.PostID, Delay: time.Duration(b.DelaySeconds) * time.Second,
		OnFailure: cmp.Or(post.OnFailure(b.OnFailure), post.HoldOnFailure),
	}}
}

// afterFaults returns what is wrong with the names of the post in a change, at a pointer. Null and no change name none.
func afterFaults(o Optional[afterPatch], at string, inSet bool) []apperr.Field {
	if !o.Set || o.null {
		return nil
	}
	return PublishAfter(o.Value).faults(at, inSet)
}

// afterPatch is PublishAfter in a change, where null removes the wait.
type afterPatch PublishAfter

// Schema documents the patch.
func (afterPatch) Schema(registry huma.Registry) *huma.Schema {
	s := huma.SchemaFromType(registry, reflect.TypeFor[PublishAfter]())
	s.Nullable = true
	return s
}

// optionalAfter returns the wait of a change: nil if it was omitted, and zero for null.
func optionalAfter(o Optional[afterPatch]) *app.After {
	switch {
	case !o.Set:
		return nil
	case o.null:
		return new(app.After)
	default:
		return new(PublishAfter(o.Value).command())
	}
}

// Predecessor is the post that another one waits for in responses.
type Predecessor struct {
	PostID       ident.Post `json:"postId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post that must be published first. It may have been deleted."`
	DelaySeconds int        `json:"delaySeconds" example:"600" doc:"Seconds after the publication of that post."`
	OnFailure    OnFailure  `json:"onFailure" example:"hold" doc:"What happens if that post fails or is deleted."`
}

func toAPIPredecessor(after post.After) *Predecessor {
	if after.IsZero() {
		return nil
	}
	return &Predecessor{PostID: after.PostID, DelaySeconds: int(after.Delay / time.Second), OnFailure: OnFailure(after.OnFailure)}
}
