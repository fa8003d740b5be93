package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// LinkPagePath holds the path parameter of a page.
type LinkPagePath struct {
	ID string `path:"id" format:"uuid" example:"0190a3d1-d7ce-7b35-86bf-25b3fe57d61b" doc:"Id of the link page."`
}

type (
	createLinkPageInput struct{ body[apiforms.CreateLinkPage] }
	updateLinkPageInput struct {
		body[apiforms.UpdateLinkPage]
		LinkPagePath
	}
	linkPageActionInput struct {
		noBody
		LinkPagePath
	}
	linkPageOutput struct {
		ETag string `header:"ETag" doc:"Current revision of the page, in quotes. A response that is replayed for an Idempotency-Key has no ETag."` //nolint:tagliatelle // as RFC 9110 writes it
		Body apiforms.LinkPage
	}
	createLinkPageOutput struct {
		Location string `header:"Location" doc:"Path of the page."`
		ETag     string `header:"ETag" doc:"Current revision of the page, in quotes. A response that is replayed for an Idempotency-Key has no ETag."` //nolint:tagliatelle // as RFC 9110 writes it
		Body     apiforms.LinkPage
	}
	linkPagesOutput struct{ Body apiforms.LinkPageList }
)

const pathLinkPages = "/v1/link-pages"

func linksRead() []credential.Scope  { return []credential.Scope{credential.LinksRead} }
func linksWrite() []credential.Scope { return []credential.Scope{credential.LinksWrite} }

func (r *registrar) linkPages() {
	s := r.server
	add(r, operation{
		id: "list-link-pages", method: http.MethodGet, path: pathLinkPages, tag: tagLinkPages, anyOf: linksRead(),
		summary:     "List link pages",
		description: "Returns every link page of the workspace, oldest first, without its blocks.",
		good:        "The link pages.", response: apiforms.ToAPILinkPages(examplePages, exampleSummaries()),
	}, s.listLinkPages)
	add(r, operation{
		id: "create-link-page", method: http.MethodPost, path: pathLinkPages, tag: tagLinkPages, anyOf: linksWrite(),
		summary: "Create a link page", status: http.StatusCreated, good: "The page, as a draft without blocks.",
		response: exampleNewPage(),
		responses: map[string]any{
			"least": exampleThemed("mara-weber", 1, linkpage.ThemePaper, ""),
			"whole": exampleThemed("mara-studio", 1, linkpage.ThemeOcean, ""),
		},
		description: "Creates a page as a draft. Add blocks, then publish it. The plan limits the number of pages of a " +
			"workspace: 1 on FREE, 5 on CREATOR, 20 on GROWTH, 100 on AGENCY.",
		errors: []apperr.Code{apperr.QuotaExceeded, apperr.NotFound},
		bodies: map[string]*huma.Example{
			"least": {Summary: "A handle and a title", Value: map[string]any{"handle": "mara-weber", "title": "Mara Weber"}},
			"whole": {Summary: "With SEO and theme", Value: map[string]any{
				"handle": "mara-studio", "title": "Mara Weber", "bio": "Ceramics from Leipzig",
				"seo": map[string]any{"title": "Mara Weber, ceramics", "description": "Bowls and cups, thrown by hand."},
				"theme": map[string]any{
					"name": linkpage.ThemeOcean, "accentColor": "#0b7189", "appearance": linkpage.AppearanceLight,
				},
			}},
		},
	}, s.createLinkPage)
	add(r, operation{
		id: "get-link-page", method: http.MethodGet, path: pathLinkPages + "/{id}", tag: tagLinkPages, anyOf: linksRead(),
		summary: "Get a link page", description: "Returns the draft of the page with its blocks, and the published version.",
		good: "The page.", response: exampleLinkPage(), unchanged: true,
	}, s.getLinkPage)
	r.linkPageChanges()
	r.linkBlocks()
	r.linkPageAnalytics()
}

