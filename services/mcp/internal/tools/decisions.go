package tools

import (
	"context"
	"strings"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// OnPost is the input of tools that take only a post id.
type OnPost struct {
	PostID ident.Post `json:"postId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post, from list_posts."`
}

// Check implements apiforms.Body.
func (OnPost) Check() []apperr.Field { return nil }

// ChangePost is the input of tools that change a post without further arguments.
type ChangePost struct {
	OnPost
	Keyed
}

// Check implements apiforms.Body.
func (in ChangePost) Check() []apperr.Field { return in.faults() }

// SchedulePost is the input of schedule_post.
type SchedulePost struct {
	apiforms.SchedulePost
	ChangePost
}

// Check implements apiforms.Body.
func (in SchedulePost) Check() []apperr.Field { return append(in.SchedulePost.Check(), in.faults()...) }

// DecideOnPost is the input of approve_post and reject_post.
type DecideOnPost struct {
	apiforms.Decision
	Keyed

	PostID ident.Post `json:"postId" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post, from list_posts with status PENDING_APPROVAL."`
}

// Check implements apiforms.Body.
func (in DecideOnPost) Check() []apperr.Field { return in.faults() }

// OnePost is the output of get_post.
type OnePost struct {
	Timed

	Post apiforms.Post `json:"post" doc:"The post."`
}

// ChangedPost is the output of tools that change one post.
type ChangedPost struct {
	Timed

	Post     keptAs[apiforms.Post] `json:"post" doc:"The changed post."`
	Replayed bool                  `json:"replayed" doc:"Whether an earlier call did it."`
}

func (r *registrar) decisions() {
	t := r.tools
	write, publish := []credential.Scope{credential.PostsWrite}, []credential.Scope{credential.PostsPublish}
	add(r, declaration{
		name: "schedule_post", title: "Schedule a post", scopes: publish, destructive: true, openWorld: true,
		says: map[string]string{"timezone": zoneInWords},
		description: "Sets or changes the time at which a post is published: scheduledAt, or the channel's next free slot " +
			"with schedule \"next_slot\". Requires status DRAFT, SCHEDULED or FAILED. Overwrites the previous time of the post.",
	}, t.schedulePost)
	add(r, declaration{
		name: "publish_post", title: "Publish a post now", scopes: publish, destructive: true, openWorld: true,
		description: "Publishes a post at once. Publishing is public and cannot be undone. Requires status DRAFT, " +
			"SCHEDULED or FAILED. The post is SCHEDULED until it is published: call get_post after a few seconds to check " +
			"whether it is PUBLISHED or FAILED.",
	}, t.onPost("publish-post", (*app.App).PublishPost))
	add(r, declaration{
		name: "unschedule_post", title: "Unschedule a post", scopes: write, destructive: true, idempotent: true,
		description: "Moves a SCHEDULED post back to DRAFT and clears its time. After a successful call the post is not " +
			"published.",
	}, t.onPost("unschedule-post", (*app.App).UnschedulePost))
	add(r, declaration{
		name: "request_approval", title: "Request approval of a post", scopes: write, idempotent: true,
		description: "Sends a DRAFT for approval. It becomes PENDING_APPROVAL until an approver calls approve_post or " +
			"reject_post, or decides in the application.",
	}, t.onPost("request-post-approval", (*app.App).RequestApproval))
	add(r, declaration{
		name: "approve_post", title: "Approve a post", scopes: publish, destructive: true, idempotent: true,
		openWorld: true,
		description: "Accepts a PENDING_APPROVAL post. It becomes SCHEDULED if its time is in the future, and is " +
			"published at that time. Otherwise it becomes a DRAFT without a time.",
	}, t.decideOnPost("approve-post", (*app.App).ApprovePost))
	add(r, declaration{
		name: "reject_post", title: "Reject a post", scopes: publish, idempotent: true,
		description: "Moves a PENDING_APPROVAL post back to DRAFT, with a comment that gives the reason.",
	}, t.decideOnPost("reject-post", (*app.App).RejectPost))
}

func (t *Tools) schedulePost(ctx context.Context, c call, in SchedulePost) (ChangedPost, error) {
	return t.change(ctx, c, in.act("schedule-post"), func(ctx context.Context) (post.Post, error) {
		if in.Schedule == apiforms.ScheduleNextSlot {
			return t.cfg.App.SchedulePostNext(ctx, c.principal, in.PostID, in.Force)
		}
		return t.cfg.App.SchedulePost(ctx, c.principal, in.PostID, in.At())
	})
}

func (t *Tools) onPost(
	operation string, act func(a *app.App, ctx context.Context, p app.Principal, id ident.Post) (post.Post, error),
) func(ctx context.Context, c call, in ChangePost) (ChangedPost, error) {
	return func(ctx context.Context, c call, in ChangePost) (ChangedPost, error) {
		return t.change(ctx, c, in.act(operation), func(ctx context.Context) (post.Post, error) {
			return act(t.cfg.App, ctx, c.principal, in.PostID)
		})
	}
}

func (t *Tools) decideOnPost(
	operation string, act func(a *app.App, ctx context.Context, p app.Principal, id ident.Post, comment string) (post.Post, error),
) func(ctx context.Context, c call, in DecideOnPost) (ChangedPost, error) {
	return func(ctx context.Context, c call, in DecideOnPost) (ChangedPost, error) {
		on := ChangePost{OnPost: OnPost{PostID: in.PostID}, Keyed: in.Keyed}
		return t.change(ctx, c, on.act(operation), func(ctx context.Context) (post.Post, error) {
			return act(t.cfg.App, ctx, c.principal, in.PostID, in.Comment)
		})
	}
}

// act identifies a call that is an action of the API on a post, with the same body.
func (in ChangePost) act(operation string) kept {
	action := strings.Replace(strings.TrimSuffix(operation, "-post"), "-post-", "-", 1)
	return kept{
		key: in.IdempotencyKey, operation: operation, path: pathPost(in.PostID) + "/" + action, apart: []string{"postId"},
	}
}

func pathPost(id ident.Post) string { return "/v1/posts/" + id.String() }

// change runs a call that changes a post.
func (t *Tools) change(
	ctx context.Context, c call, k kept, act func(ctx context.Context) (post.Post, error),
) (ChangedPost, error) {
	created, replayed, err := once(ctx, t, c, k, func(ctx context.Context) (apiforms.Post, error) {
		after, err := act(ctx)
		return apiforms.ToAPIPost(after), err
	})
	return ChangedPost{Post: created, Replayed: replayed}, err
}
