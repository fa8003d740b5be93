// Package facebook publishes to Facebook Pages (Graph API).
//
// A text post is one irrevocable call, POST /{page}/feed; nothing has to be prepared. Facebook has no idempotency key: what
// became of a call whose answer was lost is found out by listing the Page's published posts and comparing texts. The token of
// a Page does not expire, but it can die; no call renews it, so that a dead one always takes a person.
package facebook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// Official addresses.
const (
	OfficialAPI       = "https://graph.facebook.com" // without a version
	officialPermalink = "https://www.facebook.com"
)

// Defaults and limits.
const (
	DefaultVersion = "v26.0"
	// permalinkTimeout bounds the call after the publish, whose failure costs only the better link.
	permalinkTimeout = 5 * time.Second
)

var _ platform.Connector = (*Connector)(nil)

// Config of the connector.
type Config struct {
	// Wire says where the API is and how to call it. Network and Name are set by the connector; BaseURL is
	// OfficialAPI when empty.
	Wire    httpcall.Config
	Version string // DefaultVersion when empty
	// PermalinkURL is where posts are shown, for those whose own link could not be read. Empty: www.facebook.com for the
	// official API; for any other, which stands in for Facebook and shows its own pages, the API's address.
	PermalinkURL string
}

// Connector is the connection to Facebook.
type Connector struct {
	client    *httpcall.Client
	version   string
	permalink string
}

// New makes the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkFacebook, "Facebook"
	if config.Wire.BaseURL == "" {
		config.Wire.BaseURL = OfficialAPI
	}
	if config.Version == "" {
		config.Version = DefaultVersion
	}
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("facebook: %w", err)
	}
	permalink := strings.TrimRight(config.PermalinkURL, "/")
	if permalink == "" {
		permalink = client.BaseURL()
		if permalink == OfficialAPI {
			permalink = officialPermalink
		}
	}
	return &Connector{client: client, version: config.Version, permalink: permalink}, nil
}

// Types is Pages alone: Facebook has no API for groups.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.FacebookPage} }

// Strength is matching: the published posts can be listed and compared.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileMatch }

// Prepare has nothing to do: text needs no upload.
func (c *Connector) Prepare(context.Context, platform.Account, platform.Content, platform.Handle) (platform.Preparation, error) {
	return platform.Preparation{Ready: true}, nil
}

// Refresh asks for a person: Facebook has no call that renews the token of a Page.
func (c *Connector) Refresh(context.Context, platform.Account) (channel.Credentials, error) {
	return channel.Credentials{}, c.client.Reconnect(errNoRefresh)
}

// idPattern is the shape of a post's id: the Page's, then the post's own. Anything else in its place is refused: it would
// end up in addresses.
var idPattern = regexp.MustCompile(`^[0-9A-Za-z_.@-]{1,100}_[0-9]{1,32}$`)

var (
	errNoToken   = errors.New("the channel has no access token or no Page id")
	errNoRefresh = errors.New("the token of a Page cannot be refreshed")
)

func usable(account platform.Account) bool {
	return account.Credentials.AccessToken != "" && account.ExternalID != ""
}

// get reads something with the Page's token, which stays out of the address.
func (c *Connector) get(
	ctx context.Context, operation string, account platform.Account, query url.Values, path ...string,
) (httpcall.Response, error) {
	return c.client.Call(ctx, httpcall.Request{
		Operation: operation,
		Path:      append([]string{c.version}, path...),
		Query:     query,
		Header:    http.Header{"Authorization": {"Bearer " + account.Credentials.AccessToken}},
		Secrets:   []string{account.Credentials.AccessToken},
	})
}
