package operator

import (
	"context"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/kernel/apperr"
)

// Schedule is a channel's posting schedule.
type Schedule struct {
	Channel channel.Channel
	Slots   []slot.Slot
}

// ScheduleChange is a change of a channel's posting schedule. Nil fields leave it unchanged.
type ScheduleChange struct {
	Slots  *string // "MONDAY 09:00, TUESDAY 17:30"; empty removes all slots
	Paused *bool
}

// SetSchedule changes a channel's posting schedule, or returns it if the change is empty. Posts that hold a slot keep
// their times.
func (o *Operator) SetSchedule(
	ctx context.Context, workspace, id string, change ScheduleChange,
) (out Schedule, err error) {
	var slots []slot.Slot
	if change.Slots != nil {
		var f faults
		slots = f.slots(*change.Slots)
		if err := f.err(); err != nil {
			return Schedule{}, err
		}
	}
	err = o.change(ctx, workspace, id, func(ctx context.Context, found channel.Channel) error {
		if change.Slots != nil {
			if err := o.channels.SetSlots(ctx, found.ID, slots); err != nil {
				return err
			}
		}
		if change.Paused != nil {
			if err := o.channels.Pause(ctx, found.WorkspaceID, found.ID, *change.Paused); err != nil {
				return err
			}
			found.IsQueuePaused = *change.Paused
		}
		out.Channel = found
		out.Slots, err = o.channels.Slots(ctx, found.ID)
		return err
	})
	return out, err
}

// slots parses a list such as "MONDAY 09:00, TUESDAY 17:30".
func (f *faults) slots(given string) []slot.Slot {
	var texts []slot.Text
	for part := range strings.SplitSeq(given, ",") {
		words := strings.Fields(strings.ToUpper(part))
		switch len(words) {
		case 0:
		case 2:
			texts = append(texts, slot.Text{Weekday: words[0], Time: words[1]})
		default:
			f.add(MemberSlots, "%q is not a slot; write a day and a time, such as MONDAY 09:00", strings.TrimSpace(part))
		}
	}
	slots, wrong := slot.ParseAll(texts, "")
	for _, fault := range wrong {
		f.fields = append(f.fields, apperr.Field{
			Pointer: MemberSlots, Message: strings.TrimPrefix(fault.Pointer+" ", " ") + fault.Message,
		})
	}
	return slots
}
