// Package frame serves the application's pages over HTTP: sessions, the guard of every request, the layout, the
// components and the assets. Features add routes and templates.
package frame

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/shared/domain/credential"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock"
)

const (
	// PathSignIn is the address of the page that asks for a password.
	PathSignIn = "/sign-in"
	// PathConsent is the address of the page on which a user decides about a program.
	PathConsent = "/consent"
	// PathLive is the address of the stream of changes, within a workspace.
	PathLive = "/live"

	maxForm = 64 << 10
)

// Timeouts are the longest times of requests.
type Timeouts struct {
	// Request is the time of the response to a request that the server has read, and the time in which a form without
	// files arrives. Zero means 10 seconds.
	Request time.Duration
	Slow    time.Duration // the same of slow routes; zero means 45 seconds
	// Upload is the time in which a form with files arrives, instead of the server's time for reading a request. Zero means
	// two minutes, in which 5 MB arrive at 350 kbit/s.
	Upload time.Duration
}

func (t Timeouts) withDefaults() Timeouts {
	return Timeouts{
		Request: cmp.Or(t.Request, 10*time.Second), Slow: cmp.Or(t.Slow, 45*time.Second),
		Upload: cmp.Or(t.Upload, 2*time.Minute),
	}
}

// Config holds the dependencies and settings of the frame.
type Config struct {
	AppURL         string     // public address, without a trailing slash; https except in development
	BaseURL        string     // of the API, where problems are documented
	Hosts          *hosts.Set // allowed hosts; nil allows every host
	Images         string     // origin of the files: thumbnails are read there, and uploads sent there
	App            *app.App
	Users          *postgres.Users
	TrustedProxies []netip.Prefix
	Timeouts       Timeouts
	Clock          clock.Clock
	Logger         *slog.Logger
}

// Access is the kind of visitor that a route admits.
type Access int

// Kinds of visitors.
const (
	Anyone   Access = iota
	SignedIn        // signed in, regardless of workspaces
	Members         // a member of the workspace in the address
	Outside         // anyone, without a session: cookies of the application are neither read nor set
)

// Route is an address of the application.
type Route struct {
	Pattern string // method and path of http.ServeMux; those of Members begin with /w/{workspace}/
	Access  Access
	// Needs is the permission that a member must have; empty admits every member.
	Needs credential.Permission
	// Live routes concern what a test workspace does not have, or shares with its live one: they do not exist in a test one.
	Live bool
	// Fresh requires a recent proof of presence. A form without one leads to the page From, within the workspace.
	Fresh  bool
	From   string
	Handle func(*Visit) error
	// Slow gives a request the time for several calls to a network.
	Slow bool
	// Longest is the time of a response that may take longer than Timeouts allow; zero means those.
	Longest time.Duration
	// Stream marks a response that goes on until the visitor or the program ends it: it has no time limit.
	Stream bool
	// MaxForm is the largest size of the form in bytes; zero means 64 KiB. A form with another size has files, and may take
	// longer to arrive.
	MaxForm int64
}

// Method returns the HTTP method of the route.
func (r Route) Method() string {
	method, _, _ := strings.Cut(r.Pattern, " ")
	return method
}

// Path returns the path of the route, with its wildcards.
func (r Route) Path() string {
	_, path, _ := strings.Cut(r.Pattern, " ")
	return path
}

// Feature is a part of the application with pages of its own.
type Feature struct {
	Name      string           // prefix of its templates
	Templates fs.FS            // a folder templates with one file per page
	Functions template.FuncMap // of its templates, beside those of every page
	Routes    []Route
	Section   *Section // its place in the navigation, if any
	Tabs      []Tab    // its further pages, which a search for pages finds
}

