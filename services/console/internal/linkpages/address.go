package linkpages

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"rsc.io/qr"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
)

// addressPage is the data of the page with the addresses of a link page.
type addressPage struct {
	settingsPage

	Host     string // of link pages, with a slash
	Full     string // the address of the page once it is published
	Live     string // the present handle of the published page, if it is another one
	Target   string // host to which a domain has to lead; empty: there can be none
	Domain   *linkpage.Domain
	Entered  string // as it was refused
	Question string // what is wrong with it
}

// addressOf returns the address at which visitors see a published page.
func (p *pages) addressOf(v *frame.Visit, page linkpage.Page) (string, error) {
	handle := page.Handle
	if page.Live != nil {
		handle = page.Live.Handle
	}
	d, err := p.app.LinkDomain(v.Request.Context(), v.Principal, page.ID)
	switch {
	case err == nil && d.Verified():
		return "https://" + d.Host, nil
	case err != nil && !apperr.Is(err, apperr.NotFound):
		return "", err
	}
	return p.app.PagesURL() + "/" + handle, nil
}

func (p *pages) address(v *frame.Visit) error {
	page, err := p.page(v)
	if err != nil {
		return err
	}
	return p.addressWith(v, page, http.StatusOK, map[string]string{"handle": page.Handle}, nil, nil)
}

func (p *pages) addressWith(
	v *frame.Visit, page linkpage.Page, status int, values map[string]string, refusal error, with func(*addressPage),
) error {
	base, err := p.settings(v, page, "address", values)
	if err != nil {
		return err
	}
	if refusal != nil {
		var known bool
		if status, known = base.refused(v, page, refusal); !known {
			return refusal
		}
	}
	data := addressPage{settingsPage: base, Host: withoutScheme(p.app.PagesURL()) + "/", Target: p.app.PagesHost()}
	if data.Full, err = p.addressOf(v, page); err != nil {
		return err
	}
	if page.Live != nil && page.Live.Handle != page.Handle {
		data.Live = page.Live.Handle
	}
	d, err := p.app.LinkDomain(v.Request.Context(), v.Principal, page.ID)
	switch {
	case err == nil:
		data.Domain = &d
	case !apperr.Is(err, apperr.NotFound):
		return err
	}
	if with != nil {
		with(&data)
	}
	return show(v, status, "address", "Address of "+page.Draft.Title, data)
}

func (p *pages) setAddress(v *frame.Visit) error {
	page, err := p.page(v)
	if err != nil {
		return err
	}
	handle := v.Form("handle")
	_, err = p.app.ReviseLinkPage(v.Request.Context(), v.Principal, page.ID, v.Form("seen"), linkpage.Edit{Handle: &handle})
	if err != nil {
		return p.settled(v, err, func(page linkpage.Page) error {
			return p.addressWith(v, page, 0, map[string]string{"handle": handle}, err, nil)
		})
	}
	return outcome(v, nil, page, "/address", "Saved. It applies when you publish.")
}

func (p *pages) claimDomain(v *frame.Visit) error {
	page, err := p.page(v)
	if err != nil {
		return err
	}
	host := v.Form("host")
	err = p.app.ClaimLinkDomain(v.Request.Context(), v.Principal, page.ID, host)
	faults, refused := sentences(err)
	fault := faults["host"]
	if message := frame.Refusal(err, apperr.InvalidState); message != "" {
		fault, refused = message, true
	}
	if refused {
		return p.addressWith(v, page, wrong, map[string]string{"handle": page.Handle}, nil, func(a *addressPage) {
			a.Domain, a.Entered, a.Question = nil, host, fault
		})
	}
	return outcome(v, err, page, "/address#domain", "Now enter the two records at your DNS provider.")
}

func (p *pages) checkDomain(v *frame.Visit) error {
	page, err := p.page(v)
	if err != nil {
		return err
	}
	d, err := p.app.CheckLinkDomain(v.Request.Context(), v.Principal, page.ID)
	if message := frame.Refusal(err, apperr.Unavailable); message != "" {
		return outcome(v, nil, page, "/address#domain", message)
	}
	if apperr.Is(err, apperr.NotFound) { // it was removed meanwhile
		return outcome(v, nil, page, "/address", "The page has no domain.")
	}
	notice := "The domain is not ready yet."
	if d.Verified() {
		notice = "The domain is ready."
	}
	return outcome(v, err, page, "/address#domain", notice)
}

func (p *pages) removeDomain(v *frame.Visit) error {
	page, err := p.page(v)
	if err == nil {
		err = p.app.RemoveLinkDomain(v.Request.Context(), v.Principal, page.ID)
	}
	return outcome(v, err, page, "/address", "Domain removed.")
}

// code responds with the QR code of the page's address, as a picture.
func (p *pages) code(v *frame.Visit) error {
	page, err := p.page(v)
	if err != nil {
		return err
	}
	address, err := p.addressOf(v, page)
	if err != nil {
		return err
	}
	code, err := qr.Encode(address, qr.M)
	if err != nil {
		return fmt.Errorf("linkpages: %w", err)
	}
	content, contentType, extension := drawn(code), "image/svg+xml", ".svg"
	if strings.HasSuffix(v.Request.URL.Path, ".png") {
		const scale = 16 // pixels of a module: large enough for print
		code.Scale = scale
		content, contentType, extension = code.PNG(), "image/png", ".png"
	}
	h := v.Out.Header()
	h.Set("Content-Type", contentType)
	if v.Query("download") != "" {
		h.Set("Content-Disposition", `attachment; filename="`+page.Handle+extension+`"`)
	}
	v.Out.WriteHeader(http.StatusOK)
	_, _ = v.Out.Write(content) // an error concerns only the client's connection
	return nil
}

// drawn returns the code as SVG, with the quiet zone that readers need.
func drawn(code *qr.Code) []byte {
	const quiet = 4
	side := code.Size + 2*quiet
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[1]d" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h%[1]dv%[1]dH0z"/><path d="`, side)
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&out, "M%d %dh1v1h-1z", x+quiet, y+quiet)
			}
		}
	}
	out.WriteString(`"/></svg>`)
	return out.Bytes()
}
