// Package httpapi is the HTTP edge of the service. It is the only user of Fiber and Huma.
//
// A request passes observe (request id, deadline, log, metrics, error responses), is routed to its operation, and is
// authenticated and checked against the operation's declared scopes. Only then is its body read. Operations convert
// wire types to inputs of use cases in package app, and results back. Every error becomes a problem document in one
// place, problemOf.
package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/services/internal/apiforms"
	"fencepost.internal/services/internal/apiforms/jsonbody"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/services/internal/cursor"
	"fencepost.internal/services/internal/gate"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/services/internal/requestlog"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
)

const (
	maxBody        = 1 << 20
	maxHeader      = 8 << 10
	readTimeout    = 10 * time.Second
	writeTimeout   = 30 * time.Second
	idleTimeout    = time.Minute // otherwise a request's read deadline ends the wait for the next one
	defaultTimeout = 10 * time.Second
)

// Config holds the dependencies of the server.
type Config struct {
	App *app.App
	// Authorizations issues OAuth tokens.
	Authorizations *authserver.Server
	// AppURL is the address of the application, where users authorize clients.
	AppURL string
	// BaseURL is the public address of the API, and the prefix of the addresses of problem pages.
	BaseURL string
	// PagesURL is the public address of link pages, which are at their handles below it.
	PagesURL string
	// CursorKey authenticates list cursors; see cursor.DeriveKey.
	CursorKey []byte
	Clock     clock.Clock
	Logger    *slog.Logger
	// Registry registers the metrics of the server.
	Registry prometheus.Registerer
	// Limiter limits the number of requests per client.
	Limiter *ratelimit.Limiter
	// RequestsPerMinute overrides the limits of the plans for every credential; zero keeps them.
	RequestsPerMinute int
	// TrustedProxies are the networks of proxies whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix
	// Hosts are the allowed Host values; nil allows every host.
	Hosts        *hosts.Set
	deprecations []deprecation // of tests, in addition to those of deprecations
	// Requests gets the requests of credentials, for their log; nil keeps none.
	Requests *requestlog.Log
	// RequestTimeout is the time limit of a request; zero means 10 seconds.
	RequestTimeout time.Duration
}

func (c Config) validate() error {
	if c.App == nil || c.Authorizations == nil || c.Clock == nil || c.Logger == nil || c.Registry == nil ||
		c.Limiter == nil {
		return errors.New("httpapi: App, Authorizations, Clock, Logger, Registry and Limiter are required")
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || strings.HasSuffix(c.BaseURL, "/") {
		return errors.New("httpapi: BaseURL must be an absolute URL without a trailing slash")
	}
	pages, err := url.Parse(c.PagesURL)
	if err != nil || pages.Host == "" || strings.HasSuffix(c.PagesURL, "/") {
		return errors.New("httpapi: PagesURL must be an absolute URL without a trailing slash")
	}
	if application, err := url.Parse(c.AppURL); err != nil || application.Host == "" || strings.HasSuffix(c.AppURL, "/") {
		return errors.New("httpapi: AppURL must be an absolute URL without a trailing slash")
	}
	if c.RequestTimeout < 0 || c.RequestsPerMinute < 0 {
		return errors.New("httpapi: RequestTimeout or RequestsPerMinute is negative")
	}
	return nil
}

// Server serves the API. It is safe for concurrent use.
type Server struct {
	app     *app.App
	baseURL string
	// authorizations is the authorization server. Users authorize clients at appURL.
	authorizations *authserver.Server
	appURL         string
	refusals       *problem.Refusals
	// pagesURL is the prefix of the addresses of link pages.
	pagesURL string
	timeout  time.Duration
	clock    clock.Clock
	log      *slog.Logger
	cursors  *cursor.Codec
	kinds    map[apperr.Code]problem.Kind
	metrics  *metrics
	items    *jsonbody.Reader[apiforms.CreatePosts] // parses the items of create-posts-in-bulk
	updates  *jsonbody.Reader[apiforms.UpdatePost]  // parses the items of update-posts-in-bulk
	gate     *gate.Gate
	requests *requestlog.Log // nil: none
	// deprecations are those of tests.
	deprecations []deprecation
	proxies      []netip.Prefix
	hosts        *hosts.Set
	secure       bool // whether BaseURL is https
	// collections holds the first segments of the paths below /v1.
	collections map[string]bool
	fiber       *fiber.App
	// stopping is canceled on shutdown, which ends requests that wait.
	stopping context.Context //nolint:containedctx // lives as long as the server, not a call
	stop     context.CancelFunc

	mu       sync.Mutex
	listener net.Listener // nil until Listener
	stopped  bool
}

// New returns the server with every route.
func New(cfg Config) (*Server, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cursors, err := cursor.New(cfg.CursorKey)
	if err != nil {
		return nil, err
	}
	admission, err := gate.New(gate.Config{Limiter: cfg.Limiter, RequestsPerMinute: cfg.RequestsPerMinute})
	if err != nil {
		return nil, err
	}
	measured, err := newMetrics(cfg.Registry)
	if err != nil {
		return nil, err
	}
	s := &Server{
		authorizations: cfg.Authorizations, appURL: cfg.AppURL,
		app: cfg.App, baseURL: cfg.BaseURL, pagesURL: cfg.PagesURL, timeout: cfg.RequestTimeout, clock: cfg.Clock,
		log: cfg.Logger, cursors: cursors,
		kinds: make(map[apperr.Code]problem.Kind), metrics: measured, secure: strings.HasPrefix(cfg.BaseURL, "https://"),
		gate: admission, proxies: cfg.TrustedProxies, hosts: cfg.Hosts, requests: cfg.Requests,
		deprecations: cfg.deprecations,
	}
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.timeout = cmp.Or(s.timeout, defaultTimeout)
	for _, kind := range problem.Kinds() {
		s.kinds[kind.Code] = kind
	}
	s.fiber = s.newFiber()
	document, err := register(s.fiber, s)
	if err != nil {
		return nil, err
	}
	s.collections = collectionsOf(document)
	if s.refusals, err = problem.NewRefusals(); err != nil {
		return nil, err
	}
	s.addPages(document)
	return s, s.addAuthorization(s.baseURL + pathDocs)
}

// Listener serves until Shutdown. It returns nil after an orderly shutdown.
func (s *Server) Listener(listener net.Listener) error {
	s.mu.Lock()
	stopped := s.stopped
	s.listener = listener
	s.mu.Unlock()
	if stopped {
		return listener.Close()
	}
	if err := s.fiber.Listener(listener); err != nil {
		return fmt.Errorf("serve the API: %w", err)
	}
	return nil
}

// Shutdown stops accepting requests and waits for those in flight, until the context ends. It may be called before
// Listener.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	s.mu.Lock()
	listener := s.listener
	s.stopped = true
	s.mu.Unlock()
	if listener != nil { // fasthttp may not know it yet
		if err := listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			return fmt.Errorf("stop the API: %w", err)
		}
	}
	if err := s.fiber.ShutdownWithContext(ctx); err != nil {
		return fmt.Errorf("stop the API: %w", err)
	}
	return nil
}
