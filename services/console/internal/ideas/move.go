package ideas

import (
	"errors"
	"net/http"
	"strconv"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// movePage is the data of the page that moves a card.
type movePage struct {
	idea.Card

	Path, Back string
	Columns    []idea.Column
	To         ident.IdeaColumn // that was chosen
	From       string           // name of the present column
	Place      string           // that was entered
	Fault      string
	Faults     map[string]string
}

// Now returns the present place of the card, from 1 at the top.
func (m movePage) Now() int { return m.Position + 1 }

// moving shows the columns to which a card can be moved, and asks for the place.
func (p *pages) moving(v *frame.Visit) error {
	b, c, err := p.cardOf(v)
	if err != nil {
		return err
	}
	return moveForm(v, http.StatusOK, b, c, movePage{To: c.ColumnID})
}

func moveForm(v *frame.Visit, status int, b idea.Board, c postgres.PlacedCard, data movePage) error {
	data.Card, data.Path, data.Back, data.Columns = c.Card, cardPath(v, c.ID), backOf(v, b, c), b.Columns
	for _, one := range b.Columns {
		if one.ID == c.ColumnID {
			data.From = one.Name
		}
	}
	return page(v, status, "move", "Move "+c.Title, data)
}

// backOf returns the page to which a move leads back.
func backOf(v *frame.Visit, b idea.Board, c postgres.PlacedCard) string {
	if v.Query("back") == "card" {
		return cardPath(v, c.ID)
	}
	return boardPath(v, b.ID)
}

// place reads the place of the form: above or below another card, or a number from 1 at the top.
func place(v *frame.Visit) (in idea.Move, faults map[string]string) {
	in.To, _ = ident.Parse[ident.IdeaColumn](v.Form("to"))     // zero is refused
	in.From, _ = ident.Parse[ident.IdeaColumn](v.Form("from")) // zero: any
	in.Before, _ = ident.Parse[ident.IdeaCard](v.Form("before"))
	in.After, _ = ident.Parse[ident.IdeaCard](v.Form("after"))
	if text := v.Form("place"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return in, map[string]string{"place": "Enter a number from 1."}
		}
		in.Position = new(n - 1)
	}
	return in, nil
}

// move moves a card. It responds to the page's script with a text.
func (p *pages) move(v *frame.Visit) error {
	b, c, err := p.cardOf(v)
	if err != nil {
		if v.ByScript() && apperr.Is(err, apperr.NotFound) {
			return v.Plain(http.StatusNotFound, "The idea is not here any more.")
		}
		return err
	}
	in, faults := place(v)
	if faults == nil {
		_, err = p.app.MoveIdea(v.Request.Context(), v.Principal, c.ID, in)
		faults, _ = frame.Faults(err)
	}
	switch {
	case len(faults) > 0:
		return p.unmoved(v, http.StatusUnprocessableEntity, movePage{To: in.To, Fault: "The idea was not moved.", Faults: faults})
	case errors.Is(err, idea.ErrMoved):
		return p.unmoved(v, http.StatusConflict, movePage{To: in.To, Fault: "Another member moved the idea meanwhile."})
	case apperr.Is(err, apperr.NotFound):
		return p.unmoved(v, http.StatusUnprocessableEntity, movePage{To: in.To, Fault: "The column is not here any more."})
	case err != nil:
		return err
	}
	words := "Moved to " + nameOf(b, in.To) + "."
	if v.ByScript() {
		return v.Plain(http.StatusOK, words)
	}
	return v.Done(backOf(v, b, c), words)
}

// unmoved responds with the reason why a card was not moved.
func (p *pages) unmoved(v *frame.Visit, status int, data movePage) error {
	if v.ByScript() {
		return v.Plain(status, data.Fault)
	}
	b, c, err := p.cardOf(v)
	if err != nil {
		return err
	}
	data.Place = v.Form("place")
	return moveForm(v, status, b, c, data)
}

// nameOf returns the name of a column.
func nameOf(b idea.Board, id ident.IdeaColumn) string {
	for _, c := range b.Columns {
		if c.ID == id {
			return c.Name
		}
	}
	return ""
}
