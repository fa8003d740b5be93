// Package web answers the requests of visitors: pages at /<handle>, clicks at /l/<block>, pictures at /i/<handle>/<asset>.
package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"socialpub.internal/services/pages/internal/render"
	"socialpub.internal/services/pages/internal/shelf"
	"socialpub.internal/services/pages/internal/tally"
	"socialpub.internal/shared/apperr"
	"socialpub.internal/shared/clock"
	"socialpub.internal/shared/ident"
	"socialpub.internal/shared/linkpage"
	"socialpub.internal/shared/media"
	"socialpub.internal/shared/objectstore"
)

// Signer signs addresses of stored objects.
type Signer interface {
	PresignGet(terms objectstore.GetTerms) (objectstore.SignedGet, error)
}

// Config is what the site stands on.
type Config struct {
	Shelf    *shelf.Shelf
	Tally    *tally.Tally
	Renderer *render.Renderer
	Signer   Signer
	Clock    clock.Clock
	Logger   *slog.Logger
	// Secure says that people reach the site by https.
	Secure         bool
	TrustedProxies []netip.Prefix
}

// Site answers requests.
type Site struct {
	Config

	lost, gone, failed, refused render.Document
}

// New makes the site.
func New(cfg Config) (*Site, error) {
	if cfg.Shelf == nil || cfg.Tally == nil || cfg.Renderer == nil || cfg.Signer == nil || cfg.Clock == nil || cfg.Logger == nil {
		return nil, errors.New("web: every dependency is required")
	}
	s := &Site{Config: cfg}
	var errs [4]error
	s.lost, errs[0] = cfg.Renderer.Message("Nothing here", "There is no page at this address. It may have moved, or been taken down.")
	s.gone, errs[1] = cfg.Renderer.Message("This link is gone", "The page it was on does not show it any more.")
	s.failed, errs[2] = cfg.Renderer.Message("Just a moment", "The page cannot be shown right now. Please try again shortly.")
	s.refused, errs[3] = cfg.Renderer.Message("Not possible", "Pages can only be read.")
	return s, errors.Join(errs[:]...)
}

// ServeHTTP answers a request. The path is taken as it was sent: nothing in an address of the site needs to be encoded, so there
// is nothing to clean, and nothing of a request stands in the address of a redirect.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.protect(w.Header())
	path, _, _ := strings.Cut(r.RequestURI, "?")
	first, rest, deep := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		s.message(w, r, http.StatusMethodNotAllowed, s.refused)
	case !strings.HasPrefix(path, "/"):
		s.message(w, r, http.StatusNotFound, s.lost)
	case path == "/robots.txt":
		s.robots(w)
	case path == "/favicon.ico":
		w.Header().Set("Cache-Control", "public, max-age=86400")
		w.WriteHeader(http.StatusNoContent)
	case deep && first == "l":
		s.click(w, r, rest)
	case deep && first == "i":
		s.picture(w, r, rest)
	case !deep || rest == "":
		s.page(w, r, first, deep)
	default:
		s.message(w, r, http.StatusNotFound, s.lost)
	}
}

