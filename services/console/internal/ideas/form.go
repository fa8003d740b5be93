package ideas

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/idea"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// form is the form of a card, as it is shown and as it was sent. Its fields are texts, so that nothing is lost when one is
// refused.
type form struct { //nolint:recvcheck // templates call Fault on the value
	Action   string
	Title    string
	Content  string
	Link     string
	Due      string
	LabelIDs []ident.IdeaLabel
	MediaIDs []ident.Media

	ID     string            // of a new card: the same form adds one card
	Column string            // of a new card
	Seen   map[string]string // of a card that exists: what the person saw

	Labels []labelChoice
	Files  []app.DeliveredAsset
	Recent []app.DeliveredAsset // for browsers without scripts
	Faults map[string]string
	Theirs map[string]string // what another member set meanwhile, by field
	Editor string            // the member
}

// labelChoice is a label of the board as a choice.
type labelChoice struct {
	idea.Label

	Chosen bool
}

// Fault returns the fault of a field; empty if there is none.
func (f form) Fault(field string) string { return f.Faults[field] }

// fieldWords names fields for people.
var fieldWords = map[string]string{
	idea.FieldTitle: "Idea", idea.FieldContent: "Notes", idea.FieldLink: "Link", idea.FieldLabels: "Labels", idea.FieldMedia: "Pictures",
	idea.FieldDue: "Due",
}

// difference is a field that both changed.
type difference struct{ Name, Theirs string }

// Both returns the fields that another member changed too.
func (f form) Both() (list []difference) {
	for _, field := range idea.Fields() {
		if theirs, both := f.Theirs[field]; both {
			list = append(list, difference{fieldWords[field], theirs})
		}
	}
	return list
}

// sent reads the form of a request.
func sent(v *frame.Visit) form {
	f := form{
		Title: v.Form("title"), Content: v.Form("content"), Link: v.Form("link"), Due: v.Form("due"), ID: v.Form("id"), Column: v.Form("column"),
		Seen: make(map[string]string), Faults: make(map[string]string),
	}
	f.LabelIDs = idsOf(v.Fields()["label"], ident.Parse[ident.IdeaLabel])
	f.MediaIDs = idsOf(v.Fields()["media"], ident.Parse[ident.Media])
	for _, field := range idea.Fields() {
		f.Seen[field] = v.Form("seen." + field)
	}
	return f
}

// idsOf parses IDs, each once. A text that is none is left out.
func idsOf[I ~[16]byte](texts []string, parse func(string) (I, error)) (ids []I) {
	for _, text := range texts {
		if id, err := parse(text); err == nil && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// input returns the card of the form. A fault of its day is in the form.
func (f *form) input() idea.NewCard {
	in := idea.NewCard{Title: f.Title, Content: f.Content, Link: f.Link, LabelIDs: f.LabelIDs, MediaIDs: f.MediaIDs}
	in.ID, _ = ident.Parse[ident.IdeaCard](f.ID) // zero: a new one
	in.ColumnID, _ = ident.Parse[ident.IdeaColumn](f.Column)
	if f.Due != "" {
		var err error
		if in.Due, err = time.Parse(time.DateOnly, f.Due); err != nil {
			f.Faults[idea.FieldDue] = "Choose a day."
		}
	}
	return in
}

// of returns the form of a card.
func of(v *frame.Visit, c idea.Card) form {
	f := form{
		Action: cardPath(v, c.ID), Title: c.Title, Content: c.Content, Link: c.Link, LabelIDs: c.LabelIDs, MediaIDs: c.MediaIDs,
		Seen: c.Prints(),
	}
	if !c.Due.IsZero() {
		f.Due = c.Due.Format(time.DateOnly)
	}
	return f
}

// recent is the number of the newest files from which browsers without scripts choose.
const recent = 12

// choices fills in what the form offers.
func (p *pages) choices(v *frame.Visit, b idea.Board, f *form) (err error) {
	for _, l := range b.Labels {
		f.Labels = append(f.Labels, labelChoice{l, slices.Contains(f.LabelIDs, l.ID)})
	}
	if f.Files, err = p.app.Attachments(v.Request.Context(), v.Principal, f.MediaIDs); err != nil {
		return err
	}
	list, err := p.app.MediaList(v.Request.Context(), v.Principal, postgres.MediaFilter{Ready: true, Limit: recent})
	for _, one := range list {
		if !slices.Contains(f.MediaIDs, one.ID) {
			f.Recent = append(f.Recent, one)
		}
	}
	return err
}

// add adds the faults of an error to those of the form, and reports whether it has any.
func (f *form) add(err error) bool {
	faults, refused := frame.Faults(err)
	for name, text := range faults {
		name, _, _ = strings.Cut(name, "/") // of one of several
		name = strings.TrimSuffix(strings.Replace(name, "labelIds", idea.FieldLabels, 1), "Ids")
		if f.Faults[name] == "" {
			f.Faults[name] = text
		}
	}
	return refused
}

// newPage is the data of the page of a new card.
type newPage struct {
	Form  form
	Back  string
	Board string
}

// blank shows the form of a new card, filled in with what the address has.
func (p *pages) blank(v *frame.Visit) error {
	b, err := p.boardOf(v)
	if err != nil {
		return err
	}
	f := form{
		ID: ident.New[ident.IdeaCard]().String(), Column: v.Query("column"), Title: v.Query("title"), Link: v.Query("link"),
		Content: v.Query("text"), MediaIDs: idsOf(v.Request.URL.Query()["media"], ident.Parse[ident.Media]),
	}
	return p.newForm(v, b, http.StatusOK, f)
}

func (p *pages) newForm(v *frame.Visit, b idea.Board, status int, f form) error {
	if err := p.choices(v, b, &f); err != nil {
		return err
	}
	f.Action = boardPath(v, b.ID) + "/cards"
	return page(v, status, "new", "New idea", newPage{f, boardPath(v, b.ID), b.Name})
}

// create adds the card of the form, once.
func (p *pages) create(v *frame.Visit) error {
	b, err := p.boardOf(v)
	if err != nil {
		return err
	}
	f := sent(v)
	f.Seen = nil
	in := f.input()
	if len(f.Faults) > 0 {
		f.add(invalid(in))
		return p.newForm(v, b, http.StatusUnprocessableEntity, f)
	}
	created, err := p.app.CaptureIdea(v.Request.Context(), v.Principal, b.ID, in)
	if f.add(err) {
		return p.newForm(v, b, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	if v.Form("then") == "card" {
		return v.Done(cardPath(v, created.ID), "Idea added.")
	}
	return v.Done(boardPath(v, b.ID), "Idea added.")
}
