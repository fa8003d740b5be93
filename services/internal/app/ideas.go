package app

import (
	"context"

	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// IdeaBoards returns the idea boards of the workspace, oldest first. Every workspace has at least its initial board.
func (r *Records) IdeaBoards(ctx context.Context, p Principal) ([]idea.Board, error) {
	return r.ideas.Boards(ctx, p.WorkspaceID)
}

// IdeaBoard returns one board and up to limit of its cards after the place; NOT_FOUND when the workspace has no such
// board.
func (r *Records) IdeaBoard(
	ctx context.Context, p Principal, id ident.IdeaBoard, after postgres.CardPlace, limit int,
) (idea.Board, []postgres.PlacedCard, error) {
	board, err := r.ideas.Board(ctx, p.WorkspaceID, id)
	if err != nil {
		return idea.Board{}, nil, err
	}
	cards, err := r.ideas.Cards(ctx, board.ID, after, limit)
	return board, cards, err
}

// AddIdeaCard adds a card to a board. Its author is the person who acts. Errors: NOT_FOUND, also for a column or label of another
// board and for an unknown asset; VALIDATION_FAILED with every fault; QUOTA_EXCEEDED when the board is full.
func (r *Records) AddIdeaCard(
	ctx context.Context, p Principal, id ident.IdeaBoard, in idea.NewCard,
) (idea.Card, error) {
	if _, err := r.assetsOf(ctx, p, in.MediaIDs); err != nil { // the store's error would not name the asset
		return idea.Card{}, err
	}
	in.AuthorID = p.Author()
	return r.ideas.AddCard(ctx, p.WorkspaceID, id, func(board idea.Board) (idea.Card, error) {
		return board.AddCard(in, r.now())
	})
}
