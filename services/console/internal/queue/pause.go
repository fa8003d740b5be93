package queue

import (
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
)

// pausing says since when a channel is paused, and by whom, as far as its history has it.
type pausing struct {
	Since time.Time
	By    string // empty: not a person
}

// paused reads what the banner of a paused channel says.
func (q *queue) paused(v *frame.Visit, data *page) error {
	if !data.Channel.IsQueuePaused {
		return nil
	}
	ctx := v.Request.Context()
	notes, err := q.app.ChannelHistory(ctx, v.Principal, data.Channel.ID)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(notes, func(n channel.Note) bool { return n.Kind == channel.NotePaused }); i >= 0 {
		data.PausedBy = pausing{notes[i].At, frame.Actor(post.Actor(strings.TrimSuffix(strings.TrimPrefix(notes[i].Detail, "By "), ".")))}
	}
	if data.Channel.PublishingStopped { // late posts wait further
		return nil
	}
	pauses, err := q.app.Pauses(ctx, v.Principal)
	data.Late = pauses.Late[data.Channel.ID]
	return err
}

func (q *queue) pause(v *frame.Visit) error {
	c, err := q.chosen(v)
	if err == nil {
		err = q.app.PauseChannel(v.Request.Context(), v.Principal, c.ID)
	}
	if err != nil {
		return err
	}
	return v.Done(c.path(v), c.Name+" is paused.")
}

// resume ends the pause of a channel. Its late posts are published or moved.
func (q *queue) resume(v *frame.Visit) error {
	c, err := q.chosen(v)
	if err != nil {
		return err
	}
	late, fault := frame.LateChoice(v)
	if fault == "" {
		if err = q.app.ResumeChannel(v.Request.Context(), v.Principal, c.ID, late); err == nil {
			return v.Done(c.path(v), c.Name+" publishes again.")
		}
		if fault = frame.Refusal(err, apperr.NoFreeSlot); fault == "" {
			return err
		}
	}
	return q.refused(v, func(p *page) { p.PauseFault = fault })
}
