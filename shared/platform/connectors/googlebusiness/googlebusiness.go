// Package googlebusiness publishes to Google Business Profiles (My Business API v4, local posts).
//
// A post is one irrevocable call, the creation of a local post, without preparation: Google fetches a photo from its
// URL. Google has no idempotency
// key. To determine the outcome of a call whose response was lost, the connector lists the location's posts and
// compares texts. Google reviews a post after accepting it and may then refuse it: see Review.
package googlebusiness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/google"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Official URLs.
const (
	OfficialAPI         = "https://mybusiness.googleapis.com"
	OfficialPerformance = "https://businessprofileperformance.googleapis.com"
	OfficialTokenURL    = google.OfficialTokenURL
)

const (
	version = "v4" // the only version with posts
	// lookTimeout is the timeout of the call after publishing. If it fails, only the permalink is missing.
	lookTimeout = 5 * time.Second
)

var (
	_ platform.Reviewer = (*Connector)(nil)
	_ platform.Carrier  = (*Connector)(nil)
)

// Config configures the connector.
type Config struct {
	// Wire configures the API client. The connector sets Network and Name. BaseURL is OfficialAPI if empty.
	Wire httpcall.Config
	// PerformanceURL is the URL of the Performance API, which reports figures. If empty, it is OfficialPerformance for
	// the official API, and the API's URL for any other, which replaces Google.
	PerformanceURL string

	TokenURL     string // the token endpoint; OfficialTokenURL if empty
	ClientID     string // of the OAuth 2.0 client
	ClientSecret string
	Inbox        []string // the parts of the inbox that the operator has turned on
}

// Connector is the connection to Google Business Profiles.
type Connector struct {
	client      *httpcall.Client
	performance *httpcall.Client // of the Performance API, which has its own host
	tokens      *google.Tokens
	inbox       []string

	accounts, locations *httpcall.Client // of the APIs that list them
}

// New returns the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkGoogleBusiness, "Google Business"
	config.Wire.BaseURL = cmp.Or(config.Wire.BaseURL, OfficialAPI)
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("googlebusiness: %w", err)
	}
	c := &Connector{client: client, inbox: config.Inbox}
	if c.performance, err = performanceClient(config, client.BaseURL()); err != nil {
		return nil, fmt.Errorf("googlebusiness: performance address: %w", err)
	}
	c.accounts, err = listClient(config, OfficialAccounts)
	if err == nil {
		c.locations, err = listClient(config, OfficialLocations)
	}
	if err != nil {
		return nil, fmt.Errorf("googlebusiness: %w", err)
	}
	c.tokens, err = google.NewTokens(google.TokensConfig{
		Wire: config.Wire, URL: config.TokenURL, ClientID: config.ClientID, ClientSecret: config.ClientSecret,
		AppRefused: c.appRefused,
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

// Types returns only Google Business.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.GoogleBusiness} }

// Strength returns ReconcileMatch: the location's posts can be listed and compared.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileMatch }

// CarriesMedia marks the connector as a platform.Carrier. It publishes a photo.
func (c *Connector) CarriesMedia() {}

// Prepare returns Ready. Google fetches photos itself.
func (c *Connector) Prepare(
	context.Context, platform.Account, platform.Content, platform.Handle,
) (platform.Preparation, error) {
	return platform.Preparation{Ready: true}, nil
}

// locationPattern matches a channel's id, the location's full name. Other values are refused because the id becomes
// part of URLs, where it could name another resource. The name needs its account: for the placeholder "-" of Google's
// other APIs, this one returns a 404 in HTML.
var locationPattern = regexp.MustCompile(
	`^accounts/([0-9A-Za-z_.@][0-9A-Za-z_.@-]{0,99})/locations/([0-9A-Za-z_.@-]{1,100})$`)

var (
	errNoToken    = errors.New("the channel has no access token")
	errNoLocation = errors.New("the channel's id is not the full name of a location")
)

// idFault returns the fault of a channel's id, phrased to follow the id.
func idFault(id string) string {
	if locationPattern.MatchString(id) {
		return ""
	}
	return "is not the full name of a location: accounts/NUMBER/locations/NUMBER"
}

// posts returns the path of the location's posts, or a failure if the account cannot be used.
func (c *Connector) posts(account platform.Account) ([]string, error) {
	if account.Credentials.AccessToken == "" {
		return nil, c.client.Reconnect(errNoToken)
	}
	parts := locationPattern.FindStringSubmatch(account.ExternalID)
	if parts == nil {
		return nil, c.client.Reconnect(errNoLocation)
	}
	return []string{version, "accounts", parts[1], "locations", parts[2], "localPosts"}, nil
}

func bearer(account platform.Account) http.Header {
	return http.Header{"Authorization": {"Bearer " + account.Credentials.AccessToken}}
}
