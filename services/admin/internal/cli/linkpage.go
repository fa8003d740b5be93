package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/kernel/ident"
)

// livePageRecord is a published link page in JSON.
type livePageRecord struct {
	ID          ident.LinkPage  `json:"id"`
	WorkspaceID ident.Workspace `json:"workspaceId"`
	Handle      string          `json:"handle"`
	Title       string          `json:"title"`
	Version     int             `json:"version"`
	Blocks      int             `json:"blocks"`
	PublishedAt time.Time       `json:"publishedAt"`
}

func toLivePageRecord(p operator.LivePage) livePageRecord {
	return livePageRecord{
		ID: p.ID, WorkspaceID: p.WorkspaceID, Handle: p.Handle, Title: p.Content.Title, Version: p.Version,
		Blocks: len(p.Content.Blocks), PublishedAt: p.PublishedAt,
	}
}

func (a *app) linkPages() *cobra.Command {
	return group("link-page", "Find the workspace of a link page, and unpublish it",
		"A link page is a public page of a workspace. Its members edit and publish it in the application, and programs "+
			"through the API (/v1/link-pages).",
		a.livePage("show", "Find the workspace of the page at a handle",
			"show prints the workspace of the page that is published at the handle.", (*operator.Operator).LivePage,
			"Page %s of workspace %s: %s, version %d.\n"),
		a.livePage("unpublish", "Unpublish the page at a handle",
			"unpublish withdraws a page within seconds. Its workspace keeps the draft, and can publish it again\nunless its "+
				"keys are revoked.",
			(*operator.Operator).UnpublishLinkPage, "Page %s of workspace %s is no longer published: %s, version %d.\n"))
}

// livePage returns a command that acts on the published page with a handle.
func (a *app) livePage(
	verb, short, long string, act func(o *operator.Operator, ctx context.Context, handle string) (operator.LivePage, error), format string,
) *cobra.Command {
	return &cobra.Command{
		Use: verb + " HANDLE", Short: short, Long: long, Example: "  admin link-page " + verb + " acme-studio",
		Args: exactly(operator.MemberHandle),
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, args []string) error {
			found, err := act(op, ctx, args[0])
			if err != nil {
				return err
			}
			return a.show(toLivePageRecord(found), func() error {
				return a.print(format, found.ID, found.WorkspaceID, found.Content.Title, found.Version)
			})
		}),
	}
}
