package app

import (
	"context"
	"slices"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// pageUseCases are those of link pages: drafts, blocks, publication, visits.
type pageUseCases struct {
	*Records

	posts  *postgres.Posts
	visits *postgres.Visits
}

// Link pages are edited as drafts. Publishing a page changes what visitors see (docs/contract.md, Link pages). Every
// change takes the page revision that the client has read. It fails with PRECONDITION_FAILED when the current revision
// differs; revision 0 matches any.

// LinkPages returns the pages of the workspace, oldest first. Their number is limited by the plan.
func (r *Records) LinkPages(ctx context.Context, p Principal) ([]linkpage.Summary, error) {
	return r.linkPages.List(ctx, p.WorkspaceID)
}

// LinkPage returns one page with its draft and its live content; NOT_FOUND when the workspace has no such page.
func (a *pageUseCases) LinkPage(ctx context.Context, p Principal, id ident.LinkPage) (linkpage.Page, error) {
	return a.linkPages.Get(ctx, p.WorkspaceID, id)
}

// CreateLinkPage creates a page as a draft in the client's workspace, regardless of in.WorkspaceID. Errors:
// VALIDATION_FAILED with every fault or when the handle is taken, QUOTA_EXCEEDED when the plan allows no more pages,
// NOT_FOUND for an unknown asset.
func (a *pageUseCases) CreateLinkPage(ctx context.Context, p Principal, in linkpage.New) (linkpage.Page, error) {
	in.WorkspaceID = p.WorkspaceID
	page, err := linkpage.Create(in, a.now())
	if err != nil {
		return linkpage.Page{}, err
	}
	if err := a.pictures(ctx, p, page.Draft.SEO.Image, page.Draft.Theme.Avatar); err != nil {
		return linkpage.Page{}, err
	}
	if err := a.linkPages.Insert(ctx, page); err != nil {
		return linkpage.Page{}, err
	}
	return page, nil
}

// EditLinkPage changes handle, title, bio, SEO or theme of the draft. Errors: NOT_FOUND, VALIDATION_FAILED,
// PRECONDITION_FAILED.
func (a *pageUseCases) EditLinkPage(
	ctx context.Context, p Principal, id ident.LinkPage, revision int, in linkpage.Edit,
) (linkpage.Page, error) {
	return a.changePage(ctx, p, id, revision, func(ctx context.Context, page linkpage.Page) (linkpage.Page, error) {
		next, err := page.Edit(in, a.now())
		if err != nil {
			return linkpage.Page{}, err
		}
		var image, avatar ident.Media // changed assets
		if next.Draft.SEO.Image != page.Draft.SEO.Image {
			image = next.Draft.SEO.Image
		}
		if next.Draft.Theme.Avatar != page.Draft.Theme.Avatar {
			avatar = next.Draft.Theme.Avatar
		}
		return next, a.pictures(ctx, p, image, avatar)
	})
}

// DeleteLinkPage deletes a page and its visit counts. Visitors lose access at once. Errors: NOT_FOUND,
// PRECONDITION_FAILED.
func (a *pageUseCases) DeleteLinkPage(ctx context.Context, p Principal, id ident.LinkPage, revision int) error {
	return a.db.WithinTx(ctx, func(ctx context.Context) error {
		if expecting(ctx) {
			same := func(_ context.Context, page linkpage.Page) (linkpage.Page, error) { return page, nil }
			if _, err := a.changePage(ctx, p, id, revision, same); err != nil { // locks the page
				return err
			}
		}
		return a.linkPages.Delete(ctx, p.WorkspaceID, id, revision)
	})
}

// PublishLinkPage makes the draft visible to visitors within seconds. A page without changes since its last publication
// stays unchanged. Errors: NOT_FOUND, PRECONDITION_FAILED.
func (a *pageUseCases) PublishLinkPage(
	ctx context.Context, p Principal, id ident.LinkPage, revision int,
) (linkpage.Page, error) {
	return a.changePage(ctx, p, id, revision, func(_ context.Context, page linkpage.Page) (linkpage.Page, error) {
		return page.Publish(a.now()), nil
	})
}

// UnpublishLinkPage hides the page from visitors within seconds. Errors: NOT_FOUND, PRECONDITION_FAILED, and
// INVALID_STATE when the page is not published.
func (a *pageUseCases) UnpublishLinkPage(
	ctx context.Context, p Principal, id ident.LinkPage, revision int,
) (linkpage.Page, error) {
	return a.changePage(ctx, p, id, revision, func(_ context.Context, page linkpage.Page) (linkpage.Page, error) {
		return page.Unpublish(a.now())
	})
}

func (a *pageUseCases) changePage(
	ctx context.Context, p Principal, id ident.LinkPage, revision int, decide func(context.Context, linkpage.Page) (linkpage.Page, error),
) (linkpage.Page, error) {
	return a.linkPages.Change(ctx, p.WorkspaceID, id,
		func(ctx context.Context, page linkpage.Page) (linkpage.Page, error) {
			if err := expectedPage(ctx, page, revision); err != nil {
				return linkpage.Page{}, err
			}
			return decide(ctx, page)
		})
}

// expectedPage checks the version that the client expects: the revision of a tool, or the entity tag of a request.
func expectedPage(ctx context.Context, page linkpage.Page, revision int) error {
	if err := page.CheckRevision(revision); err != nil {
		return err
	}
	return expected(ctx, LinkPageTag(page))
}

// pictures checks the SEO image and the avatar of a page.
func (a *pageUseCases) pictures(ctx context.Context, p Principal, image, avatar ident.Media) error {
	return a.checkPictures(ctx, p, []shownAsset{{"/seo/imageMediaId", image}, {"/theme/avatarMediaId", avatar}})
}

// shownAsset is an asset with its JSON Pointer in the request.
type shownAsset struct {
	pointer string
	id      ident.Media // zero: none
}

// checkPictures checks that assets exist and are images. Errors: NOT_FOUND, VALIDATION_FAILED with every fault.
func (a *pageUseCases) checkPictures(ctx context.Context, p Principal, shown []shownAsset) error {
	shown = slices.DeleteFunc(shown, func(s shownAsset) bool { return s.id.IsZero() })
	if len(shown) == 0 {
		return nil
	}
	ids := make([]ident.Media, len(shown))
	for i, s := range shown {
		ids[i] = s.id
	}
	assets, err := a.media.GetMany(ctx, p.WorkspaceID, ids)
	if err != nil {
		return err
	}
	var faults []apperr.Field
	for _, s := range shown {
		asset, found := assets[s.id]
		if !found {
			return apperr.New(apperr.NotFound, "There is no media asset %s.", s.id)
		}
		if asset.Type != media.Image && asset.Type != media.GIF {
			faults = append(faults, apperr.Field{
				Pointer: s.pointer, Message: "must be a picture (IMAGE or GIF); the asset is a " + string(asset.Type),
			})
		}
	}
	return apperr.Invalid(faults)
}
