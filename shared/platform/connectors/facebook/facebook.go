// Package facebook publishes to Facebook Pages (Graph API).
//
// A text is one irrevocable call, POST /{page}/feed, without preparation. Photos and videos are uploaded before, and are
// invisible until the irrevocable call refers to them. Facebook has no idempotency key. To determine the outcome of a
// call whose response was lost, the connector reads the photos or the video of the post, or lists the Page's published
// posts and compares texts. A Page's token does not expire, but it can be revoked. No call renews it, so a revoked token always needs a
// user.
package facebook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

// Official URLs.
const (
	OfficialAPI       = "https://graph.facebook.com" // without a version
	OfficialUploads   = "https://rupload.facebook.com"
	officialVideos    = "https://graph-video.facebook.com" // publishes videos of the feed
	officialPermalink = "https://www.facebook.com"
)

// Defaults and limits.
const (
	DefaultVersion = "v26.0"
	// permalinkTimeout is the timeout of the call after publishing. If it fails, only the post's own permalink is
	// missing.
	permalinkTimeout = 5 * time.Second
)

var (
	_ platform.Carrier  = (*Connector)(nil)
	_ platform.Reviewer = (*Connector)(nil)
	_ platform.Renewer  = (*Connector)(nil)
)

// Config configures the connector.
type Config struct {
	// Wire configures the API client. The connector sets Network and Name. BaseURL is OfficialAPI if empty.
	Wire    httpcall.Config
	Version string // DefaultVersion if empty
	// UploadURL is the base URL of the host that receives the bytes of reels and of stories. If empty, it is
	// OfficialUploads for the official API, and below the API's URL for any other, which replaces Facebook.
	UploadURL string
	// AppToken is the access token of the application, CLIENT_ID|CLIENT_SECRET, with which the dates of tokens are read,
	// and the files of feed videos are uploaded if the person's token is unknown. If it is empty, the tokens are read with themselves, and videos that are
	// not reels cannot be published.
	AppToken string
	App      oauth.Application // with which accounts are connected
	// PermalinkURL is the base URL of posts, for posts whose own permalink could not be read. If empty, it is
	// www.facebook.com for the official API, and the API's URL for any other, which replaces Facebook and serves its
	// own pages.
	PermalinkURL string
	Inbox        []string // the parts of the inbox that the operator has turned on
	// FirstComments asks for the permissions for first comments when accounts are connected.
	FirstComments bool
}

// Connector is the connection to Facebook.
type Connector struct {
	client    *httpcall.Client
	uploads   *httpcall.Client // of the host that receives videos
	videos    *httpcall.Client // of the host that publishes videos of the feed
	dates     graph.Dates
	appToken  string
	app       oauth.Application
	version   string
	permalink string
	inbox     []string
	first     bool // as Config.FirstComments
}

// New returns the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkFacebook, "Facebook"
	config.Wire.BaseURL = cmp.Or(config.Wire.BaseURL, OfficialAPI)
	config.Version = cmp.Or(config.Version, DefaultVersion)
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
	c := &Connector{
		client: client, appToken: config.AppToken, version: config.Version, permalink: permalink, app: config.App, inbox: config.Inbox,
		first: config.FirstComments,
	}
	if c.uploads, err = uploadClient(config, client.BaseURL()); err != nil {
		return nil, fmt.Errorf("facebook: upload address: %w", err)
	}
	if c.videos, err = videoClient(config, client); err != nil {
		return nil, fmt.Errorf("facebook: video address: %w", err)
	}
	c.dates = graph.Dates{Client: client, Version: config.Version, AppToken: config.AppToken, Class: c.failure}
	return c, nil
}

func videoClient(config Config, api *httpcall.Client) (*httpcall.Client, error) {
	if api.BaseURL() != OfficialAPI {
		return api, nil
	}
	config.Wire.BaseURL = officialVideos
	return httpcall.New(config.Wire)
}

func uploadClient(config Config, api string) (*httpcall.Client, error) {
	switch {
	case config.UploadURL != "":
		api = config.UploadURL
	case api == OfficialAPI:
		api = OfficialUploads
	default:
		api += "/rupload"
	}
	config.Wire.BaseURL = api
	return httpcall.New(config.Wire)
}

// Types returns only Pages. Facebook has no API for groups.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.FacebookPage} }

// Strength returns ReconcileMatch: the published posts can be listed and compared. Posts with photos, reels and stories
// are identified exactly.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileMatch }

// CarriesMedia marks the connector as a platform.Carrier. It publishes photos, reels, videos and stories.
func (c *Connector) CarriesMedia() {}

// Refresh returns a failure of ClassReconnect. Facebook has no call that renews a Page's token.
func (c *Connector) Refresh(context.Context, platform.Account) (channel.Credentials, error) {
	return channel.Credentials{}, c.client.Reconnect(errNoRefresh)
}

// Renew reads the dates of the Page's token. Facebook's data access ends ninety days after the user last used the
// application, and only the user can extend it.
func (c *Connector) Renew(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	return c.dates.Read(ctx, account.Credentials)
}

// Term returns the term of a Page's token. It ends with the data access.
func (c *Connector) Term(account platform.Account) platform.Term {
	return graph.PageTerm(account.Credentials)
}

// idPattern matches a post's id: the Page's id, then the post's own. Other values are refused because ids become part
// of URLs.
var idPattern = regexp.MustCompile(`^[0-9A-Za-z_.@-]{1,100}_[0-9]{1,32}$`)

// objectID matches the id of a video.
var objectID = regexp.MustCompile(`^[0-9]{1,32}$`)

var (
	errNoToken   = errors.New("the channel has no access token or no Page id")
	errNoRefresh = errors.New("the token of a Page cannot be refreshed")
)

func usable(account platform.Account) bool {
	return account.Credentials.AccessToken != "" && account.ExternalID != ""
}

// get makes a GET call with the Page's token. The token is in a header, not in the URL.
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
