package post

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Edit is a change of a post (docs/contract.md, Editing and deleting). A nil field leaves the post's unchanged.
type Edit struct {
	Content     *string
	Title       *string // empty: none
	ContentType *ContentType
	MediaIDs    *[]ident.Media
	// MediaAltTexts replaces all texts. If it is nil, the texts of assets that the post no longer has are removed.
	MediaAltTexts *AltTexts
	Options       *Options
	Thread        *[]Part    // empty: no further parts
	Comment       *Comment   // zero: none
	ScheduledAt   *time.Time // zero: none
	// TimeField is the field of the request that sets ScheduledAt, for faults; empty means scheduledAt.
	TimeField  string
	Labels     *[]string
	CampaignID *ident.Campaign // zero: none
	ExternalID *string         // empty: none
	Metadata   *Metadata
	After      *After // zero: the post waits for no other one
	// OfBase reports that the edit changes the base of a set, in the members that the post does not have of its own. Any
	// other edit makes the members that it changes the post's own, except those in Follows.
	OfBase bool
	// Follows has the members in which the post of a set follows the base from now on.
	Follows []Member
}

// Edit changes the content of a post and, by ScheduledAt, its time: the intended time of a draft, which schedules
// nothing, or the publish time of a scheduled post. If the edit changes nothing, ok is false.
func (p Post) Edit(edit Edit, now time.Time, actor Actor) (change Change, ok bool, err error) {
	if err := p.guard(ActionEdit); err != nil {
		return Change{}, false, err
	}
	next, changed := p.edited(edit)
	if err := apperr.Invalid(append(next.MediaAltTexts.Faults(next.MediaIDs), PartFaults(next.Thread)...)); err != nil {
		return Change{}, false, err
	}
	moved := edit.ScheduledAt != nil && !edit.ScheduledAt.Equal(p.ScheduledAt)
	if moved {
		if err := p.movable(*edit.ScheduledAt, now, cmp.Or(edit.TimeField, "scheduledAt")); err != nil {
			return Change{}, false, err
		}
		next.ScheduledAt = *edit.ScheduledAt
		changed = append(changed, "scheduledAt")
	}
	chained := next.After != p.After
	if chained {
		changed = append(changed, "publishAfter")
	}
	if len(changed) == 0 {
		return Change{Post: p}, false, nil
	}
	next.UpdatedAt = p.editedAt(now)
	change = Change{From: p, Post: next, Action: ActionEdit, Edited: true}
	if (moved || chained) && p.Status == Scheduled {
		change.Post.Revision++
		change.Post.Waiting, change.Post.OverridesPause, change.Wake = nil, false, true
	}
	change = change.with(EntryEdited, now, actor, "Edited: %s.", strings.Join(changed, ", "))
	if moved && p.Status == Scheduled {
		change = change.with(EntryScheduled, now, actor, "Scheduled for %s.", event.FormatTime(next.ScheduledAt))
	}
	if change, err = change.emits(event.PostUpdated, change.Post.EventData()); err == nil {
		change, err = change.announced()
	}
	return change, err == nil, err
}

// editedAt returns a time later than every previous change, whatever the clock shows. The store uses it to detect a
// concurrent edit.
func (p Post) editedAt(now time.Time) time.Time {
	if next := p.UpdatedAt.Add(time.Millisecond); next.After(now) {
		return next
	}
	return now
}

