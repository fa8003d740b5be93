package httpapi

import (
	"errors"
	"time"

	"socialpub.internal/services/api/internal/httpapi/rfc3339"
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/post"
	"socialpub.internal/shared/webhook"
)

// The bodies of requests. Their tags are what is published and what is checked; check has the rules that a schema cannot
// say. It is also asked about a body with other faults, whose members are then zero.

// The values of the member schedule.
const (
	scheduleDraft    = "draft"
	scheduleNow      = "now"
	scheduleNextSlot = "next_slot"
)

var (
	errNoSchedules = errors.New("next_slot is not available: this version has no posting schedules yet; send a time instead")
	errSchedule    = errors.New("must be draft, now, or an RFC 3339 date-time with an offset, for example " + rfc3339.Example)
)

// CreatePosts is the body of create-posts.
type CreatePosts struct {
	ChannelIDs  []ident.Channel `json:"channelIds" format:"uuid" minItems:"1" maxItems:"100" uniqueItems:"true" example:"[\"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59\"]" doc:"One post is created for each channel, all of them or none."`
	Content     string          `json:"content,omitempty" maxLength:"100000" example:"Our spring collection is here." doc:"Text of the posts."`
	Title       string          `json:"title,omitempty" nullable:"true" maxLength:"500" example:"Spring collection" doc:"Title, for video-style content."`
	ContentType ContentType     `json:"contentType,omitempty" default:"POST" doc:"Kind of content: POST is a standard post, REEL a short vertical video, STORY an ephemeral story, VIDEO a regular video (send a title too)."`
	MediaIDs    []ident.Media   `json:"mediaIds,omitempty" format:"uuid" maxItems:"50" doc:"Media in display order."`
	Schedule    string          `json:"schedule,omitempty" minLength:"1" default:"draft" example:"2026-03-01T09:00:00+02:00" doc:"draft: nothing happens until you act on the posts. now: publish at once. Or a time (RFC 3339, with an offset): publish then. Everything but draft also needs the scope posts:publish. next_slot is reserved for posting schedules, which this version does not have."`
}

func (b CreatePosts) check(*app.App) []apperr.Field {
	_, err := b.schedule()
	if err == nil {
		return nil
	}
	return []apperr.Field{{Pointer: "/schedule", Message: err.Error()}}
}

// schedule reads the member schedule.
func (b CreatePosts) schedule() (app.Schedule, error) {
	switch b.Schedule {
	case "", scheduleDraft:
		return app.Schedule{Kind: app.ScheduleDraft}, nil
	case scheduleNow:
		return app.Schedule{Kind: app.ScheduleNow}, nil
	case scheduleNextSlot:
		return app.Schedule{}, errNoSchedules
	default:
		at, err := publishTime(b.Schedule)
		if errors.Is(err, rfc3339.ErrForm) {
			err = errSchedule
		}
		return app.Schedule{Kind: app.ScheduleAt, At: at}, err
	}
}

func (b CreatePosts) command(schedule app.Schedule) app.CreatePosts {
	contentType := post.ContentType(b.ContentType)
	if contentType == "" {
		contentType = post.ContentPost
	}
	return app.CreatePosts{
		ChannelIDs: b.ChannelIDs, Content: b.Content, Title: b.Title, ContentType: contentType, MediaIDs: b.MediaIDs, Schedule: schedule,
	}
}

// publishTime reads a time and cuts it to the milliseconds that are kept and answered.
func publishTime(text string) (time.Time, error) {
	at, err := rfc3339.Parse(text)
	return at.Truncate(time.Millisecond), err
}

// SchedulePost is the body of schedule-post.
type SchedulePost struct {
	ScheduledAt string `json:"scheduledAt" format:"date-time" example:"2026-03-01T09:00:00+02:00" doc:"When to publish: RFC 3339 with an offset, in the future."`
	Schedule    string `json:"schedule,omitempty" enum:"next_slot" doc:"Reserved for posting schedules, which this version does not have."`
}

func (b SchedulePost) check(*app.App) []apperr.Field {
	if b.Schedule == "" {
		return nil
	}
	return []apperr.Field{{Pointer: "/schedule", Message: errNoSchedules.Error()}}
}

// Decision is the body of approve-post and reject-post.
type Decision struct {
	Comment string `json:"comment,omitempty" nullable:"true" maxLength:"2000" example:"Looks good." doc:"A word to the author; it stands in the timeline and in the event."`
}

func (Decision) check(*app.App) []apperr.Field { return nil }

// CreateWebhook is the body of create-webhook.
type CreateWebhook struct {
	URL         string      `json:"url" format:"uri" minLength:"1" maxLength:"2048" example:"https://hooks.example.com/social" doc:"Where to send events: https, a public address, no user information."`
	Events      []EventType `json:"events" minItems:"1" uniqueItems:"true" example:"[\"post.published\",\"post.failed\"]" doc:"The events to send, or [\"*\"] for all, also those to come."`
	Description string      `json:"description,omitempty" nullable:"true" maxLength:"500" example:"Production" doc:"A note of your own."`
}

func (b CreateWebhook) check(a *app.App) []apperr.Field {
	var faults []apperr.Field
	if b.URL != "" {
		if len(b.URL) > webhook.MaxURL {
			faults = append(faults, apperr.Field{Pointer: "/url", Message: "is too long"})
		} else if wrong := a.CheckWebhookURL(b.URL); wrong != "" {
			faults = append(faults, apperr.Field{Pointer: "/url", Message: wrong})
		}
	}
	if len(b.Events) > 1 {
		for _, name := range b.Events {
			if name == webhook.AllEvents {
				faults = append(faults, apperr.Field{Pointer: "/events", Message: `"*" already stands for every event and cannot be mixed with others`})
			}
		}
	}
	return faults
}

func (b CreateWebhook) command() app.CreateWebhook {
	events := make([]string, len(b.Events))
	for i, name := range b.Events {
		events[i] = string(name)
	}
	return app.CreateWebhook{URL: b.URL, Description: b.Description, Events: events}
}
