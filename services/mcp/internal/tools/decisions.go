package tools

import (
	"context"

	"socialpub.internal/services/internal/apiforms"
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/domain/credential"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/ident"
)

// OnPost is the input of tools that take only a post id.
type OnPost struct {
	PostID ident.Post `json:"postId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post, from list_posts."`
}

// Check implements apiforms.Body.
func (OnPost) Check() []apperr.Field { return nil }

// SchedulePost is the input of schedule_post.
type SchedulePost struct {
	apiforms.SchedulePost

	PostID ident.Post `json:"postId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post, from list_posts."`
}

// DecideOnPost is the input of approve_post and reject_post.
type DecideOnPost struct {
	apiforms.Decision

	PostID ident.Post `json:"postId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post, from list_posts with status PENDING_APPROVAL."`
}

// ChangedPost is the output of tools that read or change one post.
type ChangedPost struct {
	Post apiforms.Post `json:"post" doc:"The changed post."`
}

func (r *registrar) decisions() {
	t := r.tools
	write, publish := []credential.Scope{credential.PostsWrite}, []credential.Scope{credential.PostsPublish}
	add(r, declaration{
		name: "schedule_post", title: "Schedule a post", scopes: publish, destructive: true, openWorld: true,
		description: "Sets or changes the time at which a post is published: scheduledAt, or the channel's next free slot " +
			"with schedule \"next_slot\". Requires status DRAFT, SCHEDULED or FAILED. Overwrites the previous time of the post.",
	}, t.schedulePost)
	add(r, declaration{
		name: "publish_post", title: "Publish a post now", scopes: publish, destructive: true, openWorld: true,
		description: "Publishes a post at once. Publishing is public and cannot be undone. Requires status DRAFT, " +
			"SCHEDULED or FAILED. The post is SCHEDULED until it is published: call get_post after a few seconds to check " +
			"whether it is PUBLISHED or FAILED.",
	}, t.onPost(t.cfg.App.PublishPost))
	add(r, declaration{
		name: "unschedule_post", title: "Unschedule a post", scopes: write, destructive: true, idempotent: true,
		description: "Moves a SCHEDULED post back to DRAFT and clears its time. After a successful call the post is not " +
			"published.",
	}, t.onPost(t.cfg.App.UnschedulePost))
	add(r, declaration{
		name: "request_approval", title: "Request approval of a post", scopes: write, idempotent: true,
		description: "Sends a DRAFT for approval. It becomes PENDING_APPROVAL until an approver calls approve_post or " +
			"reject_post, or decides in the application.",
	}, t.onPost(t.cfg.App.RequestApproval))
	add(r, declaration{
		name: "approve_post", title: "Approve a post", scopes: publish, idempotent: true, openWorld: true,
		description: "Accepts a PENDING_APPROVAL post. It becomes SCHEDULED if its time is in the future, and is " +
			"published at that time. Otherwise it becomes a DRAFT without a time.",
	}, t.decideOnPost(t.cfg.App.ApprovePost))
	add(r, declaration{
		name: "reject_post", title: "Reject a post", scopes: publish, idempotent: true,
		description: "Moves a PENDING_APPROVAL post back to DRAFT, with a comment that gives the reason.",
	}, t.decideOnPost(t.cfg.App.RejectPost))
}

func (t *Tools) schedulePost(ctx context.Context, c call, in SchedulePost) (ChangedPost, error) {
	if in.Schedule == apiforms.ScheduleNextSlot {
		return changed(t.cfg.App.SchedulePostNext(ctx, c.principal, in.PostID))
	}
	at, err := apiforms.PublishTime(in.ScheduledAt)
	if err != nil { // cannot fail after schema validation
		return ChangedPost{}, err
	}
	return changed(t.cfg.App.SchedulePost(ctx, c.principal, in.PostID, at))
}

func (*Tools) onPost(
	act func(ctx context.Context, p app.Principal, id ident.Post) (post.Post, error),
) func(ctx context.Context, c call, in OnPost) (ChangedPost, error) {
	return func(ctx context.Context, c call, in OnPost) (ChangedPost, error) {
		return changed(act(ctx, c.principal, in.PostID))
	}
}

func (*Tools) decideOnPost(
	act func(ctx context.Context, p app.Principal, id ident.Post, comment string) (post.Post, error),
) func(ctx context.Context, c call, in DecideOnPost) (ChangedPost, error) {
	return func(ctx context.Context, c call, in DecideOnPost) (ChangedPost, error) {
		return changed(act(ctx, c.principal, in.PostID, in.Comment))
	}
}

func changed(after post.Post, err error) (ChangedPost, error) {
	return ChangedPost{Post: apiforms.ToAPIPost(after)}, err
}
