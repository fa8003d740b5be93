package apiforms

import (
	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// IdeaBoard is the idea board in responses, without its cards.
type IdeaBoard struct {
	ID        ident.IdeaBoard `json:"id" format:"uuid" example:"0190a3ce-a49b-7012-93dd-e2a0bf24d3e8" doc:"ID of the board."`
	Name      string          `json:"name" example:"Ideas" doc:"Name of the board."`
	CardCount int             `json:"cardCount" example:"1" doc:"Number of cards on the board."`
	Columns   []IdeaColumn    `json:"columns" doc:"Columns from left to right."`
	Labels    []IdeaLabel     `json:"labels" doc:"Labels available to cards of the board."`
	CreatedAt Timestamp       `json:"createdAt" doc:"Time at which the board was created."`
	UpdatedAt Timestamp       `json:"updatedAt" doc:"Time of the last change of the board or of a card on it."`
}

// IdeaColumn is a column of a board.
type IdeaColumn struct {
	ID        ident.IdeaColumn `json:"id" format:"uuid" example:"0190a3cf-b5ac-7123-a4ee-f3b1c035e4f9" doc:"ID of the column."`
	Name      string           `json:"name" example:"Ideas" doc:"Name of the column."`
	CardCount int              `json:"cardCount" example:"1" doc:"Number of cards in the column."`
}

// IdeaLabel is a label of a board.
type IdeaLabel struct {
	ID    ident.IdeaLabel `json:"id" format:"uuid" example:"0190a3d0-c6bd-7234-b5ff-04c2d146f50a" doc:"ID of the label."`
	Name  string          `json:"name" example:"Behind the scenes" doc:"Name of the label."`
	Color string          `json:"color" example:"#6a1b9a" doc:"Color of the label: #rrggbb in lower case, dark enough for white text."`
}

// IdeaBoardCards is a board with a page of its cards.
type IdeaBoardCards struct {
	IdeaBoard
	Cards      []IdeaCard   `json:"cards" doc:"Cards by column from left to right, then from top to bottom."`
	NextCursor OptionalText `json:"nextCursor" doc:"Cursor of the following cards; null if there are none."`
}

// TransformSchema completes the documentation.
func (IdeaBoardCards) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["nextCursor"].Examples = []any{"AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ", nil}
	return s
}

// IdeaBoardList is the list of the workspace's boards.
type IdeaBoardList struct {
	Data       []IdeaBoard  `json:"data" doc:"Boards, oldest first."`
	NextCursor OptionalText `json:"nextCursor" doc:"Always null: the list has a single page."`
}

// TransformSchema completes the documentation.
func (IdeaBoardList) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["nextCursor"].Examples = []any{nil}
	return s
}

// IdeaCard is the card in responses.
type IdeaCard struct {
	ID        ident.IdeaCard    `json:"id" format:"uuid" example:"0190a3d1-d7ce-7345-8610-15d3e25706fb" doc:"ID of the card."`
	BoardID   ident.IdeaBoard   `json:"boardId" format:"uuid" example:"0190a3ce-a49b-7012-93dd-e2a0bf24d3e8" doc:"ID of the card's board."`
	ColumnID  ident.IdeaColumn  `json:"columnId" format:"uuid" example:"0190a3cf-b5ac-7123-a4ee-f3b1c035e4f9" doc:"ID of the card's column."`
	Position  int               `json:"position" minimum:"0" example:"0" doc:"Zero-based position in the column, from the top."`
	Title     string            `json:"title" example:"Behind the scenes: the new kiln" doc:"The idea in one line."`
	Content   string            `json:"content" example:"Three photos, then the first firing as a reel." doc:"Notes; empty if there are none."`
	LabelIDs  []ident.IdeaLabel `json:"labelIds" format:"uuid" example:"[\"0190a3d0-c6bd-7234-b5ff-04c2d146f50a\"]" doc:"IDs of the card's labels, in the board's order."`
	MediaIDs  []ident.Media     `json:"mediaIds" format:"uuid" doc:"IDs of the card's media, in display order."`
	Link      OptionalText      `json:"link" example:"https://example.com/ceramics-trends" doc:"Source of the idea; null if there is none."`
	CreatedAt Timestamp         `json:"createdAt" doc:"Time at which the card was created."`
	UpdatedAt Timestamp         `json:"updatedAt" doc:"Time of the last change of the card."`
}

// ToAPIIdeaBoard converts a board without its cards.
func ToAPIIdeaBoard(b idea.Board) IdeaBoard {
	out := IdeaBoard{
		ID: b.ID, Name: b.Name, CardCount: b.Cards(), Columns: make([]IdeaColumn, len(b.Columns)),
		Labels:    make([]IdeaLabel, len(b.Labels)),
		CreatedAt: Timestamp(b.CreatedAt), UpdatedAt: Timestamp(b.UpdatedAt),
	}
	for i, c := range b.Columns {
		out.Columns[i] = IdeaColumn{ID: c.ID, Name: c.Name, CardCount: c.Cards}
	}
	for i, l := range b.Labels {
		out.Labels[i] = IdeaLabel(l)
	}
	return out
}

// ToAPIIdeaBoards converts boards.
func ToAPIIdeaBoards(boards []idea.Board) IdeaBoardList {
	data := each(boards, ToAPIIdeaBoard)
	return IdeaBoardList{Data: data}
}

// ToAPIIdeaCard converts a card.
func ToAPIIdeaCard(c idea.Card) IdeaCard {
	return IdeaCard{
		ID: c.ID, BoardID: c.BoardID, ColumnID: c.ColumnID, Position: c.Position, Title: c.Title, Content: c.Content,
		LabelIDs: listed(c.LabelIDs),
		MediaIDs: listed(c.MediaIDs), Link: OptionalText(c.Link), CreatedAt: Timestamp(c.CreatedAt),
		UpdatedAt: Timestamp(c.UpdatedAt),
	}
}

// listed returns a list that is never nil, so that it is never null in JSON.
func listed[T any](values []T) []T { return append(make([]T, 0, len(values)), values...) }

// ToAPIIdeaCards converts the cards of a page.
func ToAPIIdeaCards(cards []postgres.PlacedCard) []IdeaCard {
	out := make([]IdeaCard, len(cards))
	for i, c := range cards {
		out[i] = ToAPIIdeaCard(c.Card)
	}
	return out
}
