// Package threads publishes to Threads (graph.threads.net).
//
// A post takes two steps. The connector creates a container, which is invisible and lives for a day, and then publishes
// it. The second step is irrevocable. The container reports its status, so the outcome of a publish call whose response
// was lost can be determined exactly. Threads fetches images and videos from the URLs in the containers. Several files
// form a carousel, whose items are also containers.
package threads

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/graph"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/connectors/internal/oauth"
)

// OfficialAPI is the URL of the API, without a version.
const OfficialAPI = "https://graph.threads.net"

// DefaultVersion is the version of the API.
const DefaultVersion = "v1.0"

// DefaultSettle is the wait between a finished container and its publication. Threads reports some as finished that it
// cannot publish yet ("Media Not Found").
const DefaultSettle = 3 * time.Second

var _ platform.Carrier = (*Connector)(nil)

// Config configures the connector.
type Config struct {
	// Wire configures the API client. The connector sets Network and Name. BaseURL is OfficialAPI if empty.
	Wire    httpcall.Config
	Version string            // DefaultVersion if empty
	Settle  time.Duration     // DefaultSettle if zero
	App     oauth.Application // with which accounts are connected
	Inbox   []string          // the parts of the inbox that the operator has turned on
	Replies bool              // ask for the permissions for threads and first comments when accounts are connected
}

// Connector is the connection to Threads.
type Connector struct {
	client *httpcall.Client
	api    graph.API
	app    oauth.Application
	inbox  []string
	writes bool // as Config.Replies
}

// New returns the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkThreads, "Threads"
	config.Wire.BaseURL = cmp.Or(config.Wire.BaseURL, OfficialAPI)
	config.Version = cmp.Or(config.Version, DefaultVersion)
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("threads: %w", err)
	}
	c := &Connector{client: client, app: config.App, inbox: config.Inbox, writes: config.Replies}
	c.api = graph.API{
		Client: client, Version: config.Version, CreateEdge: "threads", PublishEdge: "threads_publish",
		Fields: "status,error_message", Read: c.readContainer, Class: c.failure, Missing: missing, Settle: cmp.Or(config.Settle, DefaultSettle),
	}
	return c, nil
}

// Types returns only Threads.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.Threads} }

// Strength returns ReconcileExact: the container reports the outcome.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileExact }

// Quota reads how many posts the account has published through the API, and may publish.
func (c *Connector) Quota(ctx context.Context, account platform.Account) (platform.QuotaUsage, error) {
	return c.api.QuotaUsage(ctx, account, "threads_publishing_limit")
}

// CarriesMedia marks the connector as a platform.Carrier. It publishes images and videos.
func (c *Connector) CarriesMedia() {}
