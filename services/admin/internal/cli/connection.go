package cli

import (
	"context"

	"github.com/spf13/cobra"

	"socialpub.internal/services/admin/internal/operator"
)

func (a *app) channelConnect() *cobra.Command {
	var in operator.Reconnection
	var secrets secretFiles
	cmd := &cobra.Command{
		Use:   "connect CHANNEL_ID",
		Short: "Connect a channel again, or give it fresh credentials",
		Long: `connect lets a disconnected channel publish again, with the credentials it had or with fresh ones. A channel whose token
status is NEEDS_RECONNECT takes fresh ones only. The network is asked first whether it accepts the credentials for the channel's
account; when it refuses, its response is printed and nothing is stored. The workspace is told by the event channel.connected;
nothing is told when the channel was connected and working before.`,
		Example: `  admin channel connect --workspace WORKSPACE_ID CHANNEL_ID

  # a channel that lost its access
  admin channel connect --workspace WORKSPACE_ID CHANNEL_ID --access-token-file access.txt --refresh-token-file refresh.txt`,
		Args: exactly(operator.MemberChannelID),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			var err error
			if in.Given, err = secrets.read(a); err != nil {
				return err
			}
			in.Channel = args[0]
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				c, changed, err := op.ConnectChannel(ctx, in)
				if err != nil {
					return err
				}
				return a.show(toChannelRecord(c), func() error {
					switch {
					case changed:
						return a.print("Channel %s (%s) is connected.\n", c.ID, c.Name)
					case !in.Given.IsZero():
						return a.print("Channel %s (%s) has the fresh credentials; it was connected already.\n", c.ID, c.Name)
					default:
						return a.print("Channel %s (%s) was connected already; nothing has changed.\n", c.ID, c.Name)
					}
				})
			})
		}),
	}
	workspaceFlag(cmd, &in.Workspace)
	secrets.flags(cmd)
	skipCheckFlag(cmd, &in.SkipCheck)
	return cmd
}

func (a *app) channelDisconnect() *cobra.Command {
	var workspaceID string
	cmd := &cobra.Command{
		Use:   "disconnect CHANNEL_ID",
		Short: "Stop publishing to a channel",
		Long: `disconnect ends publishing to a channel; scheduled posts to it fail when their time comes. Its posts and its encrypted
credentials are kept, and "admin channel connect" takes it back. The workspace is told by the event channel.disconnected.`,
		Example: `  admin channel disconnect --workspace WORKSPACE_ID CHANNEL_ID`,
		Args:    exactly(operator.MemberChannelID),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				c, changed, err := op.DisconnectChannel(ctx, workspaceID, args[0])
				if err != nil {
					return err
				}
				return a.show(toChannelRecord(c), func() error {
					if !changed {
						return a.print("Channel %s (%s) was disconnected already; nothing has changed.\n", c.ID, c.Name)
					}
					return a.print("Channel %s (%s) is disconnected.\n", c.ID, c.Name)
				})
			})
		}),
	}
	workspaceFlag(cmd, &workspaceID)
	return cmd
}
