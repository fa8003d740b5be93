package publishing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/failpoint"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/access"
)

// marker returns a fingerprint of the prepared content.
func marker(c platform.Content) string {
	text := string(c.ContentType) + "\x00" + c.Title + "\x00" + c.Text
	if len(c.Media) > 0 || !c.Options.IsZero() {
		text += fmt.Sprintf("\x00%v", assetIDs(c.Media))
		options, _ := json.Marshal(c.Options) // cannot fail: only strings and flags
		text += "\x00" + string(options)
	}
	for i, asset := range c.Media {
		if asset.AltText != "" {
			text += fmt.Sprintf("\x00%d %s", i, asset.AltText)
		}
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

func assetIDs(assets []media.Asset) []ident.Media {
	ids := make([]ident.Media, len(assets))
	for i, a := range assets {
		ids[i] = a.ID
	}
	return ids
}

// attempt makes one attempt: prepare, intent, send, record. Credentials that have expired are refreshed once.
func (r *run) attempt(ctx context.Context) (postflow.Outcome, error) {
	if err := r.replace(ctx); err != nil {
		return r.overtaken(ctx, err)
	}
	if err := r.convert(ctx); err != nil {
		return r.notSent(ctx, err)
	}
	// files opened while preparing are already local when the time window of the call starts
	if r.content.Files != nil {
		kept := platform.KeepFiles(r.content.Files)
		defer func() { _ = kept.Close() }()
		r.content.Files = kept
	}
	refreshed := access.Expiring(r.Credentials, r.Clock.Now())
	if refreshed {
		if err := r.refresh(ctx); err != nil {
			return r.notSent(ctx, err)
		}
	}
	for {
		out, err := r.try(ctx)
		if !isExpired(err) {
			return out, err
		}
		if refreshed { // the network refused fresh credentials as well
			return r.notSent(ctx, &platform.Failure{Class: platform.ClassReconnect, Code: post.ErrorNeedsReconnect, Cause: err})
		}
		refreshed = true
		if err := r.refresh(ctx); err != nil {
			return r.notSent(ctx, err)
		}
	}
}

// try makes one attempt with the current credentials. It returns a Failure only for expired credentials; every other
// result is recorded and returned as an Outcome.
func (r *run) try(ctx context.Context) (postflow.Outcome, error) {
	prepared, err := r.connector.Prepare(ctx, r.account(), r.content, platform.Handle(r.intent.Handle))
	if err != nil {
		if isExpired(err) {
			return postflow.Outcome{}, err
		}
		if r.intent.Handle != "" && platform.FailureOf(err).Class == platform.ClassUnknown {
			return r.alreadyPublished(ctx, err)
		}
		return r.notSent(ctx, err)
	}
	if err := failpoint.Hit(ctx, FailAfterPrepare); err != nil {
		return postflow.Outcome{}, err
	}
	if string(prepared.Handle) != r.intent.Handle || r.edited {
		r.intent.Handle = string(prepared.Handle)
		if err := r.Attempts.Prepared(ctx, r.Job, r.intent); err != nil {
			return postflow.Outcome{}, err
		}
		if err := failpoint.Hit(ctx, FailAfterHandle); err != nil {
			return postflow.Outcome{}, err
		}
	}
	if !prepared.Ready {
		return r.processing(ctx, prepared.Wait)
	}
	return r.send(ctx)
}

// alreadyPublished looks up a post whose preparation the network reports as published, because an earlier call took effect.
func (r *run) alreadyPublished(ctx context.Context, cause error) (postflow.Outcome, error) {
	if err := r.Attempts.Prepared(ctx, r.Job, r.intent); err != nil {
		return postflow.Outcome{}, err
	}
	r.Attempt.Handle, r.Attempt.SentAt = r.intent.Handle, r.firstTry()
	if evidence, found, _ := r.evidence(ctx); evidence == platform.EvidenceFound {
		return r.accepted(ctx, r.intent.N, found, true)
	}
	return r.notSent(ctx, cause)
}

// send records the intent, makes the irrevocable call once, and records its result.
func (r *run) send(ctx context.Context) (postflow.Outcome, error) {
	// The time is taken before the intent is recorded. Thus the sender's window ends, by any clock, before the window
	// that other executions assume.
	sendBy := r.Clock.Now().Add(r.SendWindow)
	switch err := r.Attempts.Intend(ctx, r.Job, r.intent); {
	case errors.Is(err, postgres.ErrFenced), errors.Is(err, postgres.ErrStale):
		// Another execution made the attempt, or the plan of the post changed.
		return r.notClaimed(ctx, postflow.Step{PostID: r.Post.ID, Revision: r.Post.Revision})
	case err != nil:
		// The intent may or may not be recorded; only this execution knows that it will not send.
		return postflow.Outcome{}, errors.Join(err, r.withdraw(ctx))
	}
	r.intended = true
	if err := failpoint.Hit(ctx, FailAfterIntent); err != nil {
		return postflow.Outcome{}, err
	}
	// From here on nothing may interrupt the call or its record, not even the activity's timeout.
	ctx = context.WithoutCancel(ctx)
	published, err := r.connector.Commit(platform.WithSendBy(ctx, sendBy), r.account(), r.content,
		platform.Handle(r.intent.Handle))
	if hit := failpoint.Hit(ctx, FailAfterSend); hit != nil {
		return postflow.Outcome{}, hit
	}
	if err == nil {
		return r.accepted(ctx, r.intent.N, published, false)
	}
	return r.commitFailed(ctx, err)
}

// commitFailed records a call without success: not sent, refused, or unknown.
func (r *run) commitFailed(ctx context.Context, err error) (postflow.Outcome, error) {
	failure := platform.FailureOf(err)
	switch failure.Class {
	case platform.ClassUnknown:
		return r.unknown(ctx, failure)
	case platform.ClassRefresh:
		// The post was certainly not published. This attempt ends, and the next one uses fresh credentials.
		if err := r.next(ctx, rejected(r.intent.N, failure), post.WaitRetrying); err != nil {
			return postflow.Outcome{}, err
		}
		return postflow.Outcome{}, failure
	case platform.ClassRejected, platform.ClassTransient, platform.ClassRateLimited, platform.ClassReconnect, platform.ClassUser,
		platform.ClassOperator:
		return r.notSent(ctx, err)
	default: // an unknown class guarantees nothing
		return r.unknown(ctx, failure)
	}
}

// next ends an attempt that published nothing, and continues with the next one. The reason says why the post is not
// published yet.
func (r *run) next(ctx context.Context, result postgres.AttemptResult, reason post.WaitReason) error {
	change := r.Post.Postpone(post.Waiting{Reason: reason, Until: r.now()}, false, r.now(), result.Message)
	change.Timeline = nil
	if err := r.record(ctx, change, result); err != nil {
		return err
	}
	r.intent.N, r.intended = result.N+1, false
	return nil
}

func (r *run) now() time.Time { return r.Clock.Now().UTC().Truncate(time.Millisecond) }

// after returns the end of the wait, rounded up to full milliseconds, so that it is never early.
func (r *run) after(wait time.Duration) time.Time { return r.now().Add(wait + time.Millisecond) }

// followUp decides how to continue with an attempt that prevents sending.
func (r *run) followUp(ctx context.Context) (postflow.Outcome, error) {
	if r.Attempt.State == post.AttemptConfirmed {
		return r.confirmed(ctx)
	}
	return r.reconcileAt(ctx, r.now())
}

// published records that the network accepted the post, and whether it is known to show it.
func (r *run) published(
	ctx context.Context, n int, pub platform.Publication, reconciled, confirmed bool,
) (postflow.Outcome, error) {
	now, accepted := r.now(), r.Post.With(r.Predecessor.URL) // from now on, the post has the text that the network shows
	change, err := accepted.Complete(clean(pub.URL), confirmed, now)
	if err != nil {
		return postflow.Outcome{}, err
	}
	change = change.Warned(r.missing(), now)
	result := postgres.AttemptResult{
		N: n, State: post.AttemptConfirmed, ExternalID: clean(pub.ExternalID), URL: clean(pub.URL), Reconciled: reconciled,
		Parts: pub.Parts,
	}
	if err := r.record(ctx, change, result); err != nil {
		return r.overtaken(ctx, err)
	}
	taken := now
	if r.Attempt.State == post.AttemptConfirmed { // a review is no delay of the service
		taken = r.Attempt.FinishedAt
	}
	r.Metrics.published(r.Channel.Network(), taken.Sub(r.Post.DueAt()))
	r.Wake()
	r.admit(ctx)
	if err := failpoint.Hit(ctx, FailAfterRecord); err != nil {
		return postflow.Outcome{}, err
	}
	return ended(change.Post), nil
}

// missing returns what the published post lacks; empty if nothing.
func (r *run) missing() string {
	noter, ok := r.connector.(platform.Noter)
	if !ok {
		return ""
	}
	handle := r.Attempt.Handle
	if r.intended { // this execution made the call
		handle = r.intent.Handle
	}
	return noter.Note(r.content, platform.Handle(handle))
}

// fail records that the post was not published, and sets it to FAILED.
func (r *run) fail(ctx context.Context, failure post.Error, result postgres.AttemptResult) (postflow.Outcome, error) {
	change, err := r.Post.Fail(failure, r.now())
	if err != nil {
		return postflow.Outcome{}, err
	}
	remaining := r.discardable(result)
	result.Leaves = remaining != ""
	if err := r.record(ctx, change, result); err != nil {
		return r.overtaken(ctx, err)
	}
	r.Metrics.failed(r.Channel.Network(), failure.Code)
	if err := r.discard(ctx, result.N, remaining); err != nil {
		return postflow.Outcome{}, err
	}
	r.Logger.WarnContext(ctx, "publishing failed", slog.String("post_id", r.Post.ID.String()),
		slog.String("code", failure.Code),
		slog.String("channel_id", r.Channel.ID.String()))
	r.Wake()
	return ended(change.Post), nil
}

// contendedWait is the retry delay after losing two races for the same post.
const contendedWait = time.Second

// overtaken returns the outcome after the post was changed by another execution meanwhile.
func (r *run) overtaken(ctx context.Context, err error) (postflow.Outcome, error) {
	if !errors.Is(err, postgres.ErrStale) {
		return postflow.Outcome{}, err
	}
	if r.lostRace { // the post changes faster than it can be read
		wait := time.Duration(float64(contendedWait) * r.RetryScale)
		return postflow.Outcome{
			Next: postflow.NextPublish, At: r.after(wait), Note: "Another execution holds the post; checks again.",
		}, nil
	}
	return r.notClaimed(ctx, postflow.Step{PostID: r.Post.ID, Revision: r.Post.Revision})
}
