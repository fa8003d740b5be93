// Package googlebusiness publishes to Google Business Profiles (My Business API v4, local posts).
//
// A text post is one irrevocable call, the creation of a local post; nothing has to be prepared. Google has no idempotency
// key: what became of a call whose answer was lost is found out by listing the location's posts and comparing texts. Google
// looks at a post after it has accepted it and may refuse it then; a refusal that the answer already shows is one of the post.
package googlebusiness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/google"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// Official addresses.
const (
	OfficialAPI         = "https://mybusiness.googleapis.com"
	OfficialPerformance = "https://businessprofileperformance.googleapis.com"
	OfficialTokenURL    = google.OfficialTokenURL
)

const (
	version = "v4" // the only one that has posts
	// lookTimeout bounds the call after the publish, whose failure costs only the link.
	lookTimeout = 5 * time.Second
)

var _ platform.Connector = (*Connector)(nil)

// Config of the connector.
type Config struct {
	// Wire says where the API is and how to call it. Network and Name are set by the connector; BaseURL is
	// OfficialAPI when empty.
	Wire httpcall.Config
	// PerformanceURL is the address of the Performance API, which tells figures. Empty: OfficialPerformance for the official
	// API; for any other, which stands in for Google, the API's address.
	PerformanceURL string

	TokenURL     string // where refresh tokens are exchanged; OfficialTokenURL when empty
	ClientID     string // of the OAuth 2.0 client
	ClientSecret string
}

// Connector is the connection to Google Business Profiles.
type Connector struct {
	client      *httpcall.Client
	performance *httpcall.Client // of the API of figures, which has a host of its own
	tokens      *google.Tokens
}

// New makes the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkGoogleBusiness, "Google Business"
	if config.Wire.BaseURL == "" {
		config.Wire.BaseURL = OfficialAPI
	}
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("googlebusiness: %w", err)
	}
	c := &Connector{client: client}
	if c.performance, err = performanceClient(config, client.BaseURL()); err != nil {
		return nil, fmt.Errorf("googlebusiness: performance address: %w", err)
	}
	c.tokens, err = google.NewTokens(google.TokensConfig{
		Wire: config.Wire, URL: config.TokenURL, ClientID: config.ClientID, ClientSecret: config.ClientSecret, AppRefused: c.appRefused,
	})
	if err != nil {
		return nil, fmt.Errorf("googlebusiness: token address: %w", err)
	}
	return c, nil
}

func performanceClient(config Config, api string) (*httpcall.Client, error) {
	switch {
	case config.PerformanceURL != "":
		api = config.PerformanceURL
	case api == OfficialAPI:
		api = OfficialPerformance
	}
	config.Wire.BaseURL = api
	return httpcall.New(config.Wire)
}

// Types is Google Business alone.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.GoogleBusiness} }

// Strength is matching: the location's posts can be listed and compared.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileMatch }

// Prepare has nothing to do: text needs no upload.
func (c *Connector) Prepare(context.Context, platform.Account, platform.Content, platform.Handle) (platform.Preparation, error) {
	return platform.Preparation{Ready: true}, nil
}

// The shapes of a channel's id: the location's full name, or one segment of it. Anything else is refused: it would end up
// in addresses, where it could name something else.
var (
	locationPattern = regexp.MustCompile(`^accounts/([0-9A-Za-z_.@-]{1,100})/locations/([0-9A-Za-z_.@-]{1,100})$`)
	namePattern     = regexp.MustCompile(`^[0-9A-Za-z_.@-]{1,100}$`)
)

// anyAccount stands for the account of a location that is known by its own name alone, as Google's other APIs write it. The
// real network finds no posts there; the sandbox network, whose accounts are plain names, does.
const anyAccount = "-"

var (
	errNoToken    = errors.New("the channel has no access token")
	errNoLocation = errors.New("the channel's id is not the name of a location")
)

// posts is the path of the location's posts, or a failure when the account cannot be used.
func (c *Connector) posts(account platform.Account) ([]string, error) {
	if account.Credentials.AccessToken == "" {
		return nil, c.client.Reconnect(errNoToken)
	}
	owner, location := anyAccount, account.ExternalID
	if parts := locationPattern.FindStringSubmatch(account.ExternalID); parts != nil {
		owner, location = parts[1], parts[2]
	} else if !namePattern.MatchString(location) {
		return nil, c.client.Reconnect(errNoLocation)
	}
	return []string{version, "accounts", owner, "locations", location, "localPosts"}, nil
}

func bearer(account platform.Account) http.Header {
	return http.Header{"Authorization": {"Bearer " + account.Credentials.AccessToken}}
}