// edited applies the changes of the content, and returns the names of the changed fields.
func (p Post) edited(edit Edit) (next Post, changed []string) {
	next = p
	if edit.Content != nil && *edit.Content != p.Content {
		next.Content, changed = *edit.Content, append(changed, "content")
	}
	if edit.Title != nil && *edit.Title != p.Title {
		next.Title, changed = *edit.Title, append(changed, "title")
	}
	if edit.ContentType != nil && *edit.ContentType != p.ContentType {
		next.ContentType, changed = *edit.ContentType, append(changed, "contentType")
	}
	if edit.MediaIDs != nil && !slices.Equal(*edit.MediaIDs, p.MediaIDs) {
		next.MediaIDs, changed = *edit.MediaIDs, append(changed, "mediaIds")
		next.MediaAltTexts = p.MediaAltTexts.Of(next.MediaIDs)
	}
	if edit.MediaAltTexts != nil && !maps.Equal(*edit.MediaAltTexts, p.MediaAltTexts) {
		next.MediaAltTexts, changed = *edit.MediaAltTexts, append(changed, "mediaAltTexts")
	}
	if edit.Options != nil && !edit.Options.Equal(p.Options) {
		next.Options, next.HasOptions, changed = *edit.Options, true, append(changed, "options")
	}
	if edit.Thread != nil && !EqualThreads(*edit.Thread, p.Thread) {
		next.Thread, changed = *edit.Thread, append(changed, string(MemberThread))
	}
	if edit.Comment != nil && *edit.Comment != p.Comment {
		next.Comment, changed = *edit.Comment, append(changed, string(MemberFirstComment))
	}
	next.PartsState, next.Parts = next.plannedParts(), next.States(nil)
	if !edit.OfBase && p.InSet() {
		next.Own = p.Own
		for _, name := range changed {
			next.Own = withMember(next.Own, Member(name))
		}
		next.Own = without(next.Own, edit.Follows)
	}
	if edit.After != nil {
		next.After = *edit.After
	}
	next, names := next.named(edit)
	return next, append(changed, names...)
}

// named applies the changes of what people and programs call the post, and returns the names of the changed fields.
func (p Post) named(edit Edit) (next Post, changed []string) {
	next = p
	if edit.Labels != nil && !slices.Equal(*edit.Labels, p.Labels) {
		next.Labels, changed = *edit.Labels, append(changed, "labels")
	}
	if edit.CampaignID != nil && *edit.CampaignID != p.CampaignID {
		next.CampaignID, changed = *edit.CampaignID, append(changed, "campaignId")
	}
	if edit.ExternalID != nil && *edit.ExternalID != p.ExternalID {
		next.ExternalID, changed = *edit.ExternalID, append(changed, "externalId")
	}
	if edit.Metadata != nil && !maps.Equal(*edit.Metadata, p.Metadata) {
		next.Metadata, changed = *edit.Metadata, append(changed, "metadata")
	}
	return next, changed
}

// CanMove reports whether people can give the post another time as it is. A post in review has the time that is reviewed.
func (p Post) CanMove() bool {
	return p.PublishingSince.IsZero() && (p.Status == Scheduled || p.Status == Draft)
}

// movable checks whether the post's time may be changed in its current state, by a field of the request.
func (p Post) movable(at, now time.Time, field string) error {
	fault := func(message string) error {
		return apperr.Invalid([]apperr.Field{{Pointer: "/" + field, Message: message}})
	}
	switch {
	case p.Status == Failed:
		return fault("cannot be changed while the post is FAILED; schedule or publish the post to try again")
	case at.IsZero() && p.Status == Scheduled:
		return fault("cannot be null while the post is SCHEDULED; unschedule the post to remove its time")
	case !at.IsZero():
		return CheckTime(nil, field, at, now)
	}
	return nil
}

// Delete deletes the post. A SCHEDULED post will not be published.
func (p Post) Delete(now time.Time) (Change, error) {
	if err := p.guard(ActionDelete); err != nil {
		return Change{}, err
	}
	// The workflow of a waiting post receives a plan without a wait, and ends.
	change := p.to(ActionDelete, Draft, now)
	change.Wake = p.Status == Scheduled || p.Status == PendingApproval
	return change.emits(event.PostDeleted, p.EventData())
}

// Archive archives the post; it stays readable. Only the application offers this action.
func (p Post) Archive(now time.Time, actor Actor) (Change, error) {
	if err := p.guard(ActionArchive); err != nil {
		return Change{}, err
	}
	change := p.to(ActionArchive, Archived, now)
	change.Post.ArchivedFrom = p.Status
	return change.with(EntryArchived, now, actor, "Archived."), nil
}

// Unarchive restores the status that the post had before it was archived.
func (p Post) Unarchive(now time.Time, actor Actor) (Change, error) {
	if err := p.guard(ActionUnarchive); err != nil {
		return Change{}, err
	}
	change := p.to(ActionUnarchive, p.ArchivedFrom, now)
	change.Post.ArchivedFrom = ""
	return change.with(EntryUnarchived, now, actor, "Unarchived: %s again.", p.ArchivedFrom), nil
}
