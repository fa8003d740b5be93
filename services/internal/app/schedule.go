package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"fencepost.internal/services/internal/places"
	"fencepost.internal/shared/domain/audit"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// slotHorizon limits the search for a free slot (docs/contract.md, Next slot).
const slotHorizon = 90 * 24 * time.Hour

// ChannelSchedule is a channel's posting schedule.
type ChannelSchedule struct {
	Channel channel.Channel
	Slots   []slot.Slot
	Free    []time.Time // the next free slots, at most maxFreeSlots; none if the queue is paused
}

// NextAt returns the next free slot; the zero time if there is none or the queue is paused.
func (s ChannelSchedule) NextAt() time.Time {
	if len(s.Free) == 0 {
		return time.Time{}
	}
	return s.Free[0]
}

// maxFreeSlots is the number of free slots that a schedule has.
const maxFreeSlots = 10

// ChannelSchedule returns a channel's posting schedule; NOT_FOUND when the workspace has no such channel.
func (a *channelUseCases) ChannelSchedule(ctx context.Context, p Principal, id ident.Channel) (ChannelSchedule, error) {
	c, err := a.channels.For(p.Channels).Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return ChannelSchedule{}, err
	}
	slots, err := a.channels.Slots(ctx, id)
	if err != nil {
		return ChannelSchedule{}, err
	}
	out := ChannelSchedule{Channel: c, Slots: slots}
	if !c.Paused() {
		out.Free, err = a.freeSlots(ctx, c, slots, a.now(), nil, maxFreeSlots)
	}
	return out, err
}

// ChannelHistory returns the latest entries of a channel's timeline, newest first: changes of its connection and of its
// queue. The error is NOT_FOUND when the workspace has no such channel.
func (a *channelUseCases) ChannelHistory(ctx context.Context, p Principal, id ident.Channel) ([]channel.Note, error) {
	const most = 20
	if _, err := a.channels.For(p.Channels).Get(ctx, p.WorkspaceID, id); err != nil {
		return nil, err
	}
	notes, err := a.channels.Timeline(ctx, id, most)
	slices.Reverse(notes)
	return notes, err
}

// SetSchedule replaces a channel's posting schedule. Posts in slots of the old schedule keep their times. Errors:
// NOT_FOUND when the workspace has no such channel, VALIDATION_FAILED for too many slots.
func (a *channelUseCases) SetSchedule(ctx context.Context, p Principal, id ident.Channel, slots []slot.Slot) error {
	return a.EditSchedule(ctx, p, id, func([]slot.Slot) []slot.Slot { return slots })
}

// CopySchedule gives other channels the posting schedule of one, all or none. The times are then those of their zones. Errors
// as of SetSchedule.
func (a *channelUseCases) CopySchedule(ctx context.Context, p Principal, from ident.Channel, to []ident.Channel) error {
	return a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		of, err := a.ChannelSchedule(ctx, p, from)
		if err != nil {
			return err
		}
		for _, id := range to {
			if err := a.SetSchedule(ctx, p, id, of.Slots); err != nil {
				return err
			}
		}
		return nil
	})
}

// EditSchedule is SetSchedule with a change of the present schedule, which no other request changes meanwhile.
func (a *channelUseCases) EditSchedule(
	ctx context.Context, p Principal, id ident.Channel, edit func([]slot.Slot) []slot.Slot,
) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	return a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		c, err := a.channels.For(p.Channels).Get(ctx, p.WorkspaceID, id)
		if err == nil {
			err = a.channels.LockQueue(ctx, id)
		}
		if err != nil {
			return err
		}
		before, err := a.channels.Slots(ctx, id)
		if err != nil {
			return err
		}
		return a.replaceSlots(ctx, p, c, before, edit(slices.Clone(before)))
	})
}

