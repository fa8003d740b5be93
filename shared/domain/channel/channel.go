// Package channel holds connected social accounts: their types, capabilities and connection state
// (specification, Channel; decisions, section 3a).
package channel

import (
	"time"

	"socialpub.internal/shared/kernel/ident"
)

// TokenStatus tells whether the channel's credentials still work. Clients tolerate new values.
type TokenStatus string

// The known token states.
const (
	TokenHealthy        TokenStatus = "HEALTHY"
	TokenExpiring       TokenStatus = "EXPIRING" // valid, but cannot be refreshed beyond the next 7 days
	TokenNeedsReconnect TokenStatus = "NEEDS_RECONNECT"
)

// Channel is one connected account of a workspace. Its credentials are kept apart, encrypted, and are read
// only by the code that calls the network.
type Channel struct {
	ID            ident.Channel
	WorkspaceID   ident.Workspace
	Name          string
	Type          Type
	Username      string
	AvatarURL     string // empty when there is none
	ExternalID    string // the account's id on its network
	IsConnected   bool
	TokenStatus   TokenStatus
	IsQueuePaused bool
	Timezone      string // IANA zone name
	CreatedAt     time.Time
}

// Ready reports whether the channel can be published to at this moment.
func (c Channel) Ready() bool {
	return c.IsConnected && c.TokenStatus != TokenNeedsReconnect
}

// Credentials are what a network accepts as proof: an access token, for some a refresh token. They are
// sealed at rest and never enter a log, an error or a workflow history.
type Credentials struct {
	AccessToken  string    `json:"accessToken"`
	RefreshToken string    `json:"refreshToken,omitempty"`
	ExpiresAt    time.Time `json:"expiresAt,omitzero"` // zero: does not expire
}

// String hides the credentials from fmt and from logs.
func (Credentials) String() string { return "[redacted]" }

// GoString hides the credentials from %#v.
func (Credentials) GoString() string { return "[redacted]" }
