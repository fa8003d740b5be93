// Package threads publishes to Threads (graph.threads.net).
//
// A post takes two steps: a container is made, which nobody sees and which lives for a day, and then published. The
// second step is the irrevocable one. Because the container tells its status, what became of a publish whose answer
// was lost can be read exactly. Pictures and films are fetched by Threads from addresses in the containers; several of
// them are a carousel, whose items are containers too.
package threads

import (
	"fmt"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/graph/containers"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// OfficialAPI is the address of the API, without a version.
const OfficialAPI = "https://graph.threads.net"

// DefaultVersion is the version of the API.
const DefaultVersion = "v1.0"

var _ platform.Carrier = (*Connector)(nil)

// Config of the connector.
type Config struct {
	// Wire says where the API is and how to call it. Network and Name are set by the connector; BaseURL is
	// OfficialAPI when empty.
	Wire    httpcall.Config
	Version string // DefaultVersion when empty
}

// Connector is the connection to Threads.
type Connector struct {
	client *httpcall.Client
	api    containers.API
}

// New makes the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkThreads, "Threads"
	if config.Wire.BaseURL == "" {
		config.Wire.BaseURL = OfficialAPI
	}
	if config.Version == "" {
		config.Version = DefaultVersion
	}
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("threads: %w", err)
	}
	c := &Connector{client: client}
	c.api = containers.API{
		Client: client, Version: config.Version, CreateEdge: "threads", PublishEdge: "threads_publish",
		Fields: "status,error_message", Read: c.readContainer, Class: c.failure, Missing: missing,
	}
	return c, nil
}

// Types is Threads alone.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.Threads} }

// Strength is exact: the container tells.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileExact }

// CarriesMedia tells that pictures and films are published.
func (c *Connector) CarriesMedia() {}
