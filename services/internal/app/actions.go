package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"fencepost.internal/services/internal/relay"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

// SchedulePost sets or changes a post's publish time.
func (a *postUseCases) SchedulePost(ctx context.Context, p Principal, id ident.Post, at time.Time) (post.Post, error) {
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		change, err := before.Schedule(at, now, p.Actor())
		return change, a.withContent(ctx, p, before, err)
	})
}

// withContent adds the faults of the content to an error about the publish time, so that a client sees all faults at
// once.
func (a *postUseCases) withContent(ctx context.Context, p Principal, of post.Post, err error) error {
	failure, ok := errors.AsType[*apperr.Error](err)
	if !ok || len(failure.Fields) == 0 {
		return err
	}
	c, content, unread := a.contentOf(ctx, p, of)
	if unread != nil {
		return unread
	}
	if faults := faultsOf(a.scheduling.findings(c, content), c); len(faults) > 0 {
		return apperr.Invalid(append(faults, failure.Fields...))
	}
	return err
}

// PublishPost queues a post for immediate publishing.
func (a *postUseCases) PublishPost(ctx context.Context, p Principal, id ident.Post) (post.Post, error) {
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		return before.PublishNow(now, p.Actor())
	})
}

// PublishPausedPost is PublishPost for a person who publishes the post although its channel is paused.
func (a *postUseCases) PublishPausedPost(ctx context.Context, p Principal, id ident.Post) (post.Post, error) {
	if p.Person.ID.IsZero() {
		return post.Post{}, apperr.New(apperr.InsufficientScope, "Only a person can publish a post of a paused channel.")
	}
	if err := p.Require(credential.PostsPublish); err != nil {
		return post.Post{}, err
	}
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		return before.PublishDespitePause(now, p.Actor())
	})
}

// UnschedulePost returns a post to DRAFT. After it returns without an error, the post is not published.
func (a *postUseCases) UnschedulePost(ctx context.Context, p Principal, id ident.Post) (post.Post, error) {
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		return before.Unschedule(now, p.Actor())
	})
}

// RequestApproval submits a draft for approval.
func (a *postUseCases) RequestApproval(ctx context.Context, p Principal, id ident.Post) (post.Post, error) {
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		return before.RequestApproval(now, p.Actor())
	})
}

// ApprovePost approves a pending post.
func (a *postUseCases) ApprovePost(ctx context.Context, p Principal, id ident.Post, comment string) (post.Post, error) {
	return a.Decide(ctx, p, id, Decision{Comment: comment})
}

// RejectPost returns a pending post to its author.
func (a *postUseCases) RejectPost(ctx context.Context, p Principal, id ident.Post, comment string) (post.Post, error) {
	return a.Return(ctx, p, id, Decision{Comment: comment})
}

// EditPost changes a post's content and intended publish time (docs/contract.md, Editing and deleting). Moving a
// SCHEDULED post also requires posts:publish. Any change of it requires a person who may publish, because it was
// approved as it is. A SCHEDULED post must still satisfy its network's rules.
func (a *postUseCases) EditPost(
	ctx context.Context, p Principal, id ident.Post, edit func(before post.Post) (post.Edit, error),
) (post.Post, error) {
	return a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
		wanted, err := edit(before)
		if err == nil && wanted.Metadata != nil {
			err = apperr.Invalid(p.scriptFaults(*wanted.Metadata))
		}
		if err == nil && wanted.Labels != nil {
			*wanted.Labels, err = a.spelled(ctx, p, *wanted.Labels)
		}
		if err == nil && wanted.CampaignID != nil && *wanted.CampaignID != before.CampaignID {
			err = a.haveCampaign(ctx, p, *wanted.CampaignID)
		}
		if err == nil && (wanted.After != nil || wanted.Content != nil || wanted.Thread != nil || wanted.Comment != nil) {
			err = a.checkChain(ctx, p, before, wanted)
		}
		if err != nil {
			return post.Change{}, err
		}
		if err := p.mayChange(before, wanted); err != nil {
			return post.Change{}, err
		}
		change, _, err := before.Edit(wanted, now, p.Actor())
		if err == nil || before.Status != post.Scheduled || wanted.ScheduledAt == nil {
			return change, err
		}
		wanted.ScheduledAt = nil // the rest of the edit may have faults too
		if change, _, rest := before.Edit(wanted, now, p.Actor()); rest == nil {
			return post.Change{}, a.withContent(ctx, p, change.Post, err)
		}
		return post.Change{}, err
	})
}

