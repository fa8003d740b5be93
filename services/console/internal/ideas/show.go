package ideas

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
)

// showPage is the data of the page of a card.
type showPage struct {
	card

	Form   form
	Path   string
	Back   string // the board
	Board  string
	Column string
	May    bool
}

func (p *pages) show(v *frame.Visit) error {
	b, c, err := p.cardOf(v)
	if err != nil {
		return err
	}
	return p.showWith(v, b, c, http.StatusOK, of(v, c.Card))
}

// showWith responds with the page of a card and a form.
func (p *pages) showWith(v *frame.Visit, b idea.Board, c postgres.PlacedCard, status int, f form) error {
	if err := p.choices(v, b, &f); err != nil {
		return err
	}
	cards, err := p.cards(v, b, []postgres.PlacedCard{c})
	if err != nil {
		return err
	}
	data := showPage{
		card: cards[0], Form: f, Path: cardPath(v, c.ID), Back: boardPath(v, b.ID), Board: b.Name, May: v.Principal.Allows(credential.IdeasWrite),
	}
	for _, one := range b.Columns {
		if one.ID == c.ColumnID {
			data.Column = one.Name
		}
	}
	return page(v, status, "show", c.Title, data)
}

// invalid returns the faults of a card that do not depend on its board.
func invalid(in idea.NewCard) error { return apperr.Invalid(in.Faults()) }

// edit stores the form of a card. Fields that another member changed keep that change unless the visitor changed them too: then
// the page shows both.
func (p *pages) edit(v *frame.Visit) error {
	b, c, err := p.cardOf(v)
	if err != nil {
		return err
	}
	f := sent(v)
	f.Action = cardPath(v, c.ID)
	in := idea.EditCard{NewCard: f.input(), Seen: f.Seen}
	if len(f.Faults) > 0 {
		f.add(invalid(in.NewCard))
		return p.showWith(v, b, c, http.StatusUnprocessableEntity, f)
	}
	_, err = p.app.EditIdea(v.Request.Context(), v.Principal, c.ID, in)
	if both, changed := errors.AsType[*idea.Conflict](err); changed {
		if b, c, err = p.cardOf(v); err != nil {
			return err
		}
		f.meet(b, c, both.Fields)
		return p.showWith(v, b, c, http.StatusConflict, f)
	}
	switch {
	case f.add(err):
		return p.showWith(v, b, c, http.StatusUnprocessableEntity, f)
	case err != nil:
		return err
	}
	return v.Done(cardPath(v, c.ID), "Saved.")
}

// meet puts what another member set beside what the visitor entered. Sent again, the form replaces it.
func (f *form) meet(b idea.Board, c postgres.PlacedCard, fields []string) {
	now := map[string]string{
		idea.FieldTitle: c.Title, idea.FieldContent: c.Content, idea.FieldLink: c.Link, idea.FieldMedia: files(len(c.MediaIDs)),
	}
	if !c.Due.IsZero() {
		now[idea.FieldDue] = c.Due.Format("2 January 2006")
	}
	var names []string
	for _, l := range b.Labels {
		for _, id := range c.LabelIDs {
			if l.ID == id {
				names = append(names, l.Name)
			}
		}
	}
	now[idea.FieldLabels] = strings.Join(names, ", ")
	f.Editor, f.Theirs = c.Editor, make(map[string]string)
	for _, field := range fields {
		f.Theirs[field], f.Seen[field] = now[field], c.Prints()[field]
	}
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return strconv.Itoa(n) + " files"
}
