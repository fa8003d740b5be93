package post

import (
	"time"

	"socialpub.internal/shared/domain/event"
)

// The decisions of the publish protocol. They hold the claim, so they do not ask whether the post is being published;
// the store applies them only while the post is SCHEDULED in the revision they were made on.

// Complete records that the post is live.
func (p Post) Complete(url string, now time.Time) (Change, error) {
	change := p.concluded(ActionComplete, Published, now)
	change.Post.PublishedAt, change.Post.PostURL, change.Post.Error = now, url, nil
	change = change.with(EntryPublished, now, ActorService, "Published%s", at(url))
	return change.emits(event.PostPublished, change.Post.EventData())
}

// Fail records that the post was not published, or that nobody can know, and why.
func (p Post) Fail(failure Error, now time.Time) (Change, error) {
	change := p.concluded(ActionFail, Failed, now)
	change.Post.Error = &failure
	change = change.with(EntryFailed, now, ActorService, "%s: %s", failure.Code, failure.Message)
	return change.emits(event.PostFailed, change.Post.EventData())
}

func (p Post) concluded(action Action, status Status, now time.Time) Change {
	change := p.to(action, status, now)
	change.Post.PublishingSince = time.Time{}
	change.Claimed = true
	return change
}

// Postpone records why the post is not out yet. It is no transition: the plan stays, no event is sent. With release the
// claim is given back, so that until then the post can be changed. The same detail in the same plan is one entry of the
// timeline, which counts: detail names no times.
func (p Post) Postpone(waiting Waiting, release bool, now time.Time, detail string) Change {
	next := p
	waiting.Until = waiting.Until.Truncate(time.Microsecond) // as the store keeps it: by this the timeline knows the wait that lasts
	next.Waiting, next.UpdatedAt = &waiting, now
	if release {
		next.PublishingSince = time.Time{}
	}
	entry := Entry{At: now, Kind: EntryWaiting, Actor: ActorService, Detail: detail, Repeats: true, NextAt: waiting.Until}
	return Change{From: p, Post: next, Claimed: true, Timeline: []Entry{entry}}
}

func at(url string) string {
	if url == "" {
		return "."
	}
	return " at " + url
}
