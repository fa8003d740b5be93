package ideas

import (
	"errors"
	"net/http"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// arrangePage is the data of the page that arranges a board.
type arrangePage struct {
	idea.Board

	Path   string
	Parts  []part // its columns, then its labels
	Name   string // of the board, as it was sent
	New    idea.Look
	Of     string // the part that was refused: board, columns, labels, or an ID
	Fault  string
	Faults map[string]string
	Last   bool // it is the only board
}

// part is a column or a label.
type part struct {
	idea.Look

	ID, Kind string // columns or labels
	Seen     idea.Look
	Cards    int
	Leftmost bool
	Last     bool
	Others   []idea.Column // to which the cards of a column can go
}

// faultOf returns the fault of a field, if the form of the part was refused.
func (a arrangePage) faultOf(of, field string) string {
	if a.Of != of {
		return ""
	}
	return a.Faults[field]
}

// NameFault, ColorFault and IntoFault return the faults of a part.
func (a arrangePage) NameFault(of string) string  { return a.faultOf(of, "name") }
func (a arrangePage) ColorFault(of string) string { return a.faultOf(of, "color") }
func (a arrangePage) IntoFault(of string) string  { return a.faultOf(of, "into") }

// Entered returns the name that was entered for a new part, if it was refused.
func (a arrangePage) Entered(of string) string {
	if a.Of != of {
		return ""
	}
	return a.New.Name
}

func (p *pages) arranging(v *frame.Visit) error {
	b, err := p.boardOf(v)
	if err != nil {
		return err
	}
	return p.arrangeForm(v, http.StatusOK, b, arrangePage{Name: b.Name})
}

func (p *pages) arrangeForm(v *frame.Visit, status int, b idea.Board, data arrangePage) error {
	boards, err := p.app.IdeaBoards(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	data.Board, data.Path, data.Last = b, boardPath(v, b.ID), len(boards) == 1
	for i, c := range b.Columns {
		one := part{
			Look: idea.Look{Name: c.Name, Color: c.Color}, ID: c.ID.String(), Kind: "columns", Cards: c.Cards, Leftmost: i == 0,
			Last: i == len(b.Columns)-1,
		}
		for _, other := range b.Columns {
			if other.ID != c.ID {
				one.Others = append(one.Others, other)
			}
		}
		data.Parts = append(data.Parts, one)
	}
	for _, l := range b.Labels {
		data.Parts = append(data.Parts, part{Look: idea.Look{Name: l.Name, Color: l.Color}, ID: l.ID.String(), Kind: "labels"})
	}
	for i, one := range data.Parts {
		data.Parts[i].Seen = one.Look
		if one.ID == data.Of {
			data.Parts[i].Look = data.New
		}
	}
	return page(v, status, "arrange", "Arrange "+b.Name, data)
}

// arrange changes the board of the address. If that is refused, the page says why at the part, and keeps what was entered.
func (p *pages) arrange(
	v *frame.Visit, of string, into ident.IdeaColumn, notice string, change func(b idea.Board, now time.Time) (idea.Board, error),
) error {
	b, err := p.boardOf(v)
	if err != nil {
		return err
	}
	return p.arranged(v, b, of, notice, p.app.ArrangeIdeas(v.Request.Context(), v.Principal, b.ID, into, change))
}

// arranged responds to the change of a board.
func (p *pages) arranged(v *frame.Visit, b idea.Board, of, notice string, err error) error {
	data := arrangePage{Of: of, Name: b.Name, New: idea.Look{Name: v.Form("name"), Color: v.Form("color")}}
	if of == "board" {
		data.Name = v.Form("name")
	}
	faults, refused := frame.Faults(err)
	known, _ := errors.AsType[*apperr.Error](err)
	changed := errors.Is(err, idea.ErrChanged)
	switch {
	case err == nil:
		return v.Done(boardPath(v, b.ID)+"/arrange", notice)
	case refused:
		data.Faults = faults
	case changed, known != nil && (known.Code == apperr.QuotaExceeded || known.Code == apperr.InvalidState):
		data.Fault = known.Message
		if b, err = p.boardOf(v); err != nil {
			return err
		}
	default:
		return err
	}
	return p.arrangeForm(v, conflictOr(!refused), b, data)
}

// look reads the name and the color of a form, and those that the person saw.
func look(v *frame.Visit) (was, to idea.Look) {
	return idea.Look{Name: v.Form("was.name"), Color: v.Form("was.color")}, idea.Look{Name: v.Form("name"), Color: v.Form("color")}
}

func (p *pages) addColumn(v *frame.Visit) error {
	_, to := look(v)
	return p.arrange(v, "columns", ident.IdeaColumn{}, "Column added.", func(b idea.Board, now time.Time) (idea.Board, error) {
		return b.AddColumn(to, now)
	})
}

// changeColumn changes the name and the color of a column, shifts it, or removes it.
func (p *pages) changeColumn(v *frame.Visit) error {
	id, err := frame.PathID(v, "column", ident.Parse[ident.IdeaColumn])
	if err != nil {
		return err
	}
	was, to := look(v)
	into, _ := ident.Parse[ident.IdeaColumn](v.Form("into")) // zero is refused if the column has cards
	notice := "Saved."
	if v.Form("do") == "remove" {
		notice = "Column removed."
	}
	return p.arrange(v, id.String(), into, notice, func(b idea.Board, now time.Time) (idea.Board, error) {
		switch v.Form("do") {
		case "left":
			return b.ShiftColumn(id, -1, now)
		case "right":
			return b.ShiftColumn(id, 1, now)
		case "remove":
			return b.RemoveColumn(id, into, now)
		default:
			return b.ChangeColumn(id, was, to, now)
		}
	})
}

func (p *pages) addLabel(v *frame.Visit) error {
	_, to := look(v)
	return p.arrange(v, "labels", ident.IdeaColumn{}, "Label added.", func(b idea.Board, now time.Time) (idea.Board, error) {
		return b.AddLabel(to, now)
	})
}

// changeLabel changes the name and the color of a label, or removes it.
func (p *pages) changeLabel(v *frame.Visit) error {
	id, err := frame.PathID(v, "label", ident.Parse[ident.IdeaLabel])
	if err != nil {
		return err
	}
	was, to := look(v)
	if v.Form("do") == "remove" {
		return p.arrange(v, id.String(), ident.IdeaColumn{}, "Label removed.", func(b idea.Board, now time.Time) (idea.Board, error) {
			return b.RemoveLabel(id, now)
		})
	}
	return p.arrange(v, id.String(), ident.IdeaColumn{}, "Saved.", func(b idea.Board, now time.Time) (idea.Board, error) {
		return b.ChangeLabel(id, was, to, now)
	})
}

// newBoardPage is the data of the page of a new board.
type newBoardPage struct{ Name, Fault string }

func (p *pages) newBoard(v *frame.Visit) error {
	return page(v, http.StatusOK, "newboard", "New board", newBoardPage{})
}

func (p *pages) addBoard(v *frame.Visit) error {
	b, err := p.app.AddIdeaBoard(v.Request.Context(), v.Principal, v.Form("name"))
	faults, refused := frame.Faults(err)
	if refused {
		return page(v, http.StatusUnprocessableEntity, "newboard", "New board", newBoardPage{v.Form("name"), faults["name"]})
	}
	if err != nil {
		return err
	}
	return v.Done(boardPath(v, b.ID), "Board added.")
}

// rename gives the board another name.
func (p *pages) rename(v *frame.Visit) error {
	b, err := p.boardOf(v)
	if err != nil {
		return err
	}
	err = p.app.RenameIdeaBoard(v.Request.Context(), v.Principal, b.ID, v.Form("was.name"), v.Form("name"))
	return p.arranged(v, b, "board", "Saved.", err)
}

func (p *pages) deleteBoard(v *frame.Visit) error {
	b, err := p.boardOf(v)
	if err == nil {
		err = p.app.DeleteIdeaBoard(v.Request.Context(), v.Principal, b.ID)
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path(path), "“"+b.Name+"” deleted.")
}