// protect sets what every answer has, also of refusals and failures.
func (s *Site) protect(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()")
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	if s.Secure {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

func (s *Site) page(w http.ResponseWriter, r *http.Request, name string, slash bool) {
	handle := strings.ToLower(name)
	if !linkpage.ValidHandle(handle) {
		s.message(w, r, http.StatusNotFound, s.lost)
		return
	}
	if handle != name || slash {
		redirect(w, "/"+handle, http.StatusMovedPermanently, "public, max-age=86400")
		return
	}
	entry, err := s.Shelf.ByHandle(r.Context(), handle)
	if err != nil {
		s.trouble(w, r, err, s.lost)
		return
	}
	if r.Method == http.MethodGet && !tally.IsPrefetch(r.Header) {
		s.Tally.View(entry.Page.ID, s.visit(r))
	}
	// Browsers ask each time whether theirs is still the page: so a publication is seen at once, and the answer is mostly 304.
	w.Header().Set("Cache-Control", "public, no-cache")
	if entry.Page.Content.SEO.NoIndex {
		w.Header().Set("X-Robots-Tag", "noindex")
	}
	send(w, r, http.StatusOK, entry.Document)
}

func (s *Site) click(w http.ResponseWriter, r *http.Request, name string) {
	w.Header().Set("X-Robots-Tag", "noindex, nofollow")
	id, err := ident.Parse[ident.LinkBlock](name)
	if err != nil {
		s.message(w, r, http.StatusNotFound, s.gone)
		return
	}
	entry, err := s.Shelf.ByBlock(r.Context(), id)
	if err != nil {
		s.trouble(w, r, err, s.gone)
		return
	}
	target := entry.Document.Targets[id]
	if _, shown := entry.Shown(id, s.Clock.Now()); !shown || target == "" {
		s.message(w, r, http.StatusNotFound, s.gone)
		return
	}
	if r.Method == http.MethodGet && !tally.IsPrefetch(r.Header) {
		s.Tally.Click(entry.Page.ID, id, s.visit(r))
	}
	redirect(w, target, http.StatusFound, "no-store")
}

// redirect writes the address as it is stored; the domain has seen to it that it is visible ASCII. Function http.Redirect would
// clean its path, and write a body.
func redirect(w http.ResponseWriter, target string, status int, caching string) {
	if strings.ContainsFunc(target, func(r rune) bool { return r <= ' ' || r > '~' }) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Cache-Control", caching)
	w.Header().Set("Location", target)
	w.WriteHeader(status)
}

// pictureLife is how long a browser may use the signed address it was sent to, which lives for a day.
const pictureLife = "public, max-age=43200"

// picture sends a browser to a picture of the page. The address of the picture stays the same for good, also in previews of the
// page elsewhere; the signed one it leads to does not.
func (s *Site) picture(w http.ResponseWriter, r *http.Request, rest string) {
	handle, name, _ := strings.Cut(rest, "/")
	name, whole := strings.CutSuffix(name, "/full")
	id, err := ident.Parse[ident.Media](name)
	if err != nil || !linkpage.ValidHandle(handle) {
		s.message(w, r, http.StatusNotFound, s.lost)
		return
	}
	entry, err := s.Shelf.ByHandle(r.Context(), handle)
	if err != nil {
		s.trouble(w, r, err, s.lost)
		return
	}
	object, full := entry.Pictures(id)
	if whole {
		object = full
	}
	if object.IsZero() {
		s.message(w, r, http.StatusNotFound, s.lost)
		return
	}
	signed, err := s.Signer.PresignGet(objectstore.GetTerms{
		Key: object.Key, ContentType: object.ContentType, CacheControl: "public, max-age=86400, immutable", Inline: true, Expires: media.LinkLife,
	})
	if err != nil {
		s.trouble(w, r, err, s.lost)
		return
	}
	redirect(w, signed.URL, http.StatusFound, pictureLife)
}

// robots lets search engines read pages and keeps them from following clicks, which would be counted.
func (s *Site) robots(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	_, _ = w.Write([]byte("User-agent: *\nDisallow: /l/\n"))
}

// trouble answers what is not there with the document, and everything else as something that passes.
func (s *Site) trouble(w http.ResponseWriter, r *http.Request, err error, absent render.Document) {
	if apperr.Is(err, apperr.NotFound) {
		s.message(w, r, http.StatusNotFound, absent)
		return
	}
	if !errors.Is(r.Context().Err(), context.Canceled) {
		s.Logger.ErrorContext(r.Context(), "a page could not be shown", slog.Any("error", err))
	}
	w.Header().Set("Retry-After", "5")
	s.message(w, r, http.StatusServiceUnavailable, s.failed)
}

func (s *Site) message(w http.ResponseWriter, r *http.Request, status int, doc render.Document) {
	send(w, r, status, doc)
}

// send writes a document in the form that the client takes, or that it has it already.
func send(w http.ResponseWriter, r *http.Request, status int, doc render.Document) {
	h := w.Header()
	h.Set("Content-Security-Policy", doc.Policy)
	body, coding := doc.Plain, ""
	switch {
	case accepts(r.Header, "br"):
		body, coding = doc.Brotli, "br"
	case accepts(r.Header, "gzip"):
		body, coding = doc.Gzip, "gzip"
	}
	h.Set("Vary", "Accept-Encoding")
	if status == http.StatusOK {
		h.Set("ETag", `"`+strings.TrimSuffix(doc.Tag+"-"+coding, "-")+`"`)
		if matches(r.Header.Get("If-None-Match"), doc.Tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if coding != "" {
		h.Set("Content-Encoding", coding)
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// matches reports whether the client has the document, in whatever coding (RFC 9110, 13.1.2).
func matches(header, tag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.Trim(strings.TrimPrefix(strings.TrimSpace(candidate), "W/"), `"`)
		base, _, _ := strings.Cut(candidate, "-")
		if base == tag || candidate == "*" {
			return true
		}
	}
	return false
}

// accepts reports whether the client takes the coding (RFC 9110, 12.5.3).
func accepts(h http.Header, coding string) bool {
	for offer := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		name, parameter, _ := strings.Cut(strings.TrimSpace(offer), ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		quality, found := strings.CutPrefix(strings.TrimSpace(parameter), "q=")
		weight, err := strconv.ParseFloat(quality, 64)
		return !found || err == nil && weight > 0
	}
	return false
}

func (s *Site) visit(r *http.Request) tally.Visit {
	return tally.Visit{
		Address: origin(r.RemoteAddr, r.Header.Values("X-Forwarded-For"), s.TrustedProxies), UserAgent: r.Header.Get("User-Agent"), Bot: tally.IsBot(r.Header),
	}
}

// origin is the address that a request came from: the last one that none of the proxies before the site has.
func origin(remote string, forwarded []string, proxies []netip.Prefix) netip.Addr {
	port, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}
	}
	address := port.Addr().Unmap()
	hops := strings.Split(strings.Join(forwarded, ","), ",")
	for i := len(hops) - 1; i >= 0 && trusted(address, proxies); i-- {
		next, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		address = next.Unmap()
	}
	return address
}

func trusted(address netip.Addr, proxies []netip.Prefix) bool {
	for _, p := range proxies {
		if p.Contains(address) {
			return true
		}
	}
	return false
}

// serveTime bounds nothing here: documents are in memory, and a load has a limit of its own.
const serveTime = 30 * time.Second

// Server makes the listener's side of the site.
func (s *Site) Server() *http.Server {
	const (
		headerTime, idleTime = 10 * time.Second, time.Minute
		maxHeader            = 16 << 10
	)
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler: s, Protocols: protocols, ReadHeaderTimeout: headerTime, ReadTimeout: serveTime, WriteTimeout: serveTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader, DisableGeneralOptionsHandler: true,
		ErrorLog: slog.NewLogLogger(s.Logger.Handler(), slog.LevelDebug), // what clients do wrong
	}
}
