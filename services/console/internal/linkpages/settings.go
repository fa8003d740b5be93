package linkpages

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// settingsPage is the data of a page with settings of a link page.
type settingsPage struct { //nolint:recvcheck // templates call Fault on the value
	head

	Seen     string // identifies what the form shows
	Conflict string // who changed it meanwhile
	Faults   map[string]string
	Values   map[string]string
	Picture  field
	Themes   []linkpage.ThemeName
	Modes    []word
	Found    string // the address, as search engines show it
	Image    string // address of the picture of previews; empty: there is none
	Fallback linkpage.SEO
}

// Fault returns the fault of a field; empty if there is none.
func (s settingsPage) Fault(name string) string { return s.Faults[name] }

// Value returns the value of a field.
func (s settingsPage) Value(name string) string { return s.Values[name] }

// settings returns the data of a page with settings, with values instead of those of the draft.
func (p *pages) settings(v *frame.Visit, page linkpage.Page, here string, values map[string]string) (settingsPage, error) {
	h, err := p.head(v, page, here)
	return settingsPage{
		head: h, Seen: app.LinkSettingsTag(page), Faults: map[string]string{}, Values: values,
		Themes: linkpage.ThemeNames(), Modes: []word{{"AUTO", "As the visitor’s device"}, {"LIGHT", "Light"}, {"DARK", "Dark"}},
	}, err
}

// refused completes a page with settings after a form was refused, and reports whether it was.
func (s *settingsPage) refused(v *frame.Visit, page linkpage.Page, err error) (status int, is bool) {
	faults, invalid := sentences(err)
	switch {
	case invalid:
		s.Faults, s.Seen = faults, v.Form("seen")
		return wrong, true
	case apperr.Is(err, apperr.NotFound): // the page was found before
		s.Faults, s.Seen = map[string]string{"picture": "The chosen picture is not here any more. Choose another one."}, v.Form("seen")
		return wrong, true
	case errors.Is(err, app.ErrPageChanged):
		s.Conflict = changedBy(page)
		return conflict, true
	}
	return 0, false
}

func (p *pages) look(v *frame.Visit) error {
	page, err := p.page(v)
	if err != nil {
		return err
	}
	theme := page.Draft.Theme
	values := map[string]string{
		"title": page.Draft.Title, "bio": page.Draft.Bio, "theme": string(theme.Name), "appearance": string(theme.Appearance),
		"accent": string(theme.Accent), "picture": mediaText(theme.Avatar),
	}
	if theme.Accent == theme.Name.Design().Accent {
		values["accent"] = ""
	}
	return p.lookWith(v, page, http.StatusOK, values, nil)
}

func (p *pages) lookWith(v *frame.Visit, page linkpage.Page, status int, values map[string]string, refusal error) error {
	data, status, err := p.pictured(v, page, "look", status, values, refusal)
	if err != nil {
		return err
	}
	data.Picture.Label, data.Picture.Hint = "Picture at the top", "Without one, the first letter of the title is shown."
	return show(v, status, "look", "Look of "+page.Draft.Title, data)
}

// pictured returns the data of a page with settings and a picture, and its status, after a form was refused or not.
func (p *pages) pictured(
	v *frame.Visit, page linkpage.Page, here string, status int, values map[string]string, refusal error,
) (settingsPage, int, error) {
	data, err := p.settings(v, page, here, values)
	if err != nil {
		return data, status, err
	}
	if refusal != nil {
		var known bool
		if status, known = data.refused(v, page, refusal); !known {
			return data, status, refusal
		}
	}
	words, err := p.pictures(v, values["picture"])
	data.Picture = field{
		Name: "picture", Draw: "picture", Value: values["picture"], Words: words,
		Fault: cmp.Or(data.Faults["theme/avatarMediaId"], data.Faults["seo/imageMediaId"], data.Faults["picture"]),
	}
	return data, status, err
}

func (p *pages) setLook(v *frame.Visit) error {
	page, err := p.page(v)
	if err != nil {
		return err
	}
	values := map[string]string{}
	for _, name := range []string{"title", "bio", "theme", "appearance", "accent", "picture"} {
		values[name] = v.Form(name)
	}
	avatar, err := mediaOf(values["picture"])
	if err != nil {
		return p.lookWith(v, page, wrong, values, err)
	}
	title, bio := values["title"], values["bio"]
	theme := themeOf(values)
	_, err = p.app.ReviseLinkPage(v.Request.Context(), v.Principal, page.ID, v.Form("seen"), linkpage.Edit{
		Title: &title, Bio: &bio,
		Theme: &linkpage.ThemeEdit{Name: &theme.Name, Accent: &theme.Accent, Appearance: &theme.Appearance, Avatar: &avatar},
	})
	if err != nil {
		return p.settled(v, err, func(page linkpage.Page) error { return p.lookWith(v, page, 0, values, err) })
	}
	return outcome(v, nil, page, "/look", "Saved.")
}