func (a *channelUseCases) replaceSlots(ctx context.Context, p Principal, c channel.Channel, before, slots []slot.Slot) error {
	if len(slots) > slot.MaxSlots {
		return apperr.Invalid([]apperr.Field{{
			Pointer: "/slots", Message: fmt.Sprintf("A channel can have %d weekly times. These are %d.", slot.MaxSlots, len(slots)),
		}})
	}
	if sameSlots(before, slots) {
		return nil
	}
	times := fmt.Sprintf("Weekly times: %d", len(slots))
	return a.recorded(ctx, p, audit.ScheduleChanged, c.Name, times, func(ctx context.Context) error {
		if err := a.channels.SetSlots(ctx, c.ID, slots); err != nil {
			return err
		}
		return a.channels.Note(ctx, c.ID, channel.Note{
			At: a.now(), Kind: channel.NoteRescheduled, Detail: times + ". By " + string(p.Actor()) + ".",
		})
	})
}

// SetChannelTimezone changes the time zone of a channel's weekly times. Posts keep their times. Errors: NOT_FOUND when the
// workspace has no such channel, VALIDATION_FAILED for an unknown zone.
func (a *channelUseCases) SetChannelTimezone(ctx context.Context, p Principal, id ident.Channel, zone string) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	if err := apperr.Invalid(timezoneFaults(zone)); err != nil {
		return err
	}
	c, err := a.channels.For(p.Channels).Get(ctx, p.WorkspaceID, id)
	if err != nil || c.Timezone == zone {
		return err
	}
	detail := "Time zone: " + zone
	return a.recorded(ctx, p, audit.ScheduleChanged, c.Name, detail, func(ctx context.Context) error {
		if err := a.channels.SetTimezone(ctx, p.WorkspaceID, id, zone); err != nil {
			return err
		}
		return a.channels.Note(ctx, id, channel.Note{
			At: a.now(), Kind: channel.NoteRescheduled, Detail: detail + ". By " + string(p.Actor()) + ".",
		})
	})
}

// zoneOf returns the time zone of a channel.
func zoneOf(c channel.Channel) (*time.Location, error) {
	zone, known := places.LoadZone(c.Timezone)
	if !known {
		return nil, fmt.Errorf("channel %s has the unknown time zone %q", c.ID, c.Timezone)
	}
	return zone, nil
}

// sameSlots reports whether both lists have the same slots, in any order.
func sameSlots(a, b []slot.Slot) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(s slot.Slot) bool { return !slices.Contains(b, s) })
}

// nextSlot returns the earliest future slot that no SCHEDULED post of the channel holds and that is not in others;
// NO_FREE_SLOT when there is none.
func (a *channelUseCases) nextSlot(
	ctx context.Context, c channel.Channel, slots []slot.Slot, now time.Time, others map[int64]bool,
) (time.Time, error) {
	if len(slots) == 0 {
		return time.Time{}, apperr.New(apperr.NoFreeSlot,
			"Channel %s (%s) has no posting schedule. Send a time, or add time slots to it in the application%s", c.ID, c.Name,
			ChannelPage.Link(a.appURL, c.WorkspaceID, c.ID))
	}
	found, err := a.freeSlots(ctx, c, slots, now, others, 1)
	if err == nil && len(found) == 0 {
		err = apperr.New(apperr.NoFreeSlot,
			"Every slot of channel %s (%s) within the next 90 days has a post. Add time slots to its schedule, or send a time.",
			c.ID, c.Name)
	}
	if err != nil {
		return time.Time{}, err
	}
	return found[0], nil
}

// freeSlots returns the next future slots, at most most, that no SCHEDULED post of the channel holds and that are not in
// others.
func (a *channelUseCases) freeSlots(
	ctx context.Context, c channel.Channel, slots []slot.Slot, now time.Time, others map[int64]bool, most int,
) ([]time.Time, error) {
	if len(slots) == 0 {
		return nil, nil
	}
	zone, err := zoneOf(c)
	if err != nil {
		return nil, err
	}
	held, err := a.posts.TimesHeld(ctx, c.ID, now, now.Add(slotHorizon))
	if err != nil {
		return nil, err
	}
	taken := make(map[int64]bool, len(held)+len(others))
	maps.Copy(taken, others)
	for _, at := range held {
		taken[at.UnixMilli()] = true
	}
	var free []time.Time
	for after := now; len(free) < most; {
		at, ok := slot.Next(slots, zone, after, func(at time.Time) bool { return taken[at.UnixMilli()] },
			now.Add(slotHorizon).Sub(after))
		if !ok {
			break
		}
		free, after = append(free, at.UTC()), at
	}
	return free, nil
}

