package fencepost

import (
	"context"
	"iter"
)

// Ideas are the operations of idea boards.
type Ideas struct{ c *Client }

// ListBoards returns the boards of the workspace.
func (r Ideas) ListBoards(ctx context.Context, options ...CallOption) ([]IdeaBoard, error) {
	list, err := call[IdeaBoardList](ctx, r.c, opListIdeaBoards, nil, nil, nil, options)
	if err != nil {
		return nil, err
	}
	return list.Data, nil
}

// GetBoard returns a board with a page of its cards.
func (r Ideas) GetBoard(
	ctx context.Context, id string, params GetIdeaBoardParams, options ...CallOption,
) (*IdeaBoardCards, error) {
	return call[IdeaBoardCards](ctx, r.c, opGetIdeaBoard, []string{id}, params.values(), nil, options)
}

// ListCards iterates over the cards of a board, and requests page after page.
func (r Ideas) ListCards(
	ctx context.Context, id string, params GetIdeaBoardParams, options ...CallOption,
) iter.Seq2[IdeaCard, error] {
	return func(yield func(IdeaCard, error) bool) {
		for params := params; ; {
			board, err := r.GetBoard(ctx, id, params, options...)
			if err != nil {
				yield(IdeaCard{}, err)
				return
			}
			for _, card := range board.Cards {
				if !yield(card, nil) {
					return
				}
			}
			if board.NextCursor == nil {
				return
			}
			params.Cursor = *board.NextCursor
		}
	}
}

// CreateCard adds a card to a board.
func (r Ideas) CreateCard(
	ctx context.Context, board string, body CreateIdeaCardRequest, options ...CallOption,
) (*IdeaCard, error) {
	return call[IdeaCard](ctx, r.c, opCreateIdeaCard, []string{board}, nil, body, options)
}
