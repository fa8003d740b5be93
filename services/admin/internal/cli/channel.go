package cli

import (
	"context"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/connectors"
)

// channelRecord is a channel in JSON. It never contains credentials.
type channelRecord struct {
	ID          ident.Channel       `json:"id"`
	WorkspaceID ident.Workspace     `json:"workspaceId"`
	Type        channel.Type        `json:"type"`
	Name        string              `json:"name"`
	Username    string              `json:"username"`
	ExternalID  string              `json:"externalId"`
	Timezone    string              `json:"timezone"`
	IsConnected bool                `json:"isConnected"`
	TokenStatus channel.TokenStatus `json:"tokenStatus"`
	Publish     bool                `json:"publish"` // whether its network supports publishing
	CreatedAt   string              `json:"createdAt"`
}

func toChannelRecord(c channel.Channel) channelRecord {
	return channelRecord{
		ID: c.ID, WorkspaceID: c.WorkspaceID, Type: c.Type, Name: c.Name, Username: c.Username, ExternalID: c.ExternalID,
		Timezone: c.Timezone, IsConnected: c.IsConnected, TokenStatus: c.TokenStatus, Publish: c.Type.Capabilities().Publish,
		CreatedAt: event.FormatTime(c.CreatedAt),
	}
}

func (a *app) channels() *cobra.Command {
	return group("channel", "Create, list, connect and disconnect channels, show their timelines, and set their schedules",
		"A channel is an account on a social network that a workspace publishes to, with the credentials that allow it.",
		a.channelCreate(), a.channelList(), a.channelConnect(), a.channelDisconnect(), a.channelSchedule(),
		a.channelTimeline())
}

const channelCreateLong = `create connects an account to a workspace and emits the event channel.connected. The credentials are encrypted before they are
stored, and no command shows them again.

Before it stores anything, the command asks the network to verify the access token and its account. If the network refuses, or
names another account than --external-id, the command prints the response and stores nothing. --skip-check omits this check, for
a machine that cannot reach the network.

What the types need:

%s
%s
On the sandbox network (NETWORKS_SANDBOX_URL) every account exists; these tokens are accepted for any ACCOUNT:

  sandbox-refresh-ACCOUNT
%s  sandbox-NETWORK-ACCOUNT, where NETWORK is one of

  %s`

const channelCreateExample = `  # Telegram, with the token from a password manager
  pass show telegram/bot | admin channel create --workspace WORKSPACE_ID --type TELEGRAM_CHANNEL \
    --name "Acme News" --username acme_news --external-id @acme_news --access-token-file -

  # X
  admin channel create --workspace WORKSPACE_ID --type TWITTER --name "Acme on X" --username acme \
    --external-id 2244994945 --access-token-file access.txt --refresh-token-file refresh.txt

  # Bluesky, on a personal data server of its own, with the response of com.atproto.server.createSession
  admin channel create --workspace WORKSPACE_ID --type BLUESKY --name "Acme on Bluesky" --username acme.example.com \
    --external-id did:plc:ewvi7nxzyoun6zhxrhs64oiz --server https://pds.example.com --access-token-file session.json

  # Threads, on the sandbox network
  echo sandbox-threads-17841400 | admin channel create --workspace WORKSPACE_ID --type THREADS \
    --name "Acme on Threads" --username acme --external-id 17841400 --access-token-file -

  # a channel of a type that does not support publishing
  admin channel create --workspace WORKSPACE_ID --type WHATSAPP_BUSINESS --name "Support" \
    --username +491701234567 --external-id 491701234567`

func (a *app) channelCreate() *cobra.Command {
	var in operator.NewChannel
	var secrets secretFiles
	cmd := &cobra.Command{
		Use: "create", Short: "Connect an account to a workspace", Long: channelCreateText(), Example: channelCreateExample,
		Args: cobra.NoArgs,
		RunE: a.run(func(cmd *cobra.Command, _ []string) error {
			given, err := secrets.read(a)
			if err != nil {
				return err
			}
			in.Given = given
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				c, err := op.CreateChannel(ctx, in)
				if err != nil {
					return err
				}
				lifetime := connectors.Of(c.Type.Network()).Tokens.Lifetime
				if lifetime != "" && given.Tokens.RefreshToken == "" && given.Tokens.AccessToken != "" {
					a.note("warning: without a refresh token the channel needs new credentials "+
						"when the access token expires, on %s after %s.", c.Type.Network().Name(), lifetime)
				}
				return a.show(toChannelRecord(c), func() error {
					return a.print("Channel %s created and connected: %s, %s.\n", c.ID, c.Type, c.Name)
				})
			})
		}),
	}
	flags := ordered(cmd)
	workspaceFlag(cmd, &in.Workspace)
	flags.StringVar(&in.Type, operator.MemberType, "", "`TYPE` of account, such as TELEGRAM_CHANNEL (required)")
	flags.StringVar(&in.Name, operator.MemberName, "", "display `NAME` of the channel, 1 to 200 characters (required)")
	flags.StringVar(&in.Username, operator.MemberUsername, "", "the account's `USERNAME` on its network (required)")
	flags.StringVar(&in.ExternalID, operator.MemberExternalID, "", "the account's `ID` on its network (required)")
	flags.StringVar(&in.Timezone, operator.MemberTimezone, "",
		"IANA time `ZONE` of its schedule (default: the workspace's)")
	secrets.flags(cmd)
	skipCheckFlag(cmd, &in.SkipCheck)
	complete(cmd, operator.MemberType, channel.Types())
	return cmd
}

func (a *app) channelList() *cobra.Command {
	var workspaceID string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List a workspace's channels, oldest first",
		Long:  "list prints the channels of a workspace and their token status. It never prints credentials.",
		Example: `  admin channel list --workspace WORKSPACE_ID

  # channels that a person must reconnect
  admin channel list --workspace WORKSPACE_ID --json | jq '.[] | select(.tokenStatus == "NEEDS_RECONNECT")'`,
		Args: cobra.NoArgs,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			found, err := op.Channels(ctx, workspaceID)
			if err != nil {
				return err
			}
			return a.show(convert(found, toChannelRecord), func() error { return a.channelTable(found) })
		}),
	}
	workspaceFlag(cmd, &workspaceID)
	return cmd
}

func (a *app) channelTable(channels []channel.Channel) error {
	rows := convert(channels, func(c channel.Channel) []string {
		return []string{
			c.ID.String(), string(c.Type), c.Name, c.Username, c.ExternalID, yesNo(c.IsConnected), string(c.TokenStatus),
			yesNo(c.Type.Capabilities().Publish), c.Timezone,
		}
	})
	return a.list([]string{
		"ID", "TYPE", "NAME", "USERNAME", "EXTERNAL ID", "CONNECTED", "TOKEN", "PUBLISHES", "TIME ZONE",
	}, rows,
		"The workspace has no channels. Create one with: admin channel create")
}
