// Package web is the HTTP edge of the application: people sign in, and decide what programs may do in their name. It speaks HTML
// and nothing else; it has no scripts.
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

// Config is what the application stands on.
type Config struct {
	AppURL         string     // where people reach it, without a slash at its end; https but in development
	BaseURL        string     // of the API, where problems are explained
	Hosts          *hosts.Set // those under which it may be asked; nil allows every host
	ToolsURL       string     // the resource of the tool server
	Authorizations *authserver.Server
	Users          *postgres.Users
	Grants         *postgres.Grants
	Limiter        *ratelimit.Limiter
	TrustedProxies []netip.Prefix
	Clock          clock.Clock
	Logger         *slog.Logger
}

// Web answers the requests of browsers. It is safe for concurrent use.
type Web struct {
	cfg    Config
	pages  *view.Pages
	sites  *http.CrossOriginProtection
	secure bool
	// guessing bounds how many passwords are compared at a time: each takes 19 MiB.
	guessing chan struct{}
}

// New checks the configuration.
func New(cfg Config) (*Web, error) {
	if cfg.Authorizations == nil || cfg.Users == nil || cfg.Grants == nil || cfg.Limiter == nil || cfg.Clock == nil || cfg.Logger == nil {
		return nil, errors.New("web: every dependency is required")
	}
	u, err := url.Parse(cfg.AppURL)
	if err != nil || u.Host == "" || strings.HasSuffix(cfg.AppURL, "/") {
		return nil, errors.New("web: AppURL is an absolute address without a slash at its end")
	}
	pages, err := view.New()
	if err != nil {
		return nil, err
	}
	w := &Web{
		cfg: cfg, pages: pages, sites: http.NewCrossOriginProtection(), secure: u.Scheme == "https", guessing: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	// Whatever name a proxy calls us by: browsers send the one that people know.
	if err := w.sites.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
		return nil, fmt.Errorf("web: AppURL: %w", err)
	}
	w.sites.SetDenyHandler(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.say(rw, r, http.StatusForbidden, "Not from here", "This was sent from another site, so nothing was done.")
	}))
	return w, nil
}

// Handler serves every page.
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
		w.say(rw, r, http.StatusNotFound, "Not found", "There is nothing at this address.")
	})
	return w.guard(mux)
}

// guard goes around every request.
func (w *Web) guard(next http.Handler) http.Handler {
	guarded := http.TimeoutHandler(w.sites.Handler(next), requestTimeout, "The request took too long.")
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h := rw.Header()
		h.Set("Content-Security-Policy", policy("'self'"))
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		// Addresses name requests that wait. With no-referrer, forms would have no origin either, by which older browsers tell ours.
		h.Set("Referrer-Policy", "same-origin")
		if r.URL.Path != pathSignIn && r.URL.Path != pathConsent { // a program that opened these in a window waits for it to come back
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

// misdirected responds to a request for another host. A program reads it, not a person: the response is a problem document.
func (w *Web) misdirected(rw http.ResponseWriter, r *http.Request, err error) {
	id := gate.RequestID("")
	document := problem.New(problem.KindOf(apperr.CodeOf(err)), problem.Occurrence{
		BaseURL: w.cfg.BaseURL, Path: r.URL.Path, RequestID: id, Detail: problem.Failure(err, "request").Message,
	})
	rw.Header().Set(gate.HeaderRequestID, id)
	rw.Header().Set("Content-Type", problem.MediaType)
	rw.WriteHeader(document.Status)
	_ = apiforms.Encode(rw, document) // the connection is the client's matter
}

// policy says what a page may load and where its forms may lead.
func policy(forms string) string {
	return "default-src 'none'; style-src 'self'; img-src data:; form-action " + forms + "; base-uri 'none'; frame-ancestors 'none'"
}

// say answers with a page that only says something.
func (w *Web) say(rw http.ResponseWriter, r *http.Request, status int, heading, text string) {
	w.page(rw, r, status, func() error {
		return w.pages.Message(rw, view.Message{Page: view.Page{Title: heading}, Heading: heading, Text: text, Action: "To the start page", Href: "/"})
	})
}

// trouble answers to an error that is none of the person's.
func (w *Web) trouble(rw http.ResponseWriter, r *http.Request, err error) {
	w.cfg.Logger.ErrorContext(r.Context(), "request failed", slog.String("path", r.URL.Path), slog.Any("error", err))
	w.say(rw, r, http.StatusServiceUnavailable, "Not now", "Something does not work at this moment, and nothing was done. Try again in a minute.")
}

func (w *Web) page(rw http.ResponseWriter, r *http.Request, status int, write func() error) {
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	rw.WriteHeader(status)
	if err := write(); err != nil {
		w.cfg.Logger.ErrorContext(r.Context(), "page not written", slog.String("path", r.URL.Path), slog.Any("error", err))
	}
}
