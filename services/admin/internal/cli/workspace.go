package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/workspace"
	"fencepost.internal/shared/kernel/ident"
)

// workspaceRecord is a workspace in JSON.
type workspaceRecord struct {
	ID        ident.Workspace `json:"id"`
	Name      string          `json:"name"`
	Plan      workspace.Plan  `json:"plan"`
	Timezone  string          `json:"timezone"`
	Hold      int             `json:"reconnectHoldSeconds"`
	StoppedAt *string         `json:"publishingStoppedAt"` // null: publishing goes on
	CreatedAt string          `json:"createdAt"`
}

func toWorkspaceRecord(w workspace.Workspace) workspaceRecord {
	record := workspaceRecord{
		ID: w.ID, Name: w.Name, Plan: w.Plan, Timezone: w.Timezone,
		Hold: int(w.ReconnectHold / time.Second), CreatedAt: event.FormatTime(w.CreatedAt),
	}
	if !w.StoppedAt.IsZero() {
		record.StoppedAt = new(event.FormatTime(w.StoppedAt))
	}
	return record
}

func (a *app) workspaces() *cobra.Command {
	return group("workspace", "Create, change and list workspaces",
		"A workspace is a tenant: each key, channel, post and webhook belongs to one workspace and has no access to others.",
		a.workspaceCreate(), a.workspaceUpdate(), a.workspacePublishing(), a.workspaceList())
}

func (a *app) workspaceCreate() *cobra.Command {
	var in operator.NewWorkspace
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create a workspace",
		Long: `create creates an empty workspace and prints it. Add a key with "admin key create" and channels with
"admin channel create".`,
		Example: `  admin workspace create --name "Acme Studio" --plan GROWTH --timezone Europe/Berlin

  # only its id, for a script
  admin workspace create --name "Acme Studio" --json | jq -r .id`,
		Args: cobra.NoArgs,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			w, err := op.CreateWorkspace(ctx, in)
			if err != nil {
				return err
			}
			return a.show(toWorkspaceRecord(w), func() error {
				return a.print("Workspace %s created: %s, plan %s, time zone %s.\n", w.ID, w.Name, w.Plan, w.Timezone)
			})
		}),
	}
	flags := ordered(cmd)
	flags.StringVar(&in.Name, operator.MemberName, "", "`NAME`, 1 to 200 characters (required)")
	flags.StringVar(&in.Plan, operator.MemberPlan, string(workspace.Free), "`PLAN`: "+join(workspace.Plans()))
	flags.StringVar(&in.Timezone, operator.MemberTimezone, "UTC", "IANA time `ZONE`, the default for its channels")
	complete(cmd, operator.MemberPlan, workspace.Plans())
	return cmd
}

func (a *app) workspaceUpdate() *cobra.Command {
	var hold time.Duration
	cmd := &cobra.Command{
		Use:   "update WORKSPACE_ID",
		Short: "Set how long posts wait for a channel to be connected again",
		Long: `update sets the longest time for which a post that is due waits for its channel, after the network has stopped
accepting the channel's connection. Within it, "admin channel connect" or the application publishes the post; after it, the
post fails with CHANNEL_NEEDS_RECONNECT. Posts that wait already keep the end of their wait.`,
		Example: `  admin workspace update WORKSPACE_ID --reconnect-hold 12h

  # fail at once
  admin workspace update WORKSPACE_ID --reconnect-hold 0s`,
		Args: exactly(operator.MemberWorkspaceID),
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, args []string) error {
			w, err := op.SetReconnectHold(ctx, args[0], hold)
			if err != nil {
				return err
			}
			return a.show(toWorkspaceRecord(w), func() error {
				return a.print("Posts of workspace %s (%s) wait for their channel for at most %s.\n", w.ID, w.Name, w.ReconnectHold)
			})
		}),
	}
	ordered(cmd).DurationVar(&hold, operator.MemberHold, workspace.DefaultReconnectHold,
		"`DURATION` from 0s to "+workspace.LongestReconnectHold.String())
	return cmd
}

func (a *app) workspacePublishing() *cobra.Command {
	var stopped bool
	cmd := &cobra.Command{
		Use:   "publishing WORKSPACE_ID",
		Short: "Show, stop or resume all publishing of a workspace",
		Long: `publishing prints whether all publishing of a workspace is stopped, and changes it if --stopped is given. It takes
effect within a second. While publishing is stopped, due posts of all channels wait; a post whose call to its network has
begun is finished. Resuming publishes the posts that became due meanwhile at once, except those of channels that are
paused themselves; the application can move them to free slots instead.`,
		Example: `  admin workspace publishing WORKSPACE_ID --stopped=true

  admin workspace publishing WORKSPACE_ID --stopped=false`,
		Args: exactly(operator.MemberWorkspaceID),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				var change *bool
				if cmd.Flags().Changed("stopped") {
					change = &stopped
				}
				w, late, err := op.Publishing(ctx, args[0], change)
				if err != nil {
					return err
				}
				return a.show(toWorkspaceRecord(w), func() error {
					if w.StoppedAt.IsZero() {
						return a.print("Publishing of workspace %s (%s) goes on.\n", w.ID, w.Name)
					}
					return a.print("All publishing of workspace %s (%s) is stopped since %s, by %s. Late posts: %d.\n", w.ID, w.Name,
						event.FormatTime(w.StoppedAt), w.StoppedBy, late)
				})
			})
		}),
	}
	ordered(cmd).BoolVar(&stopped, "stopped", false, "stop (true) or resume (false) all publishing")
	return cmd
}

func (a *app) workspaceList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List every workspace, oldest first",
		Example: `  admin workspace list

  # the ids of all workspaces on the plan FREE
  admin workspace list --json | jq -r '.[] | select(.plan == "FREE") | .id'`,
		Args: cobra.NoArgs,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			found, err := op.Workspaces(ctx)
			if err != nil {
				return err
			}
			return a.show(convert(found, toWorkspaceRecord), func() error { return a.workspaceTable(found) })
		}),
	}
}

func (a *app) workspaceTable(workspaces []workspace.Workspace) error {
	rows := convert(workspaces, func(w workspace.Workspace) []string {
		return []string{w.ID.String(), w.Name, string(w.Plan), w.Timezone, at(w.CreatedAt, "")}
	})
	return a.list([]string{"ID", "NAME", "PLAN", "TIME ZONE", "CREATED"}, rows,
		"There are no workspaces. Create one with: admin workspace create")
}
