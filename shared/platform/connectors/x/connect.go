package x

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

var (
	_ platform.Connecter = (*Connector)(nil)
	_ platform.Revoker   = (*Connector)(nil)
)

// Scopes returns the permissions to publish. Without offline.access, the connection ends after two hours.
func (c *Connector) Scopes(channel.Variant) platform.Scopes {
	return platform.Scopes{Needed: []string{"tweet.read", "tweet.write", "users.read", "media.write", "offline.access"}}
}

// AuthorizeURL returns the page of X at which a person decides.
func (c *Connector) AuthorizeURL(_ context.Context, consent platform.Consent) (platform.Authorization, error) {
	if err := oauth.App(c.client, c.config.ClientID); err != nil {
		return platform.Authorization{}, err
	}
	return oauth.Dialog{
		Page: cmp.Or(c.config.AuthorizeURL,
			oauth.Page(c.client.BaseURL(), OfficialAPI, officialPermalink, "/i/oauth2/authorize")),
		ClientID: c.config.ClientID, Scopes: c.Scopes("").All(), PKCE: true,
	}.URL(consent)
}

// Exchange exchanges the code, which lives for thirty seconds.
func (c *Connector) Exchange(ctx context.Context, code platform.Code) (channel.Credentials, error) {
	form := oauth.Form(code)
	form.Set("code_verifier", code.Verifier)
	request := httpcall.Request{
		Path: []string{"2", "oauth2", "token"}, Form: form, Secrets: []string{code.Code, code.Verifier},
	}
	c.authenticate(&request)
	return c.tokens().Exchange(ctx, request)
}

// Accounts returns the user of the credentials.
func (c *Connector) Accounts(ctx context.Context, credentials channel.Credentials) ([]channel.Candidate, error) {
	var result struct {
		Data struct {
			ID       string `json:"id"`
			Name     string `json:"name"`
			Username string `json:"username"`
			Picture  string `json:"profile_image_url"`
			subscription
		} `json:"data"`
	}
	response, err := c.client.AskIdentity(ctx, httpcall.Request{
		Path: []string{"2", "users", "me"}, Query: url.Values{"user.fields": {"name,username,profile_image_url," + subscriptionFields}},
		Header: bearer(platform.Account{Credentials: credentials}), Secrets: []string{credentials.AccessToken},
	}, c.failure, &result)
	if err != nil {
		return nil, err
	}
	if result.Data.ID == "" {
		return nil, c.client.Unclear(response, "no account in the response")
	}
	return []channel.Candidate{{
		Type: channel.Twitter, ExternalID: result.Data.ID, Name: result.Data.Name, Username: result.Data.Username,
		AvatarURL: c.client.Permalink(result.Data.Picture), Credentials: credentials,
		Facts: result.Data.facts(),
	}}, nil
}

// Revoke invalidates the account's tokens.
func (c *Connector) Revoke(ctx context.Context, account platform.Account) error {
	request := httpcall.Request{
		Method: http.MethodPost, Path: []string{"2", "oauth2", "revoke"},
		Form:    url.Values{"token": {account.Credentials.AccessToken}},
		Secrets: []string{account.Credentials.AccessToken},
	}
	c.authenticate(&request)
	return oauth.Revoke(ctx, c.client, request)
}

// Configured reports whether the operator has configured an application.
func (c *Connector) Configured(channel.Variant) bool { return c.config.ClientID != "" }

// RevokesConsent returns false: Revoke ends the tokens of the account alone.
func (*Connector) RevokesConsent() bool { return false }
