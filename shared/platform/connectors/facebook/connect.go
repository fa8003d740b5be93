package facebook

import (
	"context"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/graph"
)

var (
	_ platform.Connecter  = (*Connector)(nil)
	_ platform.Restricter = (*Connector)(nil)
	_ platform.Remover    = (*Connector)(nil)
)

// Scopes returns the permissions to publish for Pages, and those for figures, for comments and for Pages of businesses.
func (c *Connector) Scopes(channel.Variant) platform.Scopes {
	scopes := platform.Scopes{
		Needed: []string{"pages_show_list", "pages_read_engagement", "pages_manage_posts"},
		Useful: []string{"read_insights", "business_management"},
	}
	if c.reads() || c.first {
		scopes.Useful = append(scopes.Useful, scopeRead, scopeEngage)
	}
	return scopes
}

func (c *Connector) login() graph.Login {
	return graph.Login{
		Client: c.client, OfficialAPI: OfficialAPI, Version: c.version, AppID: c.app.ID, AppSecret: c.app.Secret,
		Scopes: c.Scopes(""), Class: c.failure,
	}
}

// Gaps returns first comments, if the operator has turned on neither them nor the inbox.
func (c *Connector) Gaps(content platform.Content) []platform.Finding {
	if c.reads() || c.first {
		return nil
	}
	return comments.Gaps(content, "Facebook", "FACEBOOK_FIRST_COMMENTS", post.PartComment)
}

// AuthorizeURL returns Facebook's dialog.
func (c *Connector) AuthorizeURL(_ context.Context, consent platform.Consent) (platform.Authorization, error) {
	return c.login().AuthorizeURL(consent)
}

// Exchange exchanges the code for a user's token.
func (c *Connector) Exchange(ctx context.Context, code platform.Code) (channel.Credentials, error) {
	return c.login().Exchange(ctx, code)
}

// Accounts lists the user's Pages, each with its own token.
func (c *Connector) Accounts(ctx context.Context, credentials channel.Credentials) ([]channel.Candidate, error) {
	pages, err := c.login().Pages(ctx, credentials.AccessToken, "")
	if err != nil {
		return nil, err
	}
	candidates := make([]channel.Candidate, len(pages))
	for i, page := range pages {
		candidates[i] = page.Candidate(c.client, credentials)
	}
	return candidates, nil
}

// Configured reports whether the operator has configured an application.
func (c *Connector) Configured(channel.Variant) bool { return c.app.ID != "" && c.app.Secret != "" }

// Removal returns what a person does at Facebook. Withdrawing the permission by a call would end every Page of the person.
func (*Connector) Removal() string {
	return "To end it, open Settings, Business integrations on Facebook, and remove the app. That ends every Page and every " +
		"Instagram account that you connected through Facebook."
}
