// Package httpcall is the HTTP client that all connectors share. It makes repeatable calls and the one irrevocable call
// (design, Publish protocol).
//
// Connectors can rely on these properties: no redirect is followed, no proxy of the environment is used, no cookie is
// stored, a response is read completely or not at all, and no error contains a credential.
//
// It also has what connectors share that upload attachments before that call (Window), and that call servers which users
// choose (Servers), whose connections pass the rules for outgoing requests.
package httpcall

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/telemetry/traces"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/network"
)

// Defaults of a Config.
const (
	DefaultCallTimeout = 30 * time.Second
	DefaultDialTimeout = 10 * time.Second
	DefaultUserAgent   = "fencepost"
)

// Limits of a response.
const (
	maxResponse       = 1 << 20
	maxResponseHeader = 64 << 10
)

// Config describes one network's API.
type Config struct {
	Network   channel.Network
	Name      string // the network's usual name, for messages
	BaseURL   string // absolute http or https URL that every path is appended to
	UserAgent string // DefaultUserAgent if empty
	Clock     clock.Clock

	// CallTimeout limits a repeatable call, from dialing to the last byte. DefaultCallTimeout if zero.
	CallTimeout   time.Duration
	CommitTimeout time.Duration // timeout of the irrevocable call; platform.DefaultCommitTimeout if zero
	DialTimeout   time.Duration // timeout of connecting and of the TLS handshake, each; DefaultDialTimeout if zero
	StallTimeout  time.Duration // how long a body may make no progress; DefaultStallTimeout if zero

	// RootCAs replaces the system's root certificates if set.
	RootCAs *x509.CertPool
	// Dial replaces net.Dialer if set.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Observe is called after every call if set. It must not block.
	Observe func(context.Context, Exchange)
}

// Exchange is one finished call, for metrics and logs. It contains no content and no credential.
type Exchange struct {
	Network   channel.Network
	Operation string
	Commit    bool // the irrevocable call
	Status    int  // zero if there was no response
	Duration  time.Duration
	Err       error // nil if there was a complete response
}

// Client makes calls to one network. It is safe for concurrent use.
type Client struct {
	config Config
	base   *url.URL
	calls  *http.Client
}

// New checks the configuration and returns a Client.
func New(config Config) (*Client, error) {
	base, err := parseBase(config.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("%s: base address: %w", config.Network, err)
	}
	if config.Network == "" || config.Name == "" || config.Clock == nil {
		return nil, errors.New("httpcall: network, name and clock are needed")
	}
	setDefault(&config.CallTimeout, DefaultCallTimeout)
	setDefault(&config.CommitTimeout, platform.DefaultCommitTimeout)
	setDefault(&config.DialTimeout, DefaultDialTimeout)
	setDefault(&config.StallTimeout, DefaultStallTimeout)
	config.UserAgent = cmp.Or(config.UserAgent, DefaultUserAgent)
	if config.Dial == nil {
		config.Dial = (&net.Dialer{Timeout: config.DialTimeout}).DialContext
	}
	c := &Client{config: config, base: base}
	c.calls = httpClient(c.callTransport())
	return c, nil
}

// Name returns the network's usual name.
func (c *Client) Name() string { return c.config.Name }

// Now returns the current time of the client's clock.
func (c *Client) Now() time.Time { return c.config.Clock.Now() }

// BaseURL returns the URL that every path is appended to, without a trailing slash.
func (c *Client) BaseURL() string { return c.base.String() }

// Close closes idle connections.
func (c *Client) Close() { c.calls.CloseIdleConnections() }

func (c *Client) callTransport() *http.Transport {
	const idleTimeout = 90 * time.Second
	return &http.Transport{
		DialContext:            c.config.Dial,
		TLSClientConfig:        c.tlsConfig(""), // the host of each request
		TLSHandshakeTimeout:    c.config.DialTimeout,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxResponseHeader,
		DisableCompression:     true,
	}
}

func (c *Client) tlsConfig(host string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		RootCAs:    c.config.RootCAs,
		ServerName: host,
		NextProtos: []string{"http/1.1"},
	}
}

func httpClient(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     traces.Transport(transport),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func parseBase(text string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("not an address")
	}
	if base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "" {
		return nil, errors.New("must be an absolute http or https URL")
	}
	if base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("must not have a user, query or fragment")
	}
	base.Path = trimSlash(base.Path)
	base.RawPath = trimSlash(base.RawPath)
	return base, nil
}

func trimSlash(path string) string {
	for len(path) > 0 && path[len(path)-1] == '/' {
		path = path[:len(path)-1]
	}
	return path
}

func setDefault(value *time.Duration, preset time.Duration) {
	if *value <= 0 {
		*value = preset
	}
}

// At returns the configuration of the API at the base URL.
func At(base string, w network.Wiring) Config {
	return Config{BaseURL: base, Clock: w.Clock, CommitTimeout: w.CommitTimeout}
}
