package publishing

import (
	"context"
	"log/slog"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/platform"
)

// A network that limits a channel limits all of its posts. Therefore a rate limit response for one post applies to the
// others too: they get places in a queue and make no calls. The first post in the queue probes whether the limit is
// over.

const (
	// linePlace is the interval between places in the queue of a limited channel.
	linePlace = time.Second
	// lineLimit is the longest wait before a post checks its place in the queue again.
	lineLimit = time.Minute
	// dayBudget is the longest delay of a post by a wait for the next day's quota of the service: the longest day, on which
	// the clock is set back, and a few minutes.
	dayBudget = 25*time.Hour + 5*time.Minute
)

func (p *Publisher) lineStep() time.Duration { return time.Duration(float64(linePlace) * p.RetryScale) }

// limited records for the whole channel the time until which its network refuses calls.
func (r *run) limited(
	ctx context.Context, failure *platform.Failure, result postgres.AttemptResult,
) (postflow.Outcome, error) {
	if failure.Code == post.CodeDailyQuota && failure.Until.After(r.now()) {
		return r.nextDay(ctx, failure, result)
	}
	now := r.now()
	next := later(now.Add(r.backoff(r.FirstTry, now, retryBase, retryLimit)), failure.Until)
	hold := next
	if failure.Until.After(now) {
		hold = failure.Until
	}
	if err := persist(ctx, recordFor, func(ctx context.Context) error {
		return r.Attempts.Limit(ctx, r.Channel.ID, hold.Sub(now))
	}); err != nil {
		return postflow.Outcome{}, err
	}
	return r.waitForLimit(ctx, next, failure.Message, result)
}

// nextDay waits for the next day's calls of the service's own quota. The quota is no limit of the channel, so the channel
// is not held. A post that would be more than dayBudget late fails.
func (r *run) nextDay(
	ctx context.Context, failure *platform.Failure, result postgres.AttemptResult,
) (postflow.Outcome, error) {
	r.admit(ctx)
	now := r.now()
	// The posts of all channels wait for the same instant; the jitter spreads them.
	next := later(now, failure.Until).Add(r.backoff(time.Time{}, now, retryBase, retryBase))
	deadline := r.startedAt().Add(dayBudget)
	if next.After(deadline) {
		return r.exhaustedUntil(ctx, next, result)
	}
	return r.postpone(ctx, pause{
		reason: post.WaitRateLimited, until: next, try: r.intent.N + 1, deadline: deadline, release: true,
		why:   "The quota of this service at " + r.network() + " is used up for today. The post waits for the next day.",
		cause: failure.Message, result: result, next: postflow.NextPublish,
	})
}

// exhaustedUntil fails the post because of a limit that ends too late for it.
func (r *run) exhaustedUntil(
	ctx context.Context, next time.Time, result postgres.AttemptResult,
) (postflow.Outcome, error) {
	return r.fail(ctx, post.Error{
		Code: post.ErrorRateLimited, Retryable: true,
		Message: "The network's limit is used up until " + next.Format(time.RFC3339) +
			". Nothing was published. Schedule the post for after that.",
	}, result)
}

// inLine waits for the post's place in the channel's queue, without a call.
func (r *run) inLine(ctx context.Context, wait time.Duration) (postflow.Outcome, error) {
	if err := r.keepAttempt(ctx); err != nil {
		return postflow.Outcome{}, err
	}
	result := postgres.AttemptResult{
		N: r.intent.N, State: post.AttemptRejected, Class: string(platform.ClassRateLimited), Code: postgres.CodeNotSent,
		Message: "The network limits the channel; no request was sent.",
	}
	next := later(r.now().Add(r.backoff(r.FirstTry, r.now(), retryBase, lineLimit)), r.now().Add(wait))
	return r.waitForLimit(ctx, next, "", result)
}

// later returns the later of at and other. If that is other, it is rounded up to full milliseconds.
func later(at, other time.Time) time.Time {
	if other.After(at) {
		return other.UTC().Truncate(time.Millisecond).Add(time.Millisecond)
	}
	return at
}

func (r *run) waitForLimit(
	ctx context.Context, next time.Time, cause string, result postgres.AttemptResult,
) (postflow.Outcome, error) {
	if next.After(r.firstTry().Add(r.paced(retryBudget))) {
		return r.exhaustedUntil(ctx, next, result)
	}
	return r.postpone(ctx, pause{
		reason: post.WaitRateLimited, until: next, try: r.intent.N + 1, deadline: r.firstTry().Add(r.paced(retryBudget)), release: true,
		why: r.network() + " limits how often the channel may publish. The post waits for its turn.", cause: cause,
		result: result, next: postflow.NextPublish,
	})
}

// admit ends the channel's limit after the network accepted this post. If that fails, the other posts in the queue find
// out by themselves.
func (r *run) admit(ctx context.Context) {
	if !r.probing {
		return
	}
	if err := r.Attempts.Unlimit(ctx, r.Channel.ID); err != nil {
		r.Logger.WarnContext(ctx, "the end of a channel's rate limit was not stored", slog.Any("error", err))
	}
}
