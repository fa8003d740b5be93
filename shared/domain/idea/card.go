package idea

import (
	"slices"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Limits of a card: texts in characters, the link in bytes.
const (
	MaxTitle   = 200
	MaxContent = 10_000
	MaxLink    = 2048
	MaxLabels  = 20
	MaxMedia   = 20
)

// NewCard is the input of a new card. Only the title is required.
type NewCard struct {
	ID       ident.IdeaCard   // zero: a new one
	ColumnID ident.IdeaColumn // zero: the first column
	Position *int             // in the column, from 0 at the top; nil: at the end
	Title    string
	Content  string
	LabelIDs []ident.IdeaLabel
	MediaIDs []ident.Media
	Link     string     // http or https
	Due      time.Time  // the day until which something is to become of it, at midnight UTC; zero: none
	AuthorID ident.User // zero: no person
}

// Faults returns every fault of the card that does not depend on the board.
func (in NewCard) Faults() []apperr.Field {
	_, f := in.card()
	return f
}

func (in NewCard) card() (Card, faults) {
	var f faults
	c := Card{
		Title: f.title(in.Title), Content: f.text("/content", in.Content, MaxContent), Link: f.link(in.Link),
		MediaIDs: in.MediaIDs, Due: in.Due, AuthorID: in.AuthorID, EditorID: in.AuthorID,
	}
	f.each("/labelIds", len(in.LabelIDs), MaxLabels, twice(in.LabelIDs))
	f.each("/mediaIds", len(in.MediaIDs), MaxMedia, twice(in.MediaIDs))
	if in.Position != nil && *in.Position < 0 {
		f.add("/position", "must be at least 0")
	}
	return c, f
}

// AddCard returns a new card for the board in its current state. It returns VALIDATION_FAILED with every fault at once,
// NOT_FOUND for a column or a label that the board does not have, and QUOTA_EXCEEDED if the board is full. It does not
// check whether the assets exist.
func (b Board) AddCard(in NewCard, now time.Time) (Card, error) {
	c, f := in.card()
	column, unknown := b.column(in.ColumnID)
	if c.Position = column.Cards; in.Position != nil {
		c.Position = *in.Position
	}
	if unknown == nil && c.Position > column.Cards {
		f.add("/position", "must be at most %d, the number of cards in the column %q", column.Cards, column.Name)
	}
	if err := apperr.Invalid(f); err != nil {
		return Card{}, err
	}
	if unknown != nil {
		return Card{}, unknown
	}
	var err error
	if c.LabelIDs, err = b.labels(in.LabelIDs); err != nil {
		return Card{}, err
	}
	if n := b.Cards(); n >= MaxCards {
		return Card{}, apperr.New(apperr.QuotaExceeded, "The board has %d cards, and %d are allowed.", n, MaxCards)
	}
	if c.ID = in.ID; c.ID.IsZero() {
		c.ID = ident.New[ident.IdeaCard]()
	}
	c.BoardID, c.ColumnID, c.CreatedAt, c.UpdatedAt = b.ID, column.ID, now, now
	return c, nil
}

// labels returns the IDs in the board's order. It returns NOT_FOUND for a label that the board does not have.
func (b Board) labels(ids []ident.IdeaLabel) ([]ident.IdeaLabel, error) {
	wanted := slices.Clone(ids)
	ordered := make([]ident.IdeaLabel, 0, len(ids))
	for _, l := range b.Labels {
		if at := slices.Index(wanted, l.ID); at >= 0 {
			ordered, wanted = append(ordered, l.ID), slices.Delete(wanted, at, at+1)
		}
	}
	if len(wanted) > 0 {
		return nil, apperr.New(apperr.NotFound, "There is no label %s on this board.", wanted[0])
	}
	return ordered, nil
}

// twice returns the indexes of values that occurred before.
func twice[T comparable](values []T) (places []int) {
	seen := make(map[T]bool, len(values))
	for i, v := range values {
		if seen[v] {
			places = append(places, i)
		}
		seen[v] = true
	}
	return places
}
