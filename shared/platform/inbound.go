package platform

import (
	"context"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/domain/media"
	"fencepost.internal/shared/kernel/ident"
)

// Reader understands what a network reports of the conversations of accounts, or returns when it is asked. It calls nothing and
// keeps nothing.
type Reader interface {
	Network() channel.Network
	// Read returns what an event says. An error reports an event that this version cannot read.
	Read(event inbox.Event) (inbox.Change, error)
	// Version is that of Read. Failed events are read again by a higher one.
	Version() int
}

// Receiver is a Reader of a network that reports to an address of this service.
type Receiver interface {
	Reader
	// Split cuts the body of an authentic request into events. The account is the one that the address of the request
	// names; empty on networks whose bodies name it. What Split does not know becomes an event too, so that nothing authentic
	// is lost. An error reports a body that is not of the network's form.
	Split(account string, body []byte, now time.Time) ([]inbox.Event, error)
}

// Source is a link of accounts whose conversations a network reports.
type Source interface {
	Link
	// SourceOf returns the account whose events the network reports, which several channels may share, such as a bot.
	SourceOf(account Account) string
	// Subscription asks the network where it reports to.
	Subscription(ctx context.Context, account Account) (Subscription, error)
	// Subscribe lets the network report to an address, with a secret that proves the origin of its requests.
	Subscribe(ctx context.Context, account Account, address, secret string) error
}

// Shared is a source whose network reports the conversations of all accounts of an application to one address, which the network
// verifies with a token of the operator.
type Shared interface {
	Source
	// InboundPath returns the path of that address at services/inbound.
	InboundPath() string
}

// Subscription is the state of a network's reports.
type Subscription struct {
	Address string // empty: nowhere
	Waiting int    // events that the network could not report yet
	Fault   string // of the last report, in the network's words
}

// Puller is a source that can also be asked for its events, without an address of this service.
type Puller interface {
	Source
	// Pull waits up to the given time for events after the cursor, and returns them with the next cursor. Events before the
	// cursor end at the network, so that it may be passed only after they are stored. It ends a subscription.
	Pull(ctx context.Context, account Account, cursor int64, wait time.Duration) ([]inbox.Event, int64, error)
}

// Codes of refused answers. Nothing was sent.
const (
	CodeWindowClosed    = "WINDOW_CLOSED"    // the time for answers in the account's own words is over
	CodePersonBlocked   = "PERSON_BLOCKED"   // the person does not get messages of the account
	CodeConnectionEnded = "CONNECTION_ENDED" // the account no longer lets this service write there
)

// Recaller is an Enterer whose network reports an account once. Later attempts find it among the connections that were stored.
type Recaller interface {
	Enterer
	Source
	// Recall returns the account of the source whose connections belong to the values, and the credentials for them, after
	// Enter found no account.
	Recall(ctx context.Context, values map[string]string) (source string, credentials channel.Credentials, err error)
}

// Reply is an answer in a conversation.
type Reply struct {
	ID         ident.Message
	Connection string // of the account, as inbox.Connection; empty: none
	Thread     string
	Text       string
	ReplyTo    string // external ID of the message that it answers; empty: none
	Kind       inbox.Kind
	Post       string // external ID of the account's post below which the conversation is; empty: none
	Username   string // of the person, without a leading @; empty: none
	// Template is sent instead of the text, which the person reads; nil: the text is in the account's own words.
	Template *inbox.TemplateUse
	// Media is the file of the answer, at most one; then Text is its caption, which may be empty.
	Media  []media.Asset
	Files  Files  // opens it
	Handle string // of ReplyUploader; empty for other networks
}

// Replier is a link whose accounts can answer.
type Replier interface {
	Link
	// SendReply makes the irrevocable call once, without any retry, and returns the external ID of the message. A Failure
	// whose class is not ClassUnknown guarantees that nothing was sent.
	SendReply(ctx context.Context, account Account, reply Reply) (string, error)
}

// TemplateLister is a Replier whose network lets accounts write at any time in words that it has approved.
type TemplateLister interface {
	Replier
	// Templates returns the approved templates of the account that can be sent with texts alone.
	Templates(ctx context.Context, account Account) ([]inbox.Template, error)
}

// ReadMarker is a link that can show people that their messages were read. It may be repeated.
type ReadMarker interface {
	Link
	// MarkRead marks a message of a person, and those before it, as read.
	MarkRead(ctx context.Context, account Account, read Receipt) error
}

// Receipt names the last message of a person that was read.
type Receipt struct {
	Connection string // of the account, as inbox.Connection; empty: none
	Thread     string
	ExternalID string
}

// Registrar is an Enterer whose accounts may have to be registered before they can be connected.
type Registrar interface {
	Enterer
	// RegistrationField returns the value that a person enters for an account that Needs it.
	RegistrationField() Field
	// Register registers an account. It may be repeated. A value that the network refuses is a Failure of ClassUser.
	Register(ctx context.Context, account Account, value string) error
}
