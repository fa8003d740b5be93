package post

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// After makes a post wait for another post of the workspace, its predecessor (docs/contract.md, Chains). The zero value: it waits
// for none.
type After struct {
	PostID    ident.Post    // of the predecessor, which may have been deleted since
	Delay     time.Duration // from the publication of the predecessor, in whole seconds
	OnFailure OnFailure     // empty only in the zero value
}

// OnFailure says what happens to a post whose predecessor is not published: because it failed or was deleted.
type OnFailure string

// OnFailures lists every value.
func OnFailures() []OnFailure { return []OnFailure{HoldOnFailure, CancelOnFailure, PublishOnFailure} }

// What happens to such a post (docs/contract.md, Chains).
const (
	HoldOnFailure    OnFailure = "hold"    // it waits until the predecessor is published, or a person changes it
	CancelOnFailure  OnFailure = "cancel"  // it returns to a draft
	PublishOnFailure OnFailure = "publish" // it is published without it
)

const (
	// LongestDelay is the longest time between the publications of a post and its successor (docs/contract.md, Chains).
	LongestDelay = 30 * 24 * time.Hour
	// LongestChain is the number of posts that may follow each other.
	LongestChain = 25
	// URLPlaceholder is the part of a text that is replaced by the address of the predecessor.
	URLPlaceholder = "{{url}}"
	// sampleURL replaces the address of a predecessor that is not published yet. It is as long as those of most networks.
	sampleURL = "https://www.example.com/channel/posts/7405123456789012345"
)

// IsZero reports whether the post waits for no other one.
func (a After) IsZero() bool { return a.OnFailure == "" }

// Predecessor is the state of the post that another one waits for.
type Predecessor struct {
	Status      Status // empty: the post was deleted
	PublishedAt time.Time
	URL         string // empty if the network reported none
}

// Published reports whether the network has the post.
func (p Predecessor) Published() bool {
	return p.Status == Published || p.Status == Archived && !p.PublishedAt.IsZero()
}

// Ended reports whether nothing publishes the post unless a person acts.
func (p Predecessor) Ended() bool {
	return p.Status != Draft && p.Status != PendingApproval && p.Status != Scheduled
}

// Turn says how a due post goes on.
type Turn int

// The turns of a due post.
const (
	TurnPublish Turn = iota // it is published, at a time
	TurnWait                // it waits for its predecessor
	TurnCancel              // it returns to a draft
)

// TurnAfter returns how a due post goes on whose predecessor has a state, and the time of its publication if that is its turn.
func (p Post) TurnAfter(of Predecessor) (Turn, time.Time) {
	switch {
	case p.After.IsZero():
		return TurnPublish, p.ScheduledAt
	case of.Published():
		if at := of.PublishedAt.Add(p.After.Delay); at.After(p.ScheduledAt) {
			return TurnPublish, at
		}
		return TurnPublish, p.ScheduledAt
	case !of.Ended() || p.After.OnFailure == HoldOnFailure:
		return TurnWait, time.Time{}
	case p.After.OnFailure == CancelOnFailure:
		return TurnCancel, time.Time{}
	default:
		return TurnPublish, p.ScheduledAt
	}
}

// Refers reports whether a text of the post, or of one of its parts, has the address of its predecessor.
func (p Post) Refers() bool {
	return !p.After.IsZero() && p.PartOf.IsZero() && strings.Contains(p.Texts(), URLPlaceholder)
}

// Texts returns the texts of all parts of the post.
func (p Post) Texts() string {
	all := []string{p.Content}
	for _, part := range p.Thread {
		all = append(all, part.Content)
	}
	return strings.Join(append(all, p.Comment.Content), "\n")
}

// With returns the post with the address of its predecessor in its texts; an empty address means that it is not known yet.
func (p Post) With(url string) Post {
	if !p.Refers() {
		return p
	}
	replace := func(text string) string { return strings.ReplaceAll(text, URLPlaceholder, cmp.Or(url, sampleURL)) }
	p.Content, p.Comment.Content, p.Thread = replace(p.Content), replace(p.Comment.Content), slices.Clone(p.Thread)
	for i, part := range p.Thread {
		p.Thread[i].Content = replace(part.Content)
	}
	return p
}

// Fault returns what is wrong with a wait and the texts of its post, or "".
func (a After) Fault(texts string) string {
	switch {
	case a.IsZero() || !strings.Contains(texts, URLPlaceholder):
		return ""
	case a.OnFailure == PublishOnFailure:
		return fmt.Sprintf("with onFailure publish the text must not contain %s, which a post that fails does not have", URLPlaceholder)
	default:
		return ""
	}
}

// Cancel returns a post to a draft, because its predecessor was not published. Like the decisions of the publish protocol, it holds
// the claim.
func (p Post) Cancel(now time.Time) (Change, error) {
	change := p.concluded(ActionUnschedule, Draft, now)
	change.Post.ScheduledAt, change.Wake = time.Time{}, true
	change = change.with(EntryUnscheduled, now, ActorService, "The post before it was not published. This post will not be published.")
	return change.announced()
}

// Chained makes a new post wait for another one, which may be created by the same request.
func (c Change) Chained(after After) Change {
	c.Post.After = after
	detail := "Follows the post " + after.PostID.String()
	if after.Delay > 0 {
		detail += ", " + after.Delay.String() + " later"
	}
	return c.with(EntryWaiting, c.Post.CreatedAt, c.Timeline[0].Actor, "%s.", detail)
}

// Concludes reports whether the change ends the wait of the posts that follow this one, or changes what they wait for.
func (c Change) Concludes() bool {
	return c.Post.Status != c.From.Status && (c.Post.Status == Published || c.Post.Status == Failed) || c.Action == ActionDelete
}
