package apiforms

import (
	"errors"
	"time"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/rfc3339"
)

// The request bodies. Their tags are both the published schema and the validation rules. Check applies the rules that a
// schema cannot express. It also runs on a body with other faults, whose faulty fields are zero.

// The values of the schedule field.
const (
	ScheduleDraft    = "draft"
	ScheduleNow      = "now"
	ScheduleNextSlot = "next_slot"
)

var errSchedule = errors.New("must be draft, now, next_slot, or an RFC 3339 date-time with an offset, for example " +
	rfc3339.Example + ", or without one beside timezone")

// When is the schedule field of the bodies that create posts.
type When struct {
	Schedule string `json:"schedule,omitempty" minLength:"1" default:"draft" example:"2026-03-01T09:00:00+02:00" doc:"draft creates a draft. now publishes at once. next_slot publishes at the next free slot of the channel's posting schedule. A time (RFC 3339 with an offset, or without one beside timezone) publishes at that time. Every value except draft also needs the scope posts:publish."`
	Zoned
}

// Check implements Body.
func (w When) Check() []apperr.Field {
	_, faults := w.read()
	return faults
}

// CheckTime implements Timed.
func (w When) CheckTime(now time.Time) []apperr.Field {
	schedule, faults := w.read()
	if len(faults) > 0 || schedule.Kind != app.ScheduleAt {
		return nil
	}
	return timeFaults("/schedule", schedule.At, now)
}

func timeFaults(pointer string, at, now time.Time) []apperr.Field {
	if wrong := post.TimeFault(at, now); wrong != "" {
		return []apperr.Field{{Pointer: pointer, Message: wrong}}
	}
	return nil
}

// read parses the field; the default is a draft.
func (w When) read() (app.Schedule, []apperr.Field) {
	switch w.Schedule {
	case "", ScheduleDraft:
		return app.Schedule{Kind: app.ScheduleDraft}, w.timezoneFaults()
	case ScheduleNow:
		return app.Schedule{Kind: app.ScheduleNow}, w.timezoneFaults()
	case ScheduleNextSlot:
		return app.Schedule{Kind: app.ScheduleNextSlot}, w.timezoneFaults()
	default:
		at, faults := w.moment("/schedule", w.Schedule, errSchedule)
		return app.Schedule{Kind: app.ScheduleAt, At: at, Offset: offsetOf(w.Schedule)}, faults
	}
}

// plan returns the schedule. Check must have found no fault.
func (w When) plan() app.Schedule {
	schedule, _ := w.read()
	return schedule
}

// SchedulePost is the body of schedule-post.
type SchedulePost struct {
	ScheduledAt string `json:"scheduledAt,omitempty" example:"2026-03-01T09:00:00+02:00" doc:"Time of publishing, in the future: RFC 3339 with an offset, or without one beside timezone."`
	Schedule    string `json:"schedule,omitempty" enum:"next_slot" example:"next_slot" doc:"Selects the next free slot of the channel's posting schedule instead of a time. A SCHEDULED post that holds a slot keeps it."`
	Force       bool   `json:"force,omitempty" example:"false" doc:"With schedule next_slot: true moves a post that holds a slot to another one."`
	Zoned
}

// At returns the time of publishing; zero if none was sent. Check must have found no fault.
func (b SchedulePost) At() time.Time {
	at, _ := b.read()
	return at
}

func (b SchedulePost) read() (time.Time, []apperr.Field) {
	if b.ScheduledAt == "" {
		return time.Time{}, b.timezoneFaults()
	}
	return b.moment("/scheduledAt", b.ScheduledAt, nil)
}

// Check implements Body.
func (b SchedulePost) Check() []apperr.Field {
	_, faults := b.read()
	return append(b.combined(), faults...)
}

// combined returns the faults of members that are sent, or missing, together.
func (b SchedulePost) combined() []apperr.Field {
	switch {
	case b.ScheduledAt == "" && b.Schedule == "":
		return []apperr.Field{{Pointer: "/scheduledAt", Message: `is missing; send a time, or "schedule": "next_slot"`}}
	case b.ScheduledAt != "" && b.Schedule != "":
		return []apperr.Field{{Pointer: "/schedule", Message: "cannot be combined with scheduledAt; send one of them"}}
	case b.Force && b.Schedule == "":
		return []apperr.Field{{Pointer: "/force", Message: `applies to "schedule": "next_slot" only; omit it`}}
	}
	return nil
}

// CheckTime implements Timed.
func (b SchedulePost) CheckTime(now time.Time) []apperr.Field {
	at, faults := b.read()
	if len(faults) > 0 || at.IsZero() {
		return nil
	}
	return timeFaults("/scheduledAt", at, now)
}

// Decision is the body of approve-post and reject-post.
type Decision struct {
	Comment string `json:"comment,omitempty" nullable:"true" maxLength:"2000" example:"Looks good." doc:"Comment for the author. Included in the timeline and in the event."`
}

// Check implements Body.
func (Decision) Check() []apperr.Field { return nil }
