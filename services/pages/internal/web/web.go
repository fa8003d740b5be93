// Package web serves the requests of visitors: pages at /<handle>, clicks at /l/<block>, short links at
// /s/<code>, images at /i/<handle>/<asset>.
//
// It uses fasthttp. Documents are in memory, so that the HTTP server takes nearly all of the time of a request, and
// fasthttp takes three fifths of the time of net/http (docs/performance.md, pages).
//
// The Shelf caches published pages as rendered documents. A document is rendered at the first request for its page. Every two
// seconds one statement reads the live versions, and pages that were republished or unpublished are dropped. Each process
// does this by itself, without notifications of the database: a connection that is lost unnoticed would leave an outdated
// page in the cache.
package web

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/services/internal/render"
	"fencepost.internal/services/pages/internal/tally"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/kernel/clock"
)

// Signer signs addresses of stored objects.
type Signer interface {
	PresignGet(terms objectstore.GetTerms) (objectstore.SignedGet, error)
}

// Config holds the dependencies and settings of the site.
type Config struct {
	Shelf      *Shelf
	Shorts     Shorts
	Tally      *tally.Tally
	Renderer   *render.Renderer
	Signer     Signer
	Clock      clock.Clock
	Logger     *slog.Logger
	Registerer prometheus.Registerer
	// Secure reports whether visitors reach the site over https.
	Secure         bool
	TrustedProxies []netip.Prefix
	// Hosts is the set of allowed hosts; nil allows every host.
	Hosts *hosts.Set
}

// Site handles requests.
type Site struct {
	Config

	agents    *tally.Agents
	common    []field
	responses *prometheus.CounterVec
	viewed    prometheus.Counter // successful page responses, the most frequent case

	lost, gone, failed, refused, limited, dead render.Document

	targets targets
	misses  misses
}

// New returns a site.
func New(cfg Config) (*Site, error) {
	if cfg.Shelf == nil || cfg.Shorts == nil || cfg.Tally == nil || cfg.Renderer == nil || cfg.Signer == nil || cfg.Clock == nil ||
		cfg.Logger == nil || cfg.Registerer == nil {
		return nil, errors.New("web: every dependency is required")
	}
	s := &Site{Config: cfg, agents: tally.NewAgents(), common: common(cfg.Secure)}
	s.responses = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "pages_responses_total",
		Help: "Requests, by what was requested: page, click, short, picture or other; and by status.",
	}, []string{"what", "status"})
	s.viewed = s.responses.WithLabelValues("page", "200")
	for _, what := range []string{"page", "click", "short", "picture"} {
		s.responses.WithLabelValues(what, "503") // so that alerts on its increase see the first one
	}
	var errs [7]error
	s.lost, errs[0] = cfg.Renderer.Message("Nothing here",
		"There is no page at this address. It may have moved, or been taken down.")
	s.gone, errs[1] = cfg.Renderer.Message("This link is gone", "The page it was on does not show it any more.")
	s.failed, errs[2] = cfg.Renderer.Message("Just a moment",
		"The page cannot be shown right now. Please try again shortly.")
	s.refused, errs[3] = cfg.Renderer.Message("Not possible", "Pages can only be read.")
	s.limited, errs[4] = cfg.Renderer.Message("Too many requests",
		"Too many pages that do not exist were asked for from your network. Try again in a minute.")
	s.dead, errs[6] = cfg.Renderer.Message("No such link",
		"This short link does not exist. Check that it was copied whole.")
	errs[5] = cfg.Registerer.Register(s.responses)
	return s, errors.Join(errs[:]...)
}

// Serve handles a request.
func (s *Site) Serve(ctx *fasthttp.RequestCtx) {
	what := "other"
	defer func() {
		if cause := recover(); cause != nil {
			s.fail(ctx, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
		}
		s.count(what, ctx.Response.StatusCode())
	}()
	s.protect(ctx)
	host := string(ctx.Host())
	switch own := s.Shelf.ByDomain(hosts.Name(host)); {
	case string(ctx.Path()) == pathCertificate:
		s.certificate(ctx)
	case own != "":
		what = s.route(ctx, own)
	default:
		if err := s.Hosts.Check(host); err != nil {
			misdirected(ctx, err)
			return
		}
		what = s.route(ctx, "")
	}
}

// route dispatches a request by its path. The path is used as it was sent: no address of the site needs encoding, so
// the path is not cleaned, and no redirect contains a part of the request that was not validated. A domain of a page's own
// has that page alone, whose handle is own.
func (s *Site) route(ctx *fasthttp.RequestCtx, own string) (what string) {
	path, _, _ := strings.Cut(string(ctx.Request.Header.RequestURI()), "?")
	first, rest, deep := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch {
	case !ctx.IsGet() && !ctx.IsHead():
		s.refuse(ctx)
	case !strings.HasPrefix(path, "/"):
		send(ctx, fasthttp.StatusNotFound, s.lost)
	case path == "/robots.txt":
		robots(ctx)
	case path == "/favicon.ico":
		set(ctx, "Cache-Control", "public, max-age=86400")
		ctx.SetStatusCode(fasthttp.StatusNoContent)
	case deep && first == "l":
		s.click(ctx, rest, own)
		return "click"
	case own != "" && path == "/":
		s.shown(ctx, own)
		return "page"
	case own != "" && first != own && (first != "i" || !strings.HasPrefix(rest, own+"/")):
		send(ctx, fasthttp.StatusNotFound, s.lost)
	case deep && first == "s":
		s.short(ctx, rest)
		return "short"
	case deep && first == "i":
		s.picture(ctx, rest)
		return "picture"
	case !deep || rest == "":
		s.page(ctx, first, deep)
		return "page"
	default:
		send(ctx, fasthttp.StatusNotFound, s.lost)
	}
	return "other"
}

// field is a response header in the form in which it is written.
type field struct{ name, value []byte }

// common returns the headers of every response, including refusals and failures. Names are in canonical form.
func common(secure bool) []field {
	texts := [][2]string{
		{"X-Content-Type-Options", "nosniff"},
		{"X-Frame-Options", "DENY"},
		{"Referrer-Policy", "strict-origin-when-cross-origin"},
		{"Cross-Origin-Opener-Policy", "same-origin"},
		{"Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()"},
		{"Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
		{"Cache-Control", "no-store"},
	}
	if secure {
		texts = append(texts, [2]string{"Strict-Transport-Security", "max-age=31536000"})
	}
	fields := make([]field, len(texts))
	for i, text := range texts {
		fields[i] = field{[]byte(text[0]), []byte(text[1])}
	}
	return fields
}

func (s *Site) protect(ctx *fasthttp.RequestCtx) {
	for _, f := range s.common {
		ctx.Response.Header.SetCanonical(f.name, f.value)
	}
}

func (s *Site) refuse(ctx *fasthttp.RequestCtx) {
	set(ctx, "Allow", "GET, HEAD")
	send(ctx, fasthttp.StatusMethodNotAllowed, s.refused)
}

// robots allows search engines to read pages and disallows following clicks, which would be counted.
func robots(ctx *fasthttp.RequestCtx) {
	set(ctx, "Cache-Control", "public, max-age=86400")
	ctx.SetContentType("text/plain; charset=utf-8")
	ctx.SetBodyString("User-agent: *\nDisallow: /l/\nDisallow: /s/\n")
}

func (s *Site) count(what string, status int) {
	if what == "page" && status == fasthttp.StatusOK {
		s.viewed.Inc()
		return
	}
	s.responses.WithLabelValues(what, strconv.Itoa(status)).Inc()
}
