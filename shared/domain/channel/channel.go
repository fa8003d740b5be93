// Package channel defines connected social accounts: their types, capabilities and connection state
// (docs/contract.md, Channels).
package channel

import (
	"time"

	"fencepost.internal/shared/domain/approval"
	"fencepost.internal/shared/kernel/ident"
)

// TokenStatus is the state of a channel's credentials. Clients must tolerate new values.
type TokenStatus string

// Known token states.
const (
	TokenHealthy        TokenStatus = "HEALTHY"
	TokenExpiring       TokenStatus = "EXPIRING" // valid, but cannot be refreshed beyond the next 7 days
	TokenNeedsReconnect TokenStatus = "NEEDS_RECONNECT"
)

// Channel is one connected account of a workspace. Its credentials are stored separately, encrypted, and are read only
// by code that calls the network.
type Channel struct {
	ID            ident.Channel
	WorkspaceID   ident.Workspace
	Name          string
	Type          Type
	Username      string
	AvatarURL     string // empty if there is none
	ExternalID    string // the account's ID on its network
	IsConnected   bool
	TokenStatus   TokenStatus
	IsQueuePaused bool // a person paused the channel itself
	// PublishingStopped reports that all publishing of the workspace is stopped.
	PublishingStopped bool
	OwnApproval       approval.Policy // None: that of the workspace applies
	WorkspaceApproval approval.Policy
	Timezone          string // IANA zone name
	CreatedAt         time.Time
	Facts             Facts
	IsTest            bool // of a test workspace: its posts reach no network
}

// Network returns the network that the channel's posts are queued and counted for: NetworkTest for a test channel.
func (c Channel) Network() Network {
	if c.IsTest {
		return NetworkTest
	}
	return c.Type.Network()
}

// Facts are a network's statements about an account that decide what the account may publish. They are read when the
// account is connected, and every day. A nil member is not known.
type Facts struct {
	// Premium reports that an account of X has a subscription that allows long posts and long videos.
	Premium *bool `json:"premium,omitempty"`
}

// Approval returns the approval policy of the channel's posts: the stricter of its own and the workspace's.
func (c Channel) Approval() approval.Policy { return max(c.OwnApproval, c.WorkspaceApproval) }

// Paused reports whether due posts wait and the queue takes none: the channel is paused, or its workspace stopped.
func (c Channel) Paused() bool { return c.IsQueuePaused || c.PublishingStopped }

// Ready reports whether posts can currently be published to the channel.
func (c Channel) Ready() bool {
	return c.IsConnected && c.TokenStatus != TokenNeedsReconnect
}

// ByID returns the channels by their ID.
func ByID(channels []Channel) map[ident.Channel]Channel {
	byID := make(map[ident.Channel]Channel, len(channels))
	for _, c := range channels {
		byID[c.ID] = c
	}
	return byID
}
