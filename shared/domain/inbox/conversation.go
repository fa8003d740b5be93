package inbox

import (
	"slices"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/kernel/ident"
)

// Kind is a kind of conversation.
type Kind string

// The kinds of conversations.
const (
	Messages Kind = "MESSAGES" // in private
	Comments Kind = "COMMENTS" // below a post of the account
	Mentions Kind = "MENTION"  // of the account, below posts of others
	Reviews  Kind = "REVIEW"   // of a place, with stars
)

// State is the state of a conversation.
type State string

// The states of a conversation. A message of the person opens all but Spam.
const (
	Open    State = "OPEN"
	Snoozed State = "SNOOZED" // until a time
	Closed  State = "CLOSED"
	Spam    State = "SPAM"
)

// States lists every state.
func States() []State { return []State{Open, Snoozed, Closed, Spam} }

// Conversation is an exchange with a person.
type Conversation struct {
	ID           ident.Conversation
	WorkspaceID  ident.Workspace
	ChannelID    ident.Channel
	Kind         Kind
	Thread       string // its ID at the network
	Post         string // external ID of the channel's post below which it is; empty: none
	PersonID     ident.Person
	State        State
	AssigneeID   ident.User // zero: none
	SnoozedUntil time.Time
	LastAt       time.Time // of any message
	LastInAt     time.Time // zero: the person has written nothing
	LastOutAt    time.Time // zero: the account has written nothing
	Preview      string    // of the last message
	ClaimedBy    ident.User
	ClaimedUntil time.Time
	Revision     int64
}

// Unanswered reports whether the person waits for an answer.
func (c Conversation) Unanswered() bool {
	return c.State == Open && c.LastInAt.After(c.LastOutAt)
}

// ClaimFor is the time for which the first letter of an answer shows others who answers.
const ClaimFor = 2 * time.Minute

// Claimed returns who answers at the moment, other than the given person; zero: no person.
func (c Conversation) Claimed(by ident.User, now time.Time) ident.User {
	if c.ClaimedBy == by || !now.Before(c.ClaimedUntil) {
		return ident.User{}
	}
	return c.ClaimedBy
}

const (
	// window is the time after a message of the person in which the account may answer in its own words (Telegram: can_reply
	// of a business connection; WhatsApp: customer service window).
	window = 24 * time.Hour
	// windowMargin is the time before its end at which it counts as over, so that no answer is on its way when it ends.
	windowMargin = time.Minute
)

// Has reports whether channels of the type have conversations.
func Has(t channel.Type) bool { return private(t) || Public(t) }

// private reports whether networks report private messages to channels of the type, and limit the time to answer them.
func private(t channel.Type) bool {
	return t == channel.TelegramBusiness || t == channel.WhatsAppBusiness
}

// Public reports whether networks can be asked what people write in public to channels of the type.
func Public(t channel.Type) bool {
	return slices.Contains([]channel.Type{
		channel.Bluesky, channel.Mastodon, channel.YouTube, channel.GoogleBusiness, channel.InstagramProfessional, channel.FacebookPage,
		channel.Threads,
	}, t)
}

// Numbered reports whether plans limit the number of channels of the type (docs/contract.md, Plans).
func Numbered(t channel.Type) bool { return t == channel.WhatsAppBusiness }

// Window returns the time after a message of the person in which channels of the type may answer; zero: no limit.
func Window(t channel.Type) time.Duration {
	if !private(t) {
		return 0
	}
	return window - windowMargin
}

// WindowEnds returns the time until which the person may be answered; zero: at any time.
func (c Conversation) WindowEnds(t channel.Type) time.Time {
	limit := Window(t)
	if limit == 0 {
		return time.Time{}
	}
	return c.LastInAt.Add(limit)
}

// Answerable reports whether the person may be answered now.
func (c Conversation) Answerable(t channel.Type, now time.Time) bool {
	ends := c.WindowEnds(t)
	return ends.IsZero() || now.Before(ends)
}
