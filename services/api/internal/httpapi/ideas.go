package httpapi

import (
	"context"
	"encoding/binary"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/cursor"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type (
	// CardPaging is Paging with a larger default limit, because clients usually show a board as a whole.
	CardPaging struct {
		Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"100" doc:"Maximum number of cards in the response."`
		Cursor string `query:"cursor" doc:"The nextCursor of the previous response. Omit it for the first cards."`
	}
	ideaBoardInput struct {
		filters
		CardPaging

		ID string `path:"id" format:"uuid" example:"0190a3ce-a49b-7012-93dd-e2a0bf24d3e8" doc:"ID of the board."`
	}
	createIdeaCardInput struct {
		body[apiforms.CreateIdeaCard]

		ID string `path:"id" format:"uuid" example:"0190a3ce-a49b-7012-93dd-e2a0bf24d3e8" doc:"ID of the board."`
	}
	ideaBoardsOutput struct{ Body apiforms.IdeaBoardList }
	ideaBoardOutput  struct{ Body apiforms.IdeaBoardCards }
	ideaCardOutput   struct {
		Location string `header:"Location" doc:"Path of the board, which lists the card."`
		Body     apiforms.IdeaCard
	}
)

const pathIdeaBoards = "/v1/idea-boards"

func (r *registrar) ideas() {
	readers := []credential.Scope{credential.IdeasRead}
	add(r, operation{
		id: "list-idea-boards", method: http.MethodGet, path: pathIdeaBoards, tag: tagIdeas, anyOf: readers,
		summary: "List idea boards", description: "Returns the idea boards of the workspace with their columns and " +
			"labels, oldest first. Every workspace is created with one board.",
		good: "The boards.", response: apiforms.IdeaBoardList{
			Data: []apiforms.IdeaBoard{apiforms.ToAPIIdeaBoard(exampleIdeaBoard())},
		},
	}, r.server.listIdeaBoards)
	add(r, operation{
		id: "get-idea-board", method: http.MethodGet, path: pathIdeaBoards + "/{id}", tag: tagIdeas, anyOf: readers,
		summary: "Get an idea board", description: "Returns a board with its columns, labels and cards. Cards are ordered " +
			"by column from left to right, then from top to bottom. " +
			"A board with more cards than `limit` has several pages. A card that is moved between two requests may be " +
			"returned twice or not at all.",
		good: "The board.", response: exampleIdeaBoardCards(),
		errors: []apperr.Code{apperr.ValidationFailed, apperr.InvalidCursor},
	}, r.server.getIdeaBoard)
	add(r, operation{
		id: "create-idea-card", method: http.MethodPost, path: pathIdeaBoards + "/{id}/cards", tag: tagIdeas,
		anyOf:   []credential.Scope{credential.IdeasWrite},
		summary: "Create an idea card", status: http.StatusCreated, good: "The card.",
		response:  apiforms.ToAPIIdeaCard(exampleIdeaCard()),
		responses: map[string]any{"noted": apiforms.ToAPIIdeaCard(exampleNote())},
		description: "Creates a card on a board, by default at the bottom of the first column. Returns 404 for a column " +
			"or a label of another board. " +
			"A board can have at most 2,000 cards.",
		errors: []apperr.Code{apperr.QuotaExceeded},
		bodies: map[string]*huma.Example{
			"complete": {Summary: "All fields", Value: map[string]any{
				"title": exampleIdeaTitle, "content": exampleIdeaContent, "columnId": exampleIdeaColumn, "position": 0,
				"labelIds": []string{exampleIdeaLabel}, "mediaIds": []string{exampleMedia}, "link": exampleIdeaLink,
			}},
			"noted": {Summary: "Title only", Value: map[string]any{"title": exampleIdeaTitle}},
		},
	}, r.server.createIdeaCard)
}

func (s *Server) listIdeaBoards(ctx context.Context, p app.Principal, _ *noInput) (*ideaBoardsOutput, error) {
	found, err := s.app.IdeaBoards(ctx, p)
	if err != nil {
		return nil, err
	}
	return &ideaBoardsOutput{Body: apiforms.ToAPIIdeaBoards(found)}, nil
}

func (s *Server) getIdeaBoard(ctx context.Context, p app.Principal, in *ideaBoardInput) (*ideaBoardOutput, error) {
	id, err := pathID[ident.IdeaBoard](in.ID, "idea board")
	if err != nil {
		return nil, err
	}
	use := cursor.Use{"idea cards", p.WorkspaceID.String(), id.String()}
	var after [16]byte
	if err := apiforms.StartOf(s.cursors, apiforms.Paging(in.CardPaging), use, after[:]); err != nil {
		return nil, err
	}
	// one more entry shows whether there is a next page
	board, cards, err := s.app.IdeaBoard(ctx, p, id, placeOf(after), in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := apiforms.IdeaBoardCards{IdeaBoard: apiforms.ToAPIIdeaBoard(board)}
	if len(cards) > in.Limit {
		cards = cards[:in.Limit]
		last := afterPlace(cards[in.Limit-1].Place)
		out.NextCursor = apiforms.OptionalText(s.cursors.Encode(use, last[:]))
	}
	out.Cards = apiforms.ToAPIIdeaCards(cards)
	return &ideaBoardOutput{Body: out}, nil
}

// afterPlace returns a place on a board as the position in a cursor.
func afterPlace(place postgres.CardPlace) (position [16]byte) {
	binary.BigEndian.PutUint64(position[:8], uint64(place.Column)) //nolint:gosec // counted from 1
	binary.BigEndian.PutUint64(position[8:], uint64(place.Rank))   //nolint:gosec // placeOf reverses it, also below 0
	return position
}

func placeOf(position [16]byte) postgres.CardPlace {
	return postgres.CardPlace{
		Column: int(binary.BigEndian.Uint64(position[:8])),   //nolint:gosec // written by afterPlace
		Rank:   int64(binary.BigEndian.Uint64(position[8:])), //nolint:gosec // written by afterPlace
	}
}

func (s *Server) createIdeaCard(
	ctx context.Context, p app.Principal, in *createIdeaCardInput,
) (*ideaCardOutput, error) {
	id, err := pathID[ident.IdeaBoard](in.ID, "idea board")
	if err != nil {
		return nil, err
	}
	created, err := s.app.AddIdeaCard(ctx, p, id, in.value.Command())
	if err != nil {
		return nil, err
	}
	return &ideaCardOutput{Location: pathIdeaBoards + "/" + id.String(), Body: apiforms.ToAPIIdeaCard(created)}, nil
}
