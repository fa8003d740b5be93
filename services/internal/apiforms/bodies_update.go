package apiforms

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/wallclock"
)

// UpdateBulk is the body of update-posts-in-bulk. Its items are parsed one by one, so that a fault in one item does not
// affect the others.
type UpdateBulk struct {
	Posts  itemsApart[UpdatePost] `json:"posts" minItems:"1" maxItems:"50" doc:"Posts to change, each once."`
	DryRun bool                   `json:"dryRun,omitempty" example:"false" doc:"true returns what the request would do, and changes nothing."`
}

// Check implements Body.
func (UpdateBulk) Check() []apperr.Field { return nil }

// UpdatePost is an item of update-posts-in-bulk: a change of a post, which is that of edit-post, or its deletion.
type UpdatePost struct {
	ID          ident.Post       `json:"id" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post."`
	Content     Optional[string] `json:"content,omitzero" maxLength:"100000" example:"Our spring collection is here at last." doc:"Text of the post."`
	Title       Optional[string] `json:"title,omitzero" nullable:"true" maxLength:"500" example:"Spring collection" doc:"Title; null removes it."`
	Labels      Optional[Labels] `json:"labels,omitzero" nullable:"true" doc:"Labels of the post. Replaces all of them; null removes them."`
	ScheduledAt Optional[string] `json:"scheduledAt,omitzero" nullable:"true" example:"2026-03-01T09:00:00+02:00" doc:"Time of the post, with the effects and the scopes of edit-post: RFC 3339 with an offset, or without one beside timezone; null removes the intended time of a DRAFT."`
	Zoned
	ShiftBy string `json:"shiftBy,omitempty" nullable:"true" minLength:"1" example:"P1D" doc:"Moves the post by an ISO 8601 duration instead of to a time: P1D to the same time of the next day, -P7D a week back, PT2H by two hours. Counts in the wall-clock time of the post's channel, so that a change of the clocks does not change the time of day."`
	Delete  bool   `json:"delete,omitempty" nullable:"true" example:"false" doc:"true deletes the post. Send it with id alone."`
}

// edit returns the change as the body of edit-post.
func (b UpdatePost) edit() EditPost {
	return EditPost{Content: b.Content, Title: b.Title, Labels: b.Labels, ScheduledAt: b.ScheduledAt, Zoned: b.Zoned}
}

// changes reports whether the item has a member of edit-post that changes something.
func (b UpdatePost) changes() bool {
	return b.Content.Set || b.Title.Set || b.Labels.Set || b.ScheduledAt.Set
}

// Check implements Body.
func (b UpdatePost) Check() []apperr.Field {
	var faults []apperr.Field
	fault := func(pointer, message string) {
		faults = append(faults, apperr.Field{Pointer: pointer, Message: message})
	}
	switch {
	case b.Delete && (b.changes() || b.ShiftBy != "" || b.Timezone != ""):
		fault("/delete", "excludes the other members; omit them, or delete")
	case !b.Delete && !b.changes() && b.ShiftBy == "":
		fault("", "nothing to change; send at least one of content, title, labels, scheduledAt, shiftBy, delete")
	}
	if b.changes() {
		faults = append(faults, b.edit().Check()...)
	}
	if b.ShiftBy == "" {
		return faults
	}
	_, err := wallclock.ParseShift(b.ShiftBy)
	switch {
	case b.ScheduledAt.Set:
		fault("/shiftBy", "cannot be combined with scheduledAt; send one of them")
	case err != nil:
		fault("/shiftBy", err.Error())
	}
	if b.Timezone != "" && !b.ScheduledAt.Set {
		fault("/timezone", "is that of scheduledAt; shiftBy counts in the time zone of the post's channel, so omit timezone")
	}
	return faults
}

// CheckTime implements Timed.
func (b UpdatePost) CheckTime(now time.Time) []apperr.Field { return b.edit().CheckTime(now) }

// Command returns the input of the use case. Fault is the error of the item, if it has one.
func (b UpdatePost) Command(fault error) app.UpdatePost {
	shift, _ := wallclock.ParseShift(b.ShiftBy)
	return app.UpdatePost{ID: b.ID, Edit: b.edit().Edit, ShiftBy: shift, Delete: b.Delete, Fault: fault}
}

// BulkUpdateResult is the result of one item of update-posts-in-bulk (docs/contract.md, Bulk changes).
type BulkUpdateResult struct {
	Index   int              `json:"index" example:"0" doc:"Zero-based position of the item in the request."`
	Success bool             `json:"success" example:"true" doc:"Whether the post was changed or deleted; with dryRun, whether it would be."`
	Post    *Post            `json:"post" doc:"The changed post; with dryRun as it would be. Null if it was deleted, or if the item failed."`
	Problem *problem.Problem `json:"problem" doc:"The failure as the problem document that edit-post or delete-post would return. Its pointers are into the item. Null if the item succeeded."`
}

// TransformSchema documents the nullable properties.
func (BulkUpdateResult) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return Nullable(s, "post", "problem")
}

// ToAPIUpdateResult converts the result of an item that succeeded.
func ToAPIUpdateResult(index int, deleted bool, after post.Post) BulkUpdateResult {
	out := BulkUpdateResult{Index: index, Success: true}
	if !deleted {
		changed := ToAPIPost(after)
		out.Post = &changed
	}
	return out
}
