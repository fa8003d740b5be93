// Package instagram publishes to Instagram's professional accounts (Instagram API with Instagram Login).
//
// A post takes two steps. The connector creates a container, which is invisible and lives for a day, and then publishes
// it. The second step is irrevocable. Instagram fetches images and videos asynchronously from the URLs in the
// containers. Several files form a carousel, whose items are also containers. The container reports its status, so the
// outcome of a publish call whose response was lost can be determined exactly. The steps are the same for accounts that
// are connected through a Facebook Page, at the URL of the Graph API.
package instagram

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/domain/post"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/graph/containers"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// OfficialAPI is the URL of the API, without a version.
const OfficialAPI = "https://graph.instagram.com"

// DefaultVersion is the version of the API.
const DefaultVersion = "v26.0"

// pageSize is the number of the account's posts per page. Their captions fit into the size limit of a response.
const pageSize = 50

var _ platform.Carrier = (*Connector)(nil)

// Config configures the connector.
type Config struct {
	// Wire configures the API client. The connector sets Network and Name. BaseURL is OfficialAPI if empty.
	Wire    httpcall.Config
	Version string // DefaultVersion if empty
}

// Connector is the connection to Instagram.
type Connector struct {
	client *httpcall.Client
	api    containers.API
}

// New returns the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkInstagram, "Instagram"
	if config.Wire.BaseURL == "" {
		config.Wire.BaseURL = OfficialAPI
	}
	if config.Version == "" {
		config.Version = DefaultVersion
	}
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("instagram: %w", err)
	}
	c := &Connector{client: client}
	c.api = containers.API{
		Client: client, Version: config.Version, CreateEdge: "media", PublishEdge: "media_publish",
		Fields: "status_code,status", Read: c.readContainer, Class: c.failure, Missing: missing,
	}
	return c, nil
}

// Types returns only professional accounts. Instagram has no API for personal ones.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.InstagramProfessional} }

// Strength returns ReconcileExact: the container reports the outcome.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileExact }

// CarriesMedia marks the connector as a platform.Carrier. Every Instagram post has images or videos.
func (c *Connector) CarriesMedia() {}

// Commit publishes the container. After Instagram has confirmed the publication, no later error fails the call: if the
// permalink cannot be read, it is empty.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, _ platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	publication, err := c.api.Commit(ctx, account, handle)
	return publication, c.untilQuota(ctx, account, err)
}

// Reconcile reads the container's status. If it was published, Reconcile searches the account's posts or stories for
// it. Stories have no text, so the one nearest in time is taken.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	edge, fields := "media", "id,caption,permalink,timestamp,media_type"
	story := content.ContentType == post.ContentStory
	if story {
		edge, fields = "stories", "id,permalink,timestamp,media_type"
	}
	if story && sent.Handle == "" { // stories disappear after a day, so absence from the list proves nothing
		return platform.EvidenceUnclear, platform.Publication{}, nil
	}
	return c.api.Reconcile(ctx, account, sent, func(ctx context.Context, after string) (containers.Page, error) {
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

// Refresh exchanges the long-lived token for one that is valid for another sixty days.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	return c.api.Refresh(ctx, account, "ig_refresh_token")
}
