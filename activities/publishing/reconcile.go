package publishing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/platform"
)

const (
	// reconcileBudget is the time for which the network is queried before a person has to check.
	reconcileBudget = 30 * time.Minute
	reconcileBase   = 3 * time.Second
	reconcileLimit  = time.Minute
	// codeNotArrived is the code of an attempt that certainly did not publish the post.
	codeNotArrived = "NOT_ARRIVED"
)

// unknown records that the response to the irrevocable call was lost. No execution sends until the result is known.
func (r *run) unknown(ctx context.Context, failure *platform.Failure) (postflow.Outcome, error) {
	r.refused(ctx, failure)
	result := postgres.AttemptResult{
		N: r.intent.N, State: post.AttemptUnknown, Class: string(failure.Class), Code: failure.Code, Message: failure.Message,
	}
	if !r.askable() {
		result.State = post.AttemptUndetermined
		return r.fail(ctx, cannotBeQueried(), result)
	}
	now := r.now()
	return r.postpone(ctx, pause{
		reason: post.WaitReconciling, until: now.Add(r.backoff(time.Time{}, now, reconcileBase, reconcileBase)),
		deadline: now.Add(r.paced(reconcileBudget)), why: r.inDoubt(r.intent.N), cause: failure.Message, result: result,
		next: postflow.NextReconcile,
	})
}

// inDoubt returns the timeline text while the result of an attempt is unknown.
func (r *run) inDoubt(n int) string {
	if !r.askable() {
		return fmt.Sprintf("%s cannot be queried for the post of attempt %d. The service waits for the worker that sent it.",
			r.network(), n)
	}
	return fmt.Sprintf("The service looks for the post of attempt %d on %s.", n, r.network())
}

// askable reports whether the network supports looking up posts.
func (r *run) askable() bool {
	return r.connector != nil && r.connector.Strength() != platform.ReconcileNone
}

// cannotBeQueried returns the final error of a post whose network does not support looking up posts.
func cannotBeQueried() post.Error {
	return unknownOutcome("The network's response was lost, and the network cannot be queried for the post.")
}

// undetermined returns the final error of a post that was not found but is not certainly absent. The hint says why the
// network could not be read; it may be empty.
func undetermined(hint string) post.Error {
	cause := "The network's response was lost, and the service could not determine whether the post was published."
	if hint != "" {
		cause += " " + hint
	}
	return unknownOutcome(cause)
}

// readHint returns the message of a network that refuses to show the account's posts, and otherwise an empty string.
func readHint(err error) string {
	if failure := asFailure(err); failure != nil && failure.Code == platform.CodeReadRefused {
		return failure.Message
	}
	return ""
}

func unknownOutcome(cause string) post.Error {
	return post.Error{
		Code: post.ErrorOutcomeUnknown, Retryable: false,
		Message: cause + " Check the account first. Publish again only if the post is not there.",
	}
}

// Reconcile determines, by reads alone, the result of an attempt whose response was lost.
func (p *Publisher) Reconcile(ctx context.Context, step postflow.Step) (postflow.Outcome, error) {
	job, err := p.Attempts.Load(ctx, step.PostID)
	if err != nil {
		return p.gone(err)
	}
	if job.Post.Status != post.Scheduled || job.Post.Revision != step.Revision {
		return p.notClaimed(ctx, step)
	}
	r, err := p.newRun(ctx, job)
	if err != nil {
		return postflow.Outcome{}, err
	}
	if !job.Attempt.State.Fenced() {
		return postflow.Outcome{
			Next: postflow.NextPublish, At: p.Clock.Now(), Note: "No attempt is open; the post can be sent.",
		}, nil
	}
	if job.Attempt.State == post.AttemptConfirmed {
		return r.followUp(ctx)
	}
	if !r.askable() {
		return r.cannotAsk(ctx)
	}
	return r.ask(ctx)
}

// certainAt returns the time after which the absence of the post on its network proves that it was not published: no
// execution can still be sending it, and the network has had time to show it.
func (r *run) certainAt() time.Time {
	a := r.Attempt
	certain := a.SentAt.Add(r.SendWindow + r.transfer())
	if !a.FinishedAt.IsZero() { // the sender itself reported the end of the call
		certain = a.FinishedAt
	}
	return certain.Add(r.ReadDelay)
}