// mayChange returns INSUFFICIENT_SCOPE unless the client may make a change of a SCHEDULED post, and INVALID_STATE for a
// post that waits for approval, which only people change, in the application.
func (p Principal) mayChange(before post.Post, wanted post.Edit) error {
	switch {
	case p.awaitsPeople(before):
		return stateError(before, "A post in status PENDING_APPROVAL does not allow edit.")
	case before.Status != post.Scheduled:
		return nil
	}
	if wanted.ScheduledAt != nil || wanted.After != nil {
		if err := p.Require(credential.PostsPublish); err != nil {
			return err
		}
	}
	return p.requireOfRole(credential.PostsPublish, "change a SCHEDULED post",
		"Ask an editor to return it to DRAFT, change it, then ask for approval again.")
}

// awaitsPeople reports that the post waits for approval, and that the client is no person.
func (p Principal) awaitsPeople(of post.Post) bool {
	return of.Status == post.PendingApproval && p.Person.ID.IsZero()
}

// MayDelete returns INSUFFICIENT_SCOPE unless the client may delete posts with a status, apart from the scope of the
// operation. Drafts are everyone's who writes posts. The others were approved, or someone archived them.
func (p Principal) MayDelete(status post.Status) error {
	switch status {
	case post.Draft, post.PendingApproval:
		return nil
	case post.Archived:
		return p.requireOfRole(credential.PostsArchive, "delete an ARCHIVED post", "Ask an editor to delete it.")
	case post.Scheduled, post.Published, post.Failed:
	}
	return p.requireOfRole(credential.PostsPublish, "delete a "+string(status)+" post", "Ask an editor to delete it.")
}

// DeletePost deletes a post. After it returns without an error, a SCHEDULED post is not published. People, and programs
// that act for them, need the permissions of MayDelete.
func (a *postUseCases) DeletePost(ctx context.Context, p Principal, id ident.Post) error {
	return a.decide(ctx, p, id, func(ctx context.Context, before post.Post) error {
		change, err := before.Delete(a.now())
		if err != nil {
			return err
		}
		if err := p.MayDelete(before.Status); err != nil {
			return err
		}
		if err := a.posts.Delete(ctx, change); err != nil {
			return err
		}
		a.db.AfterCommit(ctx, func() { a.wake(relay.Events | relay.Messages) })
		return nil
	})
}

// SchedulePostNext schedules a post for its channel's next free slot. A SCHEDULED post that holds a slot keeps it, unless
// force is true (docs/contract.md, Next slot).
func (a *postUseCases) SchedulePostNext(ctx context.Context, p Principal, id ident.Post, force bool) (created post.Post, err error) {
	found, err := a.posts.For(p.Channels).Get(ctx, p.WorkspaceID, id)
	if err != nil {
		return post.Post{}, err
	}
	// fail before taking a lock if the state forbids scheduling
	if _, err := found.Schedule(a.now().Add(time.Second), a.now(), p.Actor()); err != nil {
		return post.Post{}, err
	}
	channels, err := a.scheduling.channelsOf(ctx, p, []ident.Channel{found.ChannelID}, false)
	if err != nil {
		return post.Post{}, err
	}
	err = a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
		slots, err := a.scheduling.takeSlots(ctx, channels, []ident.Channel{found.ChannelID}, a.now())
		if err != nil {
			return err
		}
		created, err = a.transition(ctx, p, id, func(before post.Post, now time.Time) (post.Change, error) {
			if held, err := a.scheduling.holdsSlot(ctx, channels[found.ChannelID], before, now); err != nil || held && !force {
				return post.Change{Post: before}, err
			}
			return before.Schedule(slots[found.ChannelID], now, p.Actor())
		})
		return err
	})
	return created, err
}

// maxDecisions is the maximum number of attempts at a decision while other requests change the post.
const maxDecisions = 5

