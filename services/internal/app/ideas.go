package app

import (
	"context"

	"socialpub.internal/shared/domain/idea"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/ident"
)

// IdeaBoards reads the idea boards of the workspace, oldest first. There is at least the one that it was made with.
func (a *App) IdeaBoards(ctx context.Context, p Principal) ([]idea.Board, error) {
	return a.ideas.Boards(ctx, p.WorkspaceID)
}

// IdeaBoard reads one board and up to limit of its cards that stand after the place; NOT_FOUND when the workspace has none of
// this id.
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

// AddIdeaCard puts a card on a board. NOT_FOUND, also for a column or a label that is not the board's and an asset that the
// workspace does not have; VALIDATION_FAILED with every fault at once; QUOTA_EXCEEDED when the board is full.
func (a *App) AddIdeaCard(ctx context.Context, p Principal, id ident.IdeaBoard, in idea.NewCard) (idea.Card, error) {
	if _, err := a.assetsOf(ctx, p, in.MediaIDs); err != nil { // the store would not say which
		return idea.Card{}, err
	}
	return a.ideas.AddCard(ctx, p.WorkspaceID, id, func(board idea.Board) (idea.Card, error) { return board.AddCard(in, a.now()) })
}