// holdsSlot reports whether a SCHEDULED post holds a future slot of its channel's present schedule.
func (a *channelUseCases) holdsSlot(ctx context.Context, c channel.Channel, p post.Post, now time.Time) (bool, error) {
	if p.Status != post.Scheduled || !p.ScheduledAt.After(now) {
		return false, nil
	}
	slots, err := a.channels.Slots(ctx, c.ID)
	if err != nil {
		return false, err
	}
	zone, err := zoneOf(c)
	if err != nil {
		return false, err
	}
	for at := range slot.Instants(slots, zone, p.ScheduledAt.Add(-time.Second), p.ScheduledAt.Add(time.Second)) {
		if at.Equal(p.ScheduledAt) {
			return true, nil
		}
	}
	return false, nil
}

// takeSlots reserves the next free slot of each channel, in a transaction that will write the posts that hold them.
func (a *channelUseCases) takeSlots(
	ctx context.Context, channels map[ident.Channel]channel.Channel, ids []ident.Channel, now time.Time,
) (map[ident.Channel]time.Time, error) {
	taken := make(map[ident.Channel]time.Time, len(ids))
	for _, id := range ids {
		if err := a.channels.EnterQueue(ctx, id); err != nil {
			return nil, err
		}
		at, err := a.takeSlot(ctx, channels[id], now)
		if err != nil {
			return nil, err
		}
		taken[id] = at
	}
	return taken, nil
}

// takeSlot reserves the channel's next free slot. It skips slots that other transactions are reserving. When only such
// slots are left, it waits for the first of them. Errors: NO_FREE_SLOT, QUEUE_PAUSED.
func (a *channelUseCases) takeSlot(ctx context.Context, c channel.Channel, now time.Time) (time.Time, error) {
	var ours time.Time
	others := map[int64]bool{}
	for {
		at, err := a.freeSlot(ctx, c, now, others)
		switch {
		case apperr.Is(err, apperr.NoFreeSlot) && len(others) > 0:
			if err := a.channels.AwaitSlot(ctx, c.ID, firstOf(others)); err != nil {
				return time.Time{}, err
			}
			clear(others)
			continue
		case err != nil:
			return time.Time{}, err
		case at.Equal(ours): // the slot was still free in a read after the reservation
			return at, nil
		}
		taken, err := a.channels.TakeSlot(ctx, c.ID, at)
		if err != nil {
			return time.Time{}, err
		}
		if taken {
			ours = at
		} else {
			others[at.UnixMilli()] = true
		}
	}
}

func firstOf(slots map[int64]bool) time.Time {
	return time.UnixMilli(slices.Min(slices.Collect(maps.Keys(slots)))).UTC()
}

// freeSlot returns the channel's next free slot that is not in others. Errors: NO_FREE_SLOT, QUEUE_PAUSED.
func (a *channelUseCases) freeSlot(
	ctx context.Context, c channel.Channel, now time.Time, others map[int64]bool,
) (time.Time, error) {
	switch {
	case c.PublishingStopped:
		return time.Time{}, apperr.New(apperr.QueuePaused,
			"All publishing of the workspace is stopped, and channel %s (%s) takes no post into its queue; send a time, or "+
				"resume publishing in the application%s", c.ID, c.Name, ChannelsPage.Link(a.appURL, c.WorkspaceID))
	case c.IsQueuePaused:
		return time.Time{}, apperr.New(apperr.QueuePaused,
			"Channel %s (%s) is paused and takes no post into its queue; send a time, or resume it in the application%s", c.ID,
			c.Name, ChannelPage.Link(a.appURL, c.WorkspaceID, c.ID))
	}
	slots, err := a.channels.Slots(ctx, c.ID)
	if err != nil {
		return time.Time{}, err
	}
	return a.nextSlot(ctx, c, slots, now, others)
}
