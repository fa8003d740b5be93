package linkpages

import (
	"net/http"

	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/internal/render"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// isolated keeps a preview apart from the application: it has no origin, and links open in tabs of their own.
const isolated = "; sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox"

// preview responds with the draft, or with what visitors see, as visitors see it.
func (p *pages) preview(v *frame.Visit) error {
	page, err := p.page(v)
	if err != nil {
		return err
	}
	shown := postgres.LivePage{ID: page.ID, WorkspaceID: page.WorkspaceID, Live: linkpage.Live{Handle: page.Handle, Content: page.Draft}}
	if v.Query("live") != "" && page.Live != nil {
		shown.Live = *page.Live
	}
	if v.Query("theme") != "" {
		shown.Content = tried(v, page, shown.Content)
	}
	ctx, content := v.Request.Context(), shown.Content
	posts, err := p.app.LinkPagePosts(ctx, v.Principal, content.Posts())
	if err != nil {
		return err
	}
	ids := content.Assets()
	for _, one := range posts {
		if id := render.FirstPicture(one); !id.IsZero() {
			ids = append(ids, id)
		}
	}
	assets, err := p.app.Attachments(ctx, v.Principal, ids)
	if err != nil {
		return err
	}
	in := render.Input{Page: shown, Posts: posts, Preview: make(map[ident.Media]string, len(assets))}
	for _, one := range assets {
		in.Preview[one.ID] = one.ThumbnailURL
	}
	document, err := p.renderer.Page(in, v.Now())
	if err != nil {
		return err
	}
	h := v.Out.Header()
	h.Set("Content-Security-Policy", document.Policy+isolated)
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("Content-Type", "text/html; charset=utf-8")
	v.Out.WriteHeader(http.StatusOK)
	_, _ = v.Out.Write(document.Plain) // an error concerns only the client's connection
	return nil
}

// tried returns the content with the design that a form has, unless it is refused.
func tried(v *frame.Visit, page linkpage.Page, content linkpage.Content) linkpage.Content {
	theme := themeOf(map[string]string{"theme": v.Query("theme"), "accent": v.Query("accent"), "appearance": v.Query("appearance")})
	with, err := page.Edit(linkpage.Edit{
		Theme: &linkpage.ThemeEdit{Name: &theme.Name, Accent: &theme.Accent, Appearance: &theme.Appearance},
	}, v.Now())
	if err == nil {
		content.Theme = with.Draft.Theme
	}
	return content
}
