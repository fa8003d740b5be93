// Package idea holds the idea boards of a workspace: cards with what might become a post, in columns, with labels
// (specification, Idea boards; decisions, section 8).
//
// Decisions are pure functions: they take a board as read and return what is to be written.
package idea

import (
	"time"

	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// MaxCards is how many cards a board may have.
const MaxCards = 2000

// Board is an idea board of a workspace, without its cards.
type Board struct {
	ID          ident.IdeaBoard
	WorkspaceID ident.Workspace
	Name        string
	Columns     []Column // from left to right, at least one
	Labels      []Label  // in the order in which they are offered
	CreatedAt   time.Time
	UpdatedAt   time.Time // of the board, or of a card on it
}

// Cards is how many cards are on the board.
func (b Board) Cards() int {
	n := 0
	for _, c := range b.Columns {
		n += c.Cards
	}
	return n
}

// Column is a stage that cards go through.
type Column struct {
	ID    ident.IdeaColumn `json:"id"`
	Name  string           `json:"name"`
	Cards int              `json:"cards"` // how many stand in it
}

// Label marks cards of a kind, whatever their column.
type Label struct {
	ID    ident.IdeaLabel `json:"id"`
	Name  string          `json:"name"`
	Color string          `json:"color"` // #rrggbb in lower case; white text on it can be read
}

// Card is one idea.
type Card struct {
	ID        ident.IdeaCard
	BoardID   ident.IdeaBoard
	ColumnID  ident.IdeaColumn
	Position  int // in its column, from 0 at the top
	Title     string
	Content   string            // notes; empty when there are none
	LabelIDs  []ident.IdeaLabel // in the board's order
	MediaIDs  []ident.Media     // in the order in which they are shown
	Link      string            // where the idea comes from; empty when that is nowhere
	CreatedAt time.Time
	UpdatedAt time.Time
}

// DefaultBoard is the board that every workspace is made with. The migration that brought boards has made the same for the
// workspaces that were there before.
func DefaultBoard(workspace ident.Workspace, now time.Time) Board {
	b := Board{ID: ident.New[ident.IdeaBoard](), WorkspaceID: workspace, Name: "Ideas", CreatedAt: now, UpdatedAt: now}
	for _, name := range []string{"Ideas", "In progress", "Ready", "Done"} {
		b.Columns = append(b.Columns, Column{ID: ident.New[ident.IdeaColumn](), Name: name})
	}
	for _, l := range []Label{
		{Name: "Evergreen", Color: "#2e7d32"},
		{Name: "Campaign", Color: "#1565c0"},
		{Name: "Announcement", Color: "#c62828"},
		{Name: "Behind the scenes", Color: "#6a1b9a"},
		{Name: "Question", Color: "#a15c00"},
	} {
		l.ID = ident.New[ident.IdeaLabel]()
		b.Labels = append(b.Labels, l)
	}
	return b
}

// column finds the column in which a card is to stand: the first one unless another is named. NOT_FOUND when the board has
// none of this id.
func (b Board) column(id ident.IdeaColumn) (Column, error) {
	for _, c := range b.Columns {
		if id.IsZero() || c.ID == id {
			return c, nil
		}
	}
	return Column{}, apperr.New(apperr.NotFound, "There is no column %s on this board.", id)
}
