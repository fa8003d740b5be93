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
	PostID ident.Post `json:"postId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"The post; list_posts lists them."`
}

// Check implements apiforms.Body.
func (OnPost) Check() []apperr.Field { return nil }

// SchedulePost is the input of schedule_post.
type SchedulePost struct {
	apiforms.SchedulePost

	PostID ident.Post `json:"postId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"The post; list_posts lists them."`
}

// DecideOnPost is the input of approve_post and reject_post.
type DecideOnPost struct {
	apiforms.Decision

	PostID ident.Post `json:"postId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"The post; list_posts with status PENDING_APPROVAL lists those that wait for a decision."`
}

// ChangedPost is the output of tools that read or change one post.
type ChangedPost struct {
	Post apiforms.Post `json:"post" doc:"The post as it is now."`
}

func (r *registrar) decisions() {
	t := r.tools
	write, publish := []credential.Scope{credential.PostsWrite}, []credential.Scope{credential.PostsPublish}
	add(r, declaration{
		name: "schedule_post", title: "Schedule a post", scopes: publish, destructive: true, openWorld: true,
		description: "Sets the time at which a post is published, or moves it: to scheduledAt, or to the channel's next free slot with schedule \"next_slot\". Possible for posts that are DRAFT, SCHEDULED or FAILED. The time that the post had is lost.",
	}, t.schedulePost)
	add(r, declaration{
		name: "publish_post", title: "Publish a post now", scopes: publish, destructive: true, openWorld: true,
		description: "Publishes a post at once. It cannot be taken back: everybody can see it. Possible for posts that are DRAFT, SCHEDULED or FAILED. The post is SCHEDULED until it is out: call get_post after a few seconds to see whether it became PUBLISHED or FAILED.",
	}, t.onPost(t.cfg.App.PublishPost))
	add(r, declaration{
		name: "unschedule_post", title: "Unschedule a post", scopes: write, destructive: true, idempotent: true,
		description: "Takes a SCHEDULED post back to DRAFT and clears its time. After a good answer it is not published any more.",
	}, t.onPost(t.cfg.App.UnschedulePost))
	add(r, declaration{
		name: "request_approval", title: "Request approval of a post", scopes: write, idempotent: true,
		description: "Hands a DRAFT to an approver: it becomes PENDING_APPROVAL, and somebody calls approve_post or reject_post, or decides in the application.",
	}, t.onPost(t.cfg.App.RequestApproval))
	add(r, declaration{
		name: "approve_post", title: "Approve a post", scopes: publish, idempotent: true, openWorld: true,
		description: "Accepts a PENDING_APPROVAL post. It becomes SCHEDULED when its time is still ahead, and is published then; otherwise a DRAFT without a time.",
	}, t.decideOnPost(t.cfg.App.ApprovePost))
	add(r, declaration{
		name: "reject_post", title: "Reject a post", scopes: publish, idempotent: true,
		description: "Sends a PENDING_APPROVAL post back to its author as a DRAFT, with a comment that says why.",
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
