// Package instagram publishes to Instagram's professional accounts, which are connected through Instagram Login or
// through the Facebook Page that they are linked to.
//
// A post takes two steps. The connector creates a container, which is invisible and lives for a day, and then publishes
// it. The second step is irrevocable. Instagram fetches images and videos asynchronously from the URLs in the
// containers. Several files form a carousel, whose items are also containers. The container reports its status, so the
// outcome of a publish call whose response was lost can be determined exactly. The steps are the same for accounts that
// are connected through a Facebook Page, at the URL of the Graph API. Only their tokens differ.
package instagram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/comments"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

// URLs of the API, without a version: that of accounts with Instagram Login, and that of accounts with Facebook Login.
const (
	OfficialAPI         = "https://graph.instagram.com"
	OfficialFacebookAPI = "https://graph.facebook.com"
)

// DefaultVersion is the version of the API.
const DefaultVersion = "v26.0"

// pageSize is the number of the account's posts per page. Their captions fit into the size limit of a response.
const pageSize = 50

var (
	_ platform.Carrier = (*Connector)(nil)
	_ platform.Renewer = (*Connector)(nil)
)

// Config configures the connector.
type Config struct {
	// Wire configures the API client. The connector sets Network and Name. BaseURL is OfficialAPI if empty.
	Wire    httpcall.Config
	Version string // DefaultVersion if empty
	// FacebookURL is the URL of the API for accounts with Facebook Login; OfficialFacebookAPI if empty.
	FacebookURL string
	AppToken    string // see graph.Dates
	// App and Facebook are the applications with which accounts are connected: of Instagram Login and of Facebook Login.
	App, Facebook oauth.Application
	Inbox         []string // the parts of the inbox that the operator has turned on
	FirstComments bool     // ask for the permissions for first comments when accounts are connected
}

// Connector is the connection to Instagram.
type Connector struct {
	client *httpcall.Client
	api    graph.API
	page   *Connector   // serves the accounts with Facebook Login; nil if this connector does
	dates  *graph.Dates // of Page tokens; nil if the accounts have Instagram Login

	codes         *httpcall.Client // exchanges codes of Instagram Login
	app, facebook oauth.Application
	inbox         []string
	first         bool // as Config.FirstComments
}

// New returns the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkInstagram, "Instagram"
	config.Wire.BaseURL = cmp.Or(config.Wire.BaseURL, OfficialAPI)
	config.Version = cmp.Or(config.Version, DefaultVersion)
	c, wrong := newConnector(config)
	if config.Wire.BaseURL = config.FacebookURL; config.FacebookURL == "" {
		config.Wire.BaseURL = OfficialFacebookAPI
	}
	page, err := newConnector(config)
	if err := errors.Join(wrong, err); err != nil {
		return nil, err
	}
	page.dates = &graph.Dates{
		Client: page.client, Version: config.Version, AppToken: config.AppToken, Class: page.failure,
	}
	c.page, c.app, c.facebook, c.inbox = page, config.App, config.Facebook, config.Inbox
	c.first = config.FirstComments
	c.codes = c.client
	if c.client.BaseURL() == OfficialAPI {
		config.Wire.BaseURL = officialTokens
		c.codes, err = httpcall.New(config.Wire)
	}
	return c, err
}

func newConnector(config Config) (*Connector, error) {
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("instagram: %w", err)
	}
	c := &Connector{client: client}
	c.api = graph.API{
		Client: client, Version: config.Version, CreateEdge: "media", PublishEdge: "media_publish",
		Fields: "status_code,status", Read: c.readContainer, Class: c.failure, Missing: missing,
	}
	return c, nil
}

// of returns the connector that serves the account's variant.
func (c *Connector) of(account platform.Account) *Connector {
	if account.Credentials.Variant == channel.FacebookLogin && c.page != nil {
		return c.page
	}
	return c
}

// Types returns only professional accounts. Instagram has no API for personal ones.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.InstagramProfessional} }

// Strength returns ReconcileExact: the container reports the outcome. Comments are listed and compared.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileExact }

// CarriesMedia marks the connector as a platform.Carrier. Every Instagram post has images or videos.
func (c *Connector) CarriesMedia() {}

// Commit publishes the container. After Instagram has confirmed the publication, no later error fails the call: if the
// permalink cannot be read, it is empty.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, content platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	if c = c.of(account); comments.IsFirst(content) {
		return c.commitFirst(ctx, account, content)
	}
	publication, err := c.api.Commit(ctx, account, handle)
	return publication, c.untilQuota(ctx, account, err)
}

// Reconcile reads the container's status. If it was published, Reconcile searches the account's posts or stories for
// it. Stories have no text, so the one nearest in time is taken.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	if c = c.of(account); comments.IsFirst(content) {
		return c.reconcileFirst(ctx, account, content, sent)
	}
	edge, fields := "media", "id,caption,permalink,timestamp,media_type"
	story := content.ContentType == post.ContentStory
	if story {
		edge, fields = "stories", "id,permalink,timestamp,media_type"
	}
	if story && sent.Handle == "" { // stories disappear after a day, so absence from the list proves nothing
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
	return c.api.Reconcile(ctx, account, sent, func(ctx context.Context, after string) (graph.ContainerPage, error) {
		query := url.Values{"fields": {fields}, "limit": {strconv.Itoa(pageSize)}}
		if after != "" {
			query.Set("after", after)
		}
		page, err := c.api.Page(ctx, account, query, account.ExternalID, edge)
		for i := range page.Posts {
			page.Posts[i].Textless = story
		}
		return page, err
	})
}

var errPageToken = errors.New("the token of a Page cannot be refreshed")

// Refresh exchanges the long-lived token of Instagram Login for one that is valid for another sixty days. It returns a
// failure of ClassReconnect for Facebook Login, because no call renews the token of a Page.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	if c = c.of(account); c.dates != nil {
		return channel.Credentials{}, c.client.Reconnect(errPageToken)
	}
	return c.api.Refresh(ctx, account, "ig_refresh_token")
}

// Renew refreshes the long-lived token of Instagram Login, and reads the dates of a Page's token.
func (c *Connector) Renew(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	if c = c.of(account); c.dates != nil {
		return c.dates.Read(ctx, account.Credentials)
	}
	return c.Refresh(ctx, account)
}

// Term returns the term of a long-lived token, which is renewed every week, or that of a Page's token.
func (c *Connector) Term(account platform.Account) platform.Term {
	if c.of(account).dates != nil {
		return graph.PageTerm(account.Credentials)
	}
	return c.api.Term(account)
}
