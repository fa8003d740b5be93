// Package pinterest connects to Pinterest (API v5). It reads an account's boards and figures, and refreshes its
// credentials.
package pinterest

import (
	"errors"
	"fmt"
	"net/http"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// OfficialAPI is the URL of the API, without a version.
const OfficialAPI = "https://api.pinterest.com"

const version = "v5"

var (
	_ platform.Link        = (*Connector)(nil)
	_ platform.BoardLister = (*Connector)(nil)
)

// Config configures the connector.
type Config struct {
	// Wire configures the API client. The connector sets Network and Name. BaseURL is OfficialAPI if empty.
	Wire      httpcall.Config
	AppID     string // of the application registered with Pinterest; required to refresh tokens
	AppSecret string
}

// Connector is the connection to Pinterest.
type Connector struct {
	client *httpcall.Client
	config Config
}

// New returns the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkPinterest, "Pinterest"
	if config.Wire.BaseURL == "" {
		config.Wire.BaseURL = OfficialAPI
	}
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("pinterest: %w", err)
	}
	return &Connector{client: client, config: config}, nil
}

// Types returns only Pinterest.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.Pinterest} }

var errNoToken = errors.New("the channel has no access token")

func bearer(account platform.Account) http.Header {
	return http.Header{"Authorization": {"Bearer " + account.Credentials.AccessToken}}
}
