package app

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/rules"
)

// postUseCases are those of posts, from their creation to their archive.
type postUseCases struct {
	*Records

	library    *mediaUseCases
	scheduling *channelUseCases
	posts      *postgres.Posts
	renditions *postgres.Renditions
	users      *postgres.Users
	events     *postgres.Events
	notices    *postgres.Mails
	rules      rules.Table // what the networks accept
}

// Post returns one post; NOT_FOUND when the workspace has no such post.
func (a *postUseCases) Post(ctx context.Context, p Principal, id ident.Post) (post.Post, error) {
	return a.posts.For(p.Channels).Get(ctx, p.WorkspaceID, id)
}

// Posts returns a page of posts in the order of the filter.
func (a *postUseCases) Posts(ctx context.Context, p Principal, filter postgres.PostFilter) ([]post.Post, error) {
	return a.posts.For(p.Channels).List(ctx, p.WorkspaceID, filter)
}

// Attention counts what waits for the people of the workspace.
func (a *postUseCases) Attention(ctx context.Context, p Principal) (postgres.Attention, error) {
	return a.posts.For(p.Channels).Attention(ctx, p.WorkspaceID, p.Person.ID)
}

// Needs returns the posts that need a person, by reason, and those of them that the visitor is shown: the first few of each.
func (a *postUseCases) Needs(ctx context.Context, p Principal, few int) ([]postgres.Need, map[ident.Post]post.Post, error) {
	needs, err := a.posts.For(p.Channels).Needs(ctx, p.WorkspaceID)
	if err != nil {
		return nil, nil, err
	}
	var first []ident.Post
	for _, n := range needs {
		first = append(first, n.Posts[:min(few, len(n.Posts))]...)
	}
	found, err := a.posts.For(p.Channels).GetMany(ctx, p.WorkspaceID, first)
	return needs, found, err
}

// Ahead returns what is scheduled on each of the channels of the workspace.
func (a *postUseCases) Ahead(
	ctx context.Context, p Principal, channels []ident.Channel,
) (map[ident.Channel]postgres.Ahead, error) {
	if len(channels) == 0 {
		return nil, nil
	}
	return a.posts.Ahead(ctx, p.WorkspaceID, channels)
}

// Timeline returns the history of a post, oldest first; NOT_FOUND when the workspace has no such post.
func (a *postUseCases) Timeline(ctx context.Context, p Principal, id ident.Post) ([]post.Entry, error) {
	if _, err := a.posts.For(p.Channels).Get(ctx, p.WorkspaceID, id); err != nil {
		return nil, err
	}
	return a.posts.Timeline(ctx, id)
}

// Attempts returns the attempts to publish a post, oldest first; NOT_FOUND when the workspace has no such post.
func (a *postUseCases) Attempts(ctx context.Context, p Principal, id ident.Post) ([]postgres.Attempt, error) {
	if _, err := a.posts.For(p.Channels).Get(ctx, p.WorkspaceID, id); err != nil {
		return nil, err
	}
	return a.posts.Attempts(ctx, id)
}

// ArchivePost archives a post, which stays readable. Only people may do so.
func (a *postUseCases) ArchivePost(ctx context.Context, p Principal, id ident.Post) (post.Post, error) {
	if err := p.Require(credential.PostsArchive); err != nil {
		return post.Post{}, err
	}
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		return before.Archive(now, p.Actor())
	})
}

// UnarchivePost returns an archived post to the status that it had before. Only people may do so.
func (a *postUseCases) UnarchivePost(ctx context.Context, p Principal, id ident.Post) (post.Post, error) {
	if err := p.Require(credential.PostsArchive); err != nil {
		return post.Post{}, err
	}
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		return before.Unarchive(now, p.Actor())
	})
}

// PostMedia returns the assets of a post in their order.
func (a *postUseCases) PostMedia(ctx context.Context, p Principal, of post.Post) ([]DeliveredAsset, error) {
	return a.library.delivered(ctx, p, of.MediaIDs)
}
