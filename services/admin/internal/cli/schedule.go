package cli

import (
	"context"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/kernel/ident"
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
		ChannelID: s.Channel.ID, Timezone: s.Channel.Timezone, IsQueuePaused: s.Channel.Paused(),
		Slots: convert(s.Slots, func(at slot.Slot) slotRecord { return slotRecord(at.Text()) }),
	}
}

const channelScheduleLong = `schedule prints a channel's posting schedule, and changes it if --slots or --paused is given. Its slots are times of the week in
the channel's time zone. Queued posts ("schedule": "next_slot") take the slots in order. Posts that already have a slot keep
their times when the schedule changes. Due posts of a paused channel wait, and its queue accepts none; --paused=false publishes
the posts that became due meanwhile. To stop every channel of a workspace, use "admin workspace publishing".`

const channelScheduleExample = `  admin channel schedule --workspace WORKSPACE_ID CHANNEL_ID

# replace the slots with three a week
  admin channel schedule --workspace WORKSPACE_ID CHANNEL_ID --slots "MONDAY 09:00, WEDNESDAY 12:30, FRIDAY 17:00"

  # remove all slots
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
	flags.StringVar(&slots, operator.MemberSlots, "", "the new `SLOTS`, separated by commas; an empty list removes all")
	flags.BoolVar(&paused, "paused", false, "pause (true) or resume (false) the channel")
	return cmd
}

func (a *app) scheduleText(s operator.Schedule) error {
	state := "open"
	if s.Channel.Paused() {
		state = "paused"
	}
	if err := a.print("Channel %s (%s), times in %s, queue %s:\n", s.Channel.ID, s.Channel.Name, s.Channel.Timezone,
		state); err != nil {
		return err
	}
	rows := convert(s.Slots, func(at slot.Slot) []string { return []string{"  " + at.Text().Weekday, at.Text().Time} })
	if len(rows) == 0 {
		return a.print("  no slots; add some with --%s\n", operator.MemberSlots)
	}
	return a.table(rows)
}
