package programs

import "fencepost.internal/shared/domain/credential"

// Permission is a scope in plain words.
type Permission struct {
	Scope credential.Scope
	Text  string
	Grave bool // its effects are publicly visible
}

// Describe describes scopes in plain words, most important first: permissions whose effects are publicly visible
// come before all others.
func Describe(scopes []credential.Scope) []Permission {
	requested := make(map[credential.Scope]bool, len(scopes))
	for _, scope := range scopes {
		requested[scope] = true
	}
	var permissions []Permission
	for _, p := range []Permission{
		{Scope: credential.PostsPublish, Text: "Publish and schedule posts on your channels, and approve posts", Grave: true},
		{Scope: credential.LinksWrite, Text: "Edit and publish your link pages", Grave: true},
		{Scope: credential.PostsWrite, Text: "View, create and delete unpublished posts"},
		{Scope: credential.MediaWrite, Text: "View, upload and delete images, videos and documents"},
		{Scope: credential.IdeasWrite, Text: "Add cards to your idea boards"},
		{Scope: credential.WebhooksManage, Text: "Send events about posts, channels and leads to URLs that it chooses"},
		{Scope: credential.ChannelsRead, Text: "View your channels"},
		{Scope: credential.AnalyticsRead, Text: "View the analytics of your channels and posts"},
		{Scope: credential.LinksRead, Text: "View your link pages and their visits"},
		{Scope: credential.IdeasRead, Text: "View your idea boards"},
	} {
		if requested[p.Scope] {
			permissions = append(permissions, p)
		}
	}
	return permissions
}