func (r *registrar) linkPageChanges() {
	s := r.server
	add(r, operation{
		id: "update-link-page", method: http.MethodPatch, path: pathLinkPages + "/{id}", tag: tagLinkPages,
		anyOf: linksWrite(), conditional: true,
		summary: "Update a link page", good: "The changed page.", response: exampleLinkPage(),
		ownMembers: []string{"accentColor"},
		responses:  map[string]any{"theme": exampleThemed("mara-weber", 2, linkpage.ThemeForest, "Ceramics from Leipzig")},
		description: "Changes handle, title, bio, SEO or theme of the draft. Omitted fields stay unchanged, also those of " +
			"`seo` and `theme`. Visitors see the changes after the page is published.",
		bodies: map[string]*huma.Example{
			"text": {Summary: "Another title, no bio", Value: map[string]any{"title": "Mara Weber, ceramics", "bio": nil}},
			"theme": {
				Summary: "Another theme",
				Value:   map[string]any{"theme": map[string]any{"name": linkpage.ThemeForest, "accentColor": nil}},
			},
		},
	}, s.updateLinkPage)
	add(r, operation{
		id: "delete-link-page", method: http.MethodDelete, path: pathLinkPages + "/{id}", tag: tagLinkPages,
		anyOf: linksWrite(), conditional: true,
		summary: "Delete a link page",
		description: "Permanently deletes the page, its published version and its analytics. The handle becomes " +
			"available again.",
		status: http.StatusNoContent, good: "The page is deleted.",
	}, s.deleteLinkPage)
	add(r, operation{
		id: "publish-link-page", method: http.MethodPost, path: pathLinkPages + "/{id}/publish", tag: tagLinkPages,
		anyOf: linksWrite(), conditional: true,
		summary: "Publish a link page", good: "The published page.", response: exampleLinkPage(),
		description: "Publishes the draft at `url`. Visitors see it within seconds. A page without changes since its last " +
			"publication stays unchanged, so the call can be repeated. Takes no body.",
	}, s.onLinkPage(s.app.PublishLinkPage))
	add(r, operation{
		id: "unpublish-link-page", method: http.MethodPost, path: pathLinkPages + "/{id}/unpublish", tag: tagLinkPages,
		anyOf: linksWrite(), conditional: true,
		summary: "Unpublish a link page", good: "The page, as a draft.", response: exampleNewPage(),
		description: "Withdraws the published version within seconds and keeps the draft. Takes no body.",
		errors:      []apperr.Code{apperr.InvalidState},
	}, s.onLinkPage(s.app.UnpublishLinkPage))
}

func (s *Server) listLinkPages(ctx context.Context, p app.Principal, _ *noInput) (*linkPagesOutput, error) {
	pages, err := s.app.LinkPages(ctx, p)
	if err != nil {
		return nil, err
	}
	return &linkPagesOutput{Body: apiforms.ToAPILinkPages(s.pagesURL, pages)}, nil
}

func (s *Server) createLinkPage(
	ctx context.Context, p app.Principal, in *createLinkPageInput,
) (*createLinkPageOutput, error) {
	page, err := s.app.CreateLinkPage(ctx, p, in.value.Command())
	if err != nil {
		return nil, err
	}
	return &createLinkPageOutput{
		Location: pathLinkPages + "/" + page.ID.String(), ETag: app.LinkPageTag(page),
		Body: apiforms.ToAPILinkPage(s.pagesURL, page),
	}, nil
}

func (s *Server) getLinkPage(ctx context.Context, p app.Principal, in *LinkPagePath) (*linkPageOutput, error) {
	id, err := pathID[ident.LinkPage](in.ID, whatLinkPage)
	if err != nil {
		return nil, err
	}
	page, err := s.app.LinkPage(ctx, p, id)
	if err != nil {
		return nil, err
	}
	return s.respondWithLinkPage(page), nil
}

const whatLinkPage = "link page"

func (s *Server) respondWithLinkPage(page linkpage.Page) *linkPageOutput {
	return &linkPageOutput{
		ETag: app.LinkPageTag(page), Body: apiforms.ToAPILinkPage(s.pagesURL, page),
	}
}

func (s *Server) updateLinkPage(
	ctx context.Context, p app.Principal, in *updateLinkPageInput,
) (*linkPageOutput, error) {
	return s.changeLinkPage(ctx, p, in.ID, func(id ident.LinkPage) (linkpage.Page, error) {
		return s.app.EditLinkPage(ctx, p, id, anyRevision, in.value.Edit())
	})
}

// anyRevision is the revision of changes whose version is expected by If-Match.
const anyRevision = 0

// changeLinkPage applies a change and returns the page.
func (s *Server) changeLinkPage(
	_ context.Context, _ app.Principal, text string, change func(id ident.LinkPage) (linkpage.Page, error),
) (*linkPageOutput, error) {
	id, err := pathID[ident.LinkPage](text, whatLinkPage)
	if err != nil {
		return nil, err
	}
	page, err := change(id)
	if err != nil {
		return nil, err
	}
	return s.respondWithLinkPage(page), nil
}

// onLinkPage returns the handler of an action on a page.
func (s *Server) onLinkPage(
	act func(ctx context.Context, p app.Principal, id ident.LinkPage, revision int) (linkpage.Page, error),
) handler[linkPageActionInput, linkPageOutput] {
	return func(ctx context.Context, p app.Principal, in *linkPageActionInput) (*linkPageOutput, error) {
		return s.changeLinkPage(ctx, p, in.ID, func(id ident.LinkPage) (linkpage.Page, error) {
			return act(ctx, p, id, anyRevision)
		})
	}
}

func (s *Server) deleteLinkPage(ctx context.Context, p app.Principal, in *LinkPagePath) (*nothing, error) {
	id, err := pathID[ident.LinkPage](in.ID, whatLinkPage)
	if err != nil {
		return nil, err
	}
	return &nothing{}, s.app.DeleteLinkPage(ctx, p, id, anyRevision)
}
