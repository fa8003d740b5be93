package channel

import "time"

// NoteKind is the kind of an entry of a channel's timeline.
type NoteKind string

// The kinds of entries.
const (
	NoteConnected      NoteKind = "connected"
	NoteDisconnected   NoteKind = "disconnected"
	NoteRenewed        NoteKind = "renewed"         // the credentials were renewed although no call needed it
	NoteRenewalFailed  NoteKind = "renewal_failed"  // a renewal failed for the first time; further tries follow
	NoteRenewalRefused NoteKind = "renewal_refused" // the network refused for good
	NoteExpiring       NoteKind = "expiring"        // only a person can extend the connection, which ends within a week
	NoteHealthy        NoteKind = "healthy"         // the connection no longer ends within a week
	NoteNeedsReconnect NoteKind = "needs_reconnect"
	NotePaused         NoteKind = "queue_paused"
	NoteResumed        NoteKind = "queue_resumed"
	NoteRescheduled    NoteKind = "schedule_changed" // other posting times
)

// Note is an entry of a channel's timeline: what happened to its connection and its queue.
type Note struct {
	At     time.Time
	Kind   NoteKind
	Detail string // for people
}
