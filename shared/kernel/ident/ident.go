// Package ident holds the typed identifiers of the service.
//
// Every identifier is a UUIDv7 (RFC 9562 §5.7), written in lower case: its time prefix keeps index pages
// hot and makes "newest first" an order over the identifier itself.
package ident

import (
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// ErrInvalid is returned by Parse for text that is not a canonical UUID.
var ErrInvalid = errors.New("not a UUID")

// ID is an identifier of one kind of resource. The kind is a type parameter, so that a channel's id can
// never be passed where a post's is meant. The zero ID means "none".
type ID[Kind any] uuid.UUID

// Kinds of identifiers; they only tell the types apart.
type (
	workspaceKind  struct{}
	channelKind    struct{}
	postKind       struct{}
	mediaKind      struct{}
	eventKind      struct{}
	webhookKind    struct{}
	deliveryKind   struct{}
	redeliveryKind struct{}
	replayKind     struct{}
	credentialKind struct{}
	leadKind       struct{}
	personKind     struct{}
	linkPageKind   struct{}
	linkBlockKind  struct{}
	userKind       struct{}
	grantKind      struct{}
	ideaBoardKind  struct{}
	ideaColumnKind struct{}
	ideaLabelKind  struct{}
	ideaCardKind   struct{}
)

type (
	// Workspace identifies a tenant.
	Workspace = ID[workspaceKind]
	// Channel identifies a connected account.
	Channel = ID[channelKind]
	// Post identifies a post to one channel.
	Post = ID[postKind]
	// Media identifies an asset.
	Media = ID[mediaKind]
	// Event identifies something that happened in a workspace.
	Event = ID[eventKind]
	// Webhook identifies a receiver's endpoint.
	Webhook = ID[webhookKind]
	// Delivery identifies one event on its way to one endpoint.
	Delivery = ID[deliveryKind]
	// Redelivery identifies one further attempt that somebody asked for.
	Redelivery = ID[redeliveryKind]
	// Replay identifies a range of events that is delivered again.
	Replay = ID[replayKind]
	// Credential identifies an API key.
	Credential = ID[credentialKind]
	// Lead identifies somebody who may become a customer.
	Lead = ID[leadKind]
	// Person identifies somebody whom the workspace knows.
	Person = ID[personKind]
	// LinkPage identifies a public link page.
	LinkPage = ID[linkPageKind]
	// LinkBlock identifies a block of a link page.
	LinkBlock = ID[linkBlockKind]
	// User identifies a person who signs in to the application.
	User = ID[userKind]
	// Grant identifies what a person allowed an OAuth client.
	Grant = ID[grantKind]
	// IdeaBoard identifies an idea board.
	IdeaBoard = ID[ideaBoardKind]
	// IdeaColumn identifies a column of an idea board.
	IdeaColumn = ID[ideaColumnKind]
	// IdeaLabel identifies a label of an idea board.
	IdeaLabel = ID[ideaLabelKind]
	// IdeaCard identifies a card on an idea board.
	IdeaCard = ID[ideaCardKind]
)

// New makes a fresh identifier. Identifiers made by one process in one millisecond still ascend.
func New[I ~[16]byte]() I {
	return I(uuid.Must(uuid.NewV7()))
}

// Parse reads the canonical form, 36 characters with hyphens; upper case is accepted and folded.
// Anything else (braces, URN, no hyphens) is ErrInvalid, so that one resource has one address.
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

// String is the canonical lower-case form.
func (id ID[K]) String() string { return uuid.UUID(id).String() }

// IsZero reports whether the identifier is unset.
func (id ID[K]) IsZero() bool { return id == ID[K]{} }

// MarshalText writes the canonical form, in JSON too.
func (id ID[K]) MarshalText() ([]byte, error) { return uuid.UUID(id).MarshalText() }

// UnmarshalText reads the canonical form.
func (id *ID[K]) UnmarshalText(text []byte) error {
	parsed, err := Parse[ID[K]](string(text))
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}

// Value gives the database the canonical form; the zero identifier is NULL.
func (id ID[K]) Value() (driver.Value, error) {
	if id.IsZero() {
		return nil, nil
	}
	return id.String(), nil
}

// Scan reads a uuid column; NULL gives the zero identifier.
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
