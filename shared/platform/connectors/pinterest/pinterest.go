// Package pinterest publishes to Pinterest (API v5), and reads an account's boards and figures.
//
// A pin is one irrevocable call, POST /pins. It contains the images; a video is uploaded before, and is invisible until
// it is part of a pin. Pinterest has no idempotency key. To determine the outcome of a call whose response was lost,
// the connector lists the pins of the board and compares their texts and links.
package pinterest

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// OfficialAPI is the URL of the API, without a version.
const OfficialAPI = "https://api.pinterest.com"

const officialWeb = "https://www.pinterest.com"

const version = "v5"

var (
	_ platform.Carrier     = (*Connector)(nil)
	_ platform.BoardLister = (*Connector)(nil)
)

// Config configures the connector.
type Config struct {
	// Wire configures the API client. The connector sets Network and Name. BaseURL is OfficialAPI if empty.
	Wire      httpcall.Config
	AppID     string // of the application registered with Pinterest; required to refresh tokens
	AppSecret string
	// PermalinkURL is the base URL of pins. If empty, it is www.pinterest.com for the official API, and the API's URL for
	// any other, which replaces Pinterest and serves its own pages.
	PermalinkURL string
}

// Connector is the connection to Pinterest.
type Connector struct {
	client    *httpcall.Client
	config    Config
	permalink string
}

// New returns the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkPinterest, "Pinterest"
	config.Wire.BaseURL = cmp.Or(config.Wire.BaseURL, OfficialAPI)
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("pinterest: %w", err)
	}
	return &Connector{
		client: client, config: config, permalink: permalinkOf(config.PermalinkURL, client.BaseURL()),
	}, nil
}

// Types returns only Pinterest.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.Pinterest} }

// Strength returns ReconcileMatch: the pins of a board can be listed and compared.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileMatch }

// CarriesMedia marks the connector as a platform.Carrier. It publishes images and videos.
func (c *Connector) CarriesMedia() {}

var errNoToken = errors.New("the channel has no access token")

func bearer(account platform.Account) http.Header {
	return http.Header{"Authorization": {"Bearer " + account.Credentials.AccessToken}}
}
