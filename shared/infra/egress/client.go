package egress

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"time"

	"golang.org/x/net/http/httpguts"

	"fencepost.internal/shared/infra/telemetry/traces"
)

const (
	defaultTimeout = 15 * time.Second
	defaultMaxBody = 16 << 10
	maxHead        = 64 << 10
)

// Config configures a client.
type Config struct {
	Policy    *Policy
	Profile   Profile
	UserAgent string         // sent with every request
	Timeout   time.Duration  // of one exchange, from resolution to the last byte read; 0 means 15 seconds
	MaxBody   int64          // maximum number of bytes read from a response; 0 means 16 KiB
	Resolver  Resolver       // nil means Go's own resolver
	RootCAs   *x509.CertPool // nil means the system's certificate authorities
}

// Request is one request to a URL that a user chose.
type Request struct {
	Method string // empty means POST
	URL    string // checked by the parse gate at each use
	Header http.Header
	Body   []byte
}

// Response is the beginning of a response.
type Response struct {
	Status    int
	Header    http.Header
	Body      []byte // at most Config.MaxBody bytes, not decompressed
	Truncated bool   // the response was longer
}

// Client sends single requests. It follows no redirects, stores no cookies, and is safe for concurrent use.
type Client struct {
	policy    *Policy
	profile   Profile
	userAgent string
	timeout   time.Duration
	maxBody   int64
	dialer    *dialer
	transport http.RoundTripper
}

// NewClient returns a client. It returns an error if the policy, profile or user agent is missing or a limit is
// negative.
func NewClient(config Config) (*Client, error) {
	switch {
	case config.Policy == nil:
		return nil, errors.New("egress: Config.Policy is missing")
	case !config.Profile.valid():
		return nil, errors.New("egress: Config.Profile is missing")
	case config.UserAgent == "" || !httpguts.ValidHeaderFieldValue(config.UserAgent):
		return nil, errors.New("egress: Config.UserAgent is missing or malformed")
	case config.Timeout < 0 || config.MaxBody < 0:
		return nil, errors.New("egress: a limit is negative")
	}

	client := &Client{
		policy:    config.Policy,
		profile:   config.Profile,
		userAgent: config.UserAgent,
		timeout:   config.Timeout,
		maxBody:   config.MaxBody,
	}

	client.timeout = cmp.Or(client.timeout, defaultTimeout)

	client.maxBody = cmp.Or(client.maxBody, defaultMaxBody)

	client.dialer = &dialer{
		policy:   config.Policy,
		profile:  config.Profile,
		resolver: resolverOr(config.Resolver),
		total:    client.timeout,
		roots:    config.RootCAs,
		connect:  connect,
	}
	client.transport = traces.Transport(newTransport(client.dialer))

	return client, nil
}

// Dialer returns a function with the signature of net.Dialer.DialContext for a client of another package, which has
// called ParseGate with the URL. Each connection passes the dial gate. The resolver may be nil.
func (p *Policy) Dialer(profile Profile, resolver Resolver) func(context.Context, string, string) (net.Conn, error) {
	d := &dialer{
		policy: p, profile: profile, resolver: resolverOr(resolver), total: defaultTimeout, connect: connect,
	}
	return d.dialPlain
}

func resolverOr(resolver Resolver) Resolver {
	if resolver == nil {
		// The resolver of the C library accepts 127.1 and 0x7f000001 as addresses.
		return &net.Resolver{PreferGo: true}
	}

	return resolver
}

// newTransport returns a new transport instead of a clone of http.DefaultTransport, which would use the proxy of the
// environment.
//
// Every request uses its own connection. Reusing one would save a handshake, but the connection would outlive the check
// of its name, and a request on it would fail if the server closed it at that moment. net/http also writes data that
// arrives on an idle connection to the global log, which tenant data must not reach.
func newTransport(dialer *dialer) *http.Transport {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)

	return &http.Transport{
		Proxy:                  nil,
		DialContext:            dialer.dialPlain,
		DialTLSContext:         dialer.dialTLS,
		Protocols:              protocols,
		DisableCompression:     true,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: maxHead,
	}
}

// Do sends a request and reads the beginning of the response. Responses with any status are returned, including
// redirects.
//
// The error is an *Error, except for a request with invalid headers or method. If the response header arrived but the
// body broke off, Do returns both the partial response and the error.
func (c *Client) Do(ctx context.Context, request Request) (*Response, error) {
	target, err := c.policy.ParseGate(c.profile, request.URL)
	if err != nil {
		return nil, err
	}

	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()

	received := &reception{}

	outgoing, err := c.build(httptrace.WithClientTrace(ctx, received.trace()), target.String(), request)
	if err != nil {
		return nil, err
	}

	// The transport instead of an http.Client, so that no redirect is followed.
	response, err := c.transport.RoundTrip(outgoing)
	if err != nil {
		return nil, received.classify(ctx, err)
	}

	defer func() { _ = response.Body.Close() }() // closes the connection without reading the rest

	return c.read(ctx, response)
}

func (c *Client) read(ctx context.Context, result *http.Response) (*Response, error) {
	response := &Response{Status: result.StatusCode, Header: result.Header}

	if result.StatusCode == http.StatusSwitchingProtocols {
		return response, newError(ClassProtocol, StageExchange, errors.New("egress: unexpected protocol switch"))
	}

	body, err := io.ReadAll(io.LimitReader(result.Body, c.maxBody+1))

	response.Body = body
	if int64(len(body)) > c.maxBody {
		response.Body, response.Truncated = body[:c.maxBody], true
	}

	if err != nil && !response.Truncated {
		return response, classify(ctx, err)
	}

	return response, nil
}
