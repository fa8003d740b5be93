package publishing

import (
	"context"
	"errors"
	"log/slog"
	"time"

	mediaactivity "fencepost.internal/activities/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/platform"
)

const (
	// retryBudget is the time for which transient refusals are retried (docs/contract.md, Retries).
	retryBudget = 30 * time.Minute
	// testPace is the factor by which test channels use up such a time faster, because their clients wait for the end
	// (docs/contract.md, Test mode).
	testPace   = 30
	retryBase  = 5 * time.Second
	retryLimit = 5 * time.Minute
	// processingBudget is the maximum time for which a network may process the prepared content before the post fails.
	processingBudget = time.Hour
)

func asFailure(err error) *platform.Failure {
	f, _ := errors.AsType[*platform.Failure](err)
	return f
}

func isExpired(err error) bool {
	f := asFailure(err)
	return f != nil && f.Class == platform.ClassRefresh
}

func isNotFound(err error) bool { return apperr.Is(err, apperr.NotFound) }

func rejected(n int, f *platform.Failure) postgres.AttemptResult {
	return postgres.AttemptResult{
		N: n, State: post.AttemptRejected, Class: string(f.Class), Code: f.Code, Message: f.Message,
	}
}

// notSent records a failure that guarantees that nothing was published, and decides whether to retry.
func (r *run) notSent(ctx context.Context, err error) (postflow.Outcome, error) {
	failure := asFailure(err)
	if failure == nil { // not a network failure but a database error or a bug; Temporal retries
		return postflow.Outcome{}, err
	}
	if failure.Class == platform.ClassUnknown { // before the irrevocable call nothing can have been published
		failure = &platform.Failure{
			Class: platform.ClassTransient, Code: failure.Code, Message: failure.Message, Cause: failure.Cause,
		}
	}
	ctx = context.WithoutCancel(ctx)
	r.refused(ctx, failure)
	if err := r.keepAttempt(ctx); err != nil {
		return postflow.Outcome{}, err
	}
	result := rejected(r.intent.N, failure)
	switch failure.Class {
	case platform.ClassTransient:
		return r.retry(ctx, failure, result)
	case platform.ClassRateLimited:
		return r.limited(ctx, failure, result)
	case platform.ClassReconnect, platform.ClassRefresh:
		if err := persist(ctx, recordFor, func(ctx context.Context) error {
			return r.Channels.NeedsReconnect(ctx, r.Channel.ID, r.CredRev)
		}); err != nil {
			return postflow.Outcome{}, err
		}
		return r.hold(ctx, result)
	case platform.ClassRejected, platform.ClassUser, platform.ClassOperator, platform.ClassUnknown:
	}
	r.admit(ctx)
	return r.fail(ctx, post.Error{
		Code: failure.Code, Message: failure.Message, Retryable: failure.Class != platform.ClassRejected,
	}, result)
}

// paced returns a budget for the channel.
func (r *run) paced(budget time.Duration) time.Duration { //nolint:unparam // the budgets are equal today
	if r.Channel.IsTest {
		return budget / testPace
	}
	return budget
}

// keepAttempt stores the attempt even if it ended before anything was prepared, because the retry budget starts with
// the first attempt.
func (r *run) keepAttempt(ctx context.Context) error {
	if r.intended {
		return nil
	}
	return persist(ctx, recordFor, func(ctx context.Context) error { return r.Attempts.Prepared(ctx, r.Job, r.intent) })
}

// refused reports an unsuccessful attempt to metrics and log. The cause is not stored in the database, because it may
// contain unchecked text of the network.
func (r *run) refused(ctx context.Context, failure *platform.Failure) {
	r.Metrics.refused(r.Channel.Network(), failure.Class)
	r.Logger.InfoContext(ctx, "publish attempt failed", slog.String("post_id", r.Post.ID.String()),
		slog.Int("attempt", r.intent.N), slog.String("network", string(r.Channel.Network())),
		slog.String("class", string(failure.Class)), slog.String("code", failure.Code), slog.Any("cause", failure.Cause))
}

func (r *run) firstTry() time.Time {
	if r.FirstTry.IsZero() {
		return r.Now
	}
	return r.FirstTry
}

func (r *run) retry(
	ctx context.Context, failure *platform.Failure, result postgres.AttemptResult,
) (postflow.Outcome, error) {
	now := r.now()
	next := now.Add(r.backoff(r.FirstTry, now, retryBase, retryLimit))
	if next.After(r.firstTry().Add(r.paced(retryBudget))) {
		return r.fail(ctx, exhausted(failure), result)
	}
	return r.postpone(ctx, pause{
		reason: post.WaitRetrying, until: next, try: r.intent.N + 1, deadline: r.firstTry().Add(r.paced(retryBudget)), release: true,
		why: tryAgain, cause: failure.Message, result: result, next: postflow.NextPublish,
	})
}

// exhausted returns the error of a post whose retries are used up, with a message that blames either the network or our
// own storage.
func exhausted(failure *platform.Failure) post.Error {
	switch failure.Code {
	case mediaactivity.CodeMediaUnavailable, platform.CodeMediaUnreadable:
		return post.Error{
			Code: failure.Code, Retryable: true,
			Message: "An attachment could not be read from the service's file storage for 30 minutes. Nothing was published. " +
				"Publish the post again later.",
		}
	default:
		return post.Error{
			Code: post.ErrorPlatformDown, Retryable: true,
			Message: "The network could not be reached for 30 minutes: " + failure.Message +
				" Nothing was published. Publish the post again when the network is available.",
		}
	}
}

// processing waits until the network has processed the prepared content. Nothing is published yet, so the claim is
// released. It does not end a rate limit of the channel: networks limit publishing, but accept preparation meanwhile.
func (r *run) processing(ctx context.Context, wait time.Duration) (postflow.Outcome, error) {
	now := r.now()
	if now.Sub(r.firstTry()) > processingBudget {
		return r.fail(ctx, post.Error{
			Code: post.ErrorProcessingTimeout, Retryable: true,
			Message: "The network did not finish processing the post within an hour. Nothing was published. Publish the " +
				"post again.",
		}, postgres.AttemptResult{
			N: r.intent.N, State: post.AttemptRejected, Class: string(platform.ClassTransient),
			Code:    post.ErrorProcessingTimeout,
			Message: "The network did not finish in time.",
		})
	}
	until := now.Add(max(wait, time.Second))
	return r.postpone(ctx, pause{
		reason: post.WaitProcessing, until: until, deadline: r.firstTry().Add(processingBudget), release: true,
		why: r.network() + " is processing the post.", next: postflow.NextProcessing,
	})
}
