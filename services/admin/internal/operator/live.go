package operator

import (
	"context"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// LivePost names a published post and the person who changes it.
type LivePost struct {
	Workspace, Post string
	By              string // the person's name in the timeline; empty: the operator
}

// EditLive replaces the text of a published post on its network.
func (o *Operator) EditLive(ctx context.Context, in LivePost, text string) (post.LiveChange, error) {
	return o.live(ctx, in, func(by app.LivePerson, id ident.Post) (post.LiveChange, error) {
		return o.livePosts.Edit(ctx, by, id, text)
	})
}

// DeleteLive deletes a published post from its network.
func (o *Operator) DeleteLive(ctx context.Context, in LivePost) (post.LiveChange, error) {
	return o.live(ctx, in, func(by app.LivePerson, id ident.Post) (post.LiveChange, error) {
		return o.livePosts.Delete(ctx, by, id)
	})
}

func (o *Operator) live(
	ctx context.Context, in LivePost, change func(app.LivePerson, ident.Post) (post.LiveChange, error),
) (post.LiveChange, error) {
	var f faults
	workspaceID, postID := f.workspace(in.Workspace), parseID[ident.Post](&f, MemberPostID, in.Post, "GET /v1/posts")
	if in.By != "" {
		in.By = f.text(MemberBy, in.By)
	}
	if err := f.err(); err != nil {
		return post.LiveChange{}, err
	}
	if _, err := o.workspace(ctx, workspaceID); err != nil {
		return post.LiveChange{}, err
	}
	by := app.LivePerson{WorkspaceID: workspaceID, Actor: actor}
	if in.By != "" {
		by.Actor = actor + " " + post.Actor(in.By)
	}
	created, err := change(by, postID)
	if apperr.Is(err, apperr.NotFound) {
		return post.LiveChange{}, apperr.New(apperr.NotFound, "Workspace %s has no post %s.", workspaceID, postID)
	}
	return created, err
}
