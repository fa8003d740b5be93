package fencepost

import (
	"context"
	"iter"
)

// MediaFiles are the operations of the workspace's files.
type MediaFiles struct{ c *Client }

// List iterates over the files that match, and requests page after page.
func (m MediaFiles) List(ctx context.Context, params ListMediaParams, options ...CallOption) iter.Seq2[Media, error] {
	return func(yield func(Media, error) bool) {
		pages[Media](ctx, m.c, opListMedia, nil, params.values(), options)(yield)
	}
}

// Get returns a file, with addresses that are valid for 24 hours.
func (m MediaFiles) Get(ctx context.Context, id string, options ...CallOption) (*Media, error) {
	return call[Media](ctx, m.c, opGetMedia, []string{id}, nil, nil, options)
}

// Import has the service download a file. It may last minutes: see Options.Timeout.
func (m MediaFiles) Import(ctx context.Context, body ImportMediaRequest, options ...CallOption) (*Media, error) {
	return call[Media](ctx, m.c, opImportMedia, nil, nil, body, options)
}

// Edit changes the members that are set.
func (m MediaFiles) Edit(ctx context.Context, id string, body EditMediaRequest, options ...CallOption) (*Media, error) {
	return call[Media](ctx, m.c, opEditMedia, []string{id}, nil, body, options)
}

// Delete deletes a file that is not in use.
func (m MediaFiles) Delete(ctx context.Context, id string, options ...CallOption) error {
	_, err := m.c.exchange(ctx, opDeleteMedia, []string{id}, nil, nil, options)
	return err
}

// StartUpload is the first step of Upload.
func (m MediaFiles) StartUpload(ctx context.Context, body StartUploadRequest, options ...CallOption) (*MediaUpload, error) {
	return call[MediaUpload](ctx, m.c, opStartUpload, nil, nil, body, options)
}

// CompleteUpload is the last step of Upload.
func (m MediaFiles) CompleteUpload(ctx context.Context, id string, options ...CallOption) (*Media, error) {
	return call[Media](ctx, m.c, opCompleteUpload, []string{id}, nil, nil, options)
}
