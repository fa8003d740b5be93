package post

import (
	"time"

	"fencepost.internal/shared/domain/event"
)

// Decisions of the publish protocol. They hold the claim, so they do not check whether the post is being published. The
// store applies them only while the post is SCHEDULED in the same revision.

// Complete records that the post was published, and whether the network is known to show it.
func (p Post) Complete(url string, confirmed bool, now time.Time) (Change, error) {
	change := p.concluded(ActionComplete, Published, now)
	change.Post.PublishedAt, change.Post.PostURL, change.Post.Error = now, url, nil
	change.Post.Confirmed = &confirmed
	change = change.with(EntryPublished, now, ActorService, "Published%s", at(url))
	if !p.PartOf.IsZero() {
		return change.partEnded()
	}
	change = change.followedByParts(now)
	return change.emits(event.PostPublished, change.Post.EventData())
}

// Warned adds a part of the post that the network did not take to its timeline. An empty detail adds nothing.
func (c Change) Warned(detail string, now time.Time) Change {
	if detail == "" {
		return c
	}
	return c.with(EntryWarning, now, ActorService, "%s", detail)
}

// Fail records that the post was not published, or that its result remains unknown, and the reason.
func (p Post) Fail(failure Error, now time.Time) (Change, error) {
	change := p.concluded(ActionFail, Failed, now)
	change.Post.Error = &failure
	change = change.with(EntryFailed, now, ActorService, "%s: %s", failure.Code, failure.Message)
	if !p.PartOf.IsZero() {
		return change.partEnded()
	}
	return change.emits(event.PostFailed, change.Post.EventData())
}

// RemovedWithin is the time after its publication for which a post is read again, and fails if its network has refused
// or removed it (docs/contract.md, Removed posts).
const RemovedWithin = 7 * 24 * time.Hour

// Remove records that the network refused or removed a published post, in the network's words.
func (p Post) Remove(network, reason string, now time.Time) (Change, error) {
	if err := p.guard(ActionRemove); err != nil {
		return Change{}, err
	}
	change := p.to(ActionRemove, Failed, now)
	change.Post.Error = &Error{
		Code: ErrorRemoved, Message: network + " removed the post after it was published: " + reason,
	}
	change.Post.PublishedAt, change.Post.PostURL, change.Post.Confirmed = time.Time{}, "", nil
	change.Post.PartsState = p.plannedParts()
	change = change.with(EntryFailed, now, ActorService, "%s: %s", ErrorRemoved, change.Post.Error.Message)
	return change.emits(event.PostFailed, change.Post.EventData())
}

func (p Post) concluded(action Action, status Status, now time.Time) Change {
	change := p.to(action, status, now)
	change.Post.PublishingSince = time.Time{}
	change.Claimed = true
	return change
}

// Postpone records why the post is not published yet. It is not a transition: the plan is unchanged, and no event is
// sent. If release is true, the claim is released, so that the post can be changed during the wait. Repetitions of the
// same detail in the same plan are counted in one timeline entry; therefore detail contains no times.
func (p Post) Postpone(waiting Waiting, release bool, now time.Time, detail string) Change {
	next := p
	// The store keeps microseconds. The timeline compares this time to recognize a wait that continues.
	waiting.Until, waiting.Deadline = waiting.Until.Truncate(time.Microsecond), waiting.Deadline.Truncate(time.Microsecond)
	next.Waiting, next.UpdatedAt = &waiting, now
	if release {
		next.PublishingSince = time.Time{}
	}
	entry := Entry{At: now, Kind: EntryWaiting, Actor: ActorService, Detail: detail, Repeats: true, NextAt: waiting.Until}
	return Change{From: p, Post: next, Claimed: true, Timeline: []Entry{entry}}
}

// Resume ends the wait of a post for a person, for the given reason. It is a new plan, so that the workflow goes on and
// the retries count anew.
func (p Post) Resume(wait WaitReason, now time.Time, reason string) Change {
	next := p
	next.Revision++
	next.UpdatedAt = p.editedAt(now)
	next.Waiting = &Waiting{Reason: wait, Until: now.Truncate(time.Microsecond)}
	return Change{From: p, Post: next, Wake: true}.with(EntryResumed, now, ActorService, "%s", reason)
}

func at(url string) string {
	if url == "" {
		return "."
	}
	return " at " + url
}
