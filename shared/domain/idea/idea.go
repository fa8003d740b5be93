// Package idea defines the idea boards of a workspace: cards with ideas for posts, in columns, with labels
// (docs/contract.md, Idea boards).
//
// Decisions are pure functions: they take the current board and return the values to write.
package idea

import (
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// MaxCards is the maximum number of cards on a board.
const MaxCards = 2000

// Board is an idea board of a workspace, without its cards.
type Board struct {
	ID          ident.IdeaBoard
	WorkspaceID ident.Workspace
	Name        string
	Columns     []Column // from left to right, at least one
	Labels      []Label  // in display order
	CreatedAt   time.Time
	UpdatedAt   time.Time // of the board, or of a card on it
}

// Cards returns the number of cards on the board.
func (b Board) Cards() int {
	n := 0
	for _, c := range b.Columns {
		n += c.Cards
	}
	return n
}

// Column is a stage of cards.
type Column struct {
	ID    ident.IdeaColumn `json:"id"`
	Name  string           `json:"name"`
	Color string           `json:"color"` // #rrggbb in lower case; empty: none
	Cards int              `json:"cards"` // number of cards in the column
}

// Label classifies cards, independent of their column.
type Label struct {
	ID    ident.IdeaLabel `json:"id"`
	Name  string          `json:"name"`
	Color string          `json:"color"` // #rrggbb in lower case; dark enough for white text
}

// Card is one idea.
type Card struct {
	ID        ident.IdeaCard
	BoardID   ident.IdeaBoard
	ColumnID  ident.IdeaColumn
	Position  int // in its column, from 0 at the top
	Title     string
	Content   string            // notes; empty if there are none
	LabelIDs  []ident.IdeaLabel // in the board's order
	MediaIDs  []ident.Media     // in display order
	Link      string            // the source of the idea; empty if there is none
	Due       time.Time         // the day until which something is to become of it, at midnight UTC; zero: none
	AuthorID  ident.User        // zero: no person, or one who left
	EditorID  ident.User        // who changed it last
	Posts     []ident.Post      // that it became, in the order of their creation
	CreatedAt time.Time
	UpdatedAt time.Time
}

// DefaultBoard returns the board that every new workspace gets. The migration that introduced boards created the same
// one for existing workspaces.
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

// column returns the column for a card: the first one unless an ID is given. It returns NOT_FOUND if the board does not
// have the column.
func (b Board) column(id ident.IdeaColumn) (Column, error) {
	for _, c := range b.Columns {
		if id.IsZero() || c.ID == id {
			return c, nil
		}
	}
	return Column{}, apperr.New(apperr.NotFound, "There is no column %s on this board.", id)
}
