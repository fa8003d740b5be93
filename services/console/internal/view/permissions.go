package view

import "socialpub.internal/shared/domain/credential"

// Permissions describes scopes in plain words, most important first: permissions whose effects are publicly visible
// come before all others.
func Permissions(scopes []credential.Scope) []Permission {
	asked := make(map[credential.Scope]bool, len(scopes))
	for _, scope := range scopes {
		asked[scope] = true
	}
	var permissions []Permission
	for _, p := range []Permission{
		{Scope: credential.PostsPublish, Text: "Publish and schedule posts on your channels, and approve posts", Grave: true},
		{Scope: credential.LinksWrite, Text: "Change your link pages and put them online", Grave: true},
		{Scope: credential.PostsWrite, Text: "See, write and delete posts that are not published"},
		{Scope: credential.MediaWrite, Text: "See, upload and delete pictures, films and documents"},
		{Scope: credential.IdeasWrite, Text: "Add cards to your idea boards"},
		{Scope: credential.WebhooksManage, Text: "Have news about posts, channels and leads sent to addresses of its choice"},
		{Scope: credential.ChannelsRead, Text: "See your channels"},
		{Scope: credential.AnalyticsRead, Text: "See how your channels and posts do"},
		{Scope: credential.LinksRead, Text: "See your link pages and their visits"},
		{Scope: credential.IdeasRead, Text: "See your idea boards"},
	} {
		if asked[p.Scope] {
			permissions = append(permissions, p)
		}
	}
	return permissions
}
