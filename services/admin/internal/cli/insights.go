package cli

import (
	"context"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
)

func (a *app) insights() *cobra.Command {
	return group("insights", "Collect figures of channels and posts",
		"Figures are collected once a day. This command requests a collection now.", a.insightsCollect())
}

func (a *app) insightsCollect() *cobra.Command {
	var workspaceID string
	cmd := &cobra.Command{
		Use: "collect CHANNEL_ID", Short: "Collect the figures of a channel now",
		Long: `collect requests a collection of the figures of a channel and its posts of the last 90 days. A worker runs it like the daily
collection: see the schedule insights/CHANNEL_ID in the Temporal UI. If a collection is running,
another one follows it; further requests have no effect until then.`,
		Example: "  admin insights collect --workspace WORKSPACE_ID CHANNEL_ID",
		Args:    exactly(operator.MemberChannelID),
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, args []string) error {
			c, err := op.CollectInsights(ctx, workspaceID, args[0])
			if err != nil {
				return err
			}
			return a.show(toChannelRecord(c), func() error {
				return a.print("A worker collects the figures of channel %s (%s) as soon as it has capacity.\n", c.ID, c.Name)
			})
		}),
	}
	workspaceFlag(cmd, &workspaceID)
	return cmd
}