// transfer returns how long the irrevocable call of a post with attachments may run after its start, because some
// networks receive the files with it, in base64 at most, which adds a third, and within a form or a JSON document. Its
// sender may be alive all that time without reporting.
func (r *run) transfer() time.Duration {
	if len(r.content.Media) == 0 {
		return 0
	}
	var size int64
	for _, a := range r.content.Media {
		size += max(a.Size, a.Files.Published.Size)
	}
	const form = 1 << 20
	return r.CommitTimeout + platform.TransferTime(size+size/3+form)
}

// givesUpAt returns when a person has to check: never before the sender is certainly done.
func (r *run) givesUpAt() time.Time {
	at := r.lostAt().Add(r.paced(reconcileBudget))
	if certain := r.certainAt(); certain.After(at) {
		return certain
	}
	return at
}

// lostAt returns when the result became unknown. This is long after the attempt if the database was restored in
// between, and longer still if the post was not due until later.
func (r *run) lostAt() time.Time {
	return slices.MaxFunc([]time.Time{r.Attempt.SentAt, r.Attempt.FinishedAt, r.Post.PublishingSince}, time.Time.Compare)
}

// cannotAsk ends an attempt that cannot be looked up, as soon as its sender can no longer report.
func (r *run) cannotAsk(ctx context.Context) (postflow.Outcome, error) {
	if remaining := r.certainAt().Sub(r.Now); remaining > 0 && r.Attempt.State == post.AttemptSent {
		return r.reconcileAt(ctx, r.after(remaining))
	}
	return r.fail(ctx, cannotBeQueried(), r.result(post.AttemptUndetermined))
}

func (r *run) result(state post.AttemptState) postgres.AttemptResult {
	return postgres.AttemptResult{
		N: r.Attempt.N, State: state, Class: r.Attempt.Class, Code: r.Attempt.Code, Message: r.Attempt.Message,
		Reconciled: true,
	}
}

// ask queries the network and decides.
func (r *run) ask(ctx context.Context) (postflow.Outcome, error) {
	evidence, found, err := r.evidence(ctx)
	if err == nil {
		err = failpoint.Hit(ctx, FailBeforeEvidence)
	}
	if err != nil {
		if asFailure(err) == nil {
			return postflow.Outcome{}, err
		}
		r.Logger.WarnContext(ctx, "reconciling failed to read from the network", slog.String("post_id", r.Post.ID.String()),
			slog.Any("error", err))
	}
	switch {
	case evidence == platform.EvidenceFound:
		return r.accepted(ctx, r.Attempt.N, found, true)
	case evidence == platform.EvidenceAbsent && !r.certainAt().After(r.Now):
		return r.absent(ctx)
	case r.Now.After(r.givesUpAt()):
		return r.fail(ctx, undetermined(readHint(err)), r.result(post.AttemptUndetermined))
	}
	now := r.now()
	next := now.Add(r.backoff(r.lostAt(), r.Now, reconcileBase, reconcileLimit))
	if evidence == platform.EvidenceAbsent {
		next = r.after(r.certainAt().Sub(r.Now)) // an earlier query cannot be conclusive
	}
	if failure := asFailure(err); failure != nil {
		next = r.beforeGivingUp(later(next, failure.Until), now)
	}
	return r.reconcileFor(ctx, next, readHint(err))
}

// beforeGivingUp returns the time of the next query, at the latest that of the last one: a rate limit of a day does not
// hold the post for a day.
func (r *run) beforeGivingUp(next, now time.Time) time.Time {
	last := r.givesUpAt().Add(time.Millisecond)
	if next.Before(last) {
		return next
	}
	return later(now, last)
}

// evidence queries the connector, and refreshes the credentials if they have expired. With an error it returns
// EvidenceUnclear.
func (r *run) evidence(ctx context.Context) (platform.Evidence, platform.Publication, error) {
	evidence, found, err := r.look(ctx)
	if !isExpired(err) {
		return evidence, found, err
	}
	if err := r.refresh(ctx); err != nil {
		return platform.EvidenceUnclear, platform.Publication{}, err
	}
	return r.look(ctx)
}

