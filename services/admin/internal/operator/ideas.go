package operator

import (
	"context"
	"slices"
	"strings"

	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// NewIdea holds the input for an idea card. Columns and labels are given by name, ignoring case, or by id.
type NewIdea struct {
	Workspace string
	Board     string // empty means the workspace's oldest board
	Title     string
	Content   string
	Column    string // empty means the first column
	Labels    []string
	Link      string
	Top       bool // insert above the existing cards of the column instead of below
}

// IdeaBoards lists the idea boards of a workspace, oldest first.
func (o *Operator) IdeaBoards(ctx context.Context, workspace string) ([]idea.Board, error) {
	var f faults
	id := f.workspace(workspace)
	if err := f.err(); err != nil {
		return nil, err
	}
	if _, err := o.workspace(ctx, id); err != nil {
		return nil, err
	}
	return o.records.IdeaBoards(ctx, client(id))
}

// Ideas returns a board with all its cards, column by column.
func (o *Operator) Ideas(ctx context.Context, workspace, board string) (idea.Board, []idea.Card, error) {
	of, err := o.ideaBoard(ctx, workspace, board)
	if err != nil {
		return idea.Board{}, nil, err
	}
	_, placed, err := o.records.IdeaBoard(ctx, client(of.WorkspaceID), of.ID, postgres.CardPlace{}, idea.MaxCards)
	cards := make([]idea.Card, len(placed))
	for i, c := range placed {
		cards[i] = c.Card
	}
	return of, cards, err
}

// AddIdea adds a card to a board. The returned board is the board before the change.
func (o *Operator) AddIdea(ctx context.Context, in NewIdea) (board idea.Board, card idea.Card, err error) {
	if board, err = o.ideaBoard(ctx, in.Workspace, in.Board); err != nil {
		return idea.Board{}, idea.Card{}, err
	}
	var f faults
	created := idea.NewCard{Title: in.Title, Content: in.Content, Link: in.Link}
	if in.Top {
		created.Position = new(0)
	}
	if in.Column != "" {
		created.ColumnID = oneNamed(&f, MemberColumn, in.Column, board.Columns,
			func(c idea.Column) (ident.IdeaColumn, string) { return c.ID, c.Name })
	}
	for _, given := range in.Labels {
		id := oneNamed(&f, MemberLabel, given, board.Labels,
			func(l idea.Label) (ident.IdeaLabel, string) { return l.ID, l.Name })
		if !slices.Contains(created.LabelIDs, id) {
			created.LabelIDs = append(created.LabelIDs, id)
		}
	}
	if err := f.with(apperr.Invalid(created.Faults())); err != nil {
		return board, idea.Card{}, err
	}
	card, err = o.records.AddIdeaCard(ctx, client(board.WorkspaceID), board.ID, created)
	return board, card, err
}

// ideaBoard returns the named board of a workspace, or its oldest board if none is named.
func (o *Operator) ideaBoard(ctx context.Context, workspace, board string) (idea.Board, error) {
	var f faults
	workspaceID, id := f.workspace(workspace), ident.IdeaBoard{}
	if board != "" {
		id = parseID[ident.IdeaBoard](&f, MemberBoard, board, "admin idea boards")
	}
	if err := f.err(); err != nil {
		return idea.Board{}, err
	}
	if _, err := o.workspace(ctx, workspaceID); err != nil {
		return idea.Board{}, err
	}
	boards, err := o.records.IdeaBoards(ctx, client(workspaceID))
	if err != nil {
		return idea.Board{}, err
	}
	for _, b := range boards {
		if id.IsZero() || b.ID == id {
			return b, nil
		}
	}
	return idea.Board{}, apperr.New(apperr.NotFound,
		"Workspace %s has no such idea board. See: admin idea boards --workspace %s", workspaceID, workspaceID)
}

// oneNamed returns the id of the record whose name or id equals the text.
func oneNamed[I interface {
	comparable
	String() string
}, T any](f *faults, member, given string, known []T, describe func(T) (I, string)) (none I) {
	text := strings.TrimSpace(given)
	names := make([]string, len(known))
	for i, record := range known {
		id, name := describe(record)
		if strings.EqualFold(text, name) || strings.EqualFold(text, id.String()) {
			return id
		}
		names[i] = name
	}
	f.add(member, "%q is not on this board; choose %s", given, oneOf(names))
	return none
}
