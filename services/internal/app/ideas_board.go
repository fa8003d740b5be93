package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// The use cases of this file are those of people: neither the API nor the tools reach them.

// CaptureIdea adds the card that a person entered. An address in its title becomes its link. A column and labels that the board
// no longer has are left out. The same ID adds one card: used again, it returns that card. The errors are those of AddIdeaCard.
func (r *Records) CaptureIdea(ctx context.Context, p Principal, id ident.IdeaBoard, in idea.NewCard) (idea.Card, error) {
	if err := p.Require(credential.IdeasWrite); err != nil {
		return idea.Card{}, err
	}
	board, err := r.ideas.Board(ctx, p.WorkspaceID, id)
	if err != nil {
		return idea.Card{}, err
	}
	in = in.Captured()
	in.LabelIDs = board.KnownLabels(in.LabelIDs)
	if !slices.ContainsFunc(board.Columns, func(c idea.Column) bool { return c.ID == in.ColumnID }) {
		in.ColumnID, in.Position = ident.IdeaColumn{}, nil
	}
	created, err := r.AddIdeaCard(ctx, p, id, in)
	if errors.Is(err, postgres.ErrIdeaExists) {
		known, err := r.ideas.Card(ctx, p.WorkspaceID, in.ID)
		return known.Card, err
	}
	return created, err
}

// Idea returns a card with its board; NOT_FOUND when the workspace has no such card.
func (r *Records) Idea(ctx context.Context, p Principal, id ident.IdeaCard) (idea.Board, postgres.PlacedCard, error) {
	if err := p.Require(credential.IdeasRead); err != nil {
		return idea.Board{}, postgres.PlacedCard{}, err
	}
	card, err := r.ideas.Card(ctx, p.WorkspaceID, id)
	if err != nil {
		return idea.Board{}, card, err
	}
	board, err := r.ideas.Board(ctx, p.WorkspaceID, card.BoardID)
	return board, card, err
}

// EditIdea stores what a person changed of a card. Errors: NOT_FOUND, VALIDATION_FAILED with every fault, idea.Conflict.
func (r *Records) EditIdea(ctx context.Context, p Principal, id ident.IdeaCard, in idea.EditCard) (idea.Card, error) {
	in.By = p.Person.ID
	return r.changeIdea(ctx, p, id, func(ctx context.Context, b idea.Board, c idea.Card) (idea.Card, error) {
		next, err := b.EditCard(c, in, r.now())
		if err == nil && !slices.Equal(next.MediaIDs, c.MediaIDs) {
			_, err = r.assetsOf(ctx, p, next.MediaIDs)
		}
		return next, err
	})
}

// MoveIdea moves a card to a place on its board. Errors: NOT_FOUND, VALIDATION_FAILED, idea.ErrMoved.
func (r *Records) MoveIdea(ctx context.Context, p Principal, id ident.IdeaCard, in idea.Move) (idea.Card, error) {
	in.By = p.Person.ID
	return r.changeIdea(ctx, p, id, func(ctx context.Context, b idea.Board, c idea.Card) (idea.Card, error) {
		order, err := r.ideas.Order(ctx, in.To)
		if err != nil {
			return c, err
		}
		return b.MoveCard(c, in, order, r.now())
	})
}

func (r *Records) changeIdea(
	ctx context.Context, p Principal, id ident.IdeaCard,
	decide func(ctx context.Context, b idea.Board, c idea.Card) (idea.Card, error),
) (idea.Card, error) {
	if err := p.Require(credential.IdeasWrite); err != nil {
		return idea.Card{}, err
	}
	return r.ideas.ChangeCard(ctx, p.WorkspaceID, id, decide)
}

// DeleteIdea deletes a card. Posts that it became stay. NOT_FOUND when the workspace has no such card.
func (r *Records) DeleteIdea(ctx context.Context, p Principal, id ident.IdeaCard) error {
	if err := p.Require(credential.IdeasWrite); err != nil {
		return err
	}
	return r.ideas.DeleteCard(ctx, p.WorkspaceID, id, r.now())
}

// AddIdeaBoard adds a board to the workspace. As labels, boards are for those who may publish. Errors: VALIDATION_FAILED,
// QUOTA_EXCEEDED.
func (r *Records) AddIdeaBoard(ctx context.Context, p Principal, name string) (idea.Board, error) {
	if err := p.Require(credential.PostsPublish); err != nil {
		return idea.Board{}, err
	}
	return r.ideas.AddBoard(ctx, p.WorkspaceID, func(boards []idea.Board) (idea.Board, error) {
		return idea.NewBoard(p.WorkspaceID, boards, name, r.now())
	})
}

// RenameIdeaBoard gives a board another name. The person saw the name as it was. Errors: NOT_FOUND, VALIDATION_FAILED,
// idea.ErrChanged.
func (r *Records) RenameIdeaBoard(ctx context.Context, p Principal, id ident.IdeaBoard, was, to string) error {
	boards, err := r.ideas.Boards(ctx, p.WorkspaceID)
	if err != nil {
		return err
	}
	return r.ArrangeIdeas(ctx, p, id, ident.IdeaColumn{}, func(b idea.Board, now time.Time) (idea.Board, error) {
		return b.Rename(boards, was, to, now)
	})
}

// ArrangeIdeas changes a board with its columns and labels. The cards of a column that is removed go to another one. Errors:
// NOT_FOUND, VALIDATION_FAILED also for a color that is none of labels, and those of change.
func (r *Records) ArrangeIdeas(
	ctx context.Context, p Principal, id ident.IdeaBoard, into ident.IdeaColumn, change func(idea.Board, time.Time) (idea.Board, error),
) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	return r.ideas.ChangeBoard(ctx, p.WorkspaceID, id, into, func(b idea.Board) (idea.Board, error) {
		next, err := change(b, r.now())
		if err == nil {
			err = unknownColor(b, next)
		}
		return next, err
	})
}

// unknownColor returns VALIDATION_FAILED if a board gets a color that is none of labels.
func unknownColor(from, to idea.Board) error {
	known := append(post.LabelColors(), colorsOf(from)...)
	for _, color := range colorsOf(to) {
		if color != "" && !slices.Contains(known, color) {
			return apperr.Invalid([]apperr.Field{{Pointer: "/color", Message: "is not one of the colors of labels; choose one of them"}})
		}
	}
	return nil
}

func colorsOf(b idea.Board) (colors []string) {
	for _, c := range b.Columns {
		colors = append(colors, c.Color)
	}
	for _, l := range b.Labels {
		colors = append(colors, l.Color)
	}
	return colors
}

// DeleteIdeaBoard deletes a board with its cards. Posts that they became stay. Errors: NOT_FOUND, INVALID_STATE for the last
// board of the workspace.
func (r *Records) DeleteIdeaBoard(ctx context.Context, p Principal, id ident.IdeaBoard) error {
	if err := p.Require(credential.PostsPublish); err != nil {
		return err
	}
	return r.ideas.DeleteBoard(ctx, p.WorkspaceID, id, func(boards []idea.Board) error {
		if len(boards) == 1 {
			return apperr.New(apperr.InvalidState, "A workspace has at least one board.")
		}
		return nil
	})
}
