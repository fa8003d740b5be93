// Package bluesky publishes to Bluesky (AT Protocol), through the personal data server of the account.
//
// A post is one irrevocable call, com.atproto.repo.createRecord. The connector chooses the key of the record, and always
// the same one for a post: a server refuses a second record under a key, so that a repeated call cannot publish twice,
// and com.atproto.repo.getRecord decides exactly whether a call whose response was lost took effect. Before that call,
// files are uploaded and mentioned accounts are looked up; neither is visible.
package bluesky

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/network"
)

// Official URLs.
const (
	// OfficialServer is the server of accounts that name no other. It serves every account hosted by Bluesky.
	OfficialServer = "https://bsky.social"
	// OfficialApp shows posts.
	OfficialApp = "https://bsky.app"
	// OfficialVideo converts videos.
	OfficialVideo = "https://video.bsky.app"
)

// collection is the type of posts, and the name of their collection in an account's repository.
const collection = "app.bsky.feed.post"

var errNoToken = errors.New("the channel has no access token or no DID")

var _ platform.Carrier = (*Connector)(nil)

// Config configures the connector.
type Config struct {
	// Wire configures the API client. The connector sets Network and Name. BaseURL is OfficialServer if empty.
	Wire     httpcall.Config
	VideoURL string // base URL of the video service; OfficialVideo if empty
	AppURL   string // base URL of permalinks; OfficialApp if empty
	// Reach reaches the servers of accounts that name one. OneServer means that Wire.BaseURL serves all accounts.
	Reach     network.Servers
	OneServer bool
	Inbox     []string // the parts of the inbox that are on; see network.Reads
}

// Connector is the connection to Bluesky.
type Connector struct {
	client  *httpcall.Client // of the usual server
	servers *httpcall.Servers
	video   *httpcall.Client
	app     string
	inbox   []string
	whole   int64 // largest video that is sent in one call, in bytes
}

// New returns the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkBluesky, "Bluesky"
	config.Wire.BaseURL = cmp.Or(config.Wire.BaseURL, OfficialServer)
	pool, err := httpcall.NewServers(httpcall.ServersConfig{Wire: config.Wire, Only: config.OneServer, Reach: config.Reach})
	if err != nil {
		return nil, fmt.Errorf("bluesky: %w", err)
	}
	wire := config.Wire
	wire.BaseURL = cmp.Or(config.VideoURL, OfficialVideo)
	video, err := httpcall.New(wire)
	if err != nil {
		return nil, fmt.Errorf("bluesky: video service: %w", err)
	}
	app := strings.TrimRight(cmp.Or(config.AppURL, OfficialApp), "/")
	return &Connector{client: pool.Usual(), servers: pool, video: video, app: app, inbox: config.Inbox, whole: largestWhole}, nil
}

// Types returns only Bluesky.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.Bluesky} }

// Strength returns ReconcileExact: the post's id identifies its record.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileExact }

// CarriesMedia marks the connector as a platform.Carrier. It publishes images and videos.
func (c *Connector) CarriesMedia() {}

// session is an account with the client of its server.
type session struct {
	*httpcall.Client

	account platform.Account
}

// open returns the account's session. It makes no call.
func (c *Connector) open(account platform.Account) (session, error) {
	if account.Credentials.AccessToken == "" || account.ExternalID == "" {
		return session{}, c.client.Reconnect(errNoToken)
	}
	client, err := c.servers.Of(account)
	return session{Client: client, account: account}, err
}

// authorized adds the path of the method and the access token to a request.
func (s session) authorized(method string, request httpcall.Request) httpcall.Request {
	return withToken(method, s.account.Credentials.AccessToken, request)
}

func withToken(method, token string, request httpcall.Request) httpcall.Request {
	header := http.Header{"Authorization": {"Bearer " + token}}
	for name, values := range request.Header {
		header[name] = values
	}
	request.Path, request.Header = []string{"xrpc", method}, header
	request.Secrets = append(request.Secrets, token)
	return request
}

// ask makes a call that may be repeated, and decodes its response.
func (s session) ask(ctx context.Context, method string, request httpcall.Request, into any) error {
	response, err := s.Call(ctx, s.authorized(method, request))
	if err != nil {
		return err
	}
	if !response.OK() {
		return failure(s.Client, response)
	}
	if response.Decode(into) != nil {
		return s.Unclear(response, "not the response of "+method)
	}
	return nil
}
