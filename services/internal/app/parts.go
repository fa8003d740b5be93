package app

import (
	"context"
	"slices"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// ContinueParts is the decision of a client about a post of which a part is not published.
type ContinueParts struct {
	// End gives up the parts from there, instead of publishing them.
	End bool
}

// applies reports whether the decision can be made about the first part that is not published: one that waits can be given up, unless a
// worker has it.
func (in ContinueParts) applies(first post.Post) bool {
	return first.Status == post.Failed || in.End && first.Status == post.Scheduled && first.PublishingSince.IsZero()
}

// ContinueParts goes on with a post at the first part that is not published (docs/contract.md, Threads). It returns INVALID_STATE if no
// part has failed, or none waits that can be given up. A part of unknown result is published again: the client has looked for it.
func (a *postUseCases) ContinueParts(ctx context.Context, p Principal, id ident.Post, in ContinueParts) (after post.Post, err error) {
	if err := p.Require(credential.PostsPublish); err != nil {
		return post.Post{}, err
	}
	err = a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		root, err := a.posts.For(p.Channels).Lock(ctx, p.WorkspaceID, id)
		if err == nil && expecting(ctx) {
			err = expected(ctx, PostTag(root))
		}
		if err != nil {
			return err
		}
		parts, err := a.posts.Parts(ctx, id)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(parts, func(one post.Post) bool { return one.Status != post.Published })
		if root.Status != post.Published || at < 0 || !in.applies(parts[at]) {
			return stateError(root, nothingToContinue(root))
		}
		if err := a.continued(ctx, p, root, parts[at], in); err != nil {
			return err
		}
		after, err = a.posts.Get(ctx, p.WorkspaceID, id)
		return err
	})
	return after, err
}

func (a *postUseCases) continued(ctx context.Context, p Principal, root, part post.Post, in ContinueParts) error {
	now := a.now()
	wake := func() { a.wake(relay.Events | relay.Messages) }
	if in.End {
		change, err := root.EndParts(part.PartOf.Index, now, p.Actor())
		if err != nil {
			return err
		}
		a.db.AfterCommit(ctx, wake)
		return a.posts.Apply(ctx, change)
	}
	of, content, err := a.contentOf(ctx, p, root)
	if err != nil {
		return err
	}
	if err := a.scheduling.ready(of); err != nil {
		return err
	}
	content = content.Parts[part.PartOf.Index-1] // the parts before are on the network, whatever the rules are now
	if faults := faultsOf(a.scheduling.findings(of, content), of); len(faults) > 0 {
		return apperr.Invalid(faults)
	}
	change, err := part.ContinuePart(now, p.Actor())
	if err != nil {
		return err
	}
	a.db.AfterCommit(ctx, wake)
	return a.posts.Apply(ctx, change)
}

// nothingToContinue says why a post cannot be continued.
func nothingToContinue(root post.Post) string {
	if root.Status == post.Archived {
		return "The post is archived; unarchive it first."
	}
	switch root.PartsState {
	case post.PartsPending:
		return "The post is not published yet; its parts follow it by themselves."
	case post.PartsInProgress:
		return "The parts are being published; there is nothing to continue."
	case post.PartsComplete:
		return "All parts are published; there is nothing to continue."
	case post.PartsIncomplete:
		return "Another request continues the post; read it again."
	default:
		return "The post has no parts; there is nothing to continue."
	}
}
