package linkpages

import (
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
)

// act changes a link page as a whole, and leads back to its blocks. What cannot be done any more has been done before.
func (p *pages) act(v *frame.Visit, notice string, change func(linkpage.Page) (linkpage.Page, error)) error {
	page, err := p.page(v)
	if err != nil {
		return err
	}
	if _, err = change(page); apperr.Is(err, apperr.InvalidState) {
		return outcome(v, nil, page, "", "The page is not published.")
	}
	return outcome(v, err, page, "", notice)
}

func (p *pages) publish(v *frame.Visit) error {
	return p.act(v, "Published. Visitors see it within seconds.", func(page linkpage.Page) (linkpage.Page, error) {
		return p.app.PublishLinkPage(v.Request.Context(), v.Principal, page.ID, 0)
	})
}

func (p *pages) unpublish(v *frame.Visit) error {
	return p.act(v, "Unpublished. The draft stays.", func(page linkpage.Page) (linkpage.Page, error) {
		return p.app.UnpublishLinkPage(v.Request.Context(), v.Principal, page.ID, 0)
	})
}

func (p *pages) discard(v *frame.Visit) error {
	return p.act(v, "The draft equals the published page again.", func(page linkpage.Page) (linkpage.Page, error) {
		return p.app.DiscardLinkPage(v.Request.Context(), v.Principal, page.ID, 0)
	})
}

func (p *pages) deletePage(v *frame.Visit) error {
	page, err := p.page(v)
	if err == nil {
		err = p.app.DeleteLinkPage(v.Request.Context(), v.Principal, page.ID, 0)
	}
	if err != nil {
		return err
	}
	return v.Done(v.Path(path), "Page deleted.")
}
