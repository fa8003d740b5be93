package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"fencepost.internal/services/console/internal/account"
	"fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/compose"
	"fencepost.internal/services/internal/framing"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/platform/connectors"
)

const (
	drainTimeout  = 10 * time.Second
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	writeTimeout  = 20 * time.Second
	idleTimeout   = time.Minute
	maxHeader     = 16 << 10
	sweepEvery    = time.Hour
)

type parts struct {
	*compose.Engine

	site   *Web
	server *http.Server
	guard  *framing.Guard
}

// Start builds the console process. It waits for the database. Temporal may be down.
func Start(
	ctx context.Context, cfg config.Console[connectors.Environment], p *bootstrap.Process,
) (bootstrap.Service, error) {
	db, err := compose.Database(ctx, cfg.UseCases, p)
	if err != nil {
		return bootstrap.Service{}, err
	}
	built, err := build(cfg, p, db) //nolint:contextcheck // requests create their own contexts
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	if err := built.welcome(ctx, cfg.AppURL, p.Logger); err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	listener, err := bootstrap.Listen(ctx, "CONSOLE_ADDR", cfg.Addr)
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	p.Logger.InfoContext(ctx, "serving the application", slog.String("address", listener.Addr().String()))
	return bootstrap.Service{
		Checks: []telemetry.Check{bootstrap.DatabaseCheck(db)},
		Run:    func(ctx context.Context) error { return built.program().Run(ctx, listener) },
	}, nil
}

func build(
	cfg config.Console[connectors.Environment], p *bootstrap.Process, db *postgres.DB,
) (*parts, error) {
	created, err := compose.New(cfg.UseCases, "", db, p) // no access token is accepted here
	if err != nil {
		return nil, err
	}
	if err := offerTelegram(created.App, cfg, p); err != nil {
		return nil, err
	}
	authorizations, err := bootstrap.Authorizations(db, created.Keyring, cfg.Public, created.Policy, p)
	if err != nil {
		return nil, err
	}
	known, err := hosts.New(cfg.AppURL, cfg.AllowedHosts)
	if err != nil {
		return nil, err
	}
	images, err := created.Files.Origin()
	if err != nil {
		return nil, err
	}
	security, err := app.NewSecurity(app.SecurityDeps{
		DB: db, Keyring: created.Keyring, Limiter: created.Limiter, Clock: p.Clock, AppURL: cfg.AppURL,
		Provider: app.SignInProvider{
			Issuer: cfg.Issuer, ClientID: cfg.ClientID, ClientSecret: cfg.ClientSecret.Reveal(), Name: cfg.ProviderName,
		},
	})
	if err != nil {
		return nil, err
	}
	site, err := newSite(created, cfg, p, db, Config{
		AppURL: cfg.AppURL, BaseURL: cfg.BaseURL, Hosts: known, ToolsURL: cfg.MCPURL, Images: images, App: created.App,
		Security: security, Connections: created.Connections, Applications: created.Applications, Conversations: postgres.NewConversations(db),
		Sandbox:        strings.TrimRight(cfg.Networks.SandboxURL, "/"),
		Authorizations: authorizations, Users: postgres.NewUsers(db), Events: postgres.NewEvents(db),
		Grants: postgres.NewGrants(db, created.Keyring), Limiter: created.Limiter, TrustedProxies: cfg.TrustedProxies,
		Components: cfg.Components, Clock: p.Clock, Logger: p.Logger,
	})
	if err != nil {
		return nil, err
	}
	guard, err := framing.New(framing.Config{BaseURL: cfg.BaseURL, Clock: p.Clock, Registerer: p.Registry})
	if err != nil {
		return nil, err
	}
	server := &http.Server{
		Handler: site.Handler(), ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout:    idleTimeout,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(p.Logger.Handler(), slog.LevelDebug),
	}
	server.RegisterOnShutdown(site.Drain)
	return &parts{Engine: created, site: site, guard: guard, server: server}, nil
}

// newSite returns the pages, with the use cases that only people have: changes on the networks, conversations, people, and leads.
func newSite(
	created *compose.Engine, cfg config.Console[connectors.Environment], p *bootstrap.Process, db *postgres.DB, of Config,
) (*Web, error) {
	var err1, err2, err3, err4, err5, err6 error
	of.Live, err1 = app.NewLive(app.LiveDeps{
		DB: db, Keyring: created.Keyring, Connectors: created.Connectors(), Rules: connectors.Rules(), Clock: p.Clock,
		Logger: p.Logger, Wake: created.Wake, AppURL: cfg.AppURL,
	})
	of.Inbox, err2 = app.NewInbox(app.InboxDeps{
		DB: db, Keyring: created.Keyring, Connectors: created.Connectors(), Rules: connectors.Rules(), Clock: p.Clock, Wake: created.Wake,
		Objects: created.Files, Takes: connectors.ReplyFiles, Mails: created.App.SendsMails(),
	})
	of.People, err3 = app.NewPeople(app.PeopleDeps{DB: db, Clock: p.Clock})
	of.Leads, err4 = app.NewLeadDesk(app.LeadDeskDeps{DB: db, Keyring: created.Keyring, Clock: p.Clock, Wake: created.Wake})
	of.LeadAgent, err5 = app.NewLeadAgent(app.LeadAgentDeps{DB: db, Wake: created.Wake})
	of.Figures, err6 = app.NewFigures(app.FiguresDeps{
		DB: db, Keyring: created.Keyring, Files: created.Files, Coverage: connectors.Coverage, Clock: p.Clock,
	})
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return nil, err
	}
	site, err := New(of)
	if err != nil {
		return nil, err
	}
	return site, site.frame.Parse()
}

// offerTelegram lets people connect chats with the operator's bot, if there is one.
func offerTelegram(a *app.App, cfg config.Console[connectors.Environment], p *bootstrap.Process) error {
	bot, err := cfg.Networks.Bot(cfg.TelegramBot.Reveal(), p.Clock)
	if bot != nil && err == nil {
		a.OfferTelegram(bot)
	}
	return err
}

// welcome logs the link by which the first owner signs up, while there are no users.
func (b *parts) welcome(ctx context.Context, appURL string, log *slog.Logger) error {
	secret, err := b.App.StartSetup(ctx)
	if err == nil && secret != "" {
		log.WarnContext(ctx, "there are no users: open the link within 24 hours to create the first owner",
			slog.String("link", appURL+account.PathSetup+secret))
	}
	return err
}

// program stops the relay after the last request.
func (b *parts) program() bootstrap.Server {
	return bootstrap.Server{
		Guard: b.guard, Serve: b.server.Serve, Shutdown: b.server.Shutdown, Drain: drainTimeout,
		Beside: append(b.Beside(), b.sweep), Close: b.Close,
	}
}

// sweep periodically deletes expired records.
func (b *parts) sweep(ctx context.Context) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		b.site.Sweep(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
