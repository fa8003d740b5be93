package app

import (
	"context"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/kernel/apperr"
)

// BulkItem is one item of a bulk request: what it asks for, or why it could not be read.
type BulkItem struct {
	Create CreatePosts
	Fault  error
}

// BulkResult is what became of an item: its posts, or why there are none.
type BulkResult struct {
	Posts []post.Post
	Err   error
}

// CreateBulk makes the posts of each item, in order. Each item is a transaction of its own, or a part of the caller's that is
// undone alone; one that fails does not touch the others. The error is that of the request as a whole: the context has ended,
// and of what is not in a transaction of the caller some items may have been made.
func (a *App) CreateBulk(ctx context.Context, p Principal, items []BulkItem) ([]BulkResult, error) {
	results := make([]BulkResult, len(items))
	for i, item := range items {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if item.Fault != nil {
			results[i].Err = item.Fault
			continue
		}
		results[i].Err = a.db.WithinSavepoint(ctx, func(ctx context.Context) (err error) {
			results[i].Posts, err = a.CreatePosts(ctx, p, item.Create)
			return err
		})
		if results[i].Err != nil {
			results[i].Posts = nil
		}
		if passing(results[i].Err) && a.db.InTx(ctx) {
			return nil, results[i].Err // an answer that is kept must not keep it; the whole is undone and may be tried again
		}
	}
	return results, nil
}

// passing reports whether the same item may be right when it is tried again.
func passing(err error) bool {
	return apperr.Is(err, apperr.Unavailable) || apperr.Is(err, apperr.Internal)
}
