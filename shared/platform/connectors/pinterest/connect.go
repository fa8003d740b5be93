package pinterest

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

var (
	_ platform.Connecter = (*Connector)(nil)
	_ platform.Remover   = (*Connector)(nil)
)

// Scopes returns the permissions to publish.
func (c *Connector) Scopes(channel.Variant) platform.Scopes {
	return platform.Scopes{Needed: []string{"user_accounts:read", "boards:read", "boards:write", "pins:read", "pins:write"}}
}

// AuthorizeURL returns the page of Pinterest at which a person decides.
func (c *Connector) AuthorizeURL(_ context.Context, consent platform.Consent) (platform.Authorization, error) {
	if err := oauth.App(c.client, c.config.AppID, c.config.AppSecret); err != nil {
		return platform.Authorization{}, err
	}
	return oauth.Dialog{
		Page:     oauth.Page(c.client.BaseURL(), OfficialAPI, officialWeb, "/oauth/"),
		ClientID: c.config.AppID, Scopes: c.Scopes("").All(), Separator: ",",
	}.URL(consent)
}

// tokenRequest returns a call to the token endpoint as the application.
func (c *Connector) tokenRequest(form url.Values, secrets ...string) httpcall.Request {
	basic := base64.StdEncoding.EncodeToString([]byte(c.config.AppID + ":" + c.config.AppSecret))
	return httpcall.Request{
		Path: []string{version, "oauth", "token"}, Header: http.Header{"Authorization": {"Basic " + basic}},
		Form: form, Secrets: append(secrets, c.config.AppSecret, basic),
	}
}

// Exchange exchanges the code. Applications from before 2025-09-25 get continuous refresh tokens only if they ask.
func (c *Connector) Exchange(ctx context.Context, code platform.Code) (channel.Credentials, error) {
	form := oauth.Form(code)
	form.Set("continuous_refresh", "true")
	return c.tokens().Exchange(ctx, c.tokenRequest(form, code.Code))
}

// Removal returns what a person does at Pinterest: its call to revoke tokens takes those of system users only.
func (*Connector) Removal() string {
	return "To end it, open Settings, Security, Connected apps on Pinterest, and remove the app."
}

// Accounts returns the user of the credentials. A channel's external id is the user name.
func (c *Connector) Accounts(ctx context.Context, credentials channel.Credentials) ([]channel.Candidate, error) {
	var result struct {
		Username string `json:"username"`
		Name     string `json:"business_name"`
		Picture  string `json:"profile_image"`
	}
	response, err := c.client.AskIdentity(ctx, httpcall.Request{
		Path: []string{version, "user_account"}, Header: bearer(platform.Account{Credentials: credentials}),
		Secrets: []string{credentials.AccessToken},
	}, c.failure, &result)
	if err != nil {
		return nil, err
	}
	if result.Username == "" {
		return nil, c.client.Unclear(response, "no account in the response")
	}
	return []channel.Candidate{{
		Type: channel.Pinterest, ExternalID: result.Username, Name: result.Name, Username: result.Username,
		AvatarURL: c.client.Permalink(result.Picture), Credentials: credentials,
	}}, nil
}

// Configured reports whether the operator has configured an application.
func (c *Connector) Configured(channel.Variant) bool {
	return c.config.AppID != "" && c.config.AppSecret != ""
}
