package threads

import (
	"context"
	"net/http"
	"net/url"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

const officialWeb = "https://www.threads.net"

var (
	_ platform.Connecter  = (*Connector)(nil)
	_ platform.Restricter = (*Connector)(nil)
	_ platform.Remover    = (*Connector)(nil)
)

// Scopes returns the permissions to publish, and those for figures, and for replies of the account and of others.
func (c *Connector) Scopes(channel.Variant) platform.Scopes {
	scopes := platform.Scopes{
		Needed: []string{"threads_basic", "threads_content_publish"}, Useful: []string{"threads_manage_insights"},
	}
	if c.reads() || c.writes {
		scopes.Useful = append(scopes.Useful, scopeRead, scopeManage)
	}
	return scopes
}

// Gaps returns threads and first comments, if the operator has turned on neither them nor the inbox.
func (c *Connector) Gaps(content platform.Content) []platform.Finding {
	if c.reads() || c.writes {
		return nil
	}
	return comments.Gaps(content, "Threads", "THREADS_REPLIES", post.PartReply, post.PartComment)
}

// AuthorizeURL returns the page of Threads at which a person decides.
func (c *Connector) AuthorizeURL(_ context.Context, consent platform.Consent) (platform.Authorization, error) {
	if err := oauth.App(c.client, c.app.ID, c.app.Secret); err != nil {
		return platform.Authorization{}, err
	}
	return oauth.Dialog{
		Page:     oauth.Page(c.client.BaseURL(), OfficialAPI, officialWeb, "/oauth/authorize"),
		ClientID: c.app.ID, Scopes: c.Scopes("").All(), Separator: ",",
	}.URL(consent)
}

// Exchange exchanges the code for a token of an hour, and that for one of sixty days.
func (c *Connector) Exchange(ctx context.Context, code platform.Code) (channel.Credentials, error) {
	return graph.ExchangeCode(ctx, c.client, c.client, c.app, "th_exchange_token", code)
}

// Accounts returns the profile of the credentials.
func (c *Connector) Accounts(ctx context.Context, credentials channel.Credentials) ([]channel.Candidate, error) {
	var result struct {
		ID       string `json:"id"`
		Name     string `json:"name"`
		Username string `json:"username"`
		Picture  string `json:"threads_profile_picture_url"`
	}
	response, err := c.client.AskIdentity(ctx, httpcall.Request{
		Path: []string{c.api.Version, "me"}, Query: url.Values{"fields": {"id,username,name,threads_profile_picture_url"}},
		Header:  http.Header{"Authorization": {"Bearer " + credentials.AccessToken}},
		Secrets: []string{credentials.AccessToken},
	}, c.failure, &result)
	if err != nil {
		return nil, err
	}
	if result.ID == "" {
		return nil, c.client.Unclear(response, "no account in the response")
	}
	return []channel.Candidate{{
		Type: channel.Threads, ExternalID: result.ID, Name: result.Name, Username: result.Username,
		AvatarURL: c.client.Permalink(result.Picture), Credentials: credentials,
	}}, nil
}

// Configured reports whether the operator has configured an application.
func (c *Connector) Configured(channel.Variant) bool { return c.app.ID != "" && c.app.Secret != "" }

// Removal returns what a person does at Threads, which has no call for it.
func (*Connector) Removal() string {
	return "To end it, open Settings, Account, Website permissions on Threads, and remove the app."
}
