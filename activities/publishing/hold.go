package publishing

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/flow/postflow"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/failpoint"
)

// hold lets the post wait until a person connects its channel again, and records the result of the attempt that found
// the connection lost, if any. After the time that the workspace allows, it fails the post (decisions, section 10). The
// change that connects the channel wakes the workflow, so the only step that follows here is the one at the end.
func (r *run) hold(ctx context.Context, result postgres.AttemptResult) (postflow.Outcome, error) {
	ctx = context.WithoutCancel(ctx)
	until := r.Post.ScheduledAt.Add(r.ReconnectHold).Truncate(time.Microsecond)
	if !until.After(r.Now) {
		return r.fail(ctx, *needsReconnect(), result)
	}
	wait := pause{
		reason: post.WaitReconnect, until: until, deadline: until, release: true,
		why:    r.network() + " no longer accepts the connection. The post waits until a person connects the channel again.",
		result: result, next: postflow.NextPublish,
	}
	change := r.Post.Postpone(post.Waiting{Reason: wait.reason, Until: wait.until}, wait.release, r.now(), wait.why)
	result.Owner = r.intent.Owner
	err := persist(ctx, recordFor, func(ctx context.Context) error { return r.Posts.Hold(ctx, change, result) })
	switch {
	case errors.Is(err, postgres.ErrConnected):
		return r.postpone(ctx, pause{
			reason: post.WaitRetrying, until: r.now(), deadline: until, release: true, why: tryAgain, result: result,
			next: postflow.NextPublish,
		})
	case err != nil:
		return r.overtaken(ctx, err)
	}
	if err := failpoint.Hit(ctx, FailAfterHold); err != nil {
		return postflow.Outcome{}, err
	}
	r.tellLoss(ctx)
	return wait.outcome(), nil
}

// tellLoss mails the people who may connect the channel again. Without it, after a failure or a crash, the next sweep of
// renewals does.
func (r *run) tellLoss(ctx context.Context) {
	if err := r.TellLoss(ctx, r.Post.ChannelID, r.now()); err != nil {
		r.Logger.WarnContext(ctx, "people were not mailed about a lost connection",
			slog.String("channel_id", r.Post.ChannelID.String()), slog.Any("error", err))
	}
}