// look queries the connector once. If the ownership of a post on the network could not be read, it may be the post in
// question, and absence is not certain. Absence is not certain either if the sent content may differ from the current
// post. With an error it returns EvidenceUnclear.
func (r *run) look(ctx context.Context) (platform.Evidence, platform.Publication, error) {
	var doubt error
	sent := platform.Sent{
		Handle: platform.Handle(r.Attempt.Handle), Text: r.content.Text, At: r.Attempt.SentAt, Until: r.Attempt.FinishedAt,
		Taken: func(externalID string) bool {
			taken, err := r.Attempts.Taken(ctx, r.Channel.ID, []string{externalID})
			doubt = errors.Join(doubt, err)
			return err != nil || taken[externalID]
		},
	}
	if strings.TrimSpace(sent.Text) == "" && r.Attempt.Code == postgres.CodeRestored {
		return platform.EvidenceUnclear, platform.Publication{}, nil // nothing identifies the post
	}
	evidence, found, err := r.connector.Reconcile(ctx, r.account(), r.content, sent)
	switch {
	case err != nil:
		return platform.EvidenceUnclear, platform.Publication{}, err
	case evidence == platform.EvidenceAbsent && (doubt != nil || r.Altered):
		return platform.EvidenceUnclear, platform.Publication{}, doubt
	default:
		return evidence, found, nil
	}
}

// absent records that the attempt was certainly not published, and releases the post for another attempt. Like calls
// that were never sent, such attempts are repeated with back-off for the whole retry budget
// (docs/contract.md, Retries).
func (r *run) absent(ctx context.Context) (postflow.Outcome, error) {
	result := r.result(post.AttemptRejected)
	if result.Code != platform.CodeDuplicate { // the reason recorded while the result was unknown no longer applies
		result.Class, result.Code = string(platform.ClassTransient), codeNotArrived
		result.Message = r.network() + " does not have the post."
	}
	if result.Code == platform.CodeDuplicate {
		return r.fail(ctx, post.Error{
			Code: platform.CodeDuplicate, Retryable: false,
			Message: "The network rejected the post because the account already published the same content. Change the text, " +
				"or check the account.",
		}, result)
	}
	now := r.now()
	next := now
	if r.Absences > 0 { // the attempt after the first absence is made at once, and whatever the time
		next = now.Add(r.backoff(r.FirstTry, now, retryBase, retryLimit))
		if next.After(r.firstTry().Add(r.paced(retryBudget))) {
			return r.fail(ctx, neverArrived(r.Attempt.Message), result)
		}
	}
	return r.postpone(ctx, pause{
		reason: post.WaitRetrying, until: next, try: r.Attempt.N + 1, deadline: r.firstTry().Add(r.paced(retryBudget)), release: true,
		why: tryAgain, cause: result.Message, result: result, next: postflow.NextPublish,
	})
}

// neverArrived returns the error of a post whose attempts were all found missing on the network until the retries were
// used up. The reason is that of the last attempt.
func neverArrived(reason string) post.Error {
	if reason != "" {
		reason = ": " + strings.TrimSuffix(reason, ".")
	}
	return post.Error{
		Code: post.ErrorPlatformDown, Retryable: true,
		Message: "The post was sent repeatedly for 30 minutes and never arrived on the network" + reason +
			". Nothing was published. Publish it again later.",
	}
}

// reconcileAt keeps the claim and queries again at the given time.
func (r *run) reconcileAt(ctx context.Context, at time.Time) (postflow.Outcome, error) {
	return r.reconcileFor(ctx, at, "")
}

// reconcileFor is like reconcileAt, with the reason why the last query found nothing, for the operator.
func (r *run) reconcileFor(ctx context.Context, at time.Time, cause string) (postflow.Outcome, error) {
	wait := pause{
		reason: post.WaitReconciling, until: at, deadline: r.givesUpAt(), why: r.inDoubt(r.Attempt.N), cause: cause,
		next: postflow.NextReconcile,
	}
	if w := r.Post.Waiting; w != nil && w.Reason == post.WaitReconciling && !w.Until.Before(at) {
		return wait.outcome(), nil
	}
	return r.postpone(ctx, wait)
}
