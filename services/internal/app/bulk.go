package app

import (
	"context"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
)

// BulkItem is one item of a bulk request. Fault is the error of an item that could not be parsed.
type BulkItem struct {
	Create CreatePosts
	Fault  error
}

// BulkResult holds the posts of an item, or its error.
type BulkResult struct {
	Posts []post.Post
	Err   error
}

// CreateBulk creates the posts of each item, in order. Each item runs in its own transaction, or in a savepoint of the
// caller's transaction, so that a failed item does not affect the others. The returned error concerns the whole
// request, for example a canceled context. Without a transaction of the caller, some items may have been created before
// such an error.
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
			return nil, results[i].Err // roll back all items: a stored response must not contain a transient error
		}
	}
	return results, nil
}

// passing reports whether the error is transient, so that a retry of the item may succeed.
func passing(err error) bool {
	return apperr.Is(err, apperr.Unavailable) || apperr.Is(err, apperr.Internal)
}
