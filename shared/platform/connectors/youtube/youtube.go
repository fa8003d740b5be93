// Package youtube connects to YouTube (Data API v3, Analytics API v2). It publishes videos, reads the figures of a channel
// and its videos, and refreshes its credentials.
//
// A video is uploaded as a private one, in chunks that can be resumed. The irrevocable call then sets the requested
// visibility. YouTube can be asked for both the state of an upload and the visibility of a video, so no outcome stays
// unknown while the handle is known.
package youtube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/google"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Official URLs, with their versions.
const (
	OfficialAPI       = "https://www.googleapis.com/youtube/v3"
	OfficialAnalytics = "https://youtubeanalytics.googleapis.com/v2"
	officialPermalink = "https://www.youtube.com"
)

var (
	_ platform.Carrier   = (*Connector)(nil)
	_ platform.Reviewer  = (*Connector)(nil)
	_ platform.Noter     = (*Connector)(nil)
	_ platform.Insighter = (*Connector)(nil)

	errChunk = errors.New("youtube: the chunk size is not a positive multiple of 262144 bytes")
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

	// Sealer encrypts the addresses of upload sessions in handles; platform.Unsealed if nil.
	Sealer platform.Sealer
	// ChunkSize is the size of an upload's chunks in bytes; DefaultChunkSize if zero.
	ChunkSize int64
	Inbox     []string // the parts of the inbox that the operator has turned on
	// FirstComments asks for the permission for first comments when channels are connected.
	FirstComments bool
}

// Connector is the connection to YouTube. An account's external id is its channel's id.
type Connector struct {
	client    *httpcall.Client
	uploads   *httpcall.Client
	analytics *httpcall.Client
	tokens    *google.Tokens
	config    Config
	permalink string
	units     units
}

// New returns the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkYouTube, "YouTube"
	config.Wire.BaseURL = cmp.Or(config.Wire.BaseURL, OfficialAPI)
	if config.Sealer == nil {
		config.Sealer = platform.Unsealed{}
	}
	if config.ChunkSize = cmp.Or(config.ChunkSize, DefaultChunkSize); config.ChunkSize < 0 || config.ChunkSize%chunkUnit != 0 {
		return nil, errChunk
	}
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("youtube: %w", err)
	}
	c := &Connector{client: client, config: config, permalink: client.BaseURL()}
	if c.permalink == OfficialAPI {
		c.permalink = officialPermalink
	}
	wire := config.Wire
	if wire.BaseURL, err = uploadURL(client.BaseURL()); err == nil {
		c.uploads, err = httpcall.New(wire)
	}
	if err != nil {
		return nil, fmt.Errorf("youtube: upload address: %w", err)
	}
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

// uploadURL returns the base URL of uploads: Google serves the uploads of an API at the API's path after /upload.
func uploadURL(api string) (string, error) {
	at, err := url.Parse(api)
	if err != nil {
		return "", errors.New("not an address")
	}
	return at.ResolveReference(&url.URL{Path: "/upload" + at.Path}).String(), nil
}

// CarriesMedia marks the connector as a platform.Carrier. It publishes one video, with a thumbnail if there is one.
func (c *Connector) CarriesMedia() {}

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
