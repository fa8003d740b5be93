// Package web serves the application over HTTP. Users sign in and decide which programs may act for them. Responses are
// HTML without scripts.
package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
	"strings"
	"time"

	"socialpub.internal/services/console/internal/view"
	"socialpub.internal/services/internal/apiforms"
	"socialpub.internal/services/internal/authserver"
	"socialpub.internal/services/internal/gate"
	"socialpub.internal/services/internal/hosts"
	"socialpub.internal/services/internal/problem"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/infra/ratelimit"
	"socialpub.internal/shared/kernel/apperr"
	"socialpub.internal/shared/kernel/clock"
)

const (
	pathSignIn  = "/sign-in"
	pathConsent = "/consent"

	maxForm        = 16 << 10
	requestTimeout = 10 * time.Second
)

// Config holds the dependencies and settings of the application.
type Config struct {
	AppURL         string     // public address, without a trailing slash; https except in development
	BaseURL        string     // of the API, where problems are documented
	Hosts          *hosts.Set // allowed hosts; nil allows every host
	ToolsURL       string     // the resource of the tool server
	Authorizations *authserver.Server
	Users          *postgres.Users
	Grants         *postgres.Grants
	Limiter        *ratelimit.Limiter
	TrustedProxies []netip.Prefix
	Clock          clock.Clock
	Logger         *slog.Logger
}

// Web handles the requests of browsers. It is safe for concurrent use.
type Web struct {
	cfg    Config
	pages  *view.Pages
	sites  *http.CrossOriginProtection
	secure bool
	// guessing bounds the number of concurrent password comparisons: each takes 19 MiB.
	guessing chan struct{}
}

// New checks the configuration and returns a Web.
func New(cfg Config) (*Web, error) {
	if cfg.Authorizations == nil || cfg.Users == nil || cfg.Grants == nil || cfg.Limiter == nil || cfg.Clock == nil ||
		cfg.Logger == nil {
		return nil, errors.New("web: every dependency is required")
	}
	u, err := url.Parse(cfg.AppURL)
	if err != nil || u.Host == "" || strings.HasSuffix(cfg.AppURL, "/") {
		return nil, errors.New("web: AppURL must be an absolute URL without a trailing slash")
	}
	pages, err := view.New()
	if err != nil {
		return nil, err
	}
	w := &Web{
		cfg: cfg, pages: pages, sites: http.NewCrossOriginProtection(), secure: u.Scheme == "https",
		guessing: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	// Browsers send the public origin, also behind a proxy that uses another host name.
	if err := w.sites.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
		return nil, fmt.Errorf("web: AppURL: %w", err)
	}
	w.sites.SetDenyHandler(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.say(rw, r, http.StatusForbidden, "Request rejected", "The request came from another site. Nothing was changed.")
	}))
	return w, nil
}

// Handler returns the handler of every page.
func (w *Web) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", w.signedIn(w.home))
	mux.HandleFunc("GET "+pathSignIn, w.showSignIn)
	mux.HandleFunc("POST "+pathSignIn, w.signIn)
	mux.HandleFunc("POST /sign-out", w.signOut)
	mux.HandleFunc("GET "+pathConsent, w.signedIn(w.showConsent))
	mux.HandleFunc("POST "+pathConsent, w.signedIn(w.decide))
	mux.HandleFunc("GET /programs", w.signedIn(w.showPrograms))
	mux.HandleFunc("POST /programs/{id}/revoke", w.signedIn(w.revoke))
	path, content := w.pages.Style()
	mux.HandleFunc("GET "+path, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		rw.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = rw.Write(content)
	})
	mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		w.say(rw, r, http.StatusNotFound, "Not found", "This page does not exist.")
	})
	return w.guard(mux)
}

// guard wraps every request with security headers, the host check and a timeout.
func (w *Web) guard(next http.Handler) http.Handler {
	guarded := http.TimeoutHandler(w.sites.Handler(next), requestTimeout, "The request took too long.")
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h := rw.Header()
		h.Set("Content-Security-Policy", policy("'self'"))
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// Addresses contain the handles of pending requests. With no-referrer, forms would also lack the Origin header,
		// by which older browsers' forms are verified.
		h.Set("Referrer-Policy", "same-origin")
		// a program that opened these in a window waits for the window to return
		if r.URL.Path != pathSignIn && r.URL.Path != pathConsent {
			h.Set("Cross-Origin-Opener-Policy", "same-origin")
		}
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		h.Set("Cache-Control", "no-store")
		if w.secure {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		if err := w.cfg.Hosts.Check(r.Host); err != nil {
			w.misdirected(rw, r, err)
			return
		}
		r.Body = http.MaxBytesReader(rw, r.Body, maxForm)
		guarded.ServeHTTP(rw, r)
	})
}

// misdirected responds to a request for another host. The response is a problem document, because it is read by a
// program, not a person.
func (w *Web) misdirected(rw http.ResponseWriter, r *http.Request, err error) {
	id := gate.RequestID("")
	document := problem.New(problem.KindOf(apperr.CodeOf(err)), problem.Occurrence{
		BaseURL: w.cfg.BaseURL, Path: r.URL.Path, RequestID: id, Detail: problem.Failure(err, "request").Message,
	})
	rw.Header().Set(gate.HeaderRequestID, id)
	rw.Header().Set("Content-Type", problem.MediaType)
	rw.WriteHeader(document.Status)
	_ = apiforms.Encode(rw, document) // an error concerns only the client's connection
}

// policy returns the Content-Security-Policy: allowed sources and targets of forms.
func policy(forms string) string {
	return "default-src 'none'; style-src 'self'; img-src data:; form-action " + forms +
		"; base-uri 'none'; frame-ancestors 'none'"
}

// say responds with a message page.
func (w *Web) say(rw http.ResponseWriter, r *http.Request, status int, heading, text string) {
	w.page(rw, r, status, func() error {
		return w.pages.Message(rw, view.Message{
			Page: view.Page{Title: heading}, Heading: heading, Text: text, Action: "Go to the start page", Href: "/",
		})
	})
}

// trouble responds to an internal error.
func (w *Web) trouble(rw http.ResponseWriter, r *http.Request, err error) {
	w.cfg.Logger.ErrorContext(r.Context(), "request failed", slog.String("path", r.URL.Path), slog.Any("error", err))
	w.say(rw, r, http.StatusServiceUnavailable, "Temporarily unavailable",
		"The service is temporarily unavailable. Nothing was changed. Try again in a minute.")
}

func (w *Web) page(rw http.ResponseWriter, r *http.Request, status int, write func() error) {
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	rw.WriteHeader(status)
	if err := write(); err != nil {
		w.cfg.Logger.ErrorContext(r.Context(), "page not written", slog.String("path", r.URL.Path), slog.Any("error", err))
	}
}
