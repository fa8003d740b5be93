package httpapi

import (
	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/kernel/ident"
)

const (
	exampleIdeaBoardID = "0190a3ce-a49b-7012-93dd-e2a0bf24d3e8"
	exampleIdeaColumn  = "0190a3cf-b5ac-7123-a4ee-f3b1c035e4f9"
	exampleIdeaLabel   = "0190a3d0-c6bd-7234-b5ff-04c2d146f50a"
	exampleIdeaTitle   = "Behind the scenes: the new kiln"
	exampleIdeaContent = "Three photos, then the first firing as a reel."
	exampleIdeaLink    = "https://example.com/ceramics-trends"
)

func exampleIdeaBoard() idea.Board {
	return idea.Board{
		ID: idOf[ident.IdeaBoard](exampleIdeaBoardID), Name: "Ideas",
		Columns: []idea.Column{
			{ID: idOf[ident.IdeaColumn](exampleIdeaColumn), Name: "Ideas", Cards: 1},
			{ID: idOf[ident.IdeaColumn]("0190a3cf-b5ad-7d44-8e0f-63b0d1f2a774"), Name: "In progress"},
		},
		Labels:    []idea.Label{{ID: idOf[ident.IdeaLabel](exampleIdeaLabel), Name: "Behind the scenes", Color: "#6a1b9a"}},
		CreatedAt: exampleDay(5), UpdatedAt: exampleDay(6),
	}
}

func exampleIdeaCard() idea.Card {
	return idea.Card{
		ID: idOf[ident.IdeaCard]("0190a3d1-d7ce-7345-8610-15d3e25706fb"), BoardID: idOf[ident.IdeaBoard](exampleIdeaBoardID),
		ColumnID: idOf[ident.IdeaColumn](exampleIdeaColumn), Title: exampleIdeaTitle, Content: exampleIdeaContent,
		LabelIDs: []ident.IdeaLabel{idOf[ident.IdeaLabel](exampleIdeaLabel)},
		MediaIDs: []ident.Media{idOf[ident.Media](exampleMedia)},
		Link:     exampleIdeaLink, CreatedAt: exampleDay(6), UpdatedAt: exampleDay(6),
	}
}

// exampleNote returns a card with only a title.
func exampleNote() idea.Card {
	card := exampleIdeaCard()
	card.Content, card.Link, card.LabelIDs, card.MediaIDs = "", "", []ident.IdeaLabel{}, []ident.Media{}
	return card
}

func exampleIdeaBoardCards() apiforms.IdeaBoardCards {
	return apiforms.IdeaBoardCards{
		IdeaBoard: apiforms.ToAPIIdeaBoard(exampleIdeaBoard()),
		Cards:     []apiforms.IdeaCard{apiforms.ToAPIIdeaCard(exampleIdeaCard())},
	}
}
