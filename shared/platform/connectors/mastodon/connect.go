package mastodon

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
	"socialpub.internal/shared/platform/connectors/internal/oauth"
)

var (
	_ platform.Connecter = (*Connector)(nil)
	_ platform.Revoker   = (*Connector)(nil)
)

// application is a client that this service registered at a server. It is kept with the attempt to connect, and, for the
// revocation, not at all: a server accepts the revocation of a token only from its client.
type application struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

// clientName is shown to the person by the server.
const clientName = "socialpub"

// Scopes returns the permissions to publish.
func (c *Connector) Scopes(channel.Variant) platform.Scopes {
	return platform.Scopes{Needed: []string{"profile", "read:statuses", "write:statuses", "write:media"}}
}

// at returns the client of a server.
func (c *Connector) at(server string) (*httpcall.Client, error) {
	return c.servers.Of(platform.Account{Credentials: channel.Credentials{Server: server}})
}

// AuthorizeURL registers this service at the server and returns the server's page.
func (c *Connector) AuthorizeURL(ctx context.Context, consent platform.Consent) (platform.Authorization, error) {
	client, err := c.at(consent.Server)
	if err != nil {
		return platform.Authorization{}, err
	}
	var app application
	response, err := oauth.Exchange(ctx, client, httpcall.Request{
		Path: []string{"api", "v1", "apps"}, Form: url.Values{
			"client_name": {clientName}, "redirect_uris": {consent.Redirect},
			"scopes": {strings.Join(c.Scopes("").All(), " ")},
		},
	}, &app)
	if err != nil {
		return platform.Authorization{}, err
	}
	if !httpcall.Token(app.ID) || !httpcall.Token(app.Secret) {
		return platform.Authorization{}, client.Unclear(response, "no application in the response")
	}
	authorization, err := oauth.Dialog{
		Page: client.BaseURL() + "/oauth/authorize", ClientID: app.ID, Scopes: c.Scopes("").All(), PKCE: true,
	}.URL(consent)
	if err != nil {
		return platform.Authorization{}, err
	}
	kept, err := json.Marshal(app) //nolint:gosec // G117: the caller encrypts it
	authorization.Kept = string(kept)
	return authorization, err
}

// Exchange exchanges the code as the application that AuthorizeURL registered.
func (c *Connector) Exchange(ctx context.Context, code platform.Code) (channel.Credentials, error) {
	client, err := c.at(code.Server)
	if err != nil {
		return channel.Credentials{}, err
	}
	var app application
	if err := json.Unmarshal([]byte(code.Kept), &app); err != nil {
		return channel.Credentials{}, oauth.CodeRefused(client, err)
	}
	form := oauth.Form(code)
	form.Set("client_id", app.ID)
	form.Set("client_secret", app.Secret)
	form.Set("code_verifier", code.Verifier)
	var answer struct {
		AccessToken string         `json:"access_token"`
		Scope       httpcall.Scope `json:"scope"`
	}
	response, err := oauth.Exchange(ctx, client, httpcall.Request{
		Path: []string{"oauth", "token"}, Form: form, Secrets: []string{code.Code, code.Verifier, app.Secret},
	}, &answer)
	if err != nil {
		return channel.Credentials{}, err
	}
	if !httpcall.Token(answer.AccessToken) {
		return channel.Credentials{}, client.Unclear(response, "no token in the response")
	}
	return channel.Credentials{
		AccessToken: answer.AccessToken, IssuedAt: client.Now(), Scope: string(answer.Scope), ClientID: app.ID,
		Server: code.Server,
	}, nil
}

// Accounts returns the account of the credentials. Its id contains the server.
func (c *Connector) Accounts(ctx context.Context, credentials channel.Credentials) ([]platform.Candidate, error) {
	client, err := c.at(credentials.Server)
	if err != nil {
		return nil, err
	}
	var answer struct {
		ID       string `json:"id"`
		Username string `json:"username"`
		Name     string `json:"display_name"`
		Picture  string `json:"avatar"`
	}
	response, err := client.AskIdentity(ctx, httpcall.Request{
		Path: []string{"api", "v1", "accounts", "verify_credentials"}, Secrets: []string{credentials.AccessToken},
		Header: http.Header{"Authorization": {"Bearer " + credentials.AccessToken}},
	}, func(response httpcall.Response) *platform.Failure { return failure(client, response) }, &answer)
	if err != nil {
		return nil, err
	}
	if answer.ID == "" {
		return nil, client.Unclear(response, "no account in the response")
	}
	host := strings.TrimPrefix(cmp.Or(credentials.Server, c.usualServer()), "https://")
	return []platform.Candidate{{
		Type: channel.Mastodon, ExternalID: host + "/" + answer.ID, Name: answer.Name, Username: answer.Username,
		AvatarURL: client.Permalink(answer.Picture), Owner: host, Credentials: credentials,
	}}, nil
}

// usualServer returns the URL of the server of accounts that name none. The sandbox network has a name of its own.
func (c *Connector) usualServer() string {
	if c.oneServer {
		return "https://" + sandboxHost
	}
	return c.client.BaseURL()
}

// Revoke invalidates the account's token. Mastodon identifies the application by the token alone since version 4.3; older
// servers refuse.
func (c *Connector) Revoke(ctx context.Context, account platform.Account) error {
	s, err := c.open(account)
	if err != nil {
		return err
	}
	secret := account.Credentials.AccessToken
	_, err = oauth.Exchange(ctx, s.Client, httpcall.Request{
		Path: []string{"oauth", "revoke"}, Secrets: []string{secret},
		Form: url.Values{"token": {secret}, "client_id": {account.Credentials.ClientID}},
	}, &struct{}{})
	return err
}

// Configured returns true: this service registers itself at every server.
func (*Connector) Configured(channel.Variant) bool { return true }

// RevokesConsent returns false: Revoke ends the tokens of the account alone.
func (*Connector) RevokesConsent() bool { return false }
