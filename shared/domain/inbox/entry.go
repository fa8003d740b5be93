package inbox

import (
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// EntryKind is a kind of action on a conversation.
type EntryKind string

// What members do with conversations.
const (
	Assigned   EntryKind = "ASSIGNED"   // to the member of the detail
	Unassigned EntryKind = "UNASSIGNED" // no member has it
	WasSnoozed EntryKind = "SNOOZED"    // until the time of the detail
	WasClosed  EntryKind = "CLOSED"
	Reopened   EntryKind = "REOPENED"
	MarkedSpam EntryKind = "SPAM"
)

// Entry is one action on a conversation.
type Entry struct {
	UserID ident.User
	By     string // the member's name; empty: a former member
	Kind   EntryKind
	Detail string
	At     time.Time
}
