// Package instagram publishes to Instagram's professional accounts (Instagram API with Instagram Login).
//
// A post takes two steps: a container is made, which nobody sees and which lives for a day, and then published. The second step
// is the irrevocable one. Instagram fetches pictures and films from addresses in the containers, in its own time; several of
// them are a carousel, whose items are containers too. Because the container tells its status, what became of a publish whose
// answer was lost can be read exactly. The steps are the same for accounts that are connected through a Facebook Page, at the
// address of the Graph API.
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

// OfficialAPI is the address of the API, without a version.
const OfficialAPI = "https://graph.instagram.com"

// DefaultVersion is the version of the API.
const DefaultVersion = "v26.0"

// pageSize is how many posts of the account are read at a time; the captions of so many fit into an answer.
const pageSize = 50

var _ platform.Carrier = (*Connector)(nil)

// Config of the connector.
type Config struct {
	// Wire says where the API is and how to call it. Network and Name are set by the connector; BaseURL is
	// OfficialAPI when empty.
	Wire    httpcall.Config
	Version string // DefaultVersion when empty
}

// Connector is the connection to Instagram.
type Connector struct {
	client *httpcall.Client
	api    containers.API
}

// New makes the connector.
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

// Types is professional accounts alone: Instagram has no API for personal ones.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.InstagramProfessional} }

// Strength is exact: the container tells.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileExact }

// CarriesMedia tells that pictures and films are published; nothing else is.
func (c *Connector) CarriesMedia() {}

// Commit publishes the container. Once Instagram has said yes, nothing can undo it: the permalink is read as far as that goes,
// and stays empty otherwise.
func (c *Connector) Commit(
	ctx context.Context, account platform.Account, _ platform.Content, handle platform.Handle,
) (platform.Publication, error) {
	return c.api.Commit(ctx, account, handle)
}

// Reconcile asks the container, and when it was published looks through the account's posts or stories for the one that it
// became. Stories show no text: theirs is the one nearest in time.
func (c *Connector) Reconcile(
	ctx context.Context, account platform.Account, content platform.Content, sent platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	edge, fields := "media", "id,caption,permalink,timestamp,media_type"
	story := content.ContentType == post.ContentStory
	if story {
		edge, fields = "stories", "id,permalink,timestamp,media_type"
	}
	if story && sent.Handle == "" { // stories vanish after a day: that none is there proves nothing
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

// Refresh exchanges the long-lived token for one with another sixty days.
func (c *Connector) Refresh(ctx context.Context, account platform.Account) (channel.Credentials, error) {
	return c.api.Refresh(ctx, account, "ig_refresh_token")
}
