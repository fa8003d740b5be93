package inbox

import (
	"time"

	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/ident"
)

// longestSnooze is the longest time for which a conversation can be put off.
const longestSnooze = 366 * 24 * time.Hour

// AssignTo returns the conversation as the work of a member; zero: of none. The name is that of the member.
func (c Conversation) AssignTo(member ident.User, name string) (Conversation, Entry) {
	c.AssigneeID = member
	if member.IsZero() {
		return c, Entry{Kind: Unassigned}
	}
	return c, Entry{Kind: Assigned, Detail: name}
}

// Snooze returns the conversation, put off until a time. VALIDATION_FAILED for a time that is over or too far away.
func (c Conversation) Snooze(until, now time.Time) (Conversation, Entry, error) {
	if !until.After(now) || until.Sub(now) > longestSnooze {
		return c, Entry{}, apperr.Invalid([]apperr.Field{{
			Pointer: "/until", Message: "Choose a time between now and a year from now.",
		}})
	}
	c.State, c.SnoozedUntil = Snoozed, until
	return c, Entry{Kind: WasSnoozed, Detail: until.UTC().Format(time.RFC3339)}, nil
}

// Put returns the conversation in another state than Snoozed.
func (c Conversation) Put(to State) (Conversation, Entry) {
	c.State, c.SnoozedUntil = to, time.Time{}
	kind := map[State]EntryKind{Open: Reopened, Closed: WasClosed, Spam: MarkedSpam}[to]
	return c, Entry{Kind: kind}
}
