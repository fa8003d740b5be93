// Package threads publishes to Threads (graph.threads.net).
//
// A post takes two steps: a container is made, which nobody sees and which lives for a day, and then published. The
// second step is the irrevocable one. Because the container tells its status, what became of a publish whose answer
// was lost can be read exactly.
package threads

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"socialpub.internal/shared/channel"
	"socialpub.internal/shared/platform"
	"socialpub.internal/shared/platform/wire"
)

// OfficialAPI is the address of the API, without a version.
const OfficialAPI = "https://graph.threads.net"

// Defaults and limits.
const (
	DefaultVersion = "v1.0"
	// containerWait is how long Threads asks to wait before it is asked again about a container.
	containerWait = 30 * time.Second
	// permalinkTimeout bounds the call after the publish, whose failure costs only the link.
	permalinkTimeout = 5 * time.Second
)

var _ platform.Connector = (*Connector)(nil)

// Config of the connector.
type Config struct {
	// Wire says where the API is and how to call it. Network and Name are set by the connector; BaseURL is
	// OfficialAPI when empty.
	Wire    wire.Config
	Version string // DefaultVersion when empty
}

// Connector is the connection to Threads.
type Connector struct {
	client  *wire.Client
	version string
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
	client, err := wire.New(config.Wire)
	if err != nil {
		return nil, fmt.Errorf("threads: %w", err)
	}
	return &Connector{client: client, version: config.Version}, nil
}

// Types is Threads alone.
func (c *Connector) Types() []channel.Type { return []channel.Type{channel.Threads} }

// Strength is exact: the container tells.
func (c *Connector) Strength() platform.ReconcileStrength { return platform.ReconcileExact }

// idPattern is the shape of Meta's ids. Anything else in their place is refused: it would end up in addresses.
var idPattern = regexp.MustCompile(`^[0-9]{1,32}$`)

var (
	errNoToken  = errors.New("the channel has no access token or no account id")
	errNoHandle = errors.New("the container is missing")
)

func usable(account platform.Account) bool {
	return account.Credentials.AccessToken != "" && account.ExternalID != ""
}

// get reads something of the account.
func (c *Connector) get(
	ctx context.Context, operation string, account platform.Account, query url.Values, path ...string,
) (wire.Response, error) {
	query.Set("access_token", account.Credentials.AccessToken)
	return c.client.Call(ctx, wire.Request{
		Operation: operation,
		Path:      append([]string{c.version}, path...),
		Query:     query,
		Secrets:   []string{account.Credentials.AccessToken},
	})
}

// form is a POST for the account; the token travels in the body, not in the address.
func (c *Connector) form(operation string, account platform.Account, form url.Values, path ...string) wire.Request {
	form.Set("access_token", account.Credentials.AccessToken)
	return wire.Request{
		Operation: operation,
		Method:    http.MethodPost,
		Path:      append([]string{c.version}, path...),
		Form:      form,
		Secrets:   []string{account.Credentials.AccessToken},
	}
}
