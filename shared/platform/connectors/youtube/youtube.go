// Package youtube connects to YouTube (Data API v3, Analytics API v2). It reads the figures of a channel and its
// videos, and refreshes its credentials.
package youtube

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/google"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// Official URLs, with their versions.
const (
	OfficialAPI       = "https://www.googleapis.com/youtube/v3"
	OfficialAnalytics = "https://youtubeanalytics.googleapis.com/v2"
)

var (
	_ platform.Link      = (*Connector)(nil)
	_ platform.Insighter = (*Connector)(nil)
)

// Config configures the connector.
type Config struct {
	// Wire configures the Data API's client. The connector sets Network and Name. BaseURL is OfficialAPI if empty.
	Wire httpcall.Config
	// AnalyticsURL is the URL of the Analytics API. If empty, it is OfficialAnalytics for the official API, and the
	// API's URL for any other, which replaces YouTube.
	AnalyticsURL string

	TokenURL     string // the token endpoint; google.OfficialTokenURL if empty
	ClientID     string // of the OAuth 2.0 client
	ClientSecret string
}

// Connector is the connection to YouTube. An account's external id is its channel's id.
type Connector struct {
	client    *httpcall.Client
	analytics *httpcall.Client
	tokens    *google.Tokens
}

// New returns the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkYouTube, "YouTube"
	if config.Wire.BaseURL == "" {
		config.Wire.BaseURL = OfficialAPI
	}
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("youtube: %w", err)
	}
	c := &Connector{client: client}
	c.tokens, err = google.NewTokens(google.TokensConfig{
		Wire: config.Wire, URL: config.TokenURL, ClientID: config.ClientID, ClientSecret: config.ClientSecret,
		AppRefused: c.appRefused,
	})
	if err != nil {
		return nil, fmt.Errorf("youtube: token address: %w", err)
	}
	switch {
	case config.AnalyticsURL != "":
		config.Wire.BaseURL = config.AnalyticsURL
	case client.BaseURL() == OfficialAPI:
		config.Wire.BaseURL = OfficialAnalytics
	}
	if c.analytics, err = httpcall.New(config.Wire); err != nil {
		return nil, fmt.Errorf("youtube: analytics address: %w", err)
	}
	return c, nil
}

// Types returns only YouTube.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.YouTube} }

// Refresh exchanges the refresh token for a fresh access token. The refresh token remains valid and can be reused.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	return c.tokens.Refresh(ctx, account)
}

// Term returns the term of a refresh token that remains valid while it is used.
func (c *Connector) Term(account platform.Account) platform.Term { return c.tokens.Term(account) }

// videoID matches a video's id. Other values are not requested.
var videoID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

var errNoToken = errors.New("the channel has no access token or no channel id")

func usable(account platform.Account) bool {
	return account.Credentials.AccessToken != "" && account.ExternalID != ""
}

func bearer(account platform.Account) http.Header {
	return http.Header{"Authorization": {"Bearer " + account.Credentials.AccessToken}}
}
