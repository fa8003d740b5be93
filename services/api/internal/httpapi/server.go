// Package httpapi is the HTTP edge of the service: the only user of Fiber and Huma.
//
// A request passes observe (request id, deadline, log, metrics, error answers), finds its operation, is authenticated and
// held against the operation's declared scopes, and only then is read. Operations turn wire types into use cases of
// package app and back. Every error becomes a problem document in one place, problemOf.
package httpapi

import (
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

	"socialpub.internal/services/internal/apiforms"
	"socialpub.internal/services/internal/apiforms/jsonbody"
	"socialpub.internal/services/internal/app"
	"socialpub.internal/services/internal/authserver"
	"socialpub.internal/services/internal/cursor"
	"socialpub.internal/services/internal/gate"
	"socialpub.internal/services/internal/hosts"
	"socialpub.internal/services/internal/problem"
	"socialpub.internal/shared/infra/ratelimit"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/clock"
)

const (
	maxBody        = 1 << 20
	maxHeader      = 8 << 10
	readTimeout    = 10 * time.Second
	writeTimeout   = 30 * time.Second
	idleTimeout    = time.Minute // without it, the deadline of one request's body ends the next request's wait
	defaultTimeout = 10 * time.Second
)

// Config is what the server stands on.
type Config struct {
	App *app.App
	// Authorizations gives out OAuth tokens.
	Authorizations *authserver.Server
	// AppURL is where people reach the application, in which they decide what programs may do.
	AppURL string
	// BaseURL is where the API is reached from outside; it begins the addresses of problem pages.
	BaseURL string
	// PagesURL is where link pages are reached from outside, each at its handle below it.
	PagesURL string
	// CursorKey authenticates the cursors of lists; see cursor.DeriveKey.
	CursorKey []byte
	Clock     clock.Clock
	Logger    *slog.Logger
	// Registry takes the metrics of the server.
	Registry prometheus.Registerer
	// Limiter bounds how many requests a client may send.
	Limiter *ratelimit.Limiter
	// RequestsPerMinute replaces what the plans allow, for every credential; 0 leaves it to the plans.
	RequestsPerMinute int
	// TrustedProxies are the networks of proxies whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// Hosts are those under which the API may be asked; nil allows every host.
	Hosts *hosts.Set
	// RequestTimeout is how long a request may take; 0 means 10 seconds.
	RequestTimeout time.Duration
}

func (c Config) validate() error {
	if c.App == nil || c.Authorizations == nil || c.Clock == nil || c.Logger == nil || c.Registry == nil || c.Limiter == nil {
		return errors.New("httpapi: App, Authorizations, Clock, Logger, Registry and Limiter are required")
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || strings.HasSuffix(c.BaseURL, "/") {
		return errors.New("httpapi: BaseURL is an absolute address without a slash at its end")
	}
	pages, err := url.Parse(c.PagesURL)
	if err != nil || pages.Host == "" || strings.HasSuffix(c.PagesURL, "/") {
		return errors.New("httpapi: PagesURL is an absolute address without a slash at its end")
	}
	if application, err := url.Parse(c.AppURL); err != nil || application.Host == "" || strings.HasSuffix(c.AppURL, "/") {
		return errors.New("httpapi: AppURL is an absolute address without a slash at its end")
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
	// authorizations is the authorization server; people decide at appURL.
	authorizations *authserver.Server
	appURL         string
	refusals       *problem.Refusals
	// pagesURL begins the addresses of link pages.
	pagesURL string
	timeout  time.Duration
	clock    clock.Clock
	log      *slog.Logger
	cursors  *cursor.Codec
	kinds    map[apperr.Code]problem.Kind
	metrics  *metrics
	items    *jsonbody.Reader[apiforms.CreatePosts] // reads the items of bulk requests
	gate     *gate.Gate
	proxies  []netip.Prefix
	hosts    *hosts.Set
	secure   bool // reached by https
	// collections are the first parts of the paths below /v1.
	collections map[string]bool
	fiber       *fiber.App
	// stopping ends when the server is to stop: requests that wait for something are answered then.
	stopping context.Context //nolint:containedctx // of the server's life, not of a call
	stop     context.CancelFunc

	mu       sync.Mutex
	listener net.Listener // nil until Listener
	stopped  bool
}

// New makes the server with every route.
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
		app: cfg.App, baseURL: cfg.BaseURL, pagesURL: cfg.PagesURL, timeout: cfg.RequestTimeout, clock: cfg.Clock, log: cfg.Logger, cursors: cursors,
		kinds: make(map[apperr.Code]problem.Kind), metrics: measured, secure: strings.HasPrefix(cfg.BaseURL, "https://"),
		gate: admission, proxies: cfg.TrustedProxies, hosts: cfg.Hosts,
	}
	s.stopping, s.stop = context.WithCancel(context.Background())
	if s.timeout == 0 {
		s.timeout = defaultTimeout
	}
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
	if err := s.addPages(document); err != nil {
		return nil, err
	}
	return s, s.addAuthorization(s.baseURL + pathDocs)
}

// Listener serves until Shutdown. It returns nil after an orderly end.
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

// Shutdown takes no more requests and waits for those that run, until the context ends. It may come before Listener.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	s.mu.Lock()
	listener := s.listener
	s.stopped = true
	s.mu.Unlock()
	if listener != nil { // which fasthttp does not know of at once
		if err := listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			return fmt.Errorf("stop the API: %w", err)
		}
	}
	if err := s.fiber.ShutdownWithContext(ctx); err != nil {
		return fmt.Errorf("stop the API: %w", err)
	}
	return nil
}