// settled shows a form again with the page as it is now.
func (p *pages) settled(v *frame.Visit, refusal error, again func(linkpage.Page) error) error {
	page, err := p.page(v)
	if err != nil {
		return errors.Join(refusal, err)
	}
	return again(page)
}

// themeOf returns the design in the values of a form.
func themeOf(values map[string]string) linkpage.Theme {
	return linkpage.Theme{
		Name: linkpage.ThemeName(values["theme"]), Accent: linkpage.Color(values["accent"]), Appearance: linkpage.Appearance(values["appearance"]),
	}
}

func mediaText(id ident.Media) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

// mediaOf returns the chosen picture; zero for none.
func mediaOf(text string) (ident.Media, error) {
	if text == "" {
		return ident.Media{}, nil
	}
	id, err := ident.Parse[ident.Media](text)
	if err != nil {
		return id, apperr.Invalid([]apperr.Field{{Pointer: "/picture", Message: "choose a picture from the list"}})
	}
	return id, nil
}

func (p *pages) sharing(v *frame.Visit) error {
	page, err := p.page(v)
	if err != nil {
		return err
	}
	seo := page.Draft.SEO
	values := map[string]string{"title": seo.Title, "description": seo.Description, "picture": mediaText(seo.Image)}
	if seo.NoIndex {
		values["hidden"] = "yes"
	}
	return p.sharingWith(v, page, http.StatusOK, values, nil)
}

func (p *pages) sharingWith(v *frame.Visit, page linkpage.Page, status int, values map[string]string, refusal error) error {
	data, status, err := p.pictured(v, page, "sharing", status, values, refusal)
	if err != nil {
		return err
	}
	data.Picture.Label, data.Picture.Hint = "Picture of the card", "Without one, the picture at the top is used."
	data.Fallback = linkpage.SEO{Title: page.Draft.Title, Description: page.Draft.Bio}
	data.Found = withoutScheme(p.app.PagesURL() + "/" + page.Handle)
	if id, parseErr := mediaOf(cmp.Or(values["picture"], mediaText(page.Draft.Theme.Avatar))); parseErr == nil && !id.IsZero() {
		found, err := p.app.Attachments(v.Request.Context(), v.Principal, []ident.Media{id})
		if err != nil {
			return err
		}
		if len(found) > 0 {
			data.Image = found[0].ThumbnailURL
		}
	}
	return show(v, status, "sharing", "Search and sharing of "+page.Draft.Title, data)
}

func (p *pages) setSharing(v *frame.Visit) error {
	page, err := p.page(v)
	if err != nil {
		return err
	}
	values := map[string]string{}
	for _, name := range []string{"title", "description", "picture", "hidden"} {
		values[name] = v.Form(name)
	}
	image, err := mediaOf(values["picture"])
	if err != nil {
		return p.sharingWith(v, page, wrong, values, err)
	}
	title, description, hidden := values["title"], values["description"], values["hidden"] == "yes"
	_, err = p.app.ReviseLinkPage(v.Request.Context(), v.Principal, page.ID, v.Form("seen"), linkpage.Edit{
		SEO: &linkpage.SEOEdit{Title: &title, Description: &description, Image: &image, NoIndex: &hidden},
	})
	if err != nil {
		return p.settled(v, err, func(page linkpage.Page) error { return p.sharingWith(v, page, 0, values, err) })
	}
	return outcome(v, nil, page, "/sharing", "Saved.")
}

// swatch draws the colors of a theme, light and dark.
func swatch(name linkpage.ThemeName) template.HTML {
	design := name.Design()
	half := func(x int, p linkpage.Palette, accent linkpage.Color) string {
		return fmt.Sprintf(`<rect x="%d" width="40" height="48" fill=%q/><rect x="%d" y="9" width="28" height="11" rx="3" fill=%q stroke=%q/><rect x="%d" y="26" width="28" height="11" rx="3" fill=%q/>`,
			x, p.Bottom, x+6, p.Surface, p.Line, x+6, accent)
	}
	light, dark := linkpage.Theme{Name: name, Accent: design.Accent}.Accents()
	//nolint:gosec // G203: colors of the domain
	return template.HTML(`<svg class="lpswatch" viewBox="0 0 80 48" aria-hidden="true">` + half(0, design.Light, light) + half(40, design.Dark, dark) + `</svg>`)
}
