// Package x publishes to X (API v2, user context).
//
// A post is one irrevocable call, POST /2/tweets. Before it, attachments are uploaded in segments; nobody sees them until
// a post carries them, and X forgets them after a day. X has no idempotency key: what became of a call whose answer was
// lost is found out by listing the account's recent posts and comparing texts and media.
package x

import (
	"fmt"
	"net/http"
	"strings"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// Official addresses.
const (
	OfficialAPI       = "https://api.x.com"
	officialPermalink = "https://x.com"
)

var _ platform.Carrier = (*Connector)(nil)

// Config of the connector.
type Config struct {
	// Wire says where the API is and how to call it. Network and Name are set by the connector; BaseURL is
	// OfficialAPI when empty.
	Wire         httpcall.Config
	ClientID     string // of the OAuth 2.0 client
	ClientSecret string // empty for a public client
	// PermalinkURL is where posts are shown. Empty: x.com for the official API; for any other, which stands in for
	// X and shows its own pages, the API's address.
	PermalinkURL string
}

// Connector is the connection to X.
type Connector struct {
	client    *httpcall.Client
	config    Config
	permalink string
}

// New makes the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkX, "X"
	if config.Wire.BaseURL == "" {
		config.Wire.BaseURL = OfficialAPI
	}
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("x: %w", err)
	}
	permalink := strings.TrimRight(config.PermalinkURL, "/")
	if permalink == "" {
		permalink = client.BaseURL()
		if permalink == OfficialAPI {
			permalink = officialPermalink
		}
	}
	return &Connector{client: client, config: config, permalink: permalink}, nil
}

// Types is X alone.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.Twitter} }

// Strength is matching: recent posts can be listed and compared.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileMatch }

// CarriesMedia tells that pictures, animations and films are published too.
func (c *Connector) CarriesMedia() {}

func bearer(account platform.Account) http.Header {
	return http.Header{"Authorization": {"Bearer " + account.Credentials.AccessToken}}
}
