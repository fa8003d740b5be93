package credential

import "slices"

// Scope is one permission of a credential.
type Scope = Permission

// Scopes (docs/contract.md, Scopes).
const (
	ChannelsRead   Scope = "channels:read"
	MediaWrite     Scope = "media:write"
	PostsWrite     Scope = "posts:write"
	PostsPublish   Scope = "posts:publish"
	WebhooksManage Scope = "webhooks:manage"
	AnalyticsRead  Scope = "analytics:read"
	LinksRead      Scope = "links:read"
	LinksWrite     Scope = "links:write"
	IdeasRead      Scope = "ideas:read"
	IdeasWrite     Scope = "ideas:write"
)

// Scopes lists every scope.
func Scopes() []Scope {
	return append(DefaultScopes(), LinksRead, LinksWrite, IdeasRead, IdeasWrite)
}

// DefaultScopes lists the scopes of a new key whose scopes are not specified: all except links:* and ideas:*, which are
// opt-in (docs/contract.md, Scopes).
func DefaultScopes() []Scope {
	return []Scope{ChannelsRead, MediaWrite, PostsWrite, PostsPublish, WebhooksManage, AnalyticsRead}
}

// Known reports whether the permission is a scope.
func (p Permission) Known() bool { return slices.Contains(Scopes(), p) }
