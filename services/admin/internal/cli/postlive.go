package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// liveRecord is a change of a published post in JSON.
type liveRecord struct {
	PostID      ident.Post      `json:"postId"`
	Number      int             `json:"number"`
	Action      post.LiveAction `json:"action"`
	State       post.LiveState  `json:"state"`
	By          post.Actor      `json:"by"`
	Code        *string         `json:"code"`
	Message     *string         `json:"message"`
	RequestedAt string          `json:"requestedAt"`
	EndedAt     *string         `json:"endedAt"`
}

func toLiveRecord(c post.LiveChange) liveRecord {
	r := liveRecord{
		PostID: c.PostID, Number: c.N, Action: c.Action, State: c.State, By: c.Actor,
		RequestedAt: event.FormatTime(c.RequestedAt), EndedAt: atJSON(c.EndedAt),
	}
	if c.Code != "" {
		r.Code, r.Message = &c.Code, &c.Message
	}
	return r
}

const liveLong = `
It works on Telegram. The timeline of the post names the person. If the network does not respond, a worker repeats the
call for 30 minutes, and the timeline shows the end.`

func (a *app) postEditLive() *cobra.Command {
	var content string
	return a.postLive("edit-live", "Replace the text of a published post on its network",
		"edit-live replaces the text of a PUBLISHED post, or the caption of its files, on its network and in the record."+liveLong,
		` --content "The new text"`, func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&content, operator.MemberContent, "", "the new `TEXT`; - reads standard input (required)")
			_ = cmd.MarkFlagRequired(operator.MemberContent) // fails only for an undefined flag
		}, func(ctx context.Context, op *operator.Operator, in operator.LivePost) (post.LiveChange, error) {
			text := content
			if text == standardInput {
				raw, err := io.ReadAll(io.LimitReader(a.process.In, longestSecret))
				if err != nil {
					return post.LiveChange{}, err
				}
				text = string(raw)
			}
			return op.EditLive(ctx, in, text)
		})
}

func (a *app) postDeleteLive() *cobra.Command {
	return a.postLive("delete-live", "Delete a published post from its network",
		"delete-live deletes a PUBLISHED post from its network. The record stays, without an address. Telegram allows it "+
			"within 48\nhours."+liveLong, "", func(*cobra.Command) {},
		func(ctx context.Context, op *operator.Operator, in operator.LivePost) (post.LiveChange, error) {
			return op.DeleteLive(ctx, in)
		})
}

// postLive returns a command that changes a published post.
func (a *app) postLive(
	verb, short, long, example string, flags func(*cobra.Command),
	change func(context.Context, *operator.Operator, operator.LivePost) (post.LiveChange, error),
) *cobra.Command {
	var in operator.LivePost
	cmd := &cobra.Command{
		Use: verb + " POST_ID", Short: short, Long: long,
		Example: "  admin post " + verb + " --workspace WORKSPACE_ID --by \"Dana Reyes\" POST_ID" + example,
		Args:    exactly(operator.MemberPostID),
		RunE: a.run(func(cmd *cobra.Command, args []string) error {
			in.Post = args[0]
			return a.with(cmd.Context(), func(ctx context.Context, op *operator.Operator) error {
				created, err := change(ctx, op, in)
				if err != nil {
					return err
				}
				return a.showLive(created)
			})
		}),
	}
	workspaceFlag(cmd, &in.Workspace)
	cmd.Flags().StringVar(&in.By, operator.MemberBy, "", "`NAME` of the person for the timeline")
	flags(cmd)
	return cmd
}

// showLive prints the change. A change that ended without effect is a failure.
func (a *app) showLive(c post.LiveChange) error {
	if c.State == post.LiveRefused || c.State == post.LiveUndetermined {
		return apperr.New(apperr.InvalidState, "The change of post %s is %s (%s): %s", c.PostID, c.State, c.Code, c.Message)
	}
	return a.show(toLiveRecord(c), func() error {
		if c.State.Open() {
			return a.print("Post %s: the network did not confirm the change yet (%s). A worker continues.\n", c.PostID, c.Code)
		}
		if c.Action == post.LiveDelete {
			return a.print("Post %s is deleted from its network.\n", c.PostID)
		}
		return a.print("Post %s has the new text on its network.\n", c.PostID)
	})
}
