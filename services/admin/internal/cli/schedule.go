package cli

import (
	"context"

	"github.com/spf13/cobra"

	"socialpub.internal/services/admin/internal/operator"
	"socialpub.internal/shared/domain/channel/slot"
	"socialpub.internal/shared/kernel/ident"
)

// scheduleRecord is a posting schedule in JSON, in the form of the API.
type scheduleRecord struct {
	ChannelID     ident.Channel `json:"channelId"`
	Timezone      string        `json:"timezone"`
	IsQueuePaused bool          `json:"isQueuePaused"`
	Slots         []slotRecord  `json:"slots"`
}

type slotRecord struct {
	Weekday string `json:"weekday"`
	Time    string `json:"time"`
}

func toScheduleRecord(s operator.Schedule) scheduleRecord {
	return scheduleRecord{
		ChannelID: s.Channel.ID, Timezone: s.Channel.Timezone, IsQueuePaused: s.Channel.IsQueuePaused,
		Slots: convert(s.Slots, func(at slot.Slot) slotRecord { return slotRecord(at.Text()) }),
	}
}

const channelScheduleLong = `schedule shows a channel's posting schedule, and changes it when told to. Its slots are times of the week in the channel's
time zone; posts that are put into the queue ("schedule": "next_slot") take them one by one. Posts that hold a slot already
keep their times, whatever the schedule becomes. While the queue is paused nothing can be put into it.`

const channelScheduleExample = `  admin channel schedule --workspace WORKSPACE_ID CHANNEL_ID

  # three slots a week, in place of those there were
  admin channel schedule --workspace WORKSPACE_ID CHANNEL_ID --slots "MONDAY 09:00, WEDNESDAY 12:30, FRIDAY 17:00"

  # none
  admin channel schedule --workspace WORKSPACE_ID CHANNEL_ID --slots ""

  admin channel schedule --workspace WORKSPACE_ID CHANNEL_ID --paused=true`

func (a *app) channelSchedule() *cobra.Command {
	var workspaceID, slots string
	var paused bool
	cmd := &cobra.Command{
		Use: "schedule CHANNEL_ID", Short: "Show or change a channel's posting schedule",
		Long: channelScheduleLong, Example: channelScheduleExample, Args: exactly(operator.MemberChannelID),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			var change operator.ScheduleChange
			if cmd.Flags().Changed(operator.MemberSlots) {
				change.Slots = &slots
			}
			if cmd.Flags().Changed("paused") {
				change.Paused = &paused
			}
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				found, err := op.SetSchedule(ctx, workspaceID, args[0], change)
				if err != nil {
					return err
				}
				return a.show(toScheduleRecord(found), func() error { return a.scheduleText(found) })
			})
		}),
	}
	flags := ordered(cmd)
	workspaceFlag(cmd, &workspaceID)
	flags.StringVar(&slots, operator.MemberSlots, "", "the new `SLOTS`, separated by commas; an empty list takes all away")
	flags.BoolVar(&paused, "paused", false, "pause the queue (true) or let it go on (false)")
	return cmd
}

func (a *app) scheduleText(s operator.Schedule) error {
	state := "open"
	if s.Channel.IsQueuePaused {
		state = "paused"
	}
	if err := a.print("Channel %s (%s), times in %s, queue %s:\n", s.Channel.ID, s.Channel.Name, s.Channel.Timezone, state); err != nil {
		return err
	}
	rows := convert(s.Slots, func(at slot.Slot) []string { return []string{"  " + at.Text().Weekday, at.Text().Time} })
	if len(rows) == 0 {
		return a.print("  no slots; add some with --%s\n", operator.MemberSlots)
	}
	return a.table(rows)
}
