package cli

import (
	"context"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/event"
)

func (a *app) channelConnect() *cobra.Command {
	var in operator.Reconnection
	var secrets secretFiles
	cmd := &cobra.Command{
		Use:   "connect CHANNEL_ID",
		Short: "Reconnect a channel, or replace its credentials",
		Long: `connect reconnects a disconnected channel, with its stored credentials or with new ones. A channel whose token status is
NEEDS_RECONNECT requires new ones. Before it stores anything, the command asks the network to verify the credentials for the
channel's account. If the network refuses, the command prints the response and stores nothing. The command emits the event
channel.connected, unless the channel was connected and working before.`,
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
						return a.print("Channel %s (%s) has new credentials; it was already connected.\n", c.ID, c.Name)
					default:
						return a.print("Channel %s (%s) was already connected; nothing changed.\n", c.ID, c.Name)
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

// noteRecord is an entry of a channel's timeline in JSON.
type noteRecord struct {
	At     string           `json:"at"`
	Kind   channel.NoteKind `json:"kind"`
	Detail string           `json:"detail"`
}

func (a *app) channelTimeline() *cobra.Command {
	var workspaceID string
	cmd := &cobra.Command{
		Use:   "timeline CHANNEL_ID",
		Short: "Show what happened to a channel's connection",
		Long: `timeline prints when a channel was connected, when its credentials were renewed or refused, and when its status changed, oldest
first.`,
		Example: `  admin channel timeline --workspace WORKSPACE_ID CHANNEL_ID`,
		Args:    exactly(operator.MemberChannelID),
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, args []string) error {
			notes, err := op.Timeline(ctx, workspaceID, args[0])
			if err != nil {
				return err
			}
			records := convert(notes, func(n channel.Note) noteRecord {
				return noteRecord{event.FormatTime(n.At), n.Kind, n.Detail}
			})
			return a.show(records, func() error {
				return a.list([]string{"AT", "KIND", "DETAIL"}, convert(records, func(r noteRecord) []string {
					return []string{r.At, string(r.Kind), r.Detail}
				}), "Nothing is recorded about the channel's connection.")
			})
		}),
	}
	workspaceFlag(cmd, &workspaceID)
	return cmd
}

func (a *app) channelDisconnect() *cobra.Command {
	var workspaceID string
	cmd := &cobra.Command{
		Use:   "disconnect CHANNEL_ID",
		Short: "Stop publishing to a channel",
		Long: `disconnect stops publishing to a channel. Its scheduled posts fail at their time. Its posts and its encrypted credentials are
kept, and "admin channel connect" reconnects it. The command emits the event channel.disconnected.`,
		Example: `  admin channel disconnect --workspace WORKSPACE_ID CHANNEL_ID`,
		Args:    exactly(operator.MemberChannelID),
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, args []string) error {
			c, changed, err := op.DisconnectChannel(ctx, workspaceID, args[0])
			if err != nil {
				return err
			}
			return a.show(toChannelRecord(c), func() error {
				if !changed {
					return a.print("Channel %s (%s) was already disconnected; nothing changed.\n", c.ID, c.Name)
				}
				return a.print("Channel %s (%s) is disconnected.\n", c.ID, c.Name)
			})
		}),
	}
	workspaceFlag(cmd, &workspaceID)
	return cmd
}
