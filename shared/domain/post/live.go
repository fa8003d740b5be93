package post

import (
	"slices"
	"strings"
	"time"

	"fencepost.internal/shared/domain/event"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// LiveAction is a change that a person makes to a published post on its network.
type LiveAction string

// The live actions.
const (
	LiveEdit   LiveAction = "EDIT"   // replaces the text
	LiveDelete LiveAction = "DELETE" // removes the post from the network
)

// LiveState is the state of a live change.
type LiveState string

// The states of a live change. REQUESTED, SENT and UNKNOWN form the fence: while a change of a post is in one of them,
// no other change of the post begins.
const (
	LiveRequested    LiveState = "REQUESTED"    // recorded, and certainly not on the network yet
	LiveSent         LiveState = "SENT"         // about to make the call, or making it
	LiveUnknown      LiveState = "UNKNOWN"      // a response was lost; the repeated call determines the outcome
	LiveDone         LiveState = "DONE"         // the network shows the change
	LiveRefused      LiveState = "REFUSED"      // the network does not show the change
	LiveUndetermined LiveState = "UNDETERMINED" // the outcome cannot be determined; a person must check
)

// LiveStates lists every state.
func LiveStates() []LiveState {
	return []LiveState{LiveRequested, LiveSent, LiveUnknown, LiveDone, LiveRefused, LiveUndetermined}
}

// Open reports whether the change is in the fence.
func (s LiveState) Open() bool { return s == LiveRequested || s == LiveSent || s == LiveUnknown }

// OpenLiveStates lists the states of the fence.
func OpenLiveStates() []LiveState {
	return slices.DeleteFunc(LiveStates(), func(s LiveState) bool { return !s.Open() })
}

// LiveBudget is the time for which a live change is tried.
const LiveBudget = 30 * time.Minute

// Codes of live changes that the service itself ends.
const (
	CodeLiveUnavailable = "PLATFORM_UNAVAILABLE"
	CodeLiveUnknown     = "OUTCOME_UNKNOWN"
)

// LiveChange is one change to a published post.
type LiveChange struct {
	PostID ident.Post
	N      int // 1 for the first change of the post
	Action LiveAction
	Text   string // LiveEdit: the new text
	Actor  Actor  // the person
	State  LiveState
	// Doubtful reports that a call may have taken effect although its response was lost.
	Doubtful    bool
	Tries       int
	RequestedAt time.Time
	EndedAt     time.Time // zero while open
	Code        string    // of the last failure
	Message     string
}

// LiveResult is the result of one call.
type LiveResult struct {
	State   LiveState // DONE, REFUSED, UNKNOWN, or REQUESTED for a call that certainly had no effect and may be repeated
	Code    string
	Message string
	// Lasting reports a refusal that says nothing about an earlier call, such as a lost connection of the channel.
	Lasting bool
}

// ChangeLive returns a change to the published post. The caller has checked that the network allows it.
func (p Post) ChangeLive(action LiveAction, text string, now time.Time, actor Actor) (LiveChange, error) {
	switch {
	case p.Status != Published:
		return LiveChange{}, &apperr.Error{
			Code: apperr.InvalidState, CurrentStatus: string(p.Status),
			Message: "Only a PUBLISHED post can be changed on its network; this post is " + string(p.Status) + ".",
		}
	case action == LiveEdit && text == p.Content:
		return LiveChange{}, apperr.Invalid([]apperr.Field{{Pointer: "/content", Message: "is the present text of the post"}})
	case action == LiveEdit && strings.TrimSpace(text) == "" && len(p.MediaIDs) == 0:
		return LiveChange{}, apperr.Invalid([]apperr.Field{{Pointer: "/content", Message: "must not be empty"}})
	}
	if action == LiveDelete {
		text = ""
	}
	return LiveChange{
		PostID: p.ID, Action: action, Text: text, Actor: actor, State: LiveRequested, RequestedAt: now,
	}, nil
}

// Same reports whether both changes have the same effect.
func (c LiveChange) Same(other LiveChange) bool {
	return c.Action == other.Action && c.Text == other.Text
}

// Concluded returns the change after a call. Calls are repeated until the budget ends.
func (c LiveChange) Concluded(r LiveResult, now time.Time) LiveChange {
	c.State, c.Code, c.Message = r.State, r.Code, r.Message
	c.Doubtful = c.Doubtful || r.State == LiveUnknown
	switch {
	case c.State == LiveRefused && r.Lasting && c.Doubtful:
		c.State = LiveUndetermined
	case c.State == LiveRequested && c.Doubtful:
		c.State = LiveUnknown
	}
	if c.State.Open() && !now.Before(c.RequestedAt.Add(LiveBudget)) {
		c.State, c.Code = LiveRefused, CodeLiveUnavailable
		if c.Doubtful {
			c.State, c.Code = LiveUndetermined, CodeLiveUnknown
		}
	}
	if !c.State.Open() {
		c.EndedAt = now
	}
	return c
}

// LiveEffect is the effect of a change that ended, on the post and its timeline. Event is nil if the post is unchanged.
type LiveEffect struct {
	Post  Post
	Entry Entry
	Event *event.Event
}

// Requested returns the timeline entry of a new change.
func (c LiveChange) Requested() Entry {
	detail := "Asked to change the text of the published post."
	if c.Action == LiveDelete {
		detail = "Asked to delete the published post from its network."
	}
	return Entry{At: c.RequestedAt, Kind: EntryLiveRequested, Actor: c.Actor, Detail: detail}
}

// Effect returns the effect of a change that has ended. A deleted post stays PUBLISHED, without an address.
func (c LiveChange) Effect(p Post) (LiveEffect, error) {
	entry := Entry{At: c.EndedAt, Actor: c.Actor}
	switch {
	case c.State == LiveDone && c.Action == LiveEdit:
		entry.Kind, entry.Detail = EntryLiveEdited, "The text of the published post was changed on its network."
		p.Content = c.Text
	case c.State == LiveDone:
		entry.Kind, entry.Detail = EntryLiveDeleted, "The post was deleted from its network."
		p.PostURL = ""
	case c.State == LiveUndetermined:
		entry.Kind = EntryLiveFailed
		entry.Detail = c.Code + ": It could not be determined whether the network made the change. " + c.Message +
			" Look at the post on its network."
		return LiveEffect{Post: p, Entry: entry}, nil
	default:
		entry.Kind, entry.Detail = EntryLiveFailed, c.Code+": "+c.Message
		return LiveEffect{Post: p, Entry: entry}, nil
	}
	p.UpdatedAt = p.editedAt(c.EndedAt)
	e, err := event.New(p.WorkspaceID, event.PostUpdated, p.UpdatedAt, p.EventData())
	return LiveEffect{Post: p, Entry: entry, Event: &e}, err
}
