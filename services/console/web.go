package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"fencepost.internal/services/console/internal/account"
	"fencepost.internal/services/console/internal/calendar"
	"fencepost.internal/services/console/internal/campaigns"
	"fencepost.internal/services/console/internal/channels"
	"fencepost.internal/services/console/internal/clients"
	"fencepost.internal/services/console/internal/composer"
	"fencepost.internal/services/console/internal/developers"
	"fencepost.internal/services/console/internal/evergreen"
	"fencepost.internal/services/console/internal/extension"
	"fencepost.internal/services/console/internal/feeds"
	"fencepost.internal/services/console/internal/find"
	"fencepost.internal/services/console/internal/frame"
	"fencepost.internal/services/console/internal/ideas"
	"fencepost.internal/services/console/internal/inbox"
	"fencepost.internal/services/console/internal/insights"
	"fencepost.internal/services/console/internal/leads"
	"fencepost.internal/services/console/internal/linkpages"
	"fencepost.internal/services/console/internal/live"
	"fencepost.internal/services/console/internal/medialib"
	"fencepost.internal/services/console/internal/people"
	"fencepost.internal/services/console/internal/pictures"
	"fencepost.internal/services/console/internal/plan"
	"fencepost.internal/services/console/internal/posts"
	"fencepost.internal/services/console/internal/programs"
	"fencepost.internal/services/console/internal/queue"
	"fencepost.internal/services/console/internal/series"
	"fencepost.internal/services/console/internal/settings"
	"fencepost.internal/services/console/internal/signin"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/authserver"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/kernel/clock"
)

// Config holds the dependencies and settings of the application.
type Config struct {
	AppURL         string     // public address, without a trailing slash; https except in development
	BaseURL        string     // of the API, where problems are documented
	Hosts          *hosts.Set // allowed hosts; nil allows every host
	ToolsURL       string     // the resource of the tool server
	Images         string     // origin of the files: thumbnails and uploads; empty has none
	App            *app.App
	Connections    *app.Connections
	Applications   *app.Applications
	Sandbox        string // origin of the sandbox network in development; empty: the networks themselves
	Security       *app.Security
	Live           *app.Live
	Inbox          *app.Inbox
	Leads          *app.LeadDesk
	LeadAgent      *app.LeadAgent
	People         *app.People
	Figures        *app.Figures
	Authorizations *authserver.Server
	Users          *postgres.Users
	Events         live.Feed
	Conversations  live.Conversations
	Grants         *postgres.Grants
	Limiter        *ratelimit.Limiter
	TrustedProxies []netip.Prefix
	Components     bool // serves the components' page
	// LiveEvery is the time between two reads of a workspace's changes; zero means a second.
	LiveEvery time.Duration
	Timeouts  frame.Timeouts
	Clock     clock.Clock
	Logger    *slog.Logger
}

// Web handles the requests of browsers. It is safe for concurrent use.
type Web struct {
	cfg   Config
	frame *frame.Frame
	live  *live.Hub
}

