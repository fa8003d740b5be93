package inbox

import (
	"time"

	"fencepost.internal/shared/kernel/ident"
)

// MessageState is the state of an answer.
type MessageState string

// The states of an answer. Messages of others have none.
const (
	Queued    MessageState = "QUEUED"
	Sent      MessageState = "SENT"
	Delivered MessageState = "DELIVERED"
	Read      MessageState = "READ"
	Failed    MessageState = "FAILED"
	Unknown   MessageState = "UNKNOWN" // whether the network has it cannot be determined; a person must check
)

// CodeOptedOut is the code of the failure of an answer to a person who wants no messages of the account.
const CodeOptedOut = "PERSON_OPTED_OUT"

// Message is one message of a conversation.
type Message struct {
	ID             ident.Message
	ConversationID ident.Conversation
	WorkspaceID    ident.Workspace
	ChannelID      ident.Channel
	Direction      Direction
	ExternalID     string     // empty: not known yet, or a note
	UserID         ident.User // who wrote it here; zero: it was written elsewhere
	Text           string
	ReplyTo        string
	Unsupported    string
	SentAt         time.Time
	EditedAt       time.Time
	DeletedAt      time.Time // at the network; its text is erased
	State          MessageState
	FailureCode    string
	FailureMessage string
	Permalink      string       // where the network shows it; empty: nowhere
	Rating         int          // stars of a review; 0: none
	HiddenAt       time.Time    // by the account, at the network
	Price          string       // the category by which the network counts an answer; empty: not known
	Free           bool         // the network does not bill it
	Template       *TemplateUse // that an answer sends; nil: it is in the account's own words
	Files          []MessageFile
}

// Limit is the greatest length of a text, as its network counts.
type Limit struct {
	Max    int
	Length func(text string) int // nil: in characters
	Bytes  int                   // greatest size, beside Max; 0: any
}

// Private is the limit of private messages (Telegram: sendMessage; WhatsApp: text message, both 4,096).
func Private() Limit { return Limit{Max: 4096} }

// LongestNote is the greatest number of characters of a note.
const LongestNote = 4000
