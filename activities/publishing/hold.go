package publishing

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/failpoint"
)

// hold lets the post wait until a person connects its channel again, and records the result of the attempt that found
// the connection lost, if any. After the time that the workspace allows, it fails the post
// (docs/contract.md, Lost connections). The change that connects the channel wakes the workflow, so the only step that
// follows here is the one at the end.
func (r *run) hold(ctx context.Context, result postgres.AttemptResult) (postflow.Outcome, error) {
	ctx = context.WithoutCancel(ctx)
	until := r.startedAt().Add(r.ReconnectHold).Truncate(time.Microsecond)
	if w := r.Post.Waiting; w != nil && w.Reason == post.WaitReconnect && w.Until.After(until) { // it waits already
		until = w.Until
	}
	if !until.After(r.Now) {
		return r.fail(ctx, *needsReconnect(), result)
	}
	out, held, err := r.await(ctx, pause{
		reason: post.WaitReconnect, until: until, deadline: until, release: true,
		why:    r.network() + " no longer accepts the connection. The post waits until a person connects the channel again.",
		result: result, next: postflow.NextPublish,
	})
	if held {
		r.notifyLoss(ctx)
	}
	return out, err
}

// startedAt returns the time from which limits of the post's lateness count: its publish time, the time at which a
// person resumed its channel, or that of its turn after another post.
func (r *run) startedAt() time.Time {
	at := r.Post.ScheduledAt
	if w := r.Post.Waiting; w != nil && w.Reason == post.WaitPaused {
		at = r.Post.DueAt()
	}
	if turn, after := r.Post.TurnAfter(r.Predecessor); turn == post.TurnPublish && after.After(at) {
		return after
	}
	return at
}

// holdPaused lets the post wait, without a time limit, until a person resumes its channel (docs/contract.md, Pausing).
// What was prepared is kept.
func (r *run) holdPaused(ctx context.Context) (postflow.Outcome, error) {
	why := "The channel is paused. The post waits until a person resumes it."
	if r.Channel.PublishingStopped {
		why = "All publishing of the workspace is stopped. The post waits until a person resumes it."
	}
	out, _, err := r.await(context.WithoutCancel(ctx), pause{
		reason: post.WaitPaused, release: true, why: why, next: postflow.NextPublish,
	})
	return out, err
}

// unapproved returns a post without the approvals that its policy asks for to those who approve it
// (docs/contract.md, Approval). What was prepared is kept.
func (r *run) unapproved(ctx context.Context) (postflow.Outcome, error) {
	change, err := r.Post.Await(true, r.now())
	if err != nil {
		return postflow.Outcome{}, err
	}
	if err := r.record(context.WithoutCancel(ctx), change, postgres.AttemptResult{}); err != nil {
		return r.overtaken(ctx, err)
	}
	r.Wake()
	return postflow.Outcome{Next: postflow.NextSuperseded, Note: "The post waits for approval."}, nil
}

// gone returns a final outcome if err reports that the post no longer exists, and err otherwise.
func (p *Publisher) gone(err error) (postflow.Outcome, error) {
	if isNotFound(err) {
		return postflow.Outcome{Next: postflow.NextDone, Status: post.Draft, Note: "The post was deleted."}, nil
	}
	return postflow.Outcome{}, err
}

// await records that the post waits for a person, unless that person has acted meanwhile: then the next step follows.
func (r *run) await(ctx context.Context, wait pause) (out postflow.Outcome, held bool, err error) {
	change := r.Post.Postpone(wait.waiting(), wait.release, r.now(), wait.why)
	wait.result.Owner = r.intent.Owner
	err = persist(ctx, recordFor, func(ctx context.Context) error { return r.Posts.Hold(ctx, change, wait.result) })
	switch {
	case errors.Is(err, postgres.ErrNotHeld):
		out, err = r.postpone(ctx, pause{
			reason: post.WaitRetrying, until: r.now(), deadline: wait.deadline, release: true, why: tryAgain,
			result: wait.result, next: postflow.NextPublish,
		})
		return out, false, err
	case err != nil:
		out, err = r.overtaken(ctx, err)
		return out, false, err
	}
	if err := failpoint.Hit(ctx, FailAfterHold); err != nil {
		return postflow.Outcome{}, false, err
	}
	return wait.outcome(), true, nil
}

// notifyLoss mails the people who may connect the channel again. Without it, after a failure or a crash, the next sweep of
// renewals does.
func (r *run) notifyLoss(ctx context.Context) {
	if err := r.NotifyLoss(ctx, r.Post.ChannelID, r.now()); err != nil {
		r.Logger.WarnContext(ctx, "people were not mailed about a lost connection",
			slog.String("channel_id", r.Post.ChannelID.String()), slog.Any("error", err))
	}
}
