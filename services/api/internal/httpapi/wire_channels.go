package httpapi

import (
	"socialpub.internal/services/internal/app"
	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/workspace"
)

// Workspace is the answer's workspace.
type Workspace struct {
	ID            ident.Workspace `json:"id" format:"uuid" example:"0190a3c4-7d21-7c3e-9a51-3f0c2b7e4d10" doc:"Id of the workspace."`
	Name          string          `json:"name" example:"Acme Marketing" doc:"Name of the workspace."`
	Plan          Plan            `json:"plan" example:"GROWTH" doc:"Plan of the workspace, which sets its quotas."`
	Timezone      string          `json:"timezone" example:"Europe/Berlin" doc:"IANA time zone of the workspace."`
	CreatedAt     Timestamp       `json:"createdAt" doc:"When the workspace was made."`
	GrantedScopes []Scope         `json:"grantedScopes" example:"[\"channels:read\",\"posts:write\"]" doc:"What the credential of this request may do."`
}

// ToAPIWorkspace writes a workspace for the client that asks.
func ToAPIWorkspace(w workspace.Workspace, p app.Principal) Workspace {
	scopes := make([]Scope, len(p.Key.Scopes))
	for i, scope := range p.Key.Scopes {
		scopes[i] = Scope(scope)
	}
	return Workspace{
		ID: w.ID, Name: w.Name, Plan: Plan(w.Plan), Timezone: w.Timezone, CreatedAt: Timestamp(w.CreatedAt), GrantedScopes: scopes,
	}
}

// Channel is the answer's channel (specification, Channel).
type Channel struct {
	ID            ident.Channel `json:"id" format:"uuid" example:"0190a3c5-1b02-7d6f-8a44-5f1d2c3b4a59" doc:"Id of the channel: channelId and channelIds elsewhere."`
	Name          string        `json:"name" example:"Acme News" doc:"Name of the account."`
	Type          ChannelType   `json:"type" example:"TELEGRAM_CHANNEL" doc:"Kind of account. Treat unknown types as a generic channel."`
	Username      string        `json:"username" example:"acme_news" doc:"Name of the account on its network."`
	Avatar        OptionalText  `json:"avatar" doc:"Address of the account's picture."`
	IsConnected   bool          `json:"isConnected" doc:"Must be true before posts can be scheduled or published."`
	TokenStatus   TokenStatus   `json:"tokenStatus" example:"HEALTHY" doc:"Whether the network still accepts the service. NEEDS_RECONNECT: reconnect the channel in the application. EXPIRING: that will be needed within 7 days. Tolerate new values."`
	IsQueuePaused bool          `json:"isQueuePaused" doc:"Whether the channel's queue is paused."`
	Timezone      string        `json:"timezone" example:"Europe/Berlin" doc:"IANA time zone of the channel."`
	CreatedAt     Timestamp     `json:"createdAt" doc:"When the channel was connected first."`
	Capabilities  Capabilities  `json:"capabilities" doc:"What can be done with channels of this type."`
}

// Capabilities are the flags of a channel type.
type Capabilities struct {
	Publish            bool `json:"publish" doc:"Posts can be created for the channel and published to it."`
	Analytics          bool `json:"analytics" doc:"The network gives figures for the channel."`
	EditAfterPublish   bool `json:"editAfterPublish" doc:"The network allows changing a live post."`
	DeleteAfterPublish bool `json:"deleteAfterPublish" doc:"The network allows removing a live post."`
}

// ToAPIChannel writes a channel.
func ToAPIChannel(c channel.Channel) Channel {
	return Channel{
		ID: c.ID, Name: c.Name, Type: ChannelType(c.Type), Username: c.Username, Avatar: OptionalText(c.AvatarURL),
		IsConnected: c.IsConnected, TokenStatus: TokenStatus(c.TokenStatus), IsQueuePaused: c.IsQueuePaused, Timezone: c.Timezone,
		CreatedAt: Timestamp(c.CreatedAt), Capabilities: Capabilities(c.Type.Capabilities()),
	}
}
