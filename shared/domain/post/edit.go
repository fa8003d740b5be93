package post

import (
	"slices"
	"strings"
	"time"

	"socialpub.internal/shared/domain/event"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// Edit says what is to become of a post (decisions, section 4). A nil member leaves the post's as it is.
type Edit struct {
	Content     *string
	Title       *string // empty: none
	ContentType *ContentType
	MediaIDs    *[]ident.Media
	Options     *Options
	ScheduledAt *time.Time // zero: none
}

// Edit changes what a post says and, by ScheduledAt, when it is meant to go out: the intended time of a draft, which
// schedules nothing, or the publish time of a scheduled post. An edit that changes nothing is no change; ok is then false.
func (p Post) Edit(edit Edit, now time.Time, actor Actor) (change Change, ok bool, err error) {
	if err := p.guard(ActionEdit); err != nil {
		return Change{}, false, err
	}
	next, changed := p.edited(edit)
	moved := edit.ScheduledAt != nil && !edit.ScheduledAt.Equal(p.ScheduledAt)
	if moved {
		if err := p.movable(*edit.ScheduledAt, now); err != nil {
			return Change{}, false, err
		}
		next.ScheduledAt = *edit.ScheduledAt
		changed = append(changed, "scheduledAt")
	}
	if len(changed) == 0 {
		return Change{Post: p}, false, nil
	}
	next.UpdatedAt = p.editedAt(now)
	change = Change{From: p, Post: next, Action: ActionEdit, Edited: true}
	if moved && p.Status == Scheduled {
		change.Post.Revision++
		change.Post.Waiting, change.Wake = nil, true
	}
	change = change.with(EntryEdited, now, actor, "Edited: %s.", strings.Join(changed, ", "))
	if moved && p.Status == Scheduled {
		change = change.with(EntryScheduled, now, actor, "Scheduled for %s.", event.FormatTime(next.ScheduledAt))
	}
	change, err = change.emits(event.PostUpdated, change.Post.EventData())
	return change, err == nil, err
}

// editedAt is later than every change before it, whatever the clock says: by it the store tells that nobody else has edited
// the post in the meantime.
func (p Post) editedAt(now time.Time) time.Time {
	if next := p.UpdatedAt.Add(time.Millisecond); next.After(now) {
		return next
	}
	return now
}

// edited applies what concerns the content, and names what it changed.
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
	}
	if edit.Options != nil && !edit.Options.Equal(p.Options) {
		next.Options, next.HasOptions, changed = *edit.Options, true, append(changed, "options")
	}
	return next, changed
}

// movable checks whether the post's time may become another one in its state.
func (p Post) movable(at, now time.Time) error {
	fault := func(message string) error {
		return apperr.Invalid([]apperr.Field{{Pointer: "/scheduledAt", Message: message}})
	}
	switch {
	case p.Status == Failed:
		return fault("cannot be changed while the post is FAILED; schedule or publish the post to try again")
	case at.IsZero() && p.Status == Scheduled:
		return fault("cannot be null while the post is SCHEDULED; unschedule the post to take its time away")
	case !at.IsZero() && !at.After(now):
		return InPast(at, now)
	}
	return nil
}

// Delete takes the post away. One that was SCHEDULED will not be published.
func (p Post) Delete(now time.Time) (Change, error) {
	if err := p.guard(ActionDelete); err != nil {
		return Change{}, err
	}
	// The workflow of a post that waits hears of a plan with nothing to wait for, and ends.
	change := p.to(ActionDelete, Draft, now)
	change.Wake = p.Status == Scheduled || p.Status == PendingApproval
	return change.emits(event.PostDeleted, p.EventData())
}

// Archive takes the post out of the normal workflow; it stays readable. Offered by the application alone.
func (p Post) Archive(now time.Time, actor Actor) (Change, error) {
	if err := p.guard(ActionArchive); err != nil {
		return Change{}, err
	}
	change := p.to(ActionArchive, Archived, now)
	change.Post.ArchivedFrom = p.Status
	return change.with(EntryArchived, now, actor, "Archived."), nil
}

// Unarchive restores the state that the post had before it was archived.
func (p Post) Unarchive(now time.Time, actor Actor) (Change, error) {
	if err := p.guard(ActionUnarchive); err != nil {
		return Change{}, err
	}
	change := p.to(ActionUnarchive, p.ArchivedFrom, now)
	change.Post.ArchivedFrom = ""
	return change.with(EntryUnarchived, now, actor, "Taken back out of the archive: %s again.", p.ArchivedFrom), nil
}
