package app

import (
	"context"

	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/linkpage"
)

// AddLinkBlock puts a block into the draft of a page. NOT_FOUND, also for a post or an asset that the workspace does not have;
// VALIDATION_FAILED with every fault at once; INVALID_STATE.
func (a *App) AddLinkBlock(
	ctx context.Context, p Principal, id ident.LinkPage, revision int, in linkpage.NewBlock,
) (page linkpage.Page, block linkpage.Block, err error) {
	page, err = a.changePage(ctx, p, id, revision, func(ctx context.Context, before linkpage.Page) (linkpage.Page, error) {
		next, added, err := before.AddBlock(in, a.now())
		if err != nil {
			return linkpage.Page{}, err
		}
		block = added
		return next, a.checkBlock(ctx, p, added)
	})
	return page, block, err
}

// EditLinkBlock changes a block of the draft; its type stays. Errors are those of AddLinkBlock.
func (a *App) EditLinkBlock(
	ctx context.Context, p Principal, id ident.LinkPage, blockID ident.LinkBlock, revision int, in linkpage.BlockEdit,
) (page linkpage.Page, block linkpage.Block, err error) {
	page, err = a.changePage(ctx, p, id, revision, func(ctx context.Context, before linkpage.Page) (linkpage.Page, error) {
		next, edited, err := before.EditBlock(blockID, in, a.now())
		if err != nil {
			return linkpage.Page{}, err
		}
		block = edited
		if in.Settings == nil {
			return next, nil
		}
		return next, a.checkBlock(ctx, p, edited)
	})
	return page, block, err
}

// DeleteLinkBlock takes a block out of the draft. NOT_FOUND; INVALID_STATE.
func (a *App) DeleteLinkBlock(ctx context.Context, p Principal, id ident.LinkPage, blockID ident.LinkBlock, revision int) (linkpage.Page, error) {
	return a.changePage(ctx, p, id, revision, func(_ context.Context, page linkpage.Page) (linkpage.Page, error) {
		return page.RemoveBlock(blockID, a.now())
	})
}

// OrderLinkBlocks puts the blocks of the draft into an order that names each of them once. NOT_FOUND; VALIDATION_FAILED;
// INVALID_STATE.
func (a *App) OrderLinkBlocks(ctx context.Context, p Principal, id ident.LinkPage, revision int, ids []ident.LinkBlock) (linkpage.Page, error) {
	return a.changePage(ctx, p, id, revision, func(_ context.Context, page linkpage.Page) (linkpage.Page, error) {
		return page.Order(ids, a.now())
	})
}

// checkBlock looks up what a block refers to: a picture, a post.
func (a *App) checkBlock(ctx context.Context, p Principal, block linkpage.Block) error {
	content := linkpage.Content{Blocks: []linkpage.Block{block}}
	for _, id := range content.Posts() {
		if _, err := a.posts.Get(ctx, p.WorkspaceID, id); err != nil {
			return err
		}
	}
	return a.pictures(ctx, p, "/settings/imageMediaId", content.Assets()...)
}
