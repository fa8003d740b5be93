package platform

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/inbox"
)

// Poller is a link whose network is asked for what people write in public to an account: comments, mentions and reviews.
type Poller interface {
	Link
	// Polling describes how often the account is asked for, and by what.
	Polling(account Account) Polling
	// Poll makes one call. A Failure of class ClassRateLimit pauses reading, never the channel.
	Poll(ctx context.Context, account Account, from PollPlace) (Polled, error)
}

// Polling describes the polls of an account. The zero Polling reads nothing, as without the operator's consent.
type Polling struct {
	Every time.Duration // between two rounds
	// PerPost reports that comments are read below each post, and the younger a post is, the more often.
	PerPost bool
	// Scopes are the permissions that polls need. A channel without them is not polled; a new connection adds them.
	Scopes []string
}

// PollPlace is the place where a poll goes on.
type PollPlace struct {
	Post   string // external ID of the post whose comments are read; empty unless Polling.PerPost
	Cursor string // of the poll before; empty: the first poll, which reads nothing that is older than Since
	Since  time.Time
}

// Polled is the result of one call. Its events name the account of the channel: inbox.Event.Account is Account.ExternalID. A
// Reader makes changes of them, so that their bodies hold all that it needs.
type Polled struct {
	Events []inbox.Event
	Cursor string // of the next poll, also if nothing new came
	More   bool   // further pages are there now
	// Pause is the time without calls that the network's remaining quota demands; zero: none.
	Pause time.Duration
}

// ReplyFinder is a Replier whose network can be asked for a reply whose response was lost.
type ReplyFinder interface {
	Replier
	// FindReply returns the external ID of the reply, or empty if the network does not have it, with certainty that it never
	// will; an error if neither is certain. It only reads.
	FindReply(ctx context.Context, account Account, reply Reply, sentAt time.Time) (string, error)
}

// Moderator is a link whose accounts can hide or remove what people wrote below their posts. Both may be repeated.
type Moderator interface {
	Link
	// Moderation returns what the account can do.
	Moderation(account Account) Moderation
	Hide(ctx context.Context, account Account, externalID string, hidden bool) error
	Remove(ctx context.Context, account Account, externalID string) error
}

// Moderation says what an account can do with what people wrote below its posts. Scopes are the permissions for it.
type Moderation struct {
	Hide, Remove bool
	Scopes       []string
}
