// Package linkpages serves the pages on which people write and publish the public link pages of a workspace.
package linkpages

import (
	"cmp"
	"embed"
	"html/template"
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/render"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

//go:embed templates
var templates embed.FS

const path = "/linkpages"

type pages struct {
	app      *app.App
	renderer *render.Renderer
}

// Feature returns the pages. Images is the origin of the files; empty has none.
func Feature(a *app.App, images string) (frame.Feature, error) {
	renderer, err := render.New(render.Config{PagesURL: cmp.Or(a.PagesURL(), "http://localhost"), MediaOrigin: images})
	if err != nil {
		return frame.Feature{}, err
	}
	p := &pages{app: a, renderer: renderer}
	const read, write, all, one = credential.LinksRead, credential.LinksWrite, "/w/{workspace}/linkpages", "/w/{workspace}/linkpages/{linkpage}"
	const block = one + "/blocks/{block}"
	route := func(needs credential.Permission, pattern string, handle func(*frame.Visit) error) frame.Route {
		return frame.Route{Pattern: pattern, Access: frame.Members, Needs: needs, Handle: handle}
	}
	check := route(write, "POST "+one+"/domain/check", p.checkDomain)
	check.Slow = true
	return frame.Feature{
		Name: "linkpages", Templates: templates, Functions: template.FuncMap{"swatch": swatch, "bars": bars},
		Section: &frame.Section{Title: "Link pages", Path: path, Icon: "panels-top-left", Key: "k", Group: "Material", Needs: read},
		Routes: []frame.Route{
			route(read, "GET "+all, p.list),
			route(write, "GET "+all+"/new", p.blank),
			route(write, "GET "+all+"/handle", p.handle),
			route(write, "POST "+all, p.create),
			route(read, "GET "+one, p.editor),
			route(read, "GET "+one+"/preview", p.preview),
			route(write, "POST "+one+"/blocks", p.add),
			route(write, "POST "+block, p.edit),
			route(write, "POST "+block+"/move", p.move),
			route(write, "POST "+block+"/delete", p.remove),
			route(write, "GET "+one+"/look", p.look),
			route(write, "POST "+one+"/look", p.setLook),
			route(write, "GET "+one+"/sharing", p.sharing),
			route(write, "POST "+one+"/sharing", p.setSharing),
			route(read, "GET "+one+"/figures", p.figures),
			route(read, "GET "+one+"/address", p.address),
			route(write, "POST "+one+"/address", p.setAddress),
			route(read, "GET "+one+"/qr.svg", p.code),
			route(read, "GET "+one+"/qr.png", p.code),
			route(write, "POST "+one+"/domain", p.claimDomain),
			check,
			route(write, "POST "+one+"/domain/remove", p.removeDomain),
			route(read, "GET "+one+"/changes", p.changes),
			route(write, "POST "+one+"/publish", p.publish),
			route(write, "POST "+one+"/unpublish", p.unpublish),
			route(write, "POST "+one+"/discard", p.discard),
			route(write, "POST "+one+"/delete", p.deletePage),
		},
	}, nil
}

// page reads the link page of the address.
func (p *pages) page(v *frame.Visit) (linkpage.Page, error) {
	id, err := frame.PathID(v, "linkpage", ident.Parse[ident.LinkPage])
	if err != nil {
		return linkpage.Page{}, err
	}
	return p.app.LinkPage(v.Request.Context(), v.Principal, id)
}

// block reads the link page and the block of the address.
func (p *pages) block(v *frame.Visit) (linkpage.Page, linkpage.Block, error) {
	page, err := p.page(v)
	if err != nil {
		return page, linkpage.Block{}, err
	}
	id, err := frame.PathID(v, "block", ident.Parse[ident.LinkBlock])
	if err != nil {
		return page, linkpage.Block{}, err
	}
	found, known := page.Draft.Block(id)
	if !known {
		return page, found, apperr.New(apperr.NotFound, "There is no such block.")
	}
	return page, found, nil
}

// head has the data that every page about one link page shows.
type head struct {
	Page    linkpage.Page
	Path    string // of the pages about it
	Here    string // the part that is shown
	URL     string // at which visitors see it; empty: they do not
	Shown   string // the same, without its scheme
	Status  string
	Tone    string
	Changed int  // the number of Changes
	Write   bool // the visitor may change it

	Changes linkpage.Comparison // of the draft with what visitors see
}

func (p *pages) head(v *frame.Visit, page linkpage.Page, here string) (head, error) {
	h := head{
		Page: page, Path: v.Path(path + "/" + page.ID.String()), Here: here, Changes: page.Compare(),
		Write: v.Principal.Allows(credential.LinksWrite), Status: "Draft",
	}
	h.Changed = h.Changes.Count()
	if page.Live == nil {
		return h, nil
	}
	var err error
	if h.URL, err = p.addressOf(v, page); err != nil {
		return h, err
	}
	h.Shown = withoutScheme(h.URL)
	h.Status, h.Tone = "Published", "good"
	switch {
	case h.Changed == 1:
		h.Status, h.Tone = "1 change is not published", "warn"
	case h.Changed > 1:
		h.Status, h.Tone = frame.Plural(h.Changed, "change")+" are not published", "warn"
	}
	return h, nil
}

// show responds with a page about one link page. Its preview is a frame.
func show(v *frame.Visit, status int, name, title string, data any) error {
	v.AllowFrames()
	return v.Page(frame.Page{
		Name: "linkpages/" + name, Title: title, Status: status, Wide: true, Styles: []string{"linkpages.css", "picker.css"},
		Scripts: []string{"linkpages.js"}, Data: data,
	})
}

// outcome leads back to a part of a link page after a change.
func outcome(v *frame.Visit, err error, page linkpage.Page, within, notice string) error {
	if err != nil {
		return err
	}
	return v.Done(v.Path(path+"/"+page.ID.String()+within), notice)
}

// changedBy says who changed the page last.
func changedBy(page linkpage.Page) string {
	who := frame.Actor(actorOf(page))
	if who == "" {
		return "It was changed since you opened it."
	}
	return who + " changed the page since you opened it."
}

// sentences returns the faults of an error by field, in the words of a form.
func sentences(err error) (map[string]string, bool) {
	faults, refused := frame.Faults(err)
	for name, text := range faults {
		if text == "Is required." {
			faults[name] = "Fill this in."
		}
	}
	return faults, refused
}

const (
	wrong    = http.StatusUnprocessableEntity
	conflict = http.StatusConflict
)
