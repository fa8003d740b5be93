// Package mastodon publishes to Mastodon and to other servers that speak its client API.
//
// A post is one irrevocable call, POST /api/v1/statuses, with an Idempotency-Key that depends on the post alone. A server
// returns for a repeated key the first status for an hour. Before that call, files are uploaded; they are invisible, and
// servers delete unused ones after a day. To determine the outcome of a call whose response was lost, the connector
// lists the account's recent statuses.
package mastodon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors/internal/httpcall"
	"fencepost.internal/shared/platform/network"
)

// OfficialServer is the server of accounts whose id names no other.
const OfficialServer = "https://mastodon.social"

var (
	errNoToken  = errors.New("the channel has no access token or no account id")
	errNoSecret = errors.New("the secret of the application that got the token is not stored")
	errNoRenew  = errors.New("access tokens of Mastodon do not expire and cannot be refreshed")
)

// accountPattern matches the ids of accounts: the server's host, a slash, and the account's id on its server.
var accountPattern = regexp.MustCompile(`^(?:([a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?)/)?([0-9A-Za-z_]{1,40})$`)

// idPattern matches the ids of statuses and files, which are numbers on Mastodon and other words on other software.
var idPattern = regexp.MustCompile(`^[0-9A-Za-z]{1,40}$`)

var _ platform.Carrier = (*Connector)(nil)

// Config configures the connector.
type Config struct {
	// Wire configures the API client. The connector sets Network and Name. BaseURL is OfficialServer if empty.
	Wire httpcall.Config
	// Reach reaches the servers of accounts. OneServer means that Wire.BaseURL serves all accounts. Sandbox means that it
	// is the sandbox network, which plays other servers beside it.
	Reach              network.Servers
	OneServer, Sandbox bool
	Inbox              []string // the parts of the inbox that are on; see network.Reads
	// Registrations stores the applications at servers; in memory if nil.
	Registrations platform.Registrations
}

// Connector is the connection to Mastodon.
type Connector struct {
	client     *httpcall.Client // of the usual server
	servers    *httpcall.Servers
	usual      string // URL of the usual server in the ids of accounts
	registered platform.Registrations
	inbox      []string

	mu     sync.Mutex
	limits map[string]limits // by the server's URL
}

// New returns the connector.
func New(config Config) (*Connector, error) {
	config.Wire.Network, config.Wire.Name = channel.NetworkMastodon, "Mastodon"
	config.Wire.BaseURL = cmp.Or(config.Wire.BaseURL, OfficialServer)
	of := httpcall.ServersConfig{Wire: config.Wire, Only: config.OneServer, Reach: config.Reach}
	if config.Sandbox {
		of.Sandbox = &httpcall.ServersSandbox{Usual: "https://" + sandboxHost, At: sandboxAt(config.Wire.BaseURL)}
	}
	pool, err := httpcall.NewServers(of)
	if err != nil {
		return nil, fmt.Errorf("mastodon: %w", err)
	}
	c := &Connector{
		client: pool.Usual(), servers: pool, usual: pool.Usual().BaseURL(), registered: config.Registrations,
		limits: make(map[string]limits), inbox: config.Inbox,
	}
	if config.OneServer || config.Sandbox {
		c.usual = "https://" + sandboxHost
	}
	if c.registered == nil {
		c.registered = &memory{applications: make(map[[2]string]string)}
	}
	return c, nil
}

// Types returns only Mastodon.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.Mastodon} }

// Strength returns ReconcileMatch: recent statuses can be listed and compared.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileMatch }

// CarriesMedia marks the connector as a platform.Carrier. It publishes images, animations and videos.
func (c *Connector) CarriesMedia() {}

// Refresh returns a failure of ClassReconnect: a refused token was revoked.
func (c *Connector) Refresh(context.Context, platform.Account) (channel.Credentials, error) {
	return channel.Credentials{}, c.client.Reconnect(errNoRenew)
}

// Term returns the zero Term: an access token does not expire.
func (c *Connector) Term(platform.Account) platform.Term { return platform.Term{} }

// session is an account with the client of its server.
type session struct {
	*httpcall.Client

	account platform.Account
	id      string // of the account on its server
	host    string // of the server in the account's id; empty for the usual server
}

// open returns the account's session. It makes no call.
func (c *Connector) open(account platform.Account) (session, error) {
	parts := accountPattern.FindStringSubmatch(account.ExternalID)
	if account.Credentials.AccessToken == "" || parts == nil {
		return session{}, c.client.Reconnect(errNoToken)
	}
	account.Credentials.Server = ""
	if parts[1] != "" {
		account.Credentials.Server = "https://" + parts[1]
	}
	client, err := c.servers.Of(account)
	return session{Client: client, account: account, id: parts[2], host: parts[1]}, err
}

// authorized adds the path and the access token to a request.
func (s session) authorized(request httpcall.Request, path ...string) httpcall.Request {
	token := s.account.Credentials.AccessToken
	header := http.Header{"Authorization": {"Bearer " + token}}
	for name, values := range request.Header {
		header[name] = values
	}
	request.Path, request.Header = append([]string{"api"}, path...), header
	request.Secrets = append(request.Secrets, token)
	return request
}

// Identify reads the account of the access token.
func (c *Connector) Identify(ctx context.Context, account platform.Account) (platform.Identity, error) {
	s, err := c.open(account)
	if err != nil {
		return platform.Identity{}, err
	}
	var found struct {
		ID       string `json:"id"`
		Username string `json:"username"`
	}
	response, err := s.AskIdentity(ctx, s.authorized(httpcall.Request{}, "v1", "accounts", "verify_credentials"),
		func(response httpcall.Response) *platform.Failure { return failure(s.Client, response) }, &found)
	if err != nil {
		return platform.Identity{}, err
	}
	if found.ID != "" && s.host != "" {
		found.ID = s.host + "/" + found.ID
	}
	return s.Identity(response, found.ID, strings.TrimPrefix(found.Username, "@"))
}
