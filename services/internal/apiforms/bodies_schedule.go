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
	rfc3339.Example)

// When is the schedule field of the bodies that create posts.
type When struct {
	Schedule string `json:"schedule,omitempty" minLength:"1" default:"draft" example:"2026-03-01T09:00:00+02:00" doc:"draft creates a draft. now publishes at once. next_slot publishes at the next free slot of the channel's posting schedule. A time (RFC 3339 with an offset) publishes at that time. Every value except draft also needs the scope posts:publish."`
}

// Check implements Body.
func (w When) Check() []apperr.Field {
	if _, err := w.read(); err != nil {
		return []apperr.Field{{Pointer: "/schedule", Message: err.Error()}}
	}
	return nil
}

// CheckTime implements Timed.
func (w When) CheckTime(now time.Time) []apperr.Field {
	schedule, err := w.read()
	if err != nil || schedule.Kind != app.ScheduleAt {
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
func (w When) read() (app.Schedule, error) {
	switch w.Schedule {
	case "", ScheduleDraft:
		return app.Schedule{Kind: app.ScheduleDraft}, nil
	case ScheduleNow:
		return app.Schedule{Kind: app.ScheduleNow}, nil
	case ScheduleNextSlot:
		return app.Schedule{Kind: app.ScheduleNextSlot}, nil
	default:
		at, err := PublishTime(w.Schedule)
		if errors.Is(err, rfc3339.ErrForm) {
			err = errSchedule
		}
		return app.Schedule{Kind: app.ScheduleAt, At: at}, err
	}
}

// plan returns the schedule. Check must have found no fault.
func (w When) plan() app.Schedule {
	schedule, _ := w.read()
	return schedule
}

// PublishTime parses a time and truncates it to milliseconds, the precision of stored times.
func PublishTime(text string) (time.Time, error) {
	at, err := rfc3339.Parse(text)
	return at.Truncate(time.Millisecond), err
}

// SchedulePost is the body of schedule-post.
type SchedulePost struct {
	ScheduledAt string `json:"scheduledAt,omitempty" format:"date-time" example:"2026-03-01T09:00:00+02:00" doc:"Time of publishing: RFC 3339 with an offset, in the future."`
	Schedule    string `json:"schedule,omitempty" enum:"next_slot" example:"next_slot" doc:"Selects the next free slot of the channel's posting schedule instead of a time. A SCHEDULED post that holds a slot keeps it."`
	Force       bool   `json:"force,omitempty" example:"false" doc:"With schedule next_slot: true moves a post that holds a slot to another one."`
}

// Check implements Body.
func (b SchedulePost) Check() []apperr.Field {
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
	at, err := OptionalTime(b.ScheduledAt)
	if err != nil || at.IsZero() {
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
