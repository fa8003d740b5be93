package linkpages

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// editorPage is the data of the page with the blocks.
type editorPage struct {
	head

	Rows  []row
	Types []linkpage.Descriptor
	New   *blockForm // of a block that is added; nil: none is
	Full  bool
	Most  int
}

// row is a block in the list.
type row struct {
	ID          ident.LinkBlock
	Icon, Label string
	Below       string // what it is, where it leads and when it is shown
	Hidden      bool
	Changed     bool   // visitors do not see it like this
	Clicks      string // of the last 30 days; empty: not known
	First, Last bool
	Form        *blockForm // nil: closed
}

// blockForm is the form of a block.
type blockForm struct {
	Type      linkpage.BlockType
	Name      string
	Action    string
	Key       string // of a new block: the same form adds one block
	Seen      string // of a block that exists: identifies what the form shows
	Fields    []field
	Visible   bool
	Window    []field // from when until when it is shown
	Timed     bool    // the form opens the window
	Fault     string
	Conflict  string // who changed the block meanwhile
	Changes   []difference
	Stays     string // address of the same page without the form
	Deletable string // address that deletes it; empty: it is new
}

func (p *pages) editor(v *frame.Visit) error {
	page, err := p.page(v)
	if err != nil {
		return err
	}
	var open *blockForm
	if text := v.Query("add"); text != "" && text != "type" {
		d, known := linkpage.DescriptorOf(linkpage.BlockType(text))
		if !known {
			return apperr.New(apperr.NotFound, "There is no such block type.")
		}
		values := url.Values{"visible": {"yes"}}
		if open, err = p.newForm(v, page, d, values, nil, ident.New[ident.LinkBlock]().String()); err != nil {
			return err
		}
	}
	return p.editorWith(v, page, http.StatusOK, open, ident.LinkBlock{})
}

// editorWith shows the blocks with a form: that of a new block, or of the block with the ID, which replaces the one of the
// address.
func (p *pages) editorWith(v *frame.Visit, page linkpage.Page, status int, open *blockForm, of ident.LinkBlock) error {
	h, err := p.head(v, page, "blocks")
	if err != nil {
		return err
	}
	data := editorPage{head: h, Full: len(page.Draft.Blocks) >= linkpage.MaxBlocks, Most: linkpage.MaxBlocks}
	if open != nil && of.IsZero() {
		data.New = open
	}
	if h.Write && (v.Query("add") != "" || len(page.Draft.Blocks) == 0) {
		data.Types = linkpage.Descriptors()
	}
	clicks, err := p.clicks(v, page.ID)
	if err != nil {
		return err
	}
	for i, b := range page.Draft.Blocks {
		one := p.row(v, b, clicks)
		one.First, one.Last = i == 0, i == len(page.Draft.Blocks)-1
		one.Changed = page.Live != nil && (slices.ContainsFunc(h.Changes.Added, func(a linkpage.Block) bool { return a.ID == b.ID }) ||
			slices.ContainsFunc(h.Changes.Changed, func(c linkpage.BlockChange) bool { return c.Block.ID == b.ID }))
		switch {
		case open != nil && b.ID == of:
			one.Form = open
		case open == nil && h.Write && v.Query("block") == b.ID.String():
			if one.Form, err = p.editForm(v, page, b, valuesOf(b, v.Zone()), nil); err != nil {
				return err
			}
		}
		data.Rows = append(data.Rows, one)
	}
	return show(v, status, "editor", page.Draft.Title, data)
}

// clicks returns the clicks of the last 30 days by block; nil if the plan has no figures.
func (p *pages) clicks(v *frame.Visit, id ident.LinkPage) (map[ident.LinkBlock]int64, error) {
	report, err := p.app.LinkPageAnalytics(v.Request.Context(), v.Principal, id, time.Time{}, time.Time{})
	if apperr.Is(err, apperr.QuotaExceeded) {
		return nil, nil //nolint:nilnil // nothing is known
	}
	clicks := make(map[ident.LinkBlock]int64, len(report.Blocks))
	for _, b := range report.Blocks {
		clicks[b.BlockID] = b.Clicks
	}
	return clicks, err
}

func (p *pages) row(v *frame.Visit, b linkpage.Block, clicks map[ident.LinkBlock]int64) row {
	d, _ := linkpage.DescriptorOf(b.Type())
	traits, now := b.Settings.Traits(), v.Now()
	one := row{ID: b.ID, Icon: d.Icon, Label: labelOf(b), Below: d.Name, Hidden: !b.ShownAt(now)}
	if traits.Target != "" {
		one.Below += " · " + withoutScheme(traits.Target)
	}
	at := func(t time.Time) string { return t.In(v.Zone()).Format("Mon 2 Jan, 15:04") }
	switch {
	case !b.Visible:
		one.Below, one.Icon = d.Name+" · hidden", "eye-off"
	case now.Before(b.ShowFrom):
		one.Below += " · from " + at(b.ShowFrom)
	case !b.ShowUntil.IsZero() && !now.Before(b.ShowUntil):
		one.Below += " · ended " + at(b.ShowUntil)
	case !b.ShowUntil.IsZero():
		one.Below += " · until " + at(b.ShowUntil)
	}
	if n := clicks[b.ID]; n > 0 {
		one.Clicks = frame.Plural(int(n), "click")
	}
	return one
}

// blockForm returns the form of a block of a type.
func (p *pages) blockForm(
	v *frame.Visit, page linkpage.Page, d linkpage.Descriptor, values url.Values, faults map[string]string,
) (*blockForm, error) {
	fields, err := p.filled(v, d, values, faults)
	f := &blockForm{
		Type: d.Type, Name: d.Name, Fields: fields, Visible: values.Get("visible") == "yes", Fault: faults[""],
		Stays: v.Path(path + "/" + page.ID.String()),
	}
	for _, name := range []string{"showFrom", "showUntil"} {
		one := field{
			Name: name, Label: wordingOf(linkpage.Field{Name: name}).Label, Draw: "moment", Value: values.Get(name),
			Clock: values.Get(name + clock), Fault: faults[name],
		}
		f.Timed = f.Timed || one.Value != "" || one.Fault != ""
		f.Window = append(f.Window, one)
	}
	return f, err
}

func (p *pages) newForm(
	v *frame.Visit, page linkpage.Page, d linkpage.Descriptor, values url.Values, faults map[string]string, key string,
) (*blockForm, error) {
	f, err := p.blockForm(v, page, d, values, faults)
	f.Action, f.Key = f.Stays+"/blocks", key
	return f, err
}

func (p *pages) editForm(
	v *frame.Visit, page linkpage.Page, b linkpage.Block, values url.Values, faults map[string]string,
) (*blockForm, error) {
	d, _ := linkpage.DescriptorOf(b.Type())
	f, err := p.blockForm(v, page, d, values, faults)
	f.Action, f.Seen = f.Stays+"/blocks/"+b.ID.String(), app.LinkBlockTag(b)
	f.Deletable = f.Action + "/delete"
	return f, err
}

// anchor is the address of a block within the page that shows it.
func anchor(id ident.LinkBlock) string { return "#b-" + id.String() }

// another adds an empty row to the list of a form, and reports whether the form asks for one.
func another(values url.Values, d linkpage.Descriptor) bool {
	if values.Get("more") == "" {
		return false
	}
	for _, f := range d.Fields {
		if n := rowsIn(values, prefix+f.Name); f.Kind == linkpage.KindList && n < f.Max {
			values.Set(prefix+f.Name+"."+strconv.Itoa(n)+"."+f.Items[0].Name, "")
		}
	}
	return true
}
