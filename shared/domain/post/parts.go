package post

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// Part is a part of a thread after the first one, which is the post itself (docs/contract.md, Threads).
type Part struct {
	Content       string        `json:"content"`
	MediaIDs      []ident.Media `json:"mediaIds,omitempty"`
	MediaAltTexts AltTexts      `json:"mediaAltTexts,omitempty"`
}

// Comment is the first comment under a post, by the account of the post. The zero value: none.
type Comment struct {
	Content string        `json:"content"`
	Delay   time.Duration `json:"delay,omitempty"` // after the last part of the post, in whole seconds
}

// IsZero reports whether there is no comment.
func (c Comment) IsZero() bool { return c == Comment{} }

const (
	// LongestThread is the number of parts of a thread, the first one included (docs/contract.md, Threads).
	LongestThread = 25
	// LongestCommentDelay is the longest time between the last part of a post and its first comment.
	LongestCommentDelay = 24 * time.Hour
)

// PartKind is the kind of a part of a post.
type PartKind string

// The kinds of parts (docs/contract.md, Threads).
const (
	PartRoot    PartKind = "ROOT"    // the post itself
	PartReply   PartKind = "REPLY"   // of a thread: a reply to the part before
	PartComment PartKind = "COMMENT" // a comment under the root
)

// PartStatus is the state of one part.
type PartStatus string

// The states of a part (docs/contract.md, Threads).
const (
	PartPending   PartStatus = "PENDING"
	PartPublished PartStatus = "PUBLISHED"
	PartFailed    PartStatus = "FAILED"
	PartUnknown   PartStatus = "UNKNOWN" // it may be on the network, which does not say
)

// PartsState is the state of the parts of a post as a whole; empty without parts.
type PartsState string

// The states of the parts of a post (docs/contract.md, Threads).
const (
	PartsPending    PartsState = "PENDING" // the post itself is not published
	PartsInProgress PartsState = "IN_PROGRESS"
	PartsComplete   PartsState = "COMPLETE"
	PartsIncomplete PartsState = "INCOMPLETE" // a part failed, and a person must decide
)

// PartState is the state of one part.
type PartState struct {
	Index  int // from 0, the post itself
	Kind   PartKind
	Status PartStatus
	URL    string // empty until published, and if the network reports none
	Error  *Error
}

// PartOf places a post that is a part of another one. The zero value: the post is a post of its own.
type PartOf struct {
	RootID ident.Post
	Index  int // at least 1
	Kind   PartKind
	// Last and Root are set while the part is published: no part follows it, and the data of the events of the root.
	Last bool
	Root event.PostData
}

// IsZero reports whether the post is a post of its own.
func (o PartOf) IsZero() bool { return o.RootID.IsZero() }

// HasParts reports whether further parts are published after the post.
func (p Post) HasParts() bool { return len(p.Thread) > 0 || !p.Comment.IsZero() }

// plannedParts returns the state of the parts after a change of the plan.
func (p Post) plannedParts() PartsState {
	if !p.HasParts() {
		return ""
	}
	return PartsPending
}

// PartFaults returns what is wrong with the alternative texts of the parts of a thread.
func PartFaults(thread []Part) (faults []apperr.Field) {
	for i, part := range thread {
		for _, f := range part.MediaAltTexts.Faults(part.MediaIDs) {
			faults = append(faults, apperr.Field{Pointer: fmt.Sprintf("/thread/%d%s", i, f.Pointer), Message: f.Message})
		}
	}
	return faults
}

// EqualThreads reports whether two threads have the same parts.
func EqualThreads(a, b []Part) bool {
	return slices.EqualFunc(a, b, func(a, b Part) bool {
		return a.Content == b.Content && slices.Equal(a.MediaIDs, b.MediaIDs) && maps.Equal(a.MediaAltTexts, b.MediaAltTexts)
	})
}

// PartMedia returns the attachments of the parts after the first, each once.
func (p Post) PartMedia() []ident.Media { return MediaOf(p.Thread) }

