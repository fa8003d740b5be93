package fencepost

import "context"

// LinkPages are the operations of link pages.
type LinkPages struct{ c *Client }

// List returns the link pages of the workspace.
func (r LinkPages) List(ctx context.Context, options ...CallOption) ([]LinkPageSummary, error) {
	list, err := call[LinkPageList](ctx, r.c, opListLinkPages, nil, nil, nil, options)
	if err != nil {
		return nil, err
	}
	return list.Data, nil
}

// Create creates a link page as a draft.
func (r LinkPages) Create(ctx context.Context, body CreateLinkPageRequest, options ...CallOption) (*LinkPage, error) {
	return call[LinkPage](ctx, r.c, opCreateLinkPage, nil, nil, body, options)
}

// Get returns a link page.
func (r LinkPages) Get(ctx context.Context, id string, options ...CallOption) (*LinkPage, error) {
	return call[LinkPage](ctx, r.c, opGetLinkPage, []string{id}, nil, nil, options)
}

// Update changes the members that are set.
func (r LinkPages) Update(
	ctx context.Context, id string, body UpdateLinkPageRequest, options ...CallOption,
) (*LinkPage, error) {
	return call[LinkPage](ctx, r.c, opUpdateLinkPage, []string{id}, nil, body, options)
}

// Delete deletes a link page.
func (r LinkPages) Delete(ctx context.Context, id string, options ...CallOption) error {
	_, err := r.c.exchange(ctx, opDeleteLinkPage, []string{id}, nil, nil, options)
	return err
}

// Publish publishes the draft.
func (r LinkPages) Publish(ctx context.Context, id string, options ...CallOption) (*LinkPage, error) {
	return call[LinkPage](ctx, r.c, opPublishLinkPage, []string{id}, nil, nil, options)
}

// Unpublish takes the page off the web.
func (r LinkPages) Unpublish(ctx context.Context, id string, options ...CallOption) (*LinkPage, error) {
	return call[LinkPage](ctx, r.c, opUnpublishLinkPage, []string{id}, nil, nil, options)
}

// GetAnalytics returns the views and clicks of a link page.
func (r LinkPages) GetAnalytics(
	ctx context.Context, id string, params GetLinkPageAnalyticsParams, options ...CallOption,
) (*LinkPageAnalytics, error) {
	return call[LinkPageAnalytics](ctx, r.c, opGetLinkPageAnalytics, []string{id}, params.values(), nil, options)
}

// AddBlock adds a block, such as AddLinkPageBlockRequest{Value: AddLinkBlock{Type: "LINK", …}}.
func (r LinkPages) AddBlock(
	ctx context.Context, page string, body AddLinkPageBlockRequest, options ...CallOption,
) (*LinkPageBlock, error) {
	return call[LinkPageBlock](ctx, r.c, opAddLinkBlock, []string{page}, nil, body, options)
}

// UpdateBlock changes the members that are set.
func (r LinkPages) UpdateBlock(
	ctx context.Context, page, block string, body UpdateLinkPageBlockRequest, options ...CallOption,
) (*LinkPageBlock, error) {
	return call[LinkPageBlock](ctx, r.c, opUpdateLinkBlock, []string{page, block}, nil, body, options)
}

// DeleteBlock deletes a block.
func (r LinkPages) DeleteBlock(ctx context.Context, page, block string, options ...CallOption) error {
	_, err := r.c.exchange(ctx, opDeleteLinkBlock, []string{page, block}, nil, nil, options)
	return err
}

// OrderBlocks sets the order of all blocks.
func (r LinkPages) OrderBlocks(
	ctx context.Context, page string, body OrderLinkBlocksRequest, options ...CallOption,
) (*LinkPage, error) {
	return call[LinkPage](ctx, r.c, opOrderLinkBlocks, []string{page}, nil, body, options)
}
