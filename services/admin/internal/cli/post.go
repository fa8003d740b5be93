package cli

import (
	"context"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

// postRecord is a post in JSON, with the fields that the commands change.
type postRecord struct {
	ID          ident.Post      `json:"id"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
	ChannelID   ident.Channel   `json:"channelId"`
	Status      post.Status     `json:"status"`
}

func toPostRecord(p post.Post) postRecord {
	return postRecord{ID: p.ID, WorkspaceID: p.WorkspaceID, ChannelID: p.ChannelID, Status: p.Status}
}

func (a *app) posts() *cobra.Command {
	return group("post", "Archive posts, and change published posts on their networks",
		"An archived post is out of the normal workflow and still readable (GET /v1/posts?status=ARCHIVED). The API can "+
			"neither\narchive nor change published posts.",
		a.postMove("archive", "Archive a post",
			"archive archives a post that is DRAFT, PUBLISHED or FAILED. It emits no event.", (*operator.Operator).ArchivePost),
		a.postMove("unarchive", "Restore an archived post",
			"unarchive restores the post to its state before it was archived.", (*operator.Operator).UnarchivePost),
		a.postEditLive(), a.postDeleteLive())
}

// postMove returns a command that moves a post from one state to another.
func (a *app) postMove(
	verb, short, long string, move func(o *operator.Operator, ctx context.Context, workspace, id string) (post.Post, error),
) *cobra.Command {
	var workspaceID string
	cmd := &cobra.Command{
		Use: verb + " POST_ID", Short: short, Long: long,
		Example: "  admin post " + verb + " --workspace WORKSPACE_ID POST_ID",
		Args:    exactly(operator.MemberPostID),
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, args []string) error {
			moved, err := move(op, ctx, workspaceID, args[0])
			if err != nil {
				return err
			}
			return a.show(toPostRecord(moved), func() error { return a.print("Post %s is %s.\n", moved.ID, moved.Status) })
		}),
	}
	workspaceFlag(cmd, &workspaceID)
	return cmd
}
