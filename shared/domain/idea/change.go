package idea

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/kernel/plaintext"
)

// The fields of a card that people edit.
const (
	FieldTitle   = "title"
	FieldContent = "content"
	FieldLink    = "link"
	FieldLabels  = "labels"
	FieldMedia   = "media"
	FieldDue     = "due"
)

// Fields returns the fields of a card that people edit.
func Fields() []string {
	return []string{FieldTitle, FieldContent, FieldLink, FieldLabels, FieldMedia, FieldDue}
}

// Prints returns a short hash of each field of the card. A form keeps them, so that its edit is compared with what the person
// saw.
func (c Card) Prints() map[string]string {
	prints := make(map[string]string)
	for field, value := range map[string]any{
		FieldTitle: c.Title, FieldContent: c.Content, FieldLink: c.Link, FieldLabels: c.LabelIDs, FieldMedia: c.MediaIDs,
		FieldDue: c.Due.UTC().Format(time.DateOnly),
	} {
		const long = 8
		sum := sha256.Sum256(fmt.Appendf(nil, "%s", value))
		prints[field] = hex.EncodeToString(sum[:long])
	}
	return prints
}

// EditCard has the fields of a card as a person entered them.
type EditCard struct {
	NewCard

	Seen map[string]string // the Prints of the card that the person saw
	By   ident.User
}

// ErrChanged is the cause of every Conflict, also of one about columns and labels.
var ErrChanged = apperr.New(apperr.InvalidState, "Another member changed this since you opened it. Look at it and try again.")

// Conflict reports fields that a person changed and another member too, since the person opened the card.
type Conflict struct{ Fields []string }

// Error names the fields.
func (c *Conflict) Error() string {
	return "another member changed the same fields: " + strings.Join(c.Fields, ", ")
}

// Unwrap returns ErrChanged.
func (c *Conflict) Unwrap() error { return ErrChanged }

// EditCard returns the card with the fields that the person changed. Those that the person left as they were keep what others
// set meanwhile, and labels that the board no longer has are left out. It returns VALIDATION_FAILED with every fault, and a
// Conflict.
func (b Board) EditCard(c Card, in EditCard, now time.Time) (Card, error) {
	mine, f := in.card()
	if err := apperr.Invalid(f); err != nil {
		return c, err
	}
	mine.LabelIDs = b.KnownLabels(in.LabelIDs)
	var both []string
	next, wanted, theirs := c, mine.Prints(), c.Prints()
	for _, field := range Fields() {
		switch {
		case wanted[field] == in.Seen[field], wanted[field] == theirs[field]:
		case theirs[field] != in.Seen[field]:
			both = append(both, field)
		default:
			next = next.with(field, mine)
			next.EditorID, next.UpdatedAt = in.By, later(c.UpdatedAt, now)
		}
	}
	if len(both) > 0 {
		return c, &Conflict{both}
	}
	return next, nil
}

// with returns the card with a field of another one.
func (c Card) with(field string, of Card) Card {
	switch field {
	case FieldTitle:
		c.Title = of.Title
	case FieldContent:
		c.Content = of.Content
	case FieldLink:
		c.Link = of.Link
	case FieldLabels:
		c.LabelIDs = of.LabelIDs
	case FieldMedia:
		c.MediaIDs = of.MediaIDs
	case FieldDue:
		c.Due = of.Due
	}
	return c
}

// later returns the second time unless it is before the first one, as on a clock that is behind.
func later(before, now time.Time) time.Time {
	if now.Before(before) {
		return before
	}
	return now
}

// KnownLabels returns those of the labels that the board has, in the board's order.
func (b Board) KnownLabels(ids []ident.IdeaLabel) []ident.IdeaLabel {
	known := make([]ident.IdeaLabel, 0, len(ids))
	for _, l := range b.Labels {
		if slices.Contains(ids, l.ID) {
			known = append(known, l.ID)
		}
	}
	return known
}

// Move is the place to which a person moves a card.
type Move struct {
	To       ident.IdeaColumn
	From     ident.IdeaColumn // in which the person saw the card; zero: any
	Before   ident.IdeaCard   // the card that is then below it; zero or in another column: After counts
	After    ident.IdeaCard   // the card that is then above it; zero or in another column: Position counts
	Position *int             // from 0 at the top, beyond the last one at the end; nil: at the end
	By       ident.User
}

// ErrMoved reports a card that another member moved since it was shown.
var ErrMoved = apperr.New(apperr.InvalidState, "Another member moved the idea meanwhile.")

// MoveCard returns the card at another place. The order has the cards of the column to which it is moved. It returns
// VALIDATION_FAILED without a column, NOT_FOUND for one that the board does not have, and ErrMoved.
func (b Board) MoveCard(c Card, in Move, order []ident.IdeaCard, now time.Time) (Card, error) {
	if in.To.IsZero() {
		return c, apperr.Invalid([]apperr.Field{{Pointer: "/to", Message: "choose a column"}})
	}
	if _, err := b.column(in.To); err != nil {
		return c, err
	}
	if !in.From.IsZero() && in.From != c.ColumnID && in.To != c.ColumnID {
		return c, ErrMoved
	}
	others := slices.DeleteFunc(slices.Clone(order), func(id ident.IdeaCard) bool { return id == c.ID })
	at := in.place(others)
	if in.To != c.ColumnID || at != c.Position {
		c.ColumnID, c.Position, c.EditorID, c.UpdatedAt = in.To, at, in.By, later(c.UpdatedAt, now)
	}
	return c, nil
}

// place returns the place of the card among the other ones of its column.
func (m Move) place(others []ident.IdeaCard) int {
	if at := slices.Index(others, m.Before); at >= 0 {
		return at
	}
	if at := slices.Index(others, m.After); at >= 0 {
		return at + 1
	}
	if m.Position == nil {
		return len(others)
	}
	return min(max(*m.Position, 0), len(others))
}

// Captured returns the input with the first web address of its title as its link, unless it has a link. A title that is nothing
// but an address becomes the address without its scheme.
func (in NewCard) Captured() NewCard {
	if strings.TrimSpace(in.Link) != "" || !plaintext.OneLine(strings.TrimSpace(in.Title)) {
		return in
	}
	words := strings.Fields(in.Title)
	at := slices.IndexFunc(words, func(word string) bool {
		_, err := plaintext.ParseURL(word)
		return err == nil
	})
	if at < 0 {
		return in
	}
	in.Link = words[at]
	if in.Title = strings.Join(slices.Delete(words, at, at+1), " "); in.Title != "" {
		return in
	}
	_, rest, _ := strings.Cut(in.Link, "://")
	in.Title = strings.TrimSuffix(rest, "/")
	if text := []rune(in.Title); len(text) > MaxTitle {
		in.Title = string(text[:MaxTitle-1]) + "…"
	}
	return in
}
