package apiforms

import (
	"github.com/danielgtaylor/huma/v2"

	"socialpub.internal/shared/domain/idea"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/ident"
)

// IdeaBoard is the idea board in responses, without its cards.
type IdeaBoard struct {
	ID        ident.IdeaBoard `json:"id" format:"uuid" example:"0190a3ce-a49b-7012-93dd-e2a0bf24d3e8" doc:"Id of the board."`
	Name      string          `json:"name" example:"Ideas" doc:"Name of the board."`
	CardCount int             `json:"cardCount" example:"1" doc:"How many cards are on the board."`
	Columns   []IdeaColumn    `json:"columns" doc:"Columns from left to right: the stages that an idea goes through."`
	Labels    []IdeaLabel     `json:"labels" doc:"Labels that cards of the board can have."`
	CreatedAt Timestamp       `json:"createdAt" doc:"When the board was made."`
	UpdatedAt Timestamp       `json:"updatedAt" doc:"When the board or a card on it changed last."`
}

// IdeaColumn is a column of a board.
type IdeaColumn struct {
	ID        ident.IdeaColumn `json:"id" format:"uuid" example:"0190a3cf-b5ac-7123-a4ee-f3b1c035e4f9" doc:"Id of the column."`
	Name      string           `json:"name" example:"Ideas" doc:"Name of the column."`
	CardCount int              `json:"cardCount" example:"1" doc:"How many cards stand in the column."`
}

// IdeaLabel is a label of a board.
type IdeaLabel struct {
	ID    ident.IdeaLabel `json:"id" format:"uuid" example:"0190a3d0-c6bd-7234-b5ff-04c2d146f50a" doc:"Id of the label."`
	Name  string          `json:"name" example:"Behind the scenes" doc:"Name of the label."`
	Color string          `json:"color" example:"#6a1b9a" doc:"Colour of the label: #rrggbb in lower case, dark enough for white text."`
}

// IdeaBoardCards is a board with a page of its cards.
type IdeaBoardCards struct {
	IdeaBoard
	Cards      []IdeaCard   `json:"cards" doc:"Cards column by column from the left, each from its top."`
	NextCursor OptionalText `json:"nextCursor" doc:"Cursor of the cards that follow; null when there are none."`
}

// TransformSchema completes the documentation.
func (IdeaBoardCards) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["nextCursor"].Examples = []any{"AQGQo8YsE356m1VqLj1MW2BvQ2k3c1R5bWx3aGVyZQ", nil}
	return s
}

// IdeaBoardList is the list of the workspace's boards.
type IdeaBoardList struct {
	Data       []IdeaBoard  `json:"data" doc:"Boards, oldest first."`
	NextCursor OptionalText `json:"nextCursor" doc:"Always null: there is one page only."`
}

// TransformSchema completes the documentation.
func (IdeaBoardList) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["nextCursor"].Examples = []any{nil}
	return s
}

// IdeaCard is the card in responses.
type IdeaCard struct {
	ID        ident.IdeaCard    `json:"id" format:"uuid" example:"0190a3d1-d7ce-7345-8610-15d3e25706fb" doc:"Id of the card."`
	BoardID   ident.IdeaBoard   `json:"boardId" format:"uuid" example:"0190a3ce-a49b-7012-93dd-e2a0bf24d3e8" doc:"The board that it is on."`
	ColumnID  ident.IdeaColumn  `json:"columnId" format:"uuid" example:"0190a3cf-b5ac-7123-a4ee-f3b1c035e4f9" doc:"The column that it stands in."`
	Position  int               `json:"position" minimum:"0" example:"0" doc:"Its place in the column: so many cards stand above it."`
	Title     string            `json:"title" example:"Behind the scenes: the new kiln" doc:"What the idea is."`
	Content   string            `json:"content" example:"Three photos, then the first firing as a reel." doc:"Notes; empty when there are none."`
	LabelIDs  []ident.IdeaLabel `json:"labelIds" format:"uuid" example:"[\"0190a3d0-c6bd-7234-b5ff-04c2d146f50a\"]" doc:"Its labels, in the board's order."`
	MediaIDs  []ident.Media     `json:"mediaIds" format:"uuid" doc:"Its media in display order."`
	Link      OptionalText      `json:"link" example:"https://example.com/ceramics-trends" doc:"Where the idea comes from; null when that is nowhere."`
	CreatedAt Timestamp         `json:"createdAt" doc:"When the card was made."`
	UpdatedAt Timestamp         `json:"updatedAt" doc:"When the card changed last."`
}

// ToAPIIdeaBoard converts a board without its cards.
func ToAPIIdeaBoard(b idea.Board) IdeaBoard {
	out := IdeaBoard{
		ID: b.ID, Name: b.Name, CardCount: b.Cards(), Columns: make([]IdeaColumn, len(b.Columns)), Labels: make([]IdeaLabel, len(b.Labels)),
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
	data := make([]IdeaBoard, len(boards))
	for i, b := range boards {
		data[i] = ToAPIIdeaBoard(b)
	}
	return IdeaBoardList{Data: data}
}

// ToAPIIdeaCard converts a card.
func ToAPIIdeaCard(c idea.Card) IdeaCard {
	return IdeaCard{
		ID: c.ID, BoardID: c.BoardID, ColumnID: c.ColumnID, Position: c.Position, Title: c.Title, Content: c.Content, LabelIDs: listed(c.LabelIDs),
		MediaIDs: listed(c.MediaIDs), Link: OptionalText(c.Link), CreatedAt: Timestamp(c.CreatedAt), UpdatedAt: Timestamp(c.UpdatedAt),
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
