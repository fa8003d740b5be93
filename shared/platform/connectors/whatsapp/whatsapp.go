// Package whatsapp connects numbers of the WhatsApp Business Platform through the Cloud API. It receives and answers
// messages. It publishes nothing, because WhatsApp has no API for that.
package whatsapp

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

// Defaults.
const (
	OfficialAPI    = "https://graph.facebook.com"
	DefaultVersion = "v26.0"
)

// Config configures the connector.
type Config struct {
	// Wire configures the API client. The connector sets Network and Name. BaseURL is OfficialAPI if empty.
	Wire    httpcall.Config
	Version string // of the Graph API; DefaultVersion if empty
	// App is the application whose tokens are entered. Its secret, if there is one, proves that calls come from it.
	App oauth.Application
}

// Connector is the connection to WhatsApp. An account's external ID is the ID of a number, and its access token that of a
// system user of the business.
type Connector struct {
	client  *httpcall.Client
	version string
	app     oauth.Application
	dates   graph.Dates
}

var (
	_ platform.Registrar      = (*Connector)(nil)
	_ platform.Shared         = (*Connector)(nil)
	_ platform.TemplateLister = (*Connector)(nil)
	_ platform.ReadMarker     = (*Connector)(nil)
	_ platform.Remover        = (*Connector)(nil)
)

// New returns the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkWhatsApp, "WhatsApp"
	config.Wire.BaseURL = cmp.Or(config.Wire.BaseURL, OfficialAPI)
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("whatsapp: %w", err)
	}
	c := &Connector{client: client, version: cmp.Or(config.Version, DefaultVersion), app: config.App}
	c.dates = graph.Dates{
		Client: client, Version: c.version, AppToken: graph.AppToken(config.App.ID, config.App.Secret), Class: c.failure,
	}
	return c, nil
}

// Types returns numbers of the WhatsApp Business Platform.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.WhatsAppBusiness} }

// Refresh returns a failure of ClassReconnect. The token of a system user cannot be renewed.
func (c *Connector) Refresh(context.Context, platform.Account) (channel.Credentials, error) {
	return channel.Credentials{}, c.client.Reconnect(errors.New("tokens of system users cannot be refreshed"))
}

// Term returns the term of the token, which may have no end.
func (c *Connector) Term(account platform.Account) platform.Term {
	return platform.FixedTerm(account.Credentials)
}

// Removal returns what a person does at Meta.
func (*Connector) Removal() string {
	return "To end it, remove the app from the system user in Meta Business Suite, at Settings, Users, System users."
}

var errAccount = errors.New("the channel has no access token or no number")

// Identify reads the number.
func (c *Connector) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	if account.Credentials.AccessToken == "" || account.ExternalID == "" {
		return platform.Identity{}, c.client.Reconnect(errAccount)
	}
	var found number
	response, err := c.ask(ctx, account.Credentials, httpcall.Request{
		Path: []string{account.ExternalID}, Query: url.Values{"fields": {"id,display_phone_number"}},
	}, &found)
	if err != nil {
		return platform.Identity{}, err
	}
	return c.client.Identity(response, found.ID, found.Display)
}

// ask makes a call that may be repeated, with the token, and decodes the response into a value.
func (c *Connector) ask(
	ctx context.Context, credentials channel.Credentials, request httpcall.Request, into any,
) (httpcall.Response, error) {
	return c.client.AskIdentity(ctx, c.signed(credentials, request), c.failure, into)
}

// signed completes a request with the version of the API, the token, and the proof that the application makes the call
// (https://developers.facebook.com/docs/graph-api/guides/secure-requests).
func (c *Connector) signed(credentials channel.Credentials, request httpcall.Request) httpcall.Request {
	token := credentials.AccessToken
	request.Path = append([]string{c.version}, request.Path...)
	request.Header = http.Header{"Authorization": {"Bearer " + token}}
	request.Secrets = append(request.Secrets, token)
	if c.app.Secret != "" && (credentials.ClientID == "" || credentials.ClientID == c.app.ID) {
		mac := hmac.New(sha256.New, []byte(c.app.Secret))
		_, _ = mac.Write([]byte(token)) // never fails
		if request.Query == nil {
			request.Query = url.Values{}
		}
		request.Query.Set("appsecret_proof", hex.EncodeToString(mac.Sum(nil)))
	}
	return request
}
