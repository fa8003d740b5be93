package app

import (
	"context"
	"slices"

	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/linkpage"
	"socialpub.internal/shared/media"
)

// Link pages are edited as drafts; what visitors see changes when a page is published (specification, Link pages). Every change
// takes the revision of the draft that the client has read, and is refused with INVALID_STATE when the draft is another one by
// now; 0 changes whatever it is.

// LinkPages reads the pages of the workspace, oldest first. There are at most as many as its plan allows.
func (a *App) LinkPages(ctx context.Context, p Principal) ([]linkpage.Page, error) {
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
	if err := a.pictures(ctx, p, "", page.Draft.Assets()...); err != nil {
		return linkpage.Page{}, err
	}
	return page, a.linkPages.Insert(ctx, page)
}

// EditLinkPage changes handle, title, bio, SEO or theme of the draft. NOT_FOUND; VALIDATION_FAILED; INVALID_STATE.
func (a *App) EditLinkPage(ctx context.Context, p Principal, id ident.LinkPage, revision int, in linkpage.Edit) (linkpage.Page, error) {
	return a.changePage(ctx, p, id, revision, func(ctx context.Context, page linkpage.Page) (linkpage.Page, error) {
		next, err := page.Edit(in, a.now())
		if err != nil {
			return linkpage.Page{}, err
		}
		if in.SEO != nil {
			if err := a.pictures(ctx, p, "/seo/imageMediaId", next.Draft.SEO.Image); err != nil {
				return linkpage.Page{}, err
			}
		}
		if in.Theme != nil {
			err = a.pictures(ctx, p, "/theme/avatarMediaId", next.Draft.Theme.Avatar)
		}
		return next, err
	})
}

// DeleteLinkPage takes a page away at once, also from visitors, and its counts with it. NOT_FOUND.
func (a *App) DeleteLinkPage(ctx context.Context, p Principal, id ident.LinkPage) error {
	return a.linkPages.Delete(ctx, p.WorkspaceID, id)
}

// PublishLinkPage makes the draft what visitors see, within seconds. A page without changes since its last publication stays as
// it is. NOT_FOUND.
func (a *App) PublishLinkPage(ctx context.Context, p Principal, id ident.LinkPage, revision int) (linkpage.Page, error) {
	return a.changePage(ctx, p, id, revision, func(_ context.Context, page linkpage.Page) (linkpage.Page, error) {
		return page.Publish(a.now()), nil
	})
}

// UnpublishLinkPage takes the page away from visitors, within seconds. NOT_FOUND; INVALID_STATE when it is not published.
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

// pictures checks that the assets are there and are pictures: NOT_FOUND; VALIDATION_FAILED at the pointer.
func (a *App) pictures(ctx context.Context, p Principal, pointer string, ids ...ident.Media) error {
	ids = slices.DeleteFunc(slices.Clone(ids), ident.Media.IsZero)
	if len(ids) == 0 {
		return nil
	}
	assets, err := a.media.GetMany(ctx, p.WorkspaceID, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		asset, found := assets[id]
		if !found {
			return apperr.New(apperr.NotFound, "There is no such media asset.")
		}
		if asset.Type != media.Image && asset.Type != media.GIF {
			return apperr.Invalid([]apperr.Field{{Pointer: pointer, Message: "must be a picture; the asset is a " + string(asset.Type)}})
		}
	}
	return nil
}
