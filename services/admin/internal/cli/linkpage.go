package cli

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/ident"
)

// linkPageRecord is a link page in JSON, as in the list.
type linkPageRecord struct {
	ID          ident.LinkPage  `json:"id"`
	Handle      string          `json:"handle"`
	Title       string          `json:"title"`
	Status      linkpage.Status `json:"status"`
	LiveHandle  string          `json:"liveHandle,omitempty"` // the handle under which it is published
	Blocks      int             `json:"blocks"`
	Revision    int             `json:"revision"`
	PublishedAt *time.Time      `json:"publishedAt"`
	CreatedAt   time.Time       `json:"createdAt"`
}

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

func toLinkPageRecord(s linkpage.Summary) linkPageRecord {
	r := linkPageRecord{
		ID: s.ID, Handle: s.Handle, Title: s.Title, Status: linkpage.Draft, LiveHandle: s.LiveHandle, Blocks: s.Blocks,
		Revision: s.Revision, CreatedAt: s.CreatedAt,
	}
	if s.Live {
		r.Status, r.PublishedAt = linkpage.Published, &s.PublishedAt
	}
	return r
}

func toLivePageRecord(p operator.LivePage) livePageRecord {
	return livePageRecord{
		ID: p.ID, WorkspaceID: p.WorkspaceID, Handle: p.Handle, Title: p.Content.Title, Version: p.Version,
		Blocks: len(p.Content.Blocks), PublishedAt: p.PublishedAt,
	}
}

func (a *app) linkPages() *cobra.Command {
	return group("link-page", "List link pages, find the workspace of a page, and unpublish it",
		"A link page is a public page of a workspace. Integrators edit and publish link pages through the API "+
			"(/v1/link-pages).",
		a.linkPageList(), a.livePage("show", "Find the workspace of the page at a handle",
			"show prints the workspace of the page that is published at the handle.", (*operator.Operator).LivePage,
			"Page %s of workspace %s: %s, version %d.\n"),
		a.livePage("unpublish", "Unpublish the page at a handle",
			"unpublish withdraws a page within seconds. Its workspace keeps the draft, and can publish it again\nunless its "+
				"keys are revoked.",
			(*operator.Operator).UnpublishLinkPage, "Page %s of workspace %s is no longer published: %s, version %d.\n"))
}

func (a *app) linkPageList() *cobra.Command {
	var workspaceID string
	cmd := &cobra.Command{
		Use: "list", Short: "List a workspace's link pages, oldest first",
		Long:    "list prints the link pages of a workspace, oldest first.",
		Example: "  admin link-page list --workspace WORKSPACE_ID", Args: cobra.NoArgs,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			found, err := op.LinkPages(ctx, workspaceID)
			if err != nil {
				return err
			}
			records := convert(found, toLinkPageRecord)
			return a.show(records, func() error { return a.linkPageTable(records) })
		}),
	}
	workspaceFlag(cmd, &workspaceID)
	return cmd
}

func (a *app) linkPageTable(pages []linkPageRecord) error {
	rows := convert(pages, func(p linkPageRecord) []string {
		published := ""
		if p.PublishedAt != nil {
			published = at(*p.PublishedAt, "")
		}
		return []string{
			p.ID.String(), string(p.Status), p.Handle, p.Title, strconv.Itoa(p.Blocks), published, at(p.CreatedAt, ""),
		}
	})
	return a.list([]string{"ID", "STATUS", "HANDLE", "TITLE", "BLOCKS", "PUBLISHED", "CREATED"}, rows,
		"The workspace has no link pages. Create one with: POST /v1/link-pages")
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
