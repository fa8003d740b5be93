// Package x publishes to X (API v2, user context).
//
// A post is one irrevocable call, POST /2/tweets. Before it, attachments are uploaded in segments. Uploads are
// invisible until they are part of a post, and X deletes them after a day. X has no idempotency key. To determine the
// outcome of a call whose response was lost, the connector lists the account's recent posts and compares texts and
// media.
package x

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
)

// Official URLs.
const (
	OfficialAPI       = "https://api.x.com"
	officialPermalink = "https://x.com"
)

var _ platform.Carrier = (*Connector)(nil)

// Config configures the connector.
type Config struct {
	// Wire configures the API client. The connector sets Network and Name. BaseURL is OfficialAPI if empty.
	Wire         httpcall.Config
	ClientID     string // of the OAuth 2.0 client
	ClientSecret string // empty for a public client
	// PermalinkURL is the base URL of posts. If empty, it is x.com for the official API, and the API's URL for any
	// other, which replaces X and serves its own pages.
	PermalinkURL string
	// AuthorizeURL is the page on which people allow access. If empty, it is on the host of permalinks.
	AuthorizeURL string
	Dialect      Dialect // TweetFields if empty
	// SegmentSize is the size of an upload's segments in bytes; DefaultSegmentSize if zero.
	SegmentSize int64
}

// Dialect is the query parameter that selects the fields of posts. Its responses name the full text of a long post after
// it, and X documents that the two may not be mixed.
type Dialect string

// The dialects. The API description of X has only post.fields since version 2.167 of 2026-08-07, and X still accepts
// tweet.fields.
const (
	TweetFields Dialect = "tweet.fields"
	PostFields  Dialect = "post.fields"
)

// note returns the name of the field with the full text of a long post.
func (d Dialect) note() string {
	if d == PostFields {
		return "note_post"
	}
	return "note_tweet"
}

var (
	errDialect = errors.New("x: the dialect is neither tweet.fields nor post.fields")
	errSegment = fmt.Errorf("x: the segment size is not from %d to %d bytes", smallestSegment, largestSegment)
)

// Connector is the connection to X.
type Connector struct {
	client    *httpcall.Client
	config    Config
	permalink string
}

// New returns the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkX, "X"
	config.Wire.BaseURL = cmp.Or(config.Wire.BaseURL, OfficialAPI)
	config.Dialect = cmp.Or(config.Dialect, TweetFields)
	config.SegmentSize = cmp.Or(config.SegmentSize, DefaultSegmentSize)
	if config.Dialect != TweetFields && config.Dialect != PostFields {
		return nil, errDialect
	}
	if config.SegmentSize < smallestSegment || config.SegmentSize > largestSegment {
		return nil, errSegment
	}
	client, err := httpcall.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("x: %w", err)
	}
	permalink := strings.TrimRight(config.PermalinkURL, "/")
	if permalink == "" {
		permalink = client.BaseURL()
		if permalink == OfficialAPI {
			permalink = officialPermalink
		}
	}
	return &Connector{client: client, config: config, permalink: permalink}, nil
}

// Types returns only X.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.Twitter} }

// Strength returns ReconcileMatch: recent posts can be listed and compared.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileMatch }

// CarriesMedia marks the connector as a platform.Carrier. It publishes images, animations and videos.
func (c *Connector) CarriesMedia() {}

func bearer(account platform.Account) http.Header {
	return http.Header{"Authorization": {"Bearer " + account.Credentials.AccessToken}}
}
