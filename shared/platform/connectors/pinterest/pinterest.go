// Package pinterest connects to Pinterest (API v5): it reads the boards of an account and keeps its access.
package pinterest

import (
	"errors"
	"fmt"
	"net/http"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// OfficialAPI is the address of the API, without a version.
const OfficialAPI = "https://api.pinterest.com"

const version = "v5"

var (
	_ platform.Link        = (*Connector)(nil)
	_ platform.BoardLister = (*Connector)(nil)
)

// Config of the connector.
type Config struct {
	// Wire says where the API is and how to call it. Network and Name are set by the connector; BaseURL is
	// OfficialAPI when empty.
	Wire      httpcall.Config
	AppID     string // of the application registered at Pinterest; without it tokens cannot be refreshed
	AppSecret string
}

// Connector is the connection to Pinterest.
type Connector struct {
	client *httpcall.Client
	config Config
}

// New makes the connector.
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

// Types is Pinterest alone.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.Pinterest} }

var errNoToken = errors.New("the channel has no access token")

func bearer(account platform.Account) http.Header {
	return http.Header{"Authorization": {"Bearer " + account.Credentials.AccessToken}}
}
