package linkpages

import (
	"net/http"
	"time"

	"fencepost.internal/services/console/internal/figures"
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// listPage is the data of the list.
type listPage struct {
	Pages []listed
	Write bool
}

// listed is a link page in the list.
type listed struct {
	linkpage.Summary

	Href   string
	Status string
	Tone   string
	Shown  string // its address, without the scheme
	Visits string // of the last 30 days; empty: the plan has none
}

func (p *pages) list(v *frame.Visit) error {
	found, err := p.app.LinkPages(v.Request.Context(), v.Principal)
	if err != nil {
		return err
	}
	data := listPage{Write: v.Principal.Allows(credential.LinksWrite)}
	for _, s := range found {
		one := listed{
			Summary: s, Href: v.Path(path + "/" + s.ID.String()), Status: "Draft", Shown: withoutScheme(p.app.PagesURL() + "/" + s.Handle),
		}
		switch {
		case s.Live && s.Unpublished:
			one.Status, one.Tone = "Changed since publishing", "warn"
		case s.Live:
			one.Status, one.Tone = "Published", "good"
		}
		if one.Visits, err = p.visits(v, s.ID); err != nil {
			return err
		}
		data.Pages = append(data.Pages, one)
	}
	return v.Page(frame.Page{Name: "linkpages/list", Title: "Link pages", Styles: []string{"sheet.css"}, Data: data})
}

// visits returns the visits of the last 30 days; empty if the plan has no figures.
func (p *pages) visits(v *frame.Visit, id ident.LinkPage) (string, error) {
	report, err := p.app.LinkPageAnalytics(v.Request.Context(), v.Principal, id, time.Time{}, time.Time{})
	if apperr.Is(err, apperr.QuotaExceeded) {
		return "", nil
	}
	return figures.Grouped(&report.Views), err
}

// newPage is the data of the page of a new link page.
type newPage struct {
	Title, Handle string
	Key           string // the same form creates one page
	Host          string
	Faults        map[string]string
	Fault         string
}

func (p *pages) blank(v *frame.Visit) error {
	return p.newPage(v, http.StatusOK, newPage{Key: ident.New[ident.LinkPage]().String(), Title: v.Workspace.Name})
}

func (p *pages) newPage(v *frame.Visit, status int, data newPage) error {
	data.Host = withoutScheme(p.app.PagesURL()) + "/"
	return v.Page(frame.Page{Name: "linkpages/new", Title: "New link page", Status: status, Data: data})
}

// create stores the page of the form, once.
func (p *pages) create(v *frame.Visit) error {
	form := newPage{Title: v.Form("title"), Handle: v.Form("handle"), Key: v.Form("key")}
	created, err := p.app.CreateLinkPageOnce(v.Request.Context(), v.Principal, v.Principal.Person.ID.String()+form.Key,
		linkpage.New{Title: form.Title, Handle: form.Handle})
	faults, refused := sentences(err)
	switch {
	case refused:
		form.Faults = faults
		return p.newPage(v, wrong, form)
	case apperr.Is(err, apperr.QuotaExceeded):
		form.Fault = frame.Refusal(err, apperr.QuotaExceeded)
		return p.newPage(v, http.StatusForbidden, form)
	}
	return outcome(v, err, created, "", "Page created. Visitors see it after you publish it.")
}

// handle says whether a handle is free, while it is typed.
func (p *pages) handle(v *frame.Visit) error {
	var id ident.LinkPage
	if text := v.Query("page"); text != "" {
		var err error
		if id, err = ident.Parse[ident.LinkPage](text); err != nil {
			return apperr.New(apperr.NotFound, "There is no such link page.")
		}
	}
	given := v.Query("handle")
	if given == "" {
		return v.Plain(http.StatusOK, "")
	}
	fault, err := p.app.HandleFault(v.Request.Context(), v.Principal, id, given)
	if err != nil {
		return err
	}
	if fault != "" {
		return v.Plain(http.StatusOK, frame.Sentence(fault))
	}
	return v.Plain(http.StatusOK, linkpage.FoldHandle(given)+" is free.")
}
