package publishing

import (
	"context"

	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/postgres"
)

// takeTurn lets a post with a predecessor wait until that post is published and the delay after it is over
// (docs/contract.md, Chains). The change that ends the predecessor wakes the workflow. It reports false if the post is to be
// published now.
func (r *run) takeTurn(ctx context.Context) (out postflow.Outcome, decided bool, err error) {
	turn, at := r.Post.TurnAfter(r.Predecessor)
	switch {
	case turn == post.TurnWait:
		why := "The post waits until the post before it is published."
		if r.Predecessor.Ended() {
			why = "The post before it was not published. The post waits until it is, or until a person changes this post."
		}
		out, _, err = r.await(context.WithoutCancel(ctx), pause{
			reason: post.WaitAfterPost, release: true, why: why, next: postflow.NextPublish,
		})
		return out, true, err
	case turn == post.TurnCancel:
		out, err = r.cancel(ctx)
		return out, true, err
	case at.After(r.Now):
		out, err = r.postpone(ctx, pause{
			reason: post.WaitAfterPost, until: r.after(at.Sub(r.Now)), release: true,
			why: "The post before it is published. The post waits for its time after it.", next: postflow.NextPublish,
		})
		return out, true, err
	case r.Post.Refers() && r.Predecessor.URL == "":
		failure := post.Error{
			Code: post.ErrorContentInvalid, Message: "The post before it has no address on its network, so " + post.URLPlaceholder +
				" cannot be replaced. Change the text, then publish the post again.",
		}
		out, err = r.fail(ctx, failure, r.unsent(&failure))
		return out, true, err
	default:
		return postflow.Outcome{}, false, nil
	}
}

// cancel returns the post to a draft.
func (r *run) cancel(ctx context.Context) (postflow.Outcome, error) {
	change, err := r.Post.Cancel(r.now())
	if err != nil {
		return postflow.Outcome{}, err
	}
	if err := r.record(context.WithoutCancel(ctx), change, postgres.AttemptResult{}); err != nil {
		return r.overtaken(ctx, err)
	}
	r.Wake()
	return postflow.Outcome{Next: postflow.NextSuperseded, Note: "The post before it was not published."}, nil
}
