// Package gateway is the proxy between clients and the object store. Clients hold signed addresses; the store checks
// the signatures. The gateway handles the risks that signatures do not cover:
//
//   - Requests: stores obey headers and parameters that no signature covers, some of them dangerous (see objectstore.Config).
//     The gateway therefore does not filter a request but builds a new one from the few parts that a signed address
//     needs.
//   - Responses: they are rebuilt too, with headers that let a browser show images and videos but run nothing.
//   - Time and size: a transfer may last as long as it makes progress, and no longer.
package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/kernel/clock"
)

const (
	// DefaultStallTimeout is the default of Config.StallTimeout.
	DefaultStallTimeout = 30 * time.Second

	// from the end of a request to the start of its response; a store may have much to finish
	responseTimeout = time.Minute
	continueTimeout = time.Second // for a store that does not support Expect: 100-continue
	idlePerHost     = 64
)

// Config holds the settings and dependencies of a gateway. All fields without a default are required.
type Config struct {
	Endpoint       string // http or https address of the store
	PublicEndpoint string // address at which clients reach the gateway; signatures cover its host
	Bucket         string
	Addressing     objectstore.Addressing // auto means path; path when empty

	// StallTimeout bounds the time in which a transfer makes no progress, whether the client or the store causes it;
	// DefaultStallTimeout when zero.
	StallTimeout time.Duration
	// Transport sends the requests to the store; when nil, one like objectstore's.
	Transport  http.RoundTripper
	Clock      clock.Clock
	Logger     *slog.Logger
	Registerer prometheus.Registerer
}

// Gateway is an http.Handler. It is safe for concurrent use.
type Gateway struct {
	store     *url.URL
	addresses addresses
	stall     time.Duration
	transport http.RoundTripper
	buffers   *buffers
	clock     clock.Clock
	log       *slog.Logger
	metrics   *metrics
}

// New checks the configuration and returns a gateway. It does not connect.
func New(cfg Config) (*Gateway, error) {
	if cfg.Clock == nil || cfg.Logger == nil || cfg.Registerer == nil || cfg.Bucket == "" || cfg.StallTimeout < 0 {
		return nil, errors.New("gateway: bucket, clock, logger and registerer are required")
	}
	store, err := endpoint("endpoint", cfg.Endpoint)
	if err != nil {
		return nil, err
	}
	public, err := endpoint("public endpoint", cfg.PublicEndpoint)
	if err != nil {
		return nil, err
	}
	measured, err := newMetrics(cfg.Registerer)
	if err != nil {
		return nil, err
	}
	g := &Gateway{
		store: store, addresses: newAddresses(public, cfg.Bucket, cfg.Addressing), stall: cfg.StallTimeout,
		transport: cfg.Transport, buffers: newBuffers(), clock: cfg.Clock, log: cfg.Logger, metrics: measured,
	}
	g.stall = cmp.Or(g.stall, DefaultStallTimeout)
	if g.transport == nil {
		g.transport = newTransport()
	}
	return g, nil
}

func endpoint(name, address string) (*url.URL, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Hostname() == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, fmt.Errorf("gateway: %s: not an absolute http or https URL", name)
	}
	if parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" || parsed.Path != "" && parsed.Path != "/" {
		return nil, fmt.Errorf("gateway: %s: must not have a user, path, query or fragment", name)
	}
	return &url.URL{Scheme: parsed.Scheme, Host: parsed.Host}, nil
}

func newTransport() http.RoundTripper {
	transport := objectstore.NewTransport(nil)
	transport.ResponseHeaderTimeout = responseTimeout
	transport.ExpectContinueTimeout = continueTimeout
	transport.MaxIdleConnsPerHost = idlePerHost
	return transport
}

// Ping reports whether the store responds. It sends no credentials, so any response below 500 counts, including a
// refusal.
func (g *Gateway) Ping(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, g.store.JoinPath(g.addresses.bucket).String(),
		http.NoBody)
	if err != nil {
		return err
	}
	response, err := g.transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("the store responds with %s", response.Status)
	}
	return nil
}

// bufferSize is the size of the buffer through which a transfer is copied.
const bufferSize = 32 << 10

// buffers is a pool of reusable buffers.
type buffers struct{ pool sync.Pool }

func newBuffers() *buffers {
	return &buffers{pool: sync.Pool{New: func() any { return new([bufferSize]byte) }}}
}

// Get takes a buffer from the pool.
func (b *buffers) Get() []byte {
	buffer, ok := b.pool.Get().(*[bufferSize]byte)
	if !ok {
		return make([]byte, bufferSize)
	}
	return buffer[:]
}

// Put returns a buffer to the pool.
func (b *buffers) Put(buffer []byte) { b.pool.Put((*[bufferSize]byte)(buffer)) }
