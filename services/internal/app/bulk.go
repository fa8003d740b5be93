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
func (a *postUseCases) CreateBulk(ctx context.Context, p Principal, items []BulkItem) ([]BulkResult, error) {
	results := make([]BulkResult, len(items))
	failed := make([]error, len(items))
	for i, item := range items {
		failed[i] = item.Fault
	}
	err := a.apart(ctx, failed, func(ctx context.Context, i int) (err error) {
		results[i].Posts, err = a.CreatePosts(ctx, p, items[i].Create)
		return err
	})
	for i, failure := range failed {
		if failure != nil {
			results[i] = BulkResult{Err: failure}
		}
	}
	return results, err
}

// apart runs do for the index of each item without an error, in order, each in its own transaction, or in a savepoint of
// the caller's transaction, and keeps its error. The returned error concerns the whole request.
func (a *postUseCases) apart(ctx context.Context, failed []error, do func(ctx context.Context, i int) error) error {
	for i, fault := range failed {
		if err := ctx.Err(); err != nil {
			return err
		}
		if fault != nil {
			continue
		}
		failed[i] = a.db.WithinSavepoint(ctx, func(ctx context.Context) error { return do(ctx, i) })
		if passing(failed[i]) && a.db.InTx(ctx) {
			return failed[i] // roll back all items: a stored response must not contain a transient error
		}
	}
	return nil
}

// passing reports whether the error is transient, so that a retry of the item may succeed.
func passing(err error) bool {
	return apperr.Is(err, apperr.Unavailable) || apperr.Is(err, apperr.Internal)
}
