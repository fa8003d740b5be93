package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

type (
	schedulePostInput struct {
		body[apiforms.SchedulePost]

		ID string `path:"id" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post."`
	}
	decisionInput struct {
		optionalBody[apiforms.Decision]

		ID string `path:"id" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post."`
	}
	continueInput struct {
		optionalBody[apiforms.ContinueParts]

		ID string `path:"id" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post."`
	}
	actionInput struct {
		noBody

		ID string `path:"id" format:"uuid" example:"0190a3c6-2c13-7e7a-9b55-6a2e3d4c5b60" doc:"ID of the post."`
	}
)

// postAction declares an action on a post.
func postAction(name string, scope credential.Scope, summary, description string, errors ...apperr.Code) operation {
	return operation{
		id: name + "-post", method: http.MethodPost, path: "/v1/posts/{id}/" + name, tag: tagLifecycle,
		anyOf: []credential.Scope{scope}, conditional: true,
		summary: summary, description: description, good: "The changed post.",
		errors: append(errors, apperr.InvalidState, apperr.PublishInProgress),
	}
}

// ready returns the errors of operations that make a post SCHEDULED.
func ready() []apperr.Code {
	return []apperr.Code{apperr.ValidationFailed, apperr.ChannelNotPublishable, apperr.ChannelDisconnected, apperr.ApprovalRequired}
}

func (r *registrar) postActions() {
	s := r.server
	schedule := postAction("schedule", credential.PostsPublish, "Schedule a post",
		"Sets or changes the time at which the post is published. `\"schedule\": \"next_slot\"` selects the next free "+
			"slot of the channel's posting schedule. Requires status DRAFT, SCHEDULED or FAILED.",
		append(ready(), apperr.ScheduledInPast, apperr.NoFreeSlot, apperr.QueuePaused)...)
	schedule.response = examplePost(asScheduled)
	schedule.bodies = map[string]*huma.Example{
		"time": {Summary: "At a time", Value: map[string]any{"scheduledAt": "2026-03-01T09:00:00+02:00"}},
		"slot": {Summary: "In the next free slot", Value: map[string]any{"schedule": apiforms.ScheduleNextSlot}},
	}
	add(r, schedule, s.schedulePost)
	unschedule := postAction("unschedule", credential.PostsWrite, "Unschedule a post",
		"Moves a SCHEDULED post back to DRAFT and clears its time. After a successful response the post is not published. "+
			"Takes no body.")
	unschedule.response = examplePost(asDraft)
	add(r, unschedule, s.action(s.app.UnschedulePost))
	publish := postAction("publish", credential.PostsPublish, "Publish a post",
		"Queues the post for immediate publishing. It stays SCHEDULED until it is published: track it by its status or by "+
			"webhooks. Requires status DRAFT, SCHEDULED or FAILED. Takes no body.", ready()...)
	publish.response = examplePost(asScheduled)
	add(r, publish, s.action(s.app.PublishPost))
	again := postAction("continue", credential.PostsPublish, "Continue a post",
		"Publishes the parts of a PUBLISHED post from the first that is not published (`partsState` INCOMPLETE); the parts before stay as "+
			"they are. A part in status UNKNOWN may be on the network: look first, because it is published again. With `end` the parts "+
			"that are not published are given up.", ready()...)
	again.bodies = map[string]*huma.Example{
		"continue": {Summary: "Publish the rest", Value: map[string]any{}},
		"end":      {Summary: "Give up the rest", Value: map[string]any{"end": true}},
	}
	again.id, again.response = "continue-parts", examplePost(asPublished)
	add(r, again, s.continueParts)
	request := postAction("request-approval", credential.PostsWrite, "Request approval",
		"Sends a DRAFT for approval: it becomes PENDING_APPROVAL. Takes no body.")
	request.id, request.response = "request-post-approval", examplePost(asPending)
	add(r, request, s.action(s.app.RequestApproval))
	approve := postAction("approve", credential.PostsPublish, "Approve a post",
		"Accepts a PENDING_APPROVAL post. It becomes SCHEDULED if its time is in the future, otherwise a DRAFT without "+
			"a time.", ready()...)
	reject := postAction("reject", credential.PostsPublish, "Reject a post",
		"Moves a PENDING_APPROVAL post back to DRAFT, for its author to edit.")
	examples := map[string]*huma.Example{
		"comment": {Summary: "With a comment for the author", Value: map[string]any{"comment": "Looks good."}},
		"empty":   {Summary: "Without", Value: map[string]any{}},
	}
	approve.bodies, reject.bodies = examples, examples
	approve.response = examplePost(asDecided(post.ApprovalApproved, "Looks good."))
	approve.responses = map[string]any{"empty": examplePost(asDecided(post.ApprovalApproved, ""))}
	reject.response = examplePost(asDecided(post.ApprovalRejected, "Looks good."))
	reject.responses = map[string]any{"empty": examplePost(asDecided(post.ApprovalRejected, ""))}
	add(r, approve, s.decide(s.app.ApprovePost))
	add(r, reject, s.decide(s.app.RejectPost))
}

func (s *Server) schedulePost(ctx context.Context, p app.Principal, in *schedulePostInput) (*postOutput, error) {
	if in.value.Schedule == apiforms.ScheduleNextSlot {
		return s.onPost(in.ID, func(id ident.Post) (post.Post, error) {
			return s.app.SchedulePostNext(ctx, p, id, in.value.Force)
		})
	}
	return s.onPost(in.ID, func(id ident.Post) (post.Post, error) {
		return s.app.SchedulePost(ctx, p, id, in.value.At())
	})
}

func (s *Server) continueParts(ctx context.Context, p app.Principal, in *continueInput) (*postOutput, error) {
	return s.onPost(in.ID, func(id ident.Post) (post.Post, error) { return s.app.ContinueParts(ctx, p, id, in.value.Command()) })
}

type (
	actionHandler   = func(ctx context.Context, p app.Principal, in *actionInput) (*postOutput, error)
	decisionHandler = func(ctx context.Context, p app.Principal, in *decisionInput) (*postOutput, error)
)

// action returns the handler of an action without a body.
func (s *Server) action(
	act func(ctx context.Context, p app.Principal, id ident.Post) (post.Post, error),
) actionHandler {
	return func(ctx context.Context, p app.Principal, in *actionInput) (*postOutput, error) {
		return s.onPost(in.ID, func(id ident.Post) (post.Post, error) { return act(ctx, p, id) })
	}
}

// decide returns the handler of an approver's decision.
func (s *Server) decide(
	act func(ctx context.Context, p app.Principal, id ident.Post, comment string) (post.Post, error),
) decisionHandler {
	return func(ctx context.Context, p app.Principal, in *decisionInput) (*postOutput, error) {
		return s.onPost(in.ID, func(id ident.Post) (post.Post, error) { return act(ctx, p, id, in.value.Comment) })
	}
}