// New checks the configuration and returns a Web.
func New(cfg Config) (*Web, error) {
	if cfg.Live == nil || cfg.Inbox == nil || cfg.People == nil || cfg.Figures == nil || cfg.Leads == nil || cfg.LeadAgent == nil || cfg.Authorizations == nil || cfg.Users == nil || cfg.Events == nil || cfg.Grants == nil ||
		cfg.Limiter == nil || cfg.Clock == nil || cfg.Logger == nil || cfg.Connections == nil || cfg.Applications == nil {
		return nil, errors.New("web: every dependency is required")
	}
	passwords, err := signin.NewPasswords(signin.Config{
		Authorizations: cfg.Authorizations, Users: cfg.Users, Security: cfg.Security, Limiter: cfg.Limiter,
		TrustedProxies: cfg.TrustedProxies, Logger: cfg.Logger,
	})
	if err != nil {
		return nil, err
	}
	accounts, err := account.Feature(account.Config{
		App: cfg.App, Security: cfg.Security, Limiter: cfg.Limiter,
	})
	if err != nil {
		return nil, err
	}
	changes, err := live.New(live.Config{
		Feed: cfg.Events, Conversations: cfg.Conversations, Sessions: cfg.Users, Clock: cfg.Clock, Logger: cfg.Logger, Every: cfg.LiveEvery,
	})
	if err != nil {
		return nil, err
	}
	offered, err := extension.Feature(cfg.AppURL)
	if err != nil {
		return nil, err
	}
	linked, err := linkpages.Feature(cfg.App, cfg.Images)
	if err != nil {
		return nil, err
	}
	// The order of the sections in the navigation.
	features := []frame.Feature{
		home(), calendar.Today(cfg.App, cfg.Leads), calendar.Feature(cfg.App), queue.Feature(cfg.App), posts.Feature(cfg.App, cfg.Live, cfg.Inbox),
		posts.Approvals(cfg.App, cfg.Live), campaigns.Feature(cfg.App),
		composer.Feature(cfg.App), series.Feature(cfg.App), evergreen.Feature(cfg.App), feeds.Feature(cfg.App), ideas.Feature(cfg.App), medialib.Feature(cfg.App), linked,
		inbox.Feature(cfg.App, cfg.Inbox, cfg.Leads, cfg.LeadAgent), leads.Feature(cfg.App, cfg.Leads, cfg.LeadAgent),
		people.Feature(cfg.App, cfg.Inbox, cfg.People), insights.Feature(cfg.App, cfg.Figures),
		channels.Feature(cfg.App, cfg.Connections, cfg.Inbox, cfg.Clock, cfg.Sandbox),
		developers.Feature(cfg.App, cfg.Clock, cfg.BaseURL),
		settings.Bell(cfg.App, cfg.AppURL), settings.Feature(cfg.App, cfg.Applications, passwords, cfg.Security, cfg.AppURL, cfg.Clock),
		signin.Feature(passwords), accounts,
		programs.Feature(cfg.Grants, cfg.Authorizations, cfg.Limiter, cfg.ToolsURL, cfg.Clock), changes.Feature(),
		pictures.Feature(), clients.Feature(cfg.App, cfg.Limiter, cfg.AppURL), find.Feature(cfg.App), plan.Feature(cfg.App, cfg.Limiter, cfg.AppURL), offered,
	}
	if cfg.Components {
		features = append(features, gallery(cfg.App))
	}
	framed, err := frame.New(frame.Config{
		AppURL: cfg.AppURL, BaseURL: cfg.BaseURL, Hosts: cfg.Hosts, Images: cfg.Images, App: cfg.App, Users: cfg.Users,
		TrustedProxies: cfg.TrustedProxies, Timeouts: cfg.Timeouts, Clock: cfg.Clock, Logger: cfg.Logger,
	}, features...)
	if err != nil {
		return nil, err
	}
	return &Web{cfg: cfg, frame: framed, live: changes}, nil
}

// home returns the start page: it leads to the user's first workspace.
func home() frame.Feature {
	return frame.Feature{Name: "home", Routes: []frame.Route{{
		Pattern: "GET /{$}", Access: frame.SignedIn, Handle: func(v *frame.Visit) error {
			memberships, err := v.Memberships()
			if err != nil {
				return err
			}
			if len(memberships) == 0 {
				v.Message(http.StatusOK, "No workspace", "You are in no workspace yet. Ask an owner to invite you.", frame.Link{Text: "Programs with access", Path: "/programs"})
				return nil
			}
			v.Redirect("/w/" + memberships[0].Workspace.ID.String())
			return nil
		},
	}}}
}

// Handler returns the handler of every page.
func (w *Web) Handler() http.Handler { return w.frame.Handler() }

// Drain ends the streams of changes, which would otherwise keep the program from stopping.
func (w *Web) Drain() { w.live.Close() }

// Routes returns every address of the application.
func (w *Web) Routes() []frame.Route { return w.frame.Routes() }

// Sweep checks the domains of link pages, and deletes expired sessions, requests, imports of posts and leads, client links, codes, tokens and clients.
func (w *Web) Sweep(ctx context.Context) {
	err := errors.Join(w.frame.Sweep(ctx), w.cfg.App.PruneLinks(ctx), w.cfg.App.PrunePlanImports(ctx),
		w.cfg.App.PruneScratches(ctx), w.cfg.Leads.PruneImports(ctx), w.cfg.App.PruneClientLinks(ctx), w.cfg.App.MakeSeries(ctx), w.cfg.App.FillSlots(ctx),
		w.cfg.App.ReadSources(ctx), w.cfg.App.CheckLinkDomains(ctx), w.cfg.Connections.EraseWorkspaces(ctx), w.cfg.Authorizations.Sweep(ctx, w.cfg.Clock.Now()))
	if err != nil {
		w.cfg.Logger.WarnContext(ctx, "periodic work failed", slog.Any("error", err))
	}
}
