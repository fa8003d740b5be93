// Package linkedin publishes to member profiles and organization pages on LinkedIn (Posts API, versioned by month).
//
// A post is one irrevocable call, POST /rest/posts. Before it, attachments are uploaded; uploads are invisible until
// they are part of a post. LinkedIn has no idempotency key. The outcome of a call whose response was lost can be
// determined for pages, whose posts can be listed with their media. It cannot be determined for profiles, whose posts
// cannot be read with the permissions that LinkedIn grants to everyone. There is therefore one connector per channel
// type.
package linkedin

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Official URLs. Sign-in, tokens and public pages have a different host than the API.
const (
	OfficialAPI = "https://api.linkedin.com"
	officialWeb = "https://www.linkedin.com"
)

var _ platform.Carrier = (*Connector)(nil)

// Config configures a connector.
type Config struct {
	// Wire configures the API client. The connector sets Network and Name. BaseURL is OfficialAPI if empty.
	Wire httpcall.Config
	// Version of the API as year and month: 202609. LinkedIn removes each version about a year after its release.
	Version string
	// ClientID and ClientSecret identify the application that new connections of this kind are made with. They are
	// required to refresh tokens.
	ClientID     string
	ClientSecret string
	// OtherApps are applications that older connections were made with. The client id in an account's credentials
	// selects one of them.
	OtherApps []App
	// PermalinkURL is the base URL of posts. If empty, it is www.linkedin.com for the official API, and the API's URL
	// for any other, which replaces LinkedIn and serves its own pages.
	PermalinkURL string
	// FirstComments asks for the permissions for first comments when pages are connected.
	FirstComments bool
	// Grace is the time after which media count as processed whose state LinkedIn does not show; DefaultGrace if zero.
	Grace time.Duration
}

// App identifies an application registered at LinkedIn. Profiles and pages need two, because LinkedIn grants the
// Community Management API only to an application without other products.
type App struct {
	ClientID, ClientSecret string
}

// kind holds the differences between profiles and pages.
type kind struct {
	channel channel.Type
	author  string // the URN of an author without its id
	listed  bool   // the account's posts can be listed
	// identityScopes lists the scopes that allow a token to read its account.
	identityScopes string
	postScope      string // the scope that allows a token to publish
	commentScope   string // the scope that allows a token to comment
}

// Connector is the connection to one kind of LinkedIn account.
type Connector struct {
	client    *httpcall.Client
	web       *httpcall.Client // for tokens
	config    Config
	permalink string
	kind      kind
}

// NewProfile returns the connector for member profiles. An account's external id is the member's id or its full URN.
func NewProfile(config Config) (*Connector, error) {
	return newConnector(config, kind{
		channel: channel.LinkedInProfile, author: "urn:li:person:", identityScopes: "openid and profile",
		postScope: "w_member_social", commentScope: "w_member_social",
	})
}

// NewPage returns the connector for organization pages. An account's external id is the organization's id or its full
// URN. Its credentials are those of a member who may publish for it.
func NewPage(config Config) (*Connector, error) {
	return newConnector(config, kind{
		channel: channel.LinkedInPage, author: "urn:li:organization:", listed: true, identityScopes: "rw_organization_admin",
		postScope: "w_organization_social", commentScope: scopeWriteFeed,
	})
}

var versionPattern = regexp.MustCompile(`^20[0-9]{2}(0[1-9]|1[0-2])$`)

func newConnector(config Config, k kind) (*Connector, error) {
	if !versionPattern.MatchString(config.Version) {
		return nil, fmt.Errorf("linkedin: version %q is not a year and month like 202609", config.Version)
	}
	config.Grace = cmp.Or(config.Grace, DefaultGrace)
	config.Wire.Network, config.Wire.Name = channel.NetworkLinkedIn, "LinkedIn"
	config.Wire.BaseURL = cmp.Or(config.Wire.BaseURL, OfficialAPI)
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

// Types returns the channel type of this kind.
func (c *Connector) Types() []channel.Type { return []channel.Type{c.kind.channel} }

// Strength returns ReconcileMatch for pages, whose recent posts can be listed, and ReconcileNone for profiles.
func (c *Connector) Strength() platform.ReconcileStrength {
	if c.kind.listed {
		return platform.ReconcileMatch
	}
	return platform.ReconcileNone
}

// CarriesMedia marks the connector as a platform.Carrier. It publishes images, documents and videos.
func (c *Connector) CarriesMedia() {}

// Reasons why an account cannot be used.
var (
	errNoToken = errors.New("the channel has no access token")
	errAuthor  = errors.New("the channel's id names no account of its kind")
)

var idPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// author returns the URN to publish as, or a failure if the account cannot be used.
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

// header returns the headers that every versioned call requires.
func (c *Connector) header(account platform.Account) http.Header {
	return http.Header{
		"Authorization":             {"Bearer " + account.Credentials.AccessToken},
		"Linkedin-Version":          {c.config.Version},
		"X-Restli-Protocol-Version": {"2.0.0"},
	}
}
