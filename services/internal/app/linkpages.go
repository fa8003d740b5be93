package app

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"

	"github.com/google/uuid"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// pageUseCases are those of link pages: drafts, blocks, publication, visits.
type pageUseCases struct {
	*Records

	posts    *postgres.Posts
	visits   *postgres.Visits
	live     *postgres.LivePages
	domains  *postgres.LinkDomains
	pagesURL string
	names    Names
}

// ErrPageChanged is returned for a change of what another client has changed since the sender read it.
var ErrPageChanged = errors.New("the page was changed meanwhile")

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
	if err := p.Require(credential.LinksWrite); err != nil {
		return linkpage.Page{}, err
	}
	in.WorkspaceID = p.WorkspaceID
	page, err := linkpage.Create(in, a.now())
	if err != nil {
		return linkpage.Page{}, err
	}
	page.ChangedBy = string(p.Actor())
	if err := a.pictures(ctx, p, page.Draft.SEO.Image, page.Draft.Theme.Avatar); err != nil {
		return linkpage.Page{}, err
	}
	if err := a.linkPages.Insert(ctx, page); err != nil {
		return linkpage.Page{}, err
	}
	return page, nil
}

// CreateLinkPageOnce is CreateLinkPage for a form: the same key creates one page.
func (a *pageUseCases) CreateLinkPageOnce(ctx context.Context, p Principal, key string, in linkpage.New) (linkpage.Page, error) {
	in.ID = keyed[ident.LinkPage](uuid.UUID(p.WorkspaceID), key)
	if known, err := a.LinkPage(ctx, p, in.ID); err == nil && p.Allows(credential.LinksWrite) {
		return known, nil
	}
	created, err := a.CreateLinkPage(ctx, p, in)
	if err != nil && !apperr.Is(err, apperr.InsufficientScope) { // the same form may have been first
		if known, readErr := a.LinkPage(ctx, p, in.ID); readErr == nil {
			return known, nil
		}
	}
	return created, err
}

// keyed returns the ID of what a form creates below an object. Another workspace cannot choose the same one.
func keyed[I ~[16]byte](within uuid.UUID, key string) I {
	const version = 8 // of the sender's choice (RFC 9562)
	return I(uuid.NewHash(sha256.New(), within, []byte(key), version))
}

// LinkSettingsTag identifies what the forms of a page's settings show: everything but its blocks.
func LinkSettingsTag(page linkpage.Page) string {
	content := page.Draft
	content.Blocks = nil
	raw, _ := json.Marshal(content) // texts and IDs
	return hashTag(page.Handle, string(raw))
}

// LinkBlockTag identifies the state of a block.
func LinkBlockTag(b linkpage.Block) string {
	raw, _ := json.Marshal(b) // texts, times and IDs
	return hashTag(string(raw))
}

// ReviseLinkPage is EditLinkPage for a form that shows the settings with the tag; ErrPageChanged if they differ by now.
func (a *pageUseCases) ReviseLinkPage(
	ctx context.Context, p Principal, id ident.LinkPage, seen string, in linkpage.Edit,
) (linkpage.Page, error) {
	return a.editPage(ctx, p, id, 0, seen, in)
}

// EditLinkPage changes handle, title, bio, SEO or theme of the draft. Errors: NOT_FOUND, VALIDATION_FAILED,
// PRECONDITION_FAILED.
func (a *pageUseCases) EditLinkPage(
	ctx context.Context, p Principal, id ident.LinkPage, revision int, in linkpage.Edit,
) (linkpage.Page, error) {
	return a.editPage(ctx, p, id, revision, "", in)
}

func (a *pageUseCases) editPage(
	ctx context.Context, p Principal, id ident.LinkPage, revision int, seen string, in linkpage.Edit,
) (linkpage.Page, error) {
	return a.changePage(ctx, p, id, revision, func(ctx context.Context, page linkpage.Page) (linkpage.Page, error) {
		if seen != "" && seen != LinkSettingsTag(page) {
			return linkpage.Page{}, ErrPageChanged
		}
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
	if err := p.Require(credential.LinksWrite); err != nil {
		return err
	}
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

// DiscardLinkPage makes the draft equal to what visitors see. Errors: NOT_FOUND, PRECONDITION_FAILED, and INVALID_STATE when
// the page is not published.
func (a *pageUseCases) DiscardLinkPage(
	ctx context.Context, p Principal, id ident.LinkPage, revision int,
) (linkpage.Page, error) {
	return a.changePage(ctx, p, id, revision, func(_ context.Context, page linkpage.Page) (linkpage.Page, error) {
		return page.Discard(a.now())
	})
}

// HandleFault returns why the handle cannot be that of the page, or of a new one if the ID is zero; empty if it can.
func (a *pageUseCases) HandleFault(ctx context.Context, p Principal, id ident.LinkPage, handle string) (string, error) {
	_, err := linkpage.Create(linkpage.New{Handle: handle, Title: "Title"}, a.now())
	if faults := apperr.FieldsOf(err); len(faults) > 0 {
		return faults[0].Message, nil
	}
	if !id.IsZero() {
		page, err := a.LinkPage(ctx, p, id)
		if err != nil || slices.Contains(page.Handles(), linkpage.FoldHandle(handle)) {
			return "", err
		}
	}
	taken, err := a.linkPages.HandleTaken(ctx, handle)
	if taken {
		return "is taken; choose another name", err
	}
	return "", err
}

// LinkPagePosts returns the posts that a page can show, as visitors see them: those that are published.
func (a *pageUseCases) LinkPagePosts(ctx context.Context, p Principal, ids []ident.Post) (map[ident.Post]postgres.ShownPost, error) {
	return a.live.Posts(ctx, p.WorkspaceID, ids)
}

// PagesURL returns the address below which link pages are.
func (a *pageUseCases) PagesURL() string { return a.pagesURL }

func (a *pageUseCases) changePage(
	ctx context.Context, p Principal, id ident.LinkPage, revision int, decide func(context.Context, linkpage.Page) (linkpage.Page, error),
) (linkpage.Page, error) {
	if err := p.Require(credential.LinksWrite); err != nil {
		return linkpage.Page{}, err
	}
	return a.linkPages.Change(ctx, p.WorkspaceID, id,
		func(ctx context.Context, page linkpage.Page) (linkpage.Page, error) {
			if err := expectedPage(ctx, page, revision); err != nil {
				return linkpage.Page{}, err
			}
			next, err := decide(ctx, page)
			if next.Revision != page.Revision {
				next.ChangedBy = string(p.Actor())
			}
			return next, err
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
