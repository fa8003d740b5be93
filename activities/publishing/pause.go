package publishing

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
)

// tryAgain is the timeline text of the wait for the next attempt. The failed attempts have their own reasons.
const tryAgain = "The post is not published yet. The service tries again."

// pause is a wait of a post between two steps.
type pause struct {
	reason   post.WaitReason
	until    time.Time // zero if only a person can end the wait
	try      int       // the number of the attempt that follows; zero if none does
	deadline time.Time // when the service gives up
	release  bool      // release the claim meanwhile
	// why is the timeline text. It is constant for each kind of wait, so that repeated waits share one entry, and must
	// be true whatever happens next. Advice and conclusions belong to the post's final state.
	why    string
	cause  string // the reason of the wait, for the operator
	result postgres.AttemptResult
	next   postflow.Next
}

func (w pause) waiting() post.Waiting {
	return post.Waiting{Reason: w.reason, Until: w.until, Try: w.try, Deadline: w.deadline}
}

// outcome converts the pause to the result of the activity.
func (w pause) outcome() postflow.Outcome {
	note := w.why
	if w.cause != "" {
		note = w.cause + " " + w.why
	}
	return postflow.Outcome{Next: w.next, At: w.until, Deadline: w.deadline, Note: note}
}

// postpone records why the post waits, and returns when to continue.
func (r *run) postpone(ctx context.Context, w pause) (postflow.Outcome, error) {
	change := r.Post.Postpone(w.waiting(), w.release, r.now(), w.why)
	if err := r.record(ctx, change, w.result); err != nil {
		return r.overtaken(ctx, err)
	}
	return w.outcome(), nil
}

// network returns the display name of the channel's network.
func (r *run) network() string { return r.Channel.Type.Network().Name() }
