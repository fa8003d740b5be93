package app

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"fencepost.internal/shared/domain/linkpage"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// AddLinkBlock adds a block to the draft of a page. Errors: NOT_FOUND, also for an unknown post or asset;
// VALIDATION_FAILED with every fault; PRECONDITION_FAILED.
func (a *pageUseCases) AddLinkBlock(
	ctx context.Context, p Principal, id ident.LinkPage, revision int, in linkpage.NewBlock,
) (page linkpage.Page, block linkpage.Block, err error) {
	page, err = a.changePage(ctx, p, id, revision, func(ctx context.Context, before linkpage.Page) (linkpage.Page, error) {
		next, added, err := before.AddBlock(in, a.now())
		if err != nil {
			return linkpage.Page{}, err
		}
		block = added
		return next, a.checkBlock(ctx, p, linkpage.Block{}, added)
	})
	return page, block, err
}

// AddLinkBlockOnce is AddLinkBlock for a form: the same key adds one block.
func (a *pageUseCases) AddLinkBlockOnce(
	ctx context.Context, p Principal, id ident.LinkPage, key string, in linkpage.NewBlock,
) (linkpage.Page, linkpage.Block, error) {
	in.ID = keyed[ident.LinkBlock](uuid.UUID(id), key)
	return a.AddLinkBlock(ctx, p, id, 0, in)
}

// ReviseLinkBlock is EditLinkBlock for a form that shows the block with the tag; ErrPageChanged if it differs by now.
func (a *pageUseCases) ReviseLinkBlock(
	ctx context.Context, p Principal, id ident.LinkPage, blockID ident.LinkBlock, seen string, in linkpage.BlockEdit,
) error {
	_, _, err := a.editBlock(ctx, p, id, blockID, 0, seen, in)
	return err
}

// EditLinkBlock changes a block of the draft but not its type. The errors are those of AddLinkBlock.
func (a *pageUseCases) EditLinkBlock(
	ctx context.Context, p Principal, id ident.LinkPage, blockID ident.LinkBlock, revision int, in linkpage.BlockEdit,
) (page linkpage.Page, block linkpage.Block, err error) {
	return a.editBlock(ctx, p, id, blockID, revision, "", in)
}

func (a *pageUseCases) editBlock(
	ctx context.Context, p Principal, id ident.LinkPage, blockID ident.LinkBlock, revision int, seen string, in linkpage.BlockEdit,
) (page linkpage.Page, block linkpage.Block, err error) {
	page, err = a.changePage(ctx, p, id, revision, func(ctx context.Context, before linkpage.Page) (linkpage.Page, error) {
		if known, found := before.Draft.Block(blockID); found && seen != "" && seen != LinkBlockTag(known) {
			return linkpage.Page{}, ErrPageChanged
		}
		next, edited, err := before.EditBlock(blockID, in, a.now())
		if err != nil {
			return linkpage.Page{}, err
		}
		block = edited
		was, _ := before.Draft.Block(blockID)
		return next, a.checkBlock(ctx, p, was, edited)
	})
	return page, block, err
}

// DeleteLinkBlock deletes a block of the draft. Errors: NOT_FOUND, PRECONDITION_FAILED.
func (a *pageUseCases) DeleteLinkBlock(
	ctx context.Context, p Principal, id ident.LinkPage, blockID ident.LinkBlock, revision int,
) (linkpage.Page, error) {
	return a.changePage(ctx, p, id, revision, func(_ context.Context, page linkpage.Page) (linkpage.Page, error) {
		return page.RemoveBlock(blockID, a.now())
	})
}

// MoveLinkBlock moves a block of the draft behind another one, or to the beginning if after is zero. Errors: NOT_FOUND.
func (a *pageUseCases) MoveLinkBlock(
	ctx context.Context, p Principal, id ident.LinkPage, blockID, after ident.LinkBlock,
) error {
	_, err := a.changePage(ctx, p, id, 0, func(_ context.Context, page linkpage.Page) (linkpage.Page, error) {
		return page.MoveBlock(blockID, after, a.now())
	})
	return err
}

// ShiftLinkBlock moves a block of the draft by one place. Errors: NOT_FOUND.
func (a *pageUseCases) ShiftLinkBlock(
	ctx context.Context, p Principal, id ident.LinkPage, blockID ident.LinkBlock, up bool,
) error {
	_, err := a.changePage(ctx, p, id, 0, func(_ context.Context, page linkpage.Page) (linkpage.Page, error) {
		return page.ShiftBlock(blockID, up, a.now())
	})
	return err
}

// OrderLinkBlocks reorders the blocks of the draft. Ids must contain each block once. Errors: NOT_FOUND,
// VALIDATION_FAILED, PRECONDITION_FAILED.
func (a *pageUseCases) OrderLinkBlocks(
	ctx context.Context, p Principal, id ident.LinkPage, revision int, ids []ident.LinkBlock,
) (linkpage.Page, error) {
	return a.changePage(ctx, p, id, revision, func(_ context.Context, page linkpage.Page) (linkpage.Page, error) {
		return page.Order(ids, a.now())
	})
}

// checkBlock checks the images and posts that a block newly refers to. Earlier references are not checked, because
// their targets may have been deleted.
func (a *pageUseCases) checkBlock(ctx context.Context, p Principal, before, block linkpage.Block) error {
	posts, images := block.Refers()
	knownPosts, knownImages := before.Refers()
	for _, id := range posts {
		if slices.Contains(knownPosts, id) {
			continue
		}
		if _, err := a.posts.Get(ctx, p.WorkspaceID, id); apperr.Is(err, apperr.NotFound) {
			return apperr.New(apperr.NotFound, "There is no post %s.", id)
		} else if err != nil {
			return err
		}
	}
	var shown []shownAsset
	for _, id := range images {
		if !slices.Contains(knownImages, id) {
			shown = append(shown, shownAsset{"/settings/imageMediaId", id})
		}
	}
	return a.checkPictures(ctx, p, shown)
}
