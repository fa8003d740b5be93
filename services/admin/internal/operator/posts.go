package operator

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// actor names the operator in timelines.
const actor post.Actor = "operator"

// ArchivePost archives a post, which stays readable.
func (o *Operator) ArchivePost(ctx context.Context, workspace, id string) (post.Post, error) {
	return o.movePost(ctx, workspace, id, func(p post.Post, now time.Time) (post.Change, error) {
		return p.Archive(now,
			actor)
	})
}

// UnarchivePost restores the state that a post had before it was archived.
func (o *Operator) UnarchivePost(ctx context.Context, workspace, id string) (post.Post, error) {
	return o.movePost(ctx, workspace, id, func(p post.Post, now time.Time) (post.Change, error) {
		return p.Unarchive(now,
			actor)
	})
}

func (o *Operator) movePost(
	ctx context.Context, workspace, id string, decide func(post.Post, time.Time) (post.Change, error),
) (post.Post, error) {
	var f faults
	workspaceID, postID := f.workspace(workspace), parseID[ident.Post](&f, MemberPostID, id, "GET /v1/posts")
	if err := f.err(); err != nil {
		return post.Post{}, err
	}
	if _, err := o.workspace(ctx, workspaceID); err != nil {
		return post.Post{}, err
	}
	before, err := o.posts.Get(ctx, workspaceID, postID)
	if apperr.Is(err, apperr.NotFound) {
		return post.Post{}, apperr.New(apperr.NotFound, "Workspace %s has no post %s.", workspaceID, postID)
	}
	if err != nil {
		return post.Post{}, err
	}
	change, err := decide(before, o.now())
	if err != nil {
		return post.Post{}, err
	}
	if err := o.posts.Apply(ctx, change); errors.Is(err, postgres.ErrStale) {
		return post.Post{}, apperr.New(apperr.PublishInProgress, "Post %s was changed at the same time; try again.", postID)
	} else if err != nil {
		return post.Post{}, err
	}
	return change.Post, nil
}
