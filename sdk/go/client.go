// Package fencepost is the client of the Fencepost API. Its types are generated from docs/openapi.yaml, and its calls
// are repeated when the network fails, without a second effect (docs/contract.md, Idempotency).
//
//	client, err := fencepost.New(fencepost.Options{}) // FENCEPOST_URL and FENCEPOST_API_KEY
//	posts, err := client.Posts.Create(ctx, fencepost.CreatePostsRequest{
//		ChannelIDs: []string{channel}, Content: "Hello", Schedule: "next_slot",
//	})
package fencepost

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Version is the version of the SDK, which is that of the API's document.
const Version = "0.9.0"

const (
	defaultTimeout     = 30 * time.Second
	defaultMaxAttempts = 5
)

// Options configure a client. The zero value of a field is its default.
type Options struct {
	// URL is the address of the installation. Default: the variable FENCEPOST_URL.
	URL string
	// APIKey authenticates. Default: the variable FENCEPOST_API_KEY.
	APIKey string
	// Credential replaces APIKey, for programs that act for a person: it returns the access token of each call, and
	// refreshes it before it expires.
	Credential func(ctx context.Context) (string, error)
	// Timeout limits one try: the time without a byte sent, and until the response is complete. Default: 30 seconds.
	Timeout time.Duration
	// MaxAttempts is the number of tries of a call. Default: 5.
	MaxAttempts int
	// HTTPClient sends the requests. Default: one that follows no redirects, with the proxy of the environment.
	HTTPClient *http.Client
	// Clock is replaced in tests.
	Clock Clock
}

// Clock has the time, and waits between two tries.
type Clock interface {
	Now() time.Time
	// Sleep waits, and returns the context's error if it ends before.
	Sleep(ctx context.Context, wait time.Duration) error
}

// Client calls the API. It may be used concurrently.
type Client struct {
	Posts     Posts
	Channels  Channels
	Media     MediaFiles
	Webhooks  Webhooks
	Events    Events
	Analytics Analytics
	LinkPages LinkPages
	Ideas     Ideas

	base        string
	credential  func(ctx context.Context) (string, error)
	timeout     time.Duration
	maxAttempts int
	http        *http.Client
	clock       Clock
}

// New returns a client.
func New(options Options) (*Client, error) {
	c := &Client{
		base: setting(options.URL, "FENCEPOST_URL"), credential: options.Credential,
		timeout: options.Timeout, maxAttempts: options.MaxAttempts, http: options.HTTPClient, clock: options.Clock,
	}
	if c.credential == nil {
		key := setting(options.APIKey, "FENCEPOST_API_KEY")
		if key == "" {
			return nil, &Error{Kind: KindConfiguration, Detail: "the API key is missing: set Options.APIKey or FENCEPOST_API_KEY"}
		}
		c.credential = func(context.Context) (string, error) { return key, nil }
	}
	address, err := url.Parse(c.base)
	switch {
	case c.base == "":
		return nil, &Error{Kind: KindConfiguration, Detail: "the address is missing: set Options.URL or FENCEPOST_URL"}
	case err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https":
		return nil, &Error{Kind: KindConfiguration, Detail: "FENCEPOST_URL is not an http or https address: " + c.base, cause: err}
	}
	c.base = strings.TrimRight(c.base, "/")
	c.setDefaults()
	c.Posts, c.Channels, c.Media, c.Webhooks = Posts{c}, Channels{c}, MediaFiles{c}, Webhooks{c}
	c.Events, c.Analytics, c.LinkPages, c.Ideas = Events{c}, Analytics{c}, LinkPages{c}, Ideas{c}
	return c, nil
}

func setting(value, variable string) string {
	if value != "" {
		return value
	}
	return os.Getenv(variable)
}

func (c *Client) setDefaults() {
	if c.timeout <= 0 {
		c.timeout = defaultTimeout
	}
	if c.maxAttempts <= 0 {
		c.maxAttempts = defaultMaxAttempts
	}
	if c.http == nil {
		// Of a redirect the API key would be sent to another address, and a POST would become a GET.
		c.http = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if c.clock == nil {
		c.clock = systemClock{}
	}
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// GetWorkspace returns the workspace of the API key, its plan and usage, and the scopes of the key.
func (c *Client) GetWorkspace(ctx context.Context, options ...CallOption) (*Workspace, error) {
	return call[Workspace](ctx, c, opGetWorkspace, nil, nil, nil, options)
}

// GetOpenAPI returns the OpenAPI document of the installation.
func (c *Client) GetOpenAPI(ctx context.Context, options ...CallOption) (json.RawMessage, error) {
	return value(call[json.RawMessage](ctx, c, opGetOpenAPI, nil, nil, nil, options))
}

// Request calls any address of the API, with the retries and the errors of the other methods. Into is decoded from the
// response, unless it is nil or the response is empty. A POST or PATCH without the option IdempotencyKey is only repeated when its connection was
// refused.
func (c *Client) Request(
	ctx context.Context, method, path string, query url.Values, body, into any, options ...CallOption,
) error {
	got, err := c.exchange(ctx, operation{method: method, path: path}, nil, query, body, options)
	if err != nil || into == nil || len(got.body) == 0 {
		return err
	}
	return got.decode(into)
}
