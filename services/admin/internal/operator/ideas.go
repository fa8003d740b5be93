package operator

import (
	"context"
	"slices"

	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/kernel/apperr"
)

// NewIdea holds the input for an idea card. The column and the labels are given by name.
type NewIdea struct {
	Workspace string
	Title     string
	Content   string
	Column    string // empty means the first column
	Labels    []string
	Link      string
}

// AddIdea adds a card to the oldest board of a workspace, below the other cards of its column.
func (o *Operator) AddIdea(ctx context.Context, in NewIdea) error {
	var f faults
	id := f.workspace(in.Workspace)
	if err := f.err(); err != nil {
		return err
	}
	boards, err := o.records.IdeaBoards(ctx, client(id))
	if err != nil {
		return err
	}
	if len(boards) == 0 {
		return apperr.New(apperr.NotFound, "Workspace %s has no idea board.", id)
	}
	created := idea.NewCard{Title: in.Title, Content: in.Content, Link: in.Link}
	for _, c := range boards[0].Columns {
		if c.Name == in.Column {
			created.ColumnID = c.ID
		}
	}
	for _, l := range boards[0].Labels {
		if slices.Contains(in.Labels, l.Name) {
			created.LabelIDs = append(created.LabelIDs, l.ID)
		}
	}
	_, err = o.records.AddIdeaCard(ctx, client(id), boards[0].ID, created)
	return err
}
