package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"fencepost.internal/services/admin/internal/operator"
	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/kernel/ident"
)

func (a *app) ideas() *cobra.Command {
	return group("idea", "List idea boards and their cards, and add cards",
		`An idea board holds ideas for posts: cards in columns, with labels. Every workspace is created with a board.`,
		a.ideaAdd(), a.ideaList(), a.ideaBoards())
}

// ideaBoardRecord is a board in JSON.
type ideaBoardRecord struct {
	ID        ident.IdeaBoard    `json:"id"`
	Name      string             `json:"name"`
	CardCount int                `json:"cardCount"`
	Columns   []ideaColumnRecord `json:"columns"`
	Labels    []idea.Label       `json:"labels"`
	CreatedAt string             `json:"createdAt"`
	UpdatedAt string             `json:"updatedAt"`
}

type ideaColumnRecord struct {
	ID        ident.IdeaColumn `json:"id"`
	Name      string           `json:"name"`
	CardCount int              `json:"cardCount"`
}

func toIdeaBoardRecord(b idea.Board) ideaBoardRecord {
	return ideaBoardRecord{
		ID: b.ID, Name: b.Name, CardCount: b.Cards(), Labels: b.Labels, CreatedAt: event.FormatTime(b.CreatedAt),
		UpdatedAt: event.FormatTime(b.UpdatedAt),
		Columns: convert(b.Columns, func(c idea.Column) ideaColumnRecord {
			return ideaColumnRecord{ID: c.ID, Name: c.Name, CardCount: c.Cards}
		}),
	}
}

// ideaRecord is a card in JSON, with the names of its column and labels.
type ideaRecord struct {
	ID        ident.IdeaCard `json:"id"`
	Column    string         `json:"column"`
	Position  int            `json:"position"`
	Title     string         `json:"title"`
	Content   string         `json:"content"`
	Labels    []string       `json:"labels"`
	MediaIDs  []ident.Media  `json:"mediaIds"`
	Link      *string        `json:"link"`
	CreatedAt string         `json:"createdAt"`
	UpdatedAt string         `json:"updatedAt"`
}

func toIdeaRecord(b idea.Board, c idea.Card) ideaRecord {
	out := ideaRecord{
		ID: c.ID, Position: c.Position, Title: c.Title, Content: c.Content, Labels: []string{},
		MediaIDs:  convert(c.MediaIDs, func(id ident.Media) ident.Media { return id }),
		CreatedAt: event.FormatTime(c.CreatedAt), UpdatedAt: event.FormatTime(c.UpdatedAt),
	}
	if c.Link != "" {
		out.Link = &c.Link
	}
	for _, column := range b.Columns {
		if column.ID == c.ColumnID {
			out.Column = column.Name
		}
	}
	for _, l := range b.Labels {
		if slices.Contains(c.LabelIDs, l.ID) {
			out.Labels = append(out.Labels, l.Name)
		}
	}
	return out
}

func (a *app) ideaAdd() *cobra.Command {
	var in operator.NewIdea
	cmd := &cobra.Command{
		Use: "add", Short: "Add a card to an idea board", Args: cobra.NoArgs,
		Long: `add adds a card to a board. The default position is the end of the first column. Columns and labels are given by name;
"admin idea boards" lists them.`,
		Example: `  admin idea add --workspace WORKSPACE_ID --title "The new kiln, behind the scenes"

  admin idea add --workspace WORKSPACE_ID --title "Ten years of Acme" --column "In progress" --label Campaign \
    --label Announcement --content "Photos from the archive" --link https://example.com/archive --top`,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			board, card, err := op.AddIdea(ctx, in)
			if err != nil {
				return err
			}
			record := toIdeaRecord(board, card)
			return a.show(record, func() error {
				return a.print("Idea %s added to %s, column %s: %s\n", card.ID, board.Name, record.Column, card.Title)
			})
		}),
	}
	flags := ordered(cmd)
	workspaceFlag(cmd, &in.Workspace)
	boardFlag(cmd, &in.Board)
	flags.StringVar(&in.Title, operator.MemberTitle, "", "`TEXT` of one line, 1 to 200 characters (required)")
	flags.StringVar(&in.Content, operator.MemberContent, "", "`TEXT` with notes, up to 10,000 characters")
	flags.StringVar(&in.Column, operator.MemberColumn, "", "`NAME` of the column (default the first one)")
	flags.StringArrayVar(&in.Labels, operator.MemberLabel, nil, "`NAME` of a label; can be repeated")
	flags.StringVar(&in.Link, operator.MemberLink, "", "`URL` of the source of the idea")
	flags.BoolVar(&in.Top, "top", false, "add the card at the top of the column")
	return cmd
}

func boardFlag(cmd *cobra.Command, target *string) {
	cmd.Flags().StringVar(target, operator.MemberBoard, "", "`ID` of the board (default the workspace's oldest one)")
}

func (a *app) ideaList() *cobra.Command {
	var workspaceID, boardID string
	cmd := &cobra.Command{
		Use: "list", Short: "List the cards of an idea board",
		Long:    "list prints the cards of a board by column, in their order.",
		Example: "  admin idea list --workspace WORKSPACE_ID", Args: cobra.NoArgs,
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			board, cards, err := op.Ideas(ctx, workspaceID, boardID)
			if err != nil {
				return err
			}
			records := convert(cards, func(c idea.Card) ideaRecord { return toIdeaRecord(board, c) })
			return a.show(records, func() error { return a.ideaTable(records) })
		}),
	}
	workspaceFlag(cmd, &workspaceID)
	boardFlag(cmd, &boardID)
	return cmd
}

func (a *app) ideaTable(cards []ideaRecord) error {
	rows := convert(cards, func(c ideaRecord) []string {
		return []string{c.ID.String(), c.Column, strconv.Itoa(c.Position), c.Title, strings.Join(c.Labels, ", "), c.CreatedAt}
	})
	return a.list([]string{"ID", "COLUMN", "POSITION", "TITLE", "LABELS", "CREATED"}, rows,
		"The board has no cards. Add one with: admin idea add")
}

func (a *app) ideaBoards() *cobra.Command {
	var workspaceID string
	cmd := &cobra.Command{
		Use: "boards", Short: "List a workspace's idea boards", Args: cobra.NoArgs,
		Long: "boards prints the idea boards of a workspace with their columns, the number of cards in each, and their " +
			"labels.",
		Example: "  admin idea boards --workspace WORKSPACE_ID",
		RunE: a.operate(func(ctx context.Context, op *operator.Operator, _ []string) error {
			boards, err := op.IdeaBoards(ctx, workspaceID)
			if err != nil {
				return err
			}
			return a.show(convert(boards, toIdeaBoardRecord), func() error { return a.ideaBoardTable(boards) })
		}),
	}
	workspaceFlag(cmd, &workspaceID)
	return cmd
}

func (a *app) ideaBoardTable(boards []idea.Board) error {
	rows := convert(boards, func(b idea.Board) []string {
		return []string{
			b.ID.String(), b.Name,
			strings.Join(convert(b.Columns, func(c idea.Column) string { return fmt.Sprintf("%s (%d)", c.Name, c.Cards) }),
				", "),
			strings.Join(convert(b.Labels, func(l idea.Label) string { return l.Name }), ", "),
		}
	})
	return a.list([]string{"ID", "NAME", "COLUMNS (CARDS)", "LABELS"}, rows, "The workspace has no idea board.")
}