// Section is an entry of the navigation within a workspace.
type Section struct {
	Title string
	Path  string // within the workspace, such as /posts
	Icon  string
	Key   string                // g and this letter opens it
	Needs credential.Permission // empty shows it to every member
	Also  string                // path of further pages, of a feature without a section
	// Group is the heading above it, if the section before has another one; Thumb shows it in the bar of phones too.
	Group string
	Thumb bool
	// Counts returns what waits for the visitor there; nil: nothing ever does.
	Counts func(postgres.Attention, app.Principal) []Count
}

// Count is a number of things that wait for a person, shown beside a link. Zero is not shown.
type Count struct {
	N    int
	Tone string // person, or stopped
	What string // such as: failed
}

// Shown returns the number as text.
func (c Count) Shown() string {
	if c.N >= postgres.MaxAttention {
		return strconv.Itoa(postgres.MaxAttention-1) + "+"
	}
	return strconv.Itoa(c.N)
}

// Frame handles the requests of browsers. It is safe for concurrent use.
type Frame struct {
	cfg      Config
	pages    *pages
	assets   *assets
	sites    *http.CrossOriginProtection
	secure   bool
	features []Feature
}

// New checks the configuration. Templates are parsed at their first use, or all by [Frame.Parse].
func New(cfg Config, features ...Feature) (*Frame, error) {
	if cfg.App == nil || cfg.Users == nil || cfg.Clock == nil || cfg.Logger == nil {
		return nil, errors.New("frame: every dependency is required")
	}
	u, err := url.Parse(cfg.AppURL)
	if err != nil || u.Host == "" || strings.HasSuffix(cfg.AppURL, "/") {
		return nil, errors.New("frame: AppURL must be an absolute URL without a trailing slash")
	}
	cfg.Timeouts = cfg.Timeouts.withDefaults()
	f := &Frame{cfg: cfg, sites: http.NewCrossOriginProtection(), secure: u.Scheme == "https"}
	f.features = append([]Feature{f.own()}, features...)
	keys := make(map[string]string)
	for _, feature := range features {
		if s := feature.Section; s != nil {
			if keys[s.Key] != "" {
				return nil, fmt.Errorf("frame: the sections %s and %s have the key %q", keys[s.Key], s.Title, s.Key)
			}
			keys[s.Key] = s.Title
		}
	}
	if f.assets, err = loadAssets(); err != nil {
		return nil, err
	}
	if f.pages, err = list(f.features); err != nil {
		return nil, err
	}
	// Browsers send the public origin, also behind a proxy that uses another host name.
	if err := f.sites.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
		return nil, fmt.Errorf("frame: AppURL: %w", err)
	}
	f.sites.SetDenyHandler(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		v := &Visit{Out: rw, Request: r, frame: f}
		//nolint:contextcheck // the visit has the request with its context
		v.Say(http.StatusForbidden, "Request rejected", "The request came from another site. Nothing was changed.")
	}))
	return f, nil
}

// own returns the feature of the frame itself: its layouts, its message pages, and what installs the application.
func (f *Frame) own() Feature {
	return Feature{Name: "frame", Templates: files, Routes: f.installing()}
}

// Routes returns every route of every feature.
func (f *Frame) Routes() []Route {
	var routes []Route
	for _, feature := range f.features {
		routes = append(routes, feature.Routes...)
	}
	return routes
}

// Handler returns the handler of every page.
func (f *Frame) Handler() http.Handler {
	mux, streams := http.NewServeMux(), http.NewServeMux()
	for _, feature := range f.features {
		for _, route := range feature.Routes {
			if route.Stream {
				streams.HandleFunc(route.Pattern, f.serve(feature.Section, route))
			} else {
				mux.Handle(route.Pattern, f.limited(route, f.serve(feature.Section, route)))
			}
		}
	}
	mux.HandleFunc("GET "+assetsPath+"{name}", f.assets.serve)
	mux.HandleFunc("/", func(rw http.ResponseWriter, r *http.Request) {
		v := &Visit{Out: rw, Request: r, frame: f}
		v.Say(http.StatusNotFound, "Not found", "This page does not exist.") //nolint:contextcheck // as above
	})
	return f.guard(mux, streams)
}
