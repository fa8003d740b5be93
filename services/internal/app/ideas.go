package app

import (
	"context"

	"socialpub.internal/shared/domain/idea"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/ident"
)

// IdeaBoards returns the idea boards of the workspace, oldest first. Every workspace has at least its initial board.
func (a *App) IdeaBoards(ctx context.Context, p Principal) ([]idea.Board, error) {
	return a.ideas.Boards(ctx, p.WorkspaceID)
}

// IdeaBoard returns one board and up to limit of its cards after the place; NOT_FOUND when the workspace has no such
// board.
func (a *App) IdeaBoard(
	ctx context.Context, p Principal, id ident.IdeaBoard, after postgres.CardPlace, limit int,
) (idea.Board, []postgres.PlacedCard, error) {
	board, err := a.ideas.Board(ctx, p.WorkspaceID, id)
	if err != nil {
		return idea.Board{}, nil, err
	}
	cards, err := a.ideas.Cards(ctx, board.ID, after, limit)
	return board, cards, err
}

// AddIdeaCard adds a card to a board. Errors: NOT_FOUND, also for a column or label of another board and for an unknown
// asset; VALIDATION_FAILED with every fault; QUOTA_EXCEEDED when the board is full.
func (a *App) AddIdeaCard(ctx context.Context, p Principal, id ident.IdeaBoard, in idea.NewCard) (idea.Card, error) {
	if _, err := a.assetsOf(ctx, p, in.MediaIDs); err != nil { // the store's error would not name the asset
		return idea.Card{}, err
	}
	return a.ideas.AddCard(ctx, p.WorkspaceID, id, func(board idea.Board) (idea.Card, error) { return board.AddCard(in, a.now()) })
}
