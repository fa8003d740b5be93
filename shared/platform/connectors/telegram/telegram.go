// Package telegram publishes to channels and groups of Telegram through the Bot API.
//
// A message with all its files is one irrevocable call and there is no way to ask afterwards whether it was made: bots cannot read a
// chat's history. An answer that is lost leaves the outcome unknown for good, therefore the call waits long for it.
package telegram

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"socialpub.internal/shared/domain/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/connectors/internal/httpcall"
)

// Official addresses.
const (
	OfficialAPI       = "https://api.telegram.org"
	officialPermalink = "https://t.me"
)

// Limits.
const (
	// DefaultCommitTimeout is longer than other networks': see the package's comment.
	DefaultCommitTimeout = 60 * time.Second
)

var _ platform.Carrier = (*Connector)(nil)

// Config of the connector.
type Config struct {
	// Wire says where the API is and how to call it. Network and Name are set by the connector; BaseURL is
	// OfficialAPI and CommitTimeout DefaultCommitTimeout when empty.
	Wire httpcall.Config
	// PermalinkURL is where messages are shown. Empty: t.me for the official API; for any other, which stands in for
	// Telegram and shows its own pages, the API's address.
	PermalinkURL string
}

// Connector is the connection to Telegram. An account's access token is the bot's token, its external id the chat:
// a number, or @name.
type Connector struct {
	client    *httpcall.Client
	permalink string
}

// New makes the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkTelegram, "Telegram"
	if config.Wire.BaseURL == "" {
		config.Wire.BaseURL = OfficialAPI
	}
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

// Types is Telegram channels and groups.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.TelegramChannel} }

// Strength is none: bots cannot read history.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileNone }

// CarriesMedia tells that attachments are published: photos, films, animations and files.
func (c *Connector) CarriesMedia() {}

// Reconcile cannot know anything.
func (c *Connector) Reconcile(
	context.Context, platform.Account, platform.Content, platform.Sent,
) (platform.Evidence, platform.Publication, error) {
	return platform.EvidenceUnclear, platform.Publication{}, nil
}

// Refresh cannot help: a bot's token lives until it is revoked, and then a person must give a new one.
func (c *Connector) Refresh(context.Context, platform.Account) (channel.Credentials, error) {
	return channel.Credentials{}, c.client.Reconnect(errors.New("bot tokens cannot be refreshed"))
}

// tokenPattern is the shape of a bot's token. A token of another shape is not sent: it is part of the address.
var tokenPattern = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{1,128}$`)

var errToken = errors.New("the channel has no bot token or no chat")
