// Package web receives what networks report of conversations: Telegram at /telegram/<source>, WhatsApp at
// /meta/whatsapp. It proves that a request is authentic before it reads anything of it, stores its events in one
// statement, and acknowledges it only after the commit. Everything else happens later, in the worker (ADR 0032).
package web

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/services/internal/gate"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/services/internal/problem"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/inbox"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/apperr"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform"
)

const (
	// maxBody is more than the networks send.
	maxBody = 4 << 20
	// inFlight bounds the memory for bodies. Networks repeat what is refused.
	inFlight     = 64
	storeTimeout = 5 * time.Second
)

// Store stores events.
type Store interface {
	// Source returns NOT_FOUND if there is no such source.
	Source(ctx context.Context, id ident.InboundSource) (postgres.InboundOrigin, error)
	// Store returns the number of events that were not known. Without an error they are committed.
	Store(ctx context.Context, events []inbox.Event) (int, error)
}

// Config holds the dependencies and settings of the site.
type Config struct {
	Store Store
	// Receivers are those of the networks that may report. A network without one has no address.
	Receivers map[channel.Network]platform.Receiver
	// Secrets are those of the Meta application that reports messages on WhatsApp. Without any, it has no address.
	Secrets []string
	// VerifyToken registers the address at Meta. It cannot be registered without one.
	VerifyToken    string
	Gate           *gate.Gate
	TrustedProxies []netip.Prefix
	// Hosts is the set of allowed hosts; nil allows every host.
	Hosts      *hosts.Set
	Clock      clock.Clock
	Logger     *slog.Logger
	Registerer prometheus.Registerer
}

// Site is an http.Handler. It is safe for concurrent use.
type Site struct {
	Config

	places  chan struct{}
	metrics *metrics
}

// New returns a site.
func New(cfg Config) (*Site, error) {
	if cfg.Store == nil || cfg.Gate == nil || cfg.Clock == nil || cfg.Logger == nil || cfg.Registerer == nil {
		return nil, errors.New("web: store, gate, clock, logger and registerer are required")
	}
	measured, err := newMetrics(cfg.Registerer)
	if err != nil {
		return nil, err
	}
	return &Site{Config: cfg, places: make(chan struct{}, inFlight), metrics: measured}, nil
}

// ServeHTTP handles a request.
func (s *Site) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	header := rw.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	if err := s.Hosts.Check(r.Host); err != nil {
		s.metrics.count("", misdirected)
		refuseHost(rw, r, err)
		return
	}
	network, serve := s.route(r)
	result := absent
	if serve != nil {
		result = s.admit(rw, r, network, serve)
	}
	s.metrics.count(network, result.outcome)
	result.send(rw)
}

// handler serves a request for an address of a network.
type handler func(rw http.ResponseWriter, r *http.Request) response

// route returns the network of an address, and its handler; nil if there is no such address.
func (s *Site) route(r *http.Request) (channel.Network, handler) {
	path := r.URL.EscapedPath()
	if source, found := strings.CutPrefix(path, "/telegram/"); found && s.Receivers[channel.NetworkTelegram] != nil {
		if id, err := ident.Parse[ident.InboundSource](source); err == nil {
			return channel.NetworkTelegram, func(rw http.ResponseWriter, r *http.Request) response { return s.telegram(rw, r, id) }
		}
	}
	if path == "/meta/whatsapp" && s.Receivers[channel.NetworkWhatsApp] != nil && len(s.Secrets) > 0 {
		return channel.NetworkWhatsApp, s.whatsApp
	}
	return "", nil
}

// admit serves a request with an accepted method, unless too many are in flight.
func (s *Site) admit(rw http.ResponseWriter, r *http.Request, network channel.Network, serve handler) response {
	if handshake := network == channel.NetworkWhatsApp && r.Method == http.MethodGet; r.Method != http.MethodPost && !handshake {
		refused := wrongMethod
		if network == channel.NetworkWhatsApp {
			refused.allow = http.MethodGet + ", " + refused.allow
		}
		return refused
	}
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
		return serve(rw, r)
	default:
		return busy
	}
}

func (s *Site) telegram(rw http.ResponseWriter, r *http.Request, id ident.InboundSource) response {
	ctx, cancel := context.WithTimeout(r.Context(), storeTimeout)
	defer cancel()
	origin, err := s.Store.Source(ctx, id)
	switch {
	case apperr.Is(err, apperr.NotFound) || err == nil && (origin.Network != channel.NetworkTelegram || len(origin.Hashes) == 0):
		return s.charged(r, absent)
	case err != nil:
		return s.failed(ctx, err)
	case !hasSecret(r.Header.Values(headerTelegram), origin.Hashes):
		return s.charged(r, forged)
	}
	body, refused := read(rw, r)
	if refused != nil {
		return *refused
	}
	return s.keep(r.Context(), s.Receivers[channel.NetworkTelegram], origin.Account, body)
}

func (s *Site) whatsApp(rw http.ResponseWriter, r *http.Request) response {
	if r.Method == http.MethodGet {
		return s.handshake(r)
	}
	signature, ok := signatureOf(r.Header.Values(headerMeta))
	if !ok {
		return s.charged(r, forged)
	}
	body, refused := read(rw, r)
	if refused != nil {
		return s.charged(r, *refused)
	}
	if !signed(body, signature, s.Secrets) {
		return s.charged(r, forged)
	}
	return s.keep(r.Context(), s.Receivers[channel.NetworkWhatsApp], "", body)
}

// handshake responds to the registration of the address at Meta.
func (s *Site) handshake(r *http.Request) response {
	if s.VerifyToken == "" {
		return absent
	}
	challenge, ok := challengeOf(r.URL.RawQuery, s.VerifyToken)
	if !ok {
		return s.charged(r, forged)
	}
	return response{status: http.StatusOK, outcome: verified, text: challenge}
}

// charged charges a request without a proof of its origin to its address, and returns the response, or RATE_LIMITED.
func (s *Site) charged(r *http.Request, otherwise response) response {
	client := hosts.ClientOf(r, s.TrustedProxies)
	_, err := s.Gate.Address(r.Context(), client, true)
	if limited := new(apperr.Error); errors.As(err, &limited) {
		return response{
			status: http.StatusTooManyRequests, outcome: otherwise.outcome, text: limited.Message, retryAfter: problem.RetryAfter(limited),
		}
	}
	if otherwise.outcome == forged.outcome {
		s.Logger.InfoContext(r.Context(), "a report without a valid proof of its origin was refused",
			slog.String("path", r.URL.Path), slog.String("client", client.String()))
	}
	return otherwise
}

func (s *Site) failed(ctx context.Context, err error) response {
	s.Logger.ErrorContext(ctx, "a report could not be stored", slog.Any("error", err))
	refused := unavailable
	refused.retryAfter = problem.RetryAfter(problem.Failure(err, "request"))
	return refused
}

// refuseHost responds to a request for another host. It is a problem document, as in the other programs.
func refuseHost(rw http.ResponseWriter, r *http.Request, err error) {
	id := gate.RequestID("")
	document := problem.New(problem.KindOf(apperr.CodeOf(err)), problem.Occurrence{
		Path: r.URL.Path, RequestID: id, Detail: problem.Failure(err, "request").Message,
	})
	rw.Header().Set(gate.HeaderRequestID, id)
	rw.Header().Set("Content-Type", problem.MediaType)
	rw.WriteHeader(document.Status)
	_ = json.NewEncoder(rw).Encode(document) // an error concerns only the client's connection
}
