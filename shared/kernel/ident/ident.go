// Package ident defines the typed identifiers of the service.
//
// Every identifier is a UUIDv7 (RFC 9562 §5.7) in lower case. Its time prefix keeps recent index pages in the cache and
// makes "newest first" an order by the identifier itself.
package ident

import (
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// ErrInvalid is returned by Parse for text that is not a canonical UUID.
var ErrInvalid = errors.New("not a UUID")

// ID is an identifier of one kind of resource. The kind is a type parameter, so that a channel ID cannot be passed as a
// post ID. The zero ID means "none".
type ID[Kind any] uuid.UUID

// Kinds of identifiers; they only make the types distinct.
type (
	workspaceKind    struct{}
	channelKind      struct{}
	postKind         struct{}
	groupKind        struct{}
	mediaKind        struct{}
	eventKind        struct{}
	webhookKind      struct{}
	deliveryKind     struct{}
	redeliveryKind   struct{}
	replayKind       struct{}
	credentialKind   struct{}
	leadKind         struct{}
	personKind       struct{}
	personMergeKind  struct{}
	linkPageKind     struct{}
	linkBlockKind    struct{}
	userKind         struct{}
	grantKind        struct{}
	ideaBoardKind    struct{}
	ideaColumnKind   struct{}
	ideaLabelKind    struct{}
	ideaCardKind     struct{}
	invitationKind   struct{}
	auditKind        struct{}
	sessionKind      struct{}
	connectKind      struct{}
	mailKind         struct{}
	placeKind        struct{}
	addressKind      struct{}
	passkeyKind      struct{}
	noteKind         struct{}
	snippetKind      struct{}
	planImportKind   struct{}
	scratchKind      struct{}
	seriesKind       struct{}
	clientLinkKind   struct{}
	campaignKind     struct{}
	sourceKind       struct{}
	evergreenKind    struct{}
	suggestionKind   struct{}
	conversationKind struct{}
	messageKind      struct{}
	inboundKind      struct{}
	leadImportKind   struct{}
	requestKind      struct{}
)

type (
	// Workspace identifies a tenant.
	Workspace = ID[workspaceKind]
	// Channel identifies a connected account.
	Channel = ID[channelKind]
	// Post identifies a post to one channel.
	Post = ID[postKind]
	// Group identifies the posts that were created by one request.
	Group = ID[groupKind]
	// Media identifies an asset.
	Media = ID[mediaKind]
	// Event identifies an event of a workspace.
	Event = ID[eventKind]
	// Webhook identifies a receiver's endpoint.
	Webhook = ID[webhookKind]
	// Delivery identifies the delivery of one event to one endpoint.
	Delivery = ID[deliveryKind]
	// Redelivery identifies one manually requested further attempt.
	Redelivery = ID[redeliveryKind]
	// Replay identifies a range of events that is delivered again.
	Replay = ID[replayKind]
	// Credential identifies an API key.
	Credential = ID[credentialKind]
	// Lead identifies a potential customer.
	Lead = ID[leadKind]
	// LeadImport identifies a file of leads that a person imports.
	LeadImport = ID[leadImportKind]
	// Person identifies a person known to the workspace.
	Person = ID[personKind]
	// Suggestion identifies a person whom the Sales Lead agent suggests as a lead.
	Suggestion = ID[suggestionKind]
	// PersonMerge identifies the merge of two people.
	PersonMerge = ID[personMergeKind]
	// Conversation identifies an exchange with a person.
	Conversation = ID[conversationKind]
	// Message identifies a message of a conversation.
	Message = ID[messageKind]
	// InboundSource identifies an account whose conversations a network reports.
	InboundSource = ID[inboundKind]
	// LinkPage identifies a public link page.
	LinkPage = ID[linkPageKind]
	// LinkBlock identifies a block of a link page.
	LinkBlock = ID[linkBlockKind]
	// User identifies a person who signs in to the application.
	User = ID[userKind]
	// Grant identifies an authorization of an OAuth client by a user.
	Grant = ID[grantKind]
	// Request identifies an entry in the log of requests.
	Request = ID[requestKind]
	// Connect identifies an attempt to connect accounts.
	Connect = ID[connectKind]
	// PlanImport identifies a file of posts that a person imports.
	PlanImport = ID[planImportKind]
	// Passkey identifies a passkey of a user.
	Passkey = ID[passkeyKind]
	// IdeaBoard identifies an idea board.
	IdeaBoard = ID[ideaBoardKind]
	// IdeaColumn identifies a column of an idea board.
	IdeaColumn = ID[ideaColumnKind]
	// IdeaLabel identifies a label of an idea board.
	IdeaLabel = ID[ideaLabelKind]
	// IdeaCard identifies a card on an idea board.
	IdeaCard = ID[ideaCardKind]
	// Invitation identifies an invitation to a workspace.
	Invitation = ID[invitationKind]
	// Audit identifies an entry of a workspace's audit log.
	Audit = ID[auditKind]
	// Session identifies a signed-in browser to its user. It gives no access.
	Session = ID[sessionKind]
	// Scratch identifies what a person writes in the composer.
	Scratch = ID[scratchKind]
	// Series identifies a rule by which posts recur.
	Series = ID[seriesKind]
	// ClientLink identifies a link by which people without an account see posts.
	ClientLink = ID[clientLinkKind]
	// Campaign identifies posts of a workspace that belong together.
	Campaign = ID[campaignKind]
	// Source identifies a feed of another site, whose items become drafts.
	Source = ID[sourceKind]
	// Evergreen identifies a collection of posts that fill free slots again and again.
	Evergreen = ID[evergreenKind]
	// Mail identifies a mail that is being sent.
	Mail = ID[mailKind]
	// Place identifies a chat where a person or a workspace gets messages.
	Place = ID[placeKind]
	// AddressChange identifies a pending change of a user's email address.
	AddressChange = ID[addressKind]
	// Note identifies a note on a day of the calendar.
	Note = ID[noteKind]
	// Snippet identifies a text that a workspace keeps for its posts.
	Snippet = ID[snippetKind]
)

// New returns a new identifier. Identifiers created by one process in the same millisecond are still ascending.
func New[I ~[16]byte]() I {
	return I(uuid.Must(uuid.NewV7()))
}

// Parse parses the canonical form, 36 characters with hyphens; upper case is accepted and converted to lower case. It
// returns ErrInvalid for other forms (braces, URN, no hyphens), so that each resource has one URL.
func Parse[I ~[16]byte](text string) (I, error) {
	const canonicalLength = 36
	if len(text) != canonicalLength {
		return I{}, ErrInvalid
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return I{}, ErrInvalid
	}
	return I(id), nil
}

// String returns the canonical lower-case form.
func (id ID[K]) String() string { return uuid.UUID(id).String() }

// IsZero reports whether the identifier is unset.
func (id ID[K]) IsZero() bool { return id == ID[K]{} }

// MarshalText returns the canonical form, which is also used in JSON.
func (id ID[K]) MarshalText() ([]byte, error) { return uuid.UUID(id).MarshalText() }

// UnmarshalText parses the canonical form.
func (id *ID[K]) UnmarshalText(text []byte) error {
	parsed, err := Parse[ID[K]](string(text))
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}

// Value returns the canonical form for the database; the zero identifier is NULL.
func (id ID[K]) Value() (driver.Value, error) {
	if id.IsZero() {
		return nil, nil
	}
	return id.String(), nil
}

// Scan reads a uuid column; NULL becomes the zero identifier.
func (id *ID[K]) Scan(src any) error {
	var parsed uuid.UUID
	if src == nil {
		*id = ID[K]{}
		return nil
	}
	if err := parsed.Scan(src); err != nil {
		return fmt.Errorf("scan id: %w", err)
	}
	*id = ID[K](parsed)
	return nil
}
