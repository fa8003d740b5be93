package publishing

import (
	"context"
	"time"

	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/flow/postflow"
	"socialpub.internal/shared/infra/postgres"
)

// tryAgain is the text of the wait for the next attempt. The attempts before it say why they failed.
const tryAgain = "The post is not published yet. The service tries again."

// pause is a wait of a post between two steps.
type pause struct {
	reason   post.WaitReason
	until    time.Time
	deadline time.Time // when the service gives up
	release  bool      // the claim is given back meanwhile
	// why is the text of the timeline. It is the same for each wait of a kind, so that they are one entry, and it holds
	// whatever follows: advice and conclusions belong to the end of the post.
	why    string
	cause  string // what led to the wait, for the operator
	result postgres.AttemptResult
	next   postflow.Next
}

// outcome is the pause as the workflow takes it.
func (w pause) outcome() postflow.Outcome {
	note := w.why
	if w.cause != "" {
		note = w.cause + " " + w.why
	}
	return postflow.Outcome{Next: w.next, At: w.until, Deadline: w.deadline, Note: note}
}

// postpone records why the post waits, and answers when to go on.
func (r *run) postpone(ctx context.Context, w pause) (postflow.Outcome, error) {
	change := r.Post.Postpone(post.Waiting{Reason: w.reason, Until: w.until}, w.release, r.now(), w.why)
	if err := r.record(ctx, change, w.result); err != nil {
		return r.overtaken(ctx, err)
	}
	return w.outcome(), nil
}

// network is the name of the channel's network, for people.
func (r *run) network() string { return r.Channel.Type.Network().Name() }
