package app

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// Post returns one post; NOT_FOUND when the workspace has no such post.
func (a *App) Post(ctx context.Context, p Principal, id ident.Post) (post.Post, error) {
	return a.posts.Get(ctx, p.WorkspaceID, id)
}

// Posts returns a page of posts in the order of the filter.
func (a *App) Posts(ctx context.Context, p Principal, filter postgres.PostFilter) ([]post.Post, error) {
	return a.posts.List(ctx, p.WorkspaceID, filter)
}

// Attention counts what waits for the people of the workspace.
func (a *App) Attention(ctx context.Context, p Principal) (postgres.Attention, error) {
	return a.posts.Attention(ctx, p.WorkspaceID)
}

// Ahead returns what is scheduled on each of the channels of the workspace.
func (a *App) Ahead(
	ctx context.Context, p Principal, channels []ident.Channel,
) (map[ident.Channel]postgres.Ahead, error) {
	if len(channels) == 0 {
		return nil, nil
	}
	return a.posts.Ahead(ctx, p.WorkspaceID, channels)
}

// Timeline returns the history of a post, oldest first; NOT_FOUND when the workspace has no such post.
func (a *App) Timeline(ctx context.Context, p Principal, id ident.Post) ([]post.Entry, error) {
	if _, err := a.posts.Get(ctx, p.WorkspaceID, id); err != nil {
		return nil, err
	}
	return a.posts.Timeline(ctx, id)
}

// ArchivePost archives a post, which stays readable. Only people may do so.
func (a *App) ArchivePost(ctx context.Context, p Principal, id ident.Post) (post.Post, error) {
	if err := p.Require(credential.PostsArchive); err != nil {
		return post.Post{}, err
	}
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		return before.Archive(now, p.Actor())
	})
}

// UnarchivePost returns an archived post to the status that it had before. Only people may do so.
func (a *App) UnarchivePost(ctx context.Context, p Principal, id ident.Post) (post.Post, error) {
	if err := p.Require(credential.PostsArchive); err != nil {
		return post.Post{}, err
	}
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		return before.Unarchive(now, p.Actor())
	})
}

// PostMedia returns the assets of a post in their order.
func (a *App) PostMedia(ctx context.Context, p Principal, of post.Post) ([]DeliveredAsset, error) {
	return a.delivered(ctx, p, of.MediaIDs)
}