// decide reads the post and calls act with it. It starts over when another request changed the post meanwhile, so that
// the result is always based on the current post. With a precondition, it locks the post.
func (a *postUseCases) decide(
	ctx context.Context, p Principal, id ident.Post,
	act func(ctx context.Context, before post.Post) error,
) error {
	if expecting(ctx) {
		return a.db.WithinRetriedTx(ctx, func(ctx context.Context) error {
			before, err := a.posts.For(p.Channels).Lock(ctx, p.WorkspaceID, id)
			if err == nil {
				err = expected(ctx, PostTag(before))
			}
			if err != nil {
				return err
			}
			return act(ctx, before)
		})
	}
	for range maxDecisions {
		before, err := a.posts.For(p.Channels).Get(ctx, p.WorkspaceID, id)
		if err != nil {
			return err
		}
		if err := act(ctx, before); !errors.Is(err, postgres.ErrStale) {
			return err
		}
	}
	return apperr.New(apperr.PublishInProgress, "The post is being changed by another request; try again.")
}

// transition applies a decision to a post and returns the resulting post.
func (a *postUseCases) transition(
	ctx context.Context, p Principal, id ident.Post, decide func(post.Post, time.Time) (post.Change, error),
) (after post.Post, err error) {
	err = a.decide(ctx, p, id, func(ctx context.Context, before post.Post) error {
		change, err := decide(before, a.now())
		if err == nil {
			change, err = a.sanctioned(ctx, p, change)
		}
		if err != nil {
			return err
		}
		if err := a.checkScheduled(ctx, p, change); err != nil {
			return err
		}
		after = change.Post
		if change.From.ID.IsZero() { // nothing changed
			return nil
		}
		externalID := ""
		if after.ExternalID != before.ExternalID {
			externalID = after.ExternalID
		}
		err = a.unlessInUse(ctx, p, externalID, []ident.Channel{before.ChannelID}, func(ctx context.Context) error {
			return a.posts.Apply(ctx, change)
		})
		if err != nil {
			return err
		}
		a.db.AfterCommit(ctx, func() { a.wake(remaining(change)) })
		return nil
	})
	return after, err
}

// checkScheduled checks a post that will be published. Its content must satisfy the network's rules. Its channel must
// be connected, unless only the content changes.
func (a *postUseCases) checkScheduled(ctx context.Context, p Principal, change post.Change) error {
	if attached := slices.Concat(change.Post.MediaIDs, change.Post.PartMedia()); change.Edited && len(attached) > 0 {
		if _, err := a.assetsOf(ctx, p, attached); err != nil {
			return err
		}
	}
	if change.Edited && !change.Post.Options.IsZero() {
		if err := a.checkOptions(ctx, p, change.Post); err != nil {
			return err
		}
	}
	planned := change.Post.Status == post.Scheduled || change.Post.Status == post.PendingApproval
	if !planned || change.From.ID.IsZero() {
		return nil
	}
	of, content, err := a.contentOf(ctx, p, change.Post)
	if err == nil {
		err = a.described(p, change, of, content)
	}
	if err != nil || change.Post.Status != post.Scheduled {
		return err
	}
	if !change.Edited || !change.Post.ScheduledAt.Equal(change.From.ScheduledAt) {
		if err := a.scheduling.ready(of); err != nil {
			return err
		}
	}
	return apperr.Invalid(faultsOf(a.scheduling.findings(of, content), of))
}

func (a *postUseCases) contentOf(ctx context.Context, p Principal, of post.Post) (channel.Channel, platform.Content, error) {
	channels, err := a.scheduling.channelsOf(ctx, p, []ident.Channel{of.ChannelID}, false)
	if err != nil {
		return channel.Channel{}, platform.Content{}, err
	}
	content, err := a.wholeOf(ctx, p, of)
	return channels[of.ChannelID], content, err
}

// wholeOf returns the content of a post with its parts; NOT_FOUND for an unknown asset.
func (a *postUseCases) wholeOf(ctx context.Context, p Principal, of post.Post) (platform.Content, error) {
	assets, err := a.assetsOf(ctx, p, slices.Concat(of.MediaIDs, of.PartMedia()))
	if err != nil {
		return platform.Content{}, err
	}
	return platform.ContentOf(of, assets[:len(of.MediaIDs)]).WithParts(of, assets), nil
}

// checkOptions rejects options that the post's platform does not define, in drafts too, because they could never take
// effect.
func (a *postUseCases) checkOptions(ctx context.Context, p Principal, of post.Post) error {
	channels, err := a.scheduling.channelsOf(ctx, p, []ident.Channel{of.ChannelID}, true)
	if err != nil {
		return err
	}
	c := channels[of.ChannelID]
	return apperr.Invalid(faultsOf(a.rules.CheckOptions(c.Type, of.Options), c))
}
