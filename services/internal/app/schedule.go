package app

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // time zones are known on every machine

	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/slot"
)

// slotHorizon is how far ahead a free slot is looked for (decisions, section 2, NO_FREE_SLOT).
const slotHorizon = 90 * 24 * time.Hour

// ChannelSchedule is a channel's posting schedule.
type ChannelSchedule struct {
	Channel channel.Channel
	Slots   []slot.Slot
	NextAt  time.Time // the next free slot; zero when there is none, or the queue is paused
}

// ChannelSchedule reads a channel's posting schedule; NOT_FOUND when the workspace has none of this id.
func (a *App) ChannelSchedule(ctx context.Context, p Principal, id ident.Channel) (ChannelSchedule, error) {
	c, err := a.channels.Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return ChannelSchedule{}, err
	}
	slots, err := a.channels.Slots(ctx, id)
	if err != nil {
		return ChannelSchedule{}, err
	}
	out := ChannelSchedule{Channel: c, Slots: slots}
	if !c.IsQueuePaused {
		out.NextAt, err = a.nextSlot(ctx, c, slots, a.now())
	}
	if apperr.Is(err, apperr.NoFreeSlot) {
		err = nil
	}
	return out, err
}

// nextSlot is the earliest slot in the future that no SCHEDULED post of the channel holds; NO_FREE_SLOT.
func (a *App) nextSlot(ctx context.Context, c channel.Channel, slots []slot.Slot, now time.Time) (time.Time, error) {
	if len(slots) == 0 {
		return time.Time{}, apperr.New(apperr.NoFreeSlot,
			"Channel %s (%s) has no posting schedule. Add time slots to it in the application, or send a time.", c.ID, c.Name)
	}
	zone, err := time.LoadLocation(c.Timezone)
	if err != nil {
		return time.Time{}, fmt.Errorf("time zone of channel %s: %w", c.ID, err)
	}
	held, err := a.posts.TimesHeld(ctx, c.ID, now, now.Add(slotHorizon))
	if err != nil {
		return time.Time{}, err
	}
	taken := make(map[int64]bool, len(held))
	for _, at := range held {
		taken[at.UnixMilli()] = true
	}
	at, ok := slot.Next(slots, zone, now, func(at time.Time) bool { return taken[at.UnixMilli()] }, slotHorizon)
	if !ok {
		return time.Time{}, apperr.New(apperr.NoFreeSlot,
			"Every slot of channel %s (%s) within the next 90 days is taken. Add time slots to its schedule, or send a time.", c.ID, c.Name)
	}
	return at.UTC(), nil
}

// takeSlots finds the next free slot of each channel, within a transaction that will write the posts that hold them. Requests
// for one channel take turns, so that no two get the same slot; channels are locked in one order, so that no two requests wait
// for each other.
func (a *App) takeSlots(ctx context.Context, channels map[ident.Channel]channel.Channel, ids []ident.Channel, now time.Time) (map[ident.Channel]time.Time, error) {
	if err := a.lockQueues(ctx, ids); err != nil {
		return nil, err
	}
	taken := make(map[ident.Channel]time.Time, len(ids))
	for _, id := range ids {
		at, err := a.freeSlot(ctx, channels[id], now)
		if err != nil {
			return nil, err
		}
		taken[id] = at
	}
	return taken, nil
}

// freeSlot is the channel's next free slot: NO_FREE_SLOT, QUEUE_PAUSED.
func (a *App) freeSlot(ctx context.Context, c channel.Channel, now time.Time) (time.Time, error) {
	if c.IsQueuePaused {
		return time.Time{}, apperr.New(apperr.QueuePaused, "The queue of channel %s (%s) is paused; resume it in the application, or send a time.", c.ID, c.Name)
	}
	slots, err := a.channels.Slots(ctx, c.ID)
	if err != nil {
		return time.Time{}, err
	}
	return a.nextSlot(ctx, c, slots, now)
}

func (a *App) lockQueues(ctx context.Context, ids []ident.Channel) error {
	ordered := slices.Clone(ids)
	slices.SortFunc(ordered, func(x, y ident.Channel) int { return bytes.Compare(x[:], y[:]) })
	for _, id := range slices.Compact(ordered) {
		if err := a.channels.LockQueue(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
