// Package telegram publishes to channels and groups of Telegram through the Bot API.
//
// A message with all its files is one irrevocable call. Its outcome cannot be queried afterwards, because bots cannot
// read a chat's history. A lost response leaves the outcome permanently unknown, so the call has a long timeout.
package telegram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Official URLs.
const (
	OfficialAPI       = "https://api.telegram.org"
	officialPermalink = "https://t.me"
)

// Limits.
const (
	// DefaultCommitTimeout is longer than that of other networks: see the package comment.
	DefaultCommitTimeout = 60 * time.Second
)

var _ platform.Carrier = (*Connector)(nil)

// Config configures the connector.
type Config struct {
	// Wire configures the API client. The connector sets Network and Name. BaseURL is OfficialAPI if empty, and
	// CommitTimeout is DefaultCommitTimeout if zero.
	Wire httpcall.Config
	// PermalinkURL is the base URL of messages. If empty, it is t.me for the official API, and the API's URL for any
	// other, which replaces Telegram and serves its own pages.
	PermalinkURL string
}

// Connector is the connection to Telegram. An account's access token is the bot's token. Its external id is the chat: a
// number, or @name.
type Connector struct {
	client    *httpcall.Client
	permalink string
}

// New returns the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkTelegram, "Telegram"
	config.Wire.BaseURL = cmp.Or(config.Wire.BaseURL, OfficialAPI)
	if config.Wire.CommitTimeout <= 0 {
		config.Wire.CommitTimeout = DefaultCommitTimeout
	}
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("telegram: %w", err)
	}
	permalink := config.PermalinkURL
	if permalink == "" {
		permalink = client.BaseURL()
		if permalink == OfficialAPI {
			permalink = officialPermalink
		}
	}
	return &Connector{client: client, permalink: permalink}, nil
}

// Types returns Telegram channels, which include groups.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.TelegramChannel} }

// Strength returns ReconcileNone: bots cannot read history.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileNone }

// CarriesMedia marks the connector as a platform.Carrier. It publishes photos, videos, animations and documents.
func (c *Connector) CarriesMedia() {}

// Reconcile returns EvidenceUnclear.
func (c *Connector) Reconcile(
	context.Context, platform.Account, platform.Content, platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

// Refresh returns a failure of ClassReconnect. A bot's token is valid until it is revoked, and then a user must provide
// a new one.
func (c *Connector) Refresh(context.Context, platform.Account) (channel.Credentials, error) {
	return channel.Credentials{}, c.client.Reconnect(errors.New("bot tokens cannot be refreshed"))
}

// Term returns the zero Term: a bot's token does not expire.
func (c *Connector) Term(platform.Account) platform.Term { return platform.Term{} }

// tokenPattern matches a bot's token. A malformed token is not sent, because the token is part of the URL.
var tokenPattern = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{1,128}$`)

var errToken = errors.New("the channel has no bot token or no chat")
