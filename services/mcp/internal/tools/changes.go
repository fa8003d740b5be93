package tools

import (
	"context"
	"net/http"
	"slices"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Validation is the output of validate_post: that of the API's simulate-posts with an additional field.
type Validation struct {
	apiforms.Simulation
	Timed

	Valid bool `json:"valid" doc:"Whether no post has errors."`
}

// UpdatePost is the input of update_post: the body of the API's edit-post with additional fields.
type UpdatePost struct {
	apiforms.EditPost
	ChangePost
	Clearing
}

// Check implements apiforms.Body.
func (in UpdatePost) Check() []apperr.Field { return append(in.EditPost.Check(), in.faults()...) }

// DeletedPost is the output of delete_post.
type DeletedPost struct {
	Deleted  keptAs[Deletion] `json:"deleted" doc:"The deleted post."`
	Replayed bool             `json:"replayed" doc:"Whether an earlier call did it."`
}

// Deletion names a deleted post.
type Deletion struct {
	ID ident.Post `json:"id" format:"uuid" doc:"ID of the post."`
}

// PostHistory is the output of get_post_timeline.
type PostHistory struct {
	apiforms.Timeline
	Timed
}

func (r *registrar) changes() {
	t := r.tools
	write := []credential.Scope{credential.PostsWrite}
	add(r, declaration{
		name: "validate_post", title: "Validate posts", scopes: write, readOnly: true, idempotent: true, like: createPost,
		openWorld: true, // networks report quotas
		says:      map[string]string{"postIds": "IDs of existing posts to check, instead of the arguments of create_post."},
		description: "Says what would happen to posts, and changes nothing. Takes the arguments of create_post, or postIds. " +
			"`errors` prevent publishing, `warnings` do not; `at` is when the post would be published, `conflicts` are posts of " +
			"the same channel with the same text or time, and `channelReady` says whether the channel can be published to then.",
	}, t.validatePost)
	add(r, declaration{
		name: "update_post", title: "Edit a post", scopes: write, destructive: true, openWorld: true,
		clears: []string{
			"content", "title", "mediaAltTexts", "scheduledAt", "options", "labels", "campaignId", "externalId", "metadata", "thread", "firstComment", "publishAfter",
		}, like: createPost,
		says: map[string]string{
			"mediaAltTexts": "As in create_post; replaces all of them.", "mediaIds": "As in create_post; replaces all of them.",
			"options": "Settings to change, as in create_post; null removes a setting.",
			"scheduledAt": "New time of a SCHEDULED post, which also needs the scope posts:publish; intended time of a DRAFT, " +
				"which does not schedule it.",
		},
		description: "Changes the sent members of a post in status DRAFT, SCHEDULED or FAILED; others stay. A SCHEDULED post " +
			"stays scheduled.",
	}, t.updatePost)
	add(r, declaration{
		name: "delete_post", title: "Delete a post", scopes: write, destructive: true, idempotent: true,
		description: "Deletes a post for good, in any status except PUBLISHED. A SCHEDULED post is then not published.",
	}, t.deletePost)
	add(r, declaration{
		name: "get_post_timeline", title: "Get a post's timeline", scopes: readers(), either: true, readOnly: true,
		idempotent:  true,
		description: "Returns a post's history: every change, and every attempt to publish it with its outcome.",
	}, t.getTimeline)
}

func (t *Tools) validatePost(ctx context.Context, c call, in apiforms.SimulatePosts) (Validation, error) {
	simulated, err := in.Simulate(ctx, t.cfg.App, c.principal)
	failing := func(p apiforms.SimulatedPost) bool { return len(p.Errors) > 0 }
	return Validation{Simulation: simulated, Valid: err == nil && !slices.ContainsFunc(simulated.Posts, failing)}, err
}

func (t *Tools) updatePost(ctx context.Context, c call, in UpdatePost) (ChangedPost, error) {
	return t.change(ctx, c, kept{
		key: in.IdempotencyKey, operation: "edit-post", method: http.MethodPatch, path: pathPost(in.PostID),
		apart: []string{"postId", memberClear},
	}, func(ctx context.Context) (post.Post, error) {
		return t.cfg.App.EditPost(ctx, c.principal, in.PostID, in.Edit)
	})
}

func (t *Tools) deletePost(ctx context.Context, c call, in ChangePost) (DeletedPost, error) {
	deleted, replayed, err := once(ctx, t, c, kept{
		key: in.IdempotencyKey, operation: "delete-post", method: http.MethodDelete, path: pathPost(in.PostID),
		apart: []string{"postId"},
	}, func(ctx context.Context) (Deletion, error) {
		return Deletion{ID: in.PostID}, t.cfg.App.DeletePost(ctx, c.principal, in.PostID)
	})
	return DeletedPost{Deleted: deleted, Replayed: replayed}, err
}

func (t *Tools) getTimeline(ctx context.Context, c call, in OnPost) (PostHistory, error) {
	entries, err := t.cfg.App.Timeline(ctx, c.principal, in.PostID)
	return PostHistory{Timeline: apiforms.ToAPITimeline(entries)}, err
}
