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

// A network may review a post after it has accepted it. The attempt is then CONFIRMED, so that no execution sends
// again, and the post stays SCHEDULED and claimed until the review ends: the network has the post, so that no change
// could reach it. After a day it counts as published, unconfirmed (docs/contract.md, Reviews).
const (
	// reviewBudget is the time for which the review of an accepted post is followed.
	reviewBudget = 24 * time.Hour
	reviewBase   = 5 * time.Second
	reviewLimit  = 15 * time.Minute
	// heldBackAfter is the time for which a network may report an accepted post as a draft before it counts as held back:
	// it may be a draft for a moment while the network begins to show it.
	heldBackAfter = 10 * time.Minute
)

// accepted records that the network accepted the post: as published, unless the network still reviews it.
func (r *run) accepted(
	ctx context.Context, n int, pub platform.Publication, reconciled bool,
) (postflow.Outcome, error) {
	if !pub.InReview {
		return r.published(ctx, n, pub, reconciled, r.askable() && !pub.Unconfirmed)
	}
	r.admit(ctx)
	now := r.now()
	return r.inReview(ctx, now, now, postgres.AttemptResult{
		N: n, State: post.AttemptConfirmed, ExternalID: clean(pub.ExternalID), URL: clean(pub.URL), Reconciled: reconciled,
	})
}

// inReview waits for the network's review of a post that it accepted at the given time.
func (r *run) inReview(
	ctx context.Context, accepted, now time.Time, result postgres.AttemptResult,
) (postflow.Outcome, error) {
	deadline := accepted.Add(reviewBudget)
	until := now.Add(r.backoff(accepted, now, reviewBase, reviewLimit))
	if until.After(deadline) {
		until = later(now, deadline)
	}
	return r.postpone(ctx, pause{
		reason: post.WaitReview, until: until, deadline: deadline, why: r.network() + " has accepted the post and reviews it before showing it.",
		result: result, next: postflow.NextReconcile,
	})
}

// confirmed continues with a post that the network has: it is published, unless the network still reviews it or has
// refused it meanwhile.
func (r *run) confirmed(ctx context.Context) (postflow.Outcome, error) {
	pub := platform.Publication{ExternalID: r.Attempt.ExternalID, URL: r.Attempt.URL}
	reviewer, reviews := r.connector.(platform.Reviewer)
	if !reviews || pub.ExternalID == "" || !r.Now.Before(r.Attempt.FinishedAt.Add(reviewBudget)) {
		return r.published(ctx, r.Attempt.N, pub, false, r.askable() && !reviews)
	}
	seen, err := r.review(ctx, reviewer)
	failure := asFailure(err)
	switch {
	case err != nil && failure == nil:
		return postflow.Outcome{}, err
	case failure != nil && failure.Code == platform.CodeHeldBack && r.Now.Before(r.Attempt.FinishedAt.Add(heldBackAfter)):
		return r.inReview(ctx, r.Attempt.FinishedAt, r.Now, postgres.AttemptResult{})
	case failure != nil && failure.Class == platform.ClassRejected:
		return r.fail(ctx, post.Error{Code: failure.Code, Message: failure.Message, Retryable: false}, postgres.AttemptResult{
			N: r.Attempt.N, State: post.AttemptRejected, Class: string(failure.Class), Code: failure.Code,
			Message: failure.Message, ExternalID: pub.ExternalID, URL: pub.URL, Reconciled: true, Revoked: true,
		})
	case failure != nil:
		r.Logger.WarnContext(ctx, "the review of a post could not be read", slog.String("post_id", r.Post.ID.String()),
			slog.Any("error", failure))
		return r.inReview(ctx, r.Attempt.FinishedAt, r.Now, postgres.AttemptResult{})
	case seen.InReview:
		return r.inReview(ctx, r.Attempt.FinishedAt, r.Now, postgres.AttemptResult{})
	default:
		if seen.URL == "" { // a review need not know the address
			seen.URL = pub.URL
		}
		return r.published(ctx, r.Attempt.N, seen, false, !seen.Unconfirmed)
	}
}

// review reads the network's review, and refreshes the credentials once if they have expired.
func (r *run) review(ctx context.Context, reviewer platform.Reviewer) (platform.Publication, error) {
	seen, err := reviewer.Review(ctx, r.account(), r.Attempt.ExternalID)
	if !isExpired(err) {
		return seen, err
	}
	if err := r.refresh(ctx); err != nil {
		return platform.Publication{}, err
	}
	return reviewer.Review(ctx, r.account(), r.Attempt.ExternalID)
}
