// Package linkedin publishes to member profiles and organization pages on LinkedIn (Posts API, versioned by month).
//
// A post is one irrevocable call, POST /rest/posts; text needs no preparation. LinkedIn has no idempotency key, and what can
// be known about a call whose answer was lost differs: the posts of a page can be listed, those of a profile cannot be read
// with the rights that LinkedIn gives to everybody. Therefore there are two connectors, one for each type of channel.
package linkedin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// Official addresses. Signing in, tokens and the pages that people see are not where the API is.
const (
	OfficialAPI = "https://api.linkedin.com"
	officialWeb = "https://www.linkedin.com"
)

var _ platform.Connector = (*Connector)(nil)

// Config of a connector.
type Config struct {
	// Wire says where the API is and how to call it. Network and Name are set by the connector; BaseURL is
	// OfficialAPI when empty.
	Wire httpcall.Config
	// Version of the API, year and month: 202609. LinkedIn ends each about a year after its release.
	Version      string
	ClientID     string // of the application, needed to refresh tokens
	ClientSecret string
	// PermalinkURL is where posts are shown. Empty: www.linkedin.com for the official API; for any other, which stands
	// in for LinkedIn and shows its own pages, the API's address.
	PermalinkURL string
}

// kind is what profiles and pages differ in.
type kind struct {
	channel channel.Type
	author  string // the URN of an author without its id
	listed  bool   // the account's posts can be listed
	// identityScopes are those that let a token read its account.
	identityScopes string
}

// Connector is the connection to one kind of LinkedIn accounts.
type Connector struct {
	client    *httpcall.Client
	web       *httpcall.Client // for tokens
	config    Config
	permalink string
	kind      kind
}

// NewProfile makes the connector of member profiles. An account's external id is the member's id or its whole URN.
func NewProfile(config Config) (*Connector, error) {
	return newConnector(config, kind{channel: channel.LinkedInProfile, author: "urn:li:person:", identityScopes: "openid and profile"})
}

// NewPage makes the connector of organization pages. An account's external id is the organization's id or its whole URN; its
// credentials are those of a member who may post for it.
func NewPage(config Config) (*Connector, error) {
	return newConnector(config, kind{
		channel: channel.LinkedInPage, author: "urn:li:organization:", listed: true, identityScopes: "rw_organization_admin",
	})
}

var versionPattern = regexp.MustCompile(`^20[0-9]{2}(0[1-9]|1[0-2])$`)

func newConnector(config Config, k kind) (*Connector, error) {
	if !versionPattern.MatchString(config.Version) {
		return nil, fmt.Errorf("linkedin: version %q is not a year and month like 202609", config.Version)
	}
	config.Wire.Network, config.Wire.Name = channel.NetworkLinkedIn, "LinkedIn"
	if config.Wire.BaseURL == "" {
		config.Wire.BaseURL = OfficialAPI
	}
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("linkedin: %w", err)
	}
	if client.BaseURL() == OfficialAPI {
		config.Wire.BaseURL = officialWeb
	}
	web, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("linkedin: %w", err)
	}
	permalink := strings.TrimRight(config.PermalinkURL, "/")
	if permalink == "" {
		permalink = web.BaseURL()
	}
	return &Connector{client: client, web: web, config: config, permalink: permalink, kind: k}, nil
}

// Types is the one type of this kind.
func (c *Connector) Types() []channel.Type { return []channel.Type{c.kind.channel} }

// Strength is matching for pages, whose recent posts can be listed, and none for profiles.
func (c *Connector) Strength() platform.ReconcileStrength {
	if c.kind.listed {
		return platform.ReconcileMatch
	}
	return platform.ReconcileNone
}

// Prepare has nothing to do: text needs no upload.
func (c *Connector) Prepare(context.Context, platform.Account, platform.Content, platform.Handle) (platform.Preparation, error) {
	return platform.Preparation{Ready: true}, nil
}

// Reasons why an account cannot be used.
var (
	errNoToken = errors.New("the channel has no access token")
	errAuthor  = errors.New("the channel's id names no account of its kind")
)

var idPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// author is the URN to post as; a failure when the account cannot be used.
func (c *Connector) author(account platform.Account) (string, error) {
	if account.Credentials.AccessToken == "" {
		return "", c.client.Reconnect(errNoToken)
	}
	id := strings.TrimPrefix(account.ExternalID, c.kind.author)
	if !idPattern.MatchString(id) {
		return "", c.client.Reconnect(errAuthor)
	}
	return c.kind.author + id, nil
}

// header is what every versioned call must carry.
func (c *Connector) header(account platform.Account) http.Header {
	return http.Header{
		"Authorization":             {"Bearer " + account.Credentials.AccessToken},
		"Linkedin-Version":          {c.config.Version},
		"X-Restli-Protocol-Version": {"2.0.0"},
	}
}