// MediaOf returns the attachments of the parts of a thread, each once.
func MediaOf(thread []Part) (ids []ident.Media) {
	for _, part := range thread {
		for _, id := range part.MediaIDs {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// States returns the states of all parts, the post itself first. Known has those of the parts that are no longer only planned.
func (p Post) States(known []PartState) []PartState {
	if !p.HasParts() {
		return nil
	}
	states := []PartState{StateOf(p)}
	states[0].Kind = PartRoot
	for range p.Thread {
		states = append(states, PartState{Index: len(states), Kind: PartReply, Status: PartPending})
	}
	if !p.Comment.IsZero() {
		states = append(states, PartState{Index: len(states), Kind: PartComment, Status: PartPending})
	}
	for _, k := range known {
		if k.Index < len(states) {
			states[k.Index] = k
		}
	}
	return states
}

// StateOf returns what became of a post that is a part.
func StateOf(p Post) PartState {
	state := PartState{Index: p.PartOf.Index, Kind: p.PartOf.Kind, Status: PartPending, URL: p.PostURL, Error: p.Error}
	switch {
	case !p.PublishedAt.IsZero():
		state.Status = PartPublished
	case p.Status == Failed && p.Error != nil && p.Error.Code == ErrorOutcomeUnknown:
		state.Status = PartUnknown
	case p.Status == Failed:
		state.Status = PartFailed
	}
	return state
}

// followedByParts plans the parts of a post that was published. Each waits for the one before, so that they come in order; only the
// first has a workflow at once.
func (c Change) followedByParts(now time.Time) Change {
	root := c.Post
	if !root.HasParts() {
		return c
	}
	c.Post.PartsState = PartsInProgress
	before := root.ID
	add := func(kind PartKind, of Part, delay time.Duration) {
		options := root.Options.OfPart(len(of.MediaIDs) > 0)
		p := Post{
			Options: options, HasOptions: !options.IsZero(),
			ID: ident.New[ident.Post](), WorkspaceID: root.WorkspaceID, ChannelID: root.ChannelID, ChannelType: root.ChannelType,
			AuthorID: root.AuthorID, Content: of.Content, ContentType: ContentPost, MediaIDs: of.MediaIDs, MediaAltTexts: of.MediaAltTexts,
			Status: Scheduled, ScheduledAt: now, CreatedAt: now, UpdatedAt: now, Revision: 1, OverridesPause: c.From.OverridesPause,
			After:  After{PostID: before, Delay: delay, OnFailure: HoldOnFailure},
			PartOf: PartOf{RootID: root.ID, Index: len(c.Parts) + 1, Kind: kind},
		}
		p.GroupID = ident.Group(p.ID)
		first := len(c.Parts) == 0
		if !first {
			p.Waiting = &Waiting{Reason: WaitAfterPost}
		}
		before, c.Parts = p.ID, append(c.Parts, Change{Post: p, Wake: first})
	}
	for _, part := range root.Thread {
		add(PartReply, part, 0)
	}
	if !root.Comment.IsZero() {
		add(PartComment, Part{Content: root.Comment.Content}, root.Comment.Delay)
	}
	return c
}

// partEnded adds the event of the root after one of its parts was published or failed.
func (c Change) partEnded() (Change, error) {
	of := c.Post.PartOf
	switch {
	case c.Post.Status == Failed:
		state := StateOf(c.Post)
		return c.emits(event.PostPartFailed, event.PartData{PostData: of.Root, Part: event.FailedPart{
			Index: of.Index, Kind: string(of.Kind), Status: string(state.Status), Error: c.Post.Error,
		}})
	case of.Last:
		return c.emits(event.PostCompleted, of.Root)
	default:
		return c, nil
	}
}

// RootState returns the state of the parts of the root after the change of one of them; empty if it stays.
func (c Change) RootState() PartsState {
	switch {
	case c.Post.PartOf.IsZero():
		return ""
	case c.Action == ActionComplete && c.Post.PartOf.Last:
		return PartsComplete
	case c.Action == ActionFail:
		return PartsIncomplete
	case c.Action == ActionPublish:
		return PartsInProgress
	default:
		return ""
	}
}

// DropsFrom returns the index of the first part that the change deletes, with those after it; zero if it deletes none.
func (c Change) DropsFrom() int {
	if c.Action == ActionDelete || c.Action == ActionRemove {
		return 1
	}
	return c.GivenUpFrom
}

// ContinuePart publishes a part that failed again, or whose result is unknown: a person decided so.
func (p Post) ContinuePart(now time.Time, actor Actor) (Change, error) {
	if err := p.guard(ActionPublish); err != nil {
		return Change{}, err
	}
	return p.plan(ActionPublish, now, now).with(EntryPublishRequested, now, actor, "Continued."), nil
}

// EndParts ends a post at its first part that is not published: the parts after it are given up. Published is the number of parts
// that are published, the post itself included.
func (p Post) EndParts(published int, now time.Time, actor Actor) (Change, error) {
	all := len(p.States(nil))
	next := p
	next.UpdatedAt, next.Comment = p.editedAt(now), Comment{}
	next.Thread = p.Thread[:min(published-1, len(p.Thread))]
	next.PartsState = PartsComplete
	if !next.HasParts() {
		next.PartsState = ""
	}
	next.Parts = next.States(p.Parts)
	return Change{From: p, Post: next, Edited: true, GivenUpFrom: published}.with(EntryEdited, now, actor, "Ended after part %d of %d; the rest will not be published.", published, all).
		emits(event.PostCompleted, next.EventData())
}
