// Package inbox defines what people write to the accounts of a workspace, and the answers to it.
//
// A network reports each thing as an Event, which is stored before anything else happens. What an event says is a Change.
// Changes are commutative: their order and their repetition have no effect on what they lead to.
package inbox

import (
	"cmp"
	"encoding/json"
	"time"

	"fencepost.internal/shared/domain/channel"
)

// Event is one thing that a network reported.
type Event struct {
	Network channel.Network
	Account string // whose events the network reports: a bot, or a phone number
	Key     string // unique among the events of the account
	Kind    string // the network's word
	At      time.Time
	Body    json.RawMessage // as the network sent it
}

// Direction says who wrote a message.
type Direction string

// The directions of a message.
const (
	In   Direction = "IN"   // a person wrote it
	Out  Direction = "OUT"  // the account wrote it, here or elsewhere
	Note Direction = "NOTE" // a member wrote it for the team; no network has it
)

// Change holds the meaning of an event. All members but one are zero; an event that says nothing to the inbox has the zero Change.
type Change struct {
	Message    *Written
	Deleted    *Deletion
	Connection *Connection
	Status     *Status
}

// Written is a message as its network reports it, or a newer version of its text.
type Written struct {
	Kind       Kind   // of the conversation; empty: Messages
	Post       string // external ID of the account's post below which it is; empty: none
	Permalink  string // where the network shows it; empty: nowhere
	Rating     int    // stars of a review, 1 to 5; 0: none
	Connection string // through which the account has the conversation; empty: the account of the event has it
	Thread     string // the conversation's ID at the network
	ExternalID string // the message's ID, unique among those of the account
	Direction  Direction
	// Person is with whom the conversation is. A conversation in public may have several people: of theirs, it is the author of
	// the message; of the account's, whom it answers. The first to write is the person of the conversation.
	Person   Identity
	Text     string
	ReplyTo  string // the ID of the message that it answers
	SentAt   time.Time
	EditedAt time.Time // zero: the first version
	Version  int64     // orders versions of one second
	Files    []File
	// Unsupported describes a part that this version cannot show, such as "a location"; empty: there is none.
	Unsupported string
}

// KindOf returns the kind of the conversation.
func (w Written) KindOf() Kind { return cmp.Or(w.Kind, Messages) }

// File is a file of a message, which the network keeps for a time.
type File struct {
	Reference string // with which the network returns it
	Name      string
	Type      string // as the network or the sender says
	Size      int64  // zero: unknown
}

// Identity is a person at a network.
type Identity struct {
	ID       string
	Name     string
	Username string // without a leading @
	Phone    string // with the code of the country; empty: the network does not say
	// Aliases are other IDs of the person that the same event has. Another event may name the person, and its Thread, by one
	// of them alone: WhatsApp omits the phone number of people with a user name.
	Aliases []string
}

// Status reports what became of a message of the account. It may arrive before the response to the call that sent the
// message.
type Status struct {
	ExternalID     string
	State          MessageState // Sent, Delivered, Read or Failed
	Opaque         string       // the ID of the Reply; empty: the message was not sent here
	At             time.Time
	FailureCode    string
	FailureMessage string // in a sentence for members
	Price          string // the category by which the network counts the message; empty: the status has none
	Free           bool   // the network does not bill it
}

// Deletion reports messages that were deleted at the network.
type Deletion struct {
	Connection string
	Thread     string
	Messages   []string // their external IDs
}

// Connection is the state of an account that lets a bot or a program take part in its conversations.
type Connection struct {
	ID         string
	ExternalID string // of the channel
	Name       string
	Username   string
	Enabled    bool
	MayReply   bool
	At         time.Time
}
