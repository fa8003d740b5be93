package app

import (
	"context"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/ident"
)

// Post returns one post; NOT_FOUND when the workspace has no such post.
func (a *App) Post(ctx context.Context, p Principal, id ident.Post) (post.Post, error) {
	return a.posts.Get(ctx, p.WorkspaceID, id)
}

// Posts returns a page of posts in the order of the filter.
func (a *App) Posts(ctx context.Context, p Principal, filter postgres.PostFilter) ([]post.Post, error) {
	return a.posts.List(ctx, p.WorkspaceID, filter)
}

// Timeline returns the history of a post, oldest first; NOT_FOUND when the workspace has no such post.
func (a *App) Timeline(ctx context.Context, p Principal, id ident.Post) ([]post.Entry, error) {
	if _, err := a.posts.Get(ctx, p.WorkspaceID, id); err != nil {
		return nil, err
	}
	return a.posts.Timeline(ctx, id)
}
