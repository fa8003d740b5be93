package app

import (
	"context"
	"slices"

	"socialpub.internal/shared/domain/linkpage"
	"socialpub.internal/shared/domain/media"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// Link pages are edited as drafts; what visitors see changes when a page is published (specification, Link pages). Every change
// takes the revision of the page that the client has read, and is refused with PRECONDITION_FAILED when the page is at another
// one by now; 0 changes whatever it is.

// LinkPages lists the pages of the workspace, oldest first. There are at most as many as a plan allows.
func (a *App) LinkPages(ctx context.Context, p Principal) ([]linkpage.Summary, error) {
	return a.linkPages.List(ctx, p.WorkspaceID)
}

// LinkPage reads one page with its draft and what of it is live; NOT_FOUND when the workspace has none of this id.
func (a *App) LinkPage(ctx context.Context, p Principal, id ident.LinkPage) (linkpage.Page, error) {
	return a.linkPages.Get(ctx, p.WorkspaceID, id)
}

// CreateLinkPage makes a page of the client's workspace, whatever workspace it names, as a draft. VALIDATION_FAILED with every
// fault at once, or when the handle is taken; QUOTA_EXCEEDED when the plan allows no further page; NOT_FOUND for an asset that
// the workspace does not have.
func (a *App) CreateLinkPage(ctx context.Context, p Principal, in linkpage.New) (linkpage.Page, error) {
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

// EditLinkPage changes handle, title, bio, SEO or theme of the draft. NOT_FOUND; VALIDATION_FAILED; PRECONDITION_FAILED.
func (a *App) EditLinkPage(ctx context.Context, p Principal, id ident.LinkPage, revision int, in linkpage.Edit) (linkpage.Page, error) {
	return a.changePage(ctx, p, id, revision, func(ctx context.Context, page linkpage.Page) (linkpage.Page, error) {
		next, err := page.Edit(in, a.now())
		if err != nil {
			return linkpage.Page{}, err
		}
		var image, avatar ident.Media // those that are new
		if next.Draft.SEO.Image != page.Draft.SEO.Image {
			image = next.Draft.SEO.Image
		}
		if next.Draft.Theme.Avatar != page.Draft.Theme.Avatar {
			avatar = next.Draft.Theme.Avatar
		}
		return next, a.pictures(ctx, p, image, avatar)
	})
}

// DeleteLinkPage takes a page away at once, also from visitors, and its counts with it. NOT_FOUND; PRECONDITION_FAILED.
func (a *App) DeleteLinkPage(ctx context.Context, p Principal, id ident.LinkPage, revision int) error {
	return a.linkPages.Delete(ctx, p.WorkspaceID, id, revision)
}

// PublishLinkPage makes the draft what visitors see, within seconds. A page without changes since its last publication stays as
// it is. NOT_FOUND; PRECONDITION_FAILED.
func (a *App) PublishLinkPage(ctx context.Context, p Principal, id ident.LinkPage, revision int) (linkpage.Page, error) {
	return a.changePage(ctx, p, id, revision, func(_ context.Context, page linkpage.Page) (linkpage.Page, error) {
		return page.Publish(a.now()), nil
	})
}

// UnpublishLinkPage takes the page away from visitors, within seconds. NOT_FOUND; PRECONDITION_FAILED; INVALID_STATE when it is
// not published.
func (a *App) UnpublishLinkPage(ctx context.Context, p Principal, id ident.LinkPage, revision int) (linkpage.Page, error) {
	return a.changePage(ctx, p, id, revision, func(_ context.Context, page linkpage.Page) (linkpage.Page, error) {
		return page.Unpublish(a.now())
	})
}

func (a *App) changePage(
	ctx context.Context, p Principal, id ident.LinkPage, revision int, decide func(context.Context, linkpage.Page) (linkpage.Page, error),
) (linkpage.Page, error) {
	return a.linkPages.Change(ctx, p.WorkspaceID, id, func(ctx context.Context, page linkpage.Page) (linkpage.Page, error) {
		if err := page.CheckRevision(revision); err != nil {
			return linkpage.Page{}, err
		}
		return decide(ctx, page)
	})
}

// pictures checks the two assets that a page itself may show.
func (a *App) pictures(ctx context.Context, p Principal, image, avatar ident.Media) error {
	return a.checkPictures(ctx, p, []shownAsset{{"/seo/imageMediaId", image}, {"/theme/avatarMediaId", avatar}})
}

// shownAsset is an asset and where the request names it.
type shownAsset struct {
	pointer string
	id      ident.Media // zero: none
}

// checkPictures checks that assets are there and are pictures: NOT_FOUND; VALIDATION_FAILED with every fault at once.
func (a *App) checkPictures(ctx context.Context, p Principal, shown []shownAsset) error {
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
			faults = append(faults, apperr.Field{Pointer: s.pointer, Message: "must be a picture (IMAGE or GIF); the asset is a " + string(asset.Type)})
		}
	}
	return apperr.Invalid(faults)
}
