package linkpages

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// add adds the block of the form, once.
func (p *pages) add(v *frame.Visit) error {
	page, err := p.page(v)
	if err != nil {
		return err
	}
	d, known := linkpage.DescriptorOf(linkpage.BlockType(v.Form("type")))
	if !known {
		return apperr.New(apperr.NotFound, "There is no such block type.")
	}
	values, key := sent(v.Fields(), d), v.Form("key")
	again := func(status int, faults map[string]string) error {
		form, err := p.newForm(v, page, d, values, faults, key)
		if err != nil {
			return err
		}
		return p.editorWith(v, page, status, form, ident.LinkBlock{})
	}
	if another(values, d) {
		return again(http.StatusOK, nil)
	}
	from, until, faults := window(values, v.Zone())
	in := linkpage.NewBlock{
		Type: d.Type, Settings: settingsOf(values, d, v.Zone()), Hidden: values.Get("visible") != "yes", ShowFrom: from, ShowUntil: until,
	}
	if len(faults) > 0 {
		return again(wrong, together(faults, in.Check(), d))
	}
	_, added, err := p.app.AddLinkBlockOnce(v.Request.Context(), v.Principal, page.ID, v.Principal.Person.ID.String()+key, in)
	if faults, refused := faultsOf(err, d); refused {
		return again(wrong, faults)
	}
	if fault := foreign(err); fault != "" {
		return again(wrong, map[string]string{"": fault})
	}
	return outcome(v, err, page, anchor(added.ID), d.Name+" added.")
}

// foreign returns what is wrong with a picture or a post that the workspace does not have, or no longer.
func foreign(err error) string {
	if message := frame.Refusal(err, apperr.NotFound); message != "" {
		return "The chosen picture or post is not here any more. Choose another one."
	}
	return ""
}

// edit stores the form of a block. If another member changed the block meanwhile, the page says who and what, and keeps what
// the visitor entered.
func (p *pages) edit(v *frame.Visit) error {
	page, block, err := p.block(v)
	if apperr.Is(err, apperr.NotFound) && !page.ID.IsZero() && v.Form("seen") != "" {
		return p.deleted(v, page, err)
	}
	if err != nil {
		return err
	}
	d, _ := linkpage.DescriptorOf(block.Type())
	values := sent(v.Fields(), d)
	again := func(status int, faults map[string]string) error {
		form, err := p.editForm(v, page, block, values, faults)
		if err != nil {
			return err
		}
		if seen := v.Form("seen"); seen != "" {
			form.Seen = seen
		}
		return p.editorWith(v, page, status, form, block.ID)
	}
	if another(values, d) {
		return again(http.StatusOK, nil)
	}
	from, until, faults := window(values, v.Zone())
	visible := values.Get("visible") == "yes"
	in := linkpage.BlockEdit{Settings: settingsOf(values, d, v.Zone()), Visible: &visible, ShowFrom: &from, ShowUntil: &until}
	if len(faults) > 0 {
		return again(wrong, together(faults, linkpage.NewBlock{Type: d.Type, Settings: in.Settings}.Check(), d))
	}
	err = p.app.ReviseLinkBlock(v.Request.Context(), v.Principal, page.ID, block.ID, v.Form("seen"), in)
	switch faults, refused := faultsOf(err, d); {
	case refused:
		return again(wrong, faults)
	case foreign(err) != "":
		return again(wrong, map[string]string{"": foreign(err)})
	case errors.Is(err, app.ErrPageChanged):
		return p.contested(v, values)
	}
	return outcome(v, err, page, anchor(block.ID), "Saved.")
}

// contested shows a block that another member changed meanwhile, with what differs from what the visitor entered.
func (p *pages) contested(v *frame.Visit, values url.Values) error {
	page, block, err := p.block(v) // as it is now
	if err != nil {
		return err
	}
	form, err := p.editForm(v, page, block, values, nil)
	if err != nil {
		return err
	}
	form.Conflict, form.Changes = changedBy(page), differing(block, values, v.Zone())
	return p.editorWith(v, page, conflict, form, block.ID)
}

// deleted shows the form of a block that another member deleted meanwhile as that of a new one.
func (p *pages) deleted(v *frame.Visit, page linkpage.Page, gone error) error {
	d, known := linkpage.DescriptorOf(linkpage.BlockType(v.Form("type")))
	if !known {
		return gone
	}
	form, err := p.newForm(v, page, d, sent(v.Fields(), d), nil, ident.New[ident.LinkBlock]().String())
	if err != nil {
		return err
	}
	form.Conflict = "Another member deleted the block meanwhile."
	return p.editorWith(v, page, conflict, form, ident.LinkBlock{})
}

// window returns from when until when the block of a form is shown, and what is wrong with the two times.
func window(values url.Values, zone *time.Location) (from, until time.Time, faults map[string]string) {
	faults = map[string]string{}
	read := func(name string) time.Time {
		text, given := instant(values, name, zone)
		at, err := time.Parse(time.RFC3339, text)
		if given && err != nil {
			faults[name] = "Choose a day and a time."
		}
		return at
	}
	return read("showFrom"), read("showUntil"), faults
}

// together adds the faults of an error to others.
func together(faults map[string]string, err error, d linkpage.Descriptor) map[string]string {
	more, _ := faultsOf(err, d)
	for name, text := range more {
		if faults[name] == "" {
			faults[name] = text
		}
	}
	return faults
}

// move moves a block: up or down by one place, or behind another one. It responds to the page's script with a text.
func (p *pages) move(v *frame.Visit) error {
	page, block, err := p.block(v)
	if err != nil {
		return err
	}
	switch to := v.Form("to"); to {
	case "up", "down":
		err = p.app.ShiftLinkBlock(v.Request.Context(), v.Principal, page.ID, block.ID, to == "up")
	default:
		var after ident.LinkBlock
		if text := v.Form("after"); text != "" {
			if after, err = ident.Parse[ident.LinkBlock](text); err != nil {
				return apperr.New(apperr.NotFound, "There is no such block.")
			}
		} else if to != "first" {
			return p.editorWith(v, page, wrong, nil, ident.LinkBlock{})
		}
		err = p.app.MoveLinkBlock(v.Request.Context(), v.Principal, page.ID, block.ID, after)
	}
	switch {
	case apperr.Is(err, apperr.NotFound):
		const fault = "Another member deleted the block meanwhile."
		if v.ByScript() {
			return v.Plain(conflict, fault)
		}
		return outcome(v, nil, page, "", fault)
	case err != nil:
		return err
	case v.ByScript():
		return v.Plain(http.StatusOK, "Moved.")
	}
	return outcome(v, nil, page, anchor(block.ID), "Moved.")
}

func (p *pages) remove(v *frame.Visit) error {
	page, block, err := p.block(v)
	if err != nil {
		return err
	}
	_, err = p.app.DeleteLinkBlock(v.Request.Context(), v.Principal, page.ID, block.ID, 0)
	return outcome(v, err, page, "", "Deleted: "+labelOf(block)+".")
}
