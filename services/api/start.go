package main

import (
	"context"
	"errors"
	"time"

	"fencepost.internal/services/api/internal/httpapi"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/compose"
	"fencepost.internal/services/internal/framing"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/services/internal/requestlog"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/platform/connectors"
)

// drainTimeout is the time limit for requests in flight on shutdown.
const drainTimeout = 10 * time.Second

type parts struct {
	*compose.Engine

	server   *httpapi.Server
	requests *requestlog.Log
	guard    *framing.Guard
}

// start starts the API process. It waits for the database. Temporal may be down.
func start(
	ctx context.Context, cfg config.API[connectors.Environment], p *bootstrap.Process,
) (bootstrap.Service, error) {
	db, err := compose.Database(ctx, cfg.UseCases, p)
	if err != nil {
		return bootstrap.Service{}, err
	}
	built, err := build(cfg, p, db) //nolint:contextcheck // requests create their own contexts
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	listener, err := bootstrap.Listen(ctx, "API_ADDR", cfg.Addr)
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	return bootstrap.Service{
		Checks: []telemetry.Check{bootstrap.DatabaseCheck(db)},
		Run:    func(ctx context.Context) error { return built.program().Run(ctx, listener) },
	}, nil
}

func build(cfg config.API[connectors.Environment], p *bootstrap.Process, db *postgres.DB) (*parts, error) {
	created, err := compose.New(cfg.UseCases, cfg.BaseURL, db, p)
	if err != nil {
		return nil, err
	}
	authorizations, err := bootstrap.Authorizations(db, created.Keyring, cfg.Public, created.Policy, p)
	if err != nil {
		return nil, err
	}
	known, err := hosts.New(cfg.BaseURL, cfg.AllowedHosts)
	if err != nil {
		return nil, err
	}
	requests, err := bootstrap.RequestLog(db, p)
	if err != nil {
		return nil, err
	}
	server, err := httpapi.New(httpapi.Config{
		App: created.App, Authorizations: authorizations, AppURL: cfg.AppURL, BaseURL: cfg.BaseURL, PagesURL: cfg.PagesURL,
		CursorKey: created.Cursors,
		Clock:     p.Clock, Logger: p.Logger, Registry: p.Registry, Limiter: created.Limiter,
		RequestsPerMinute: cfg.RequestsPerMinute, TrustedProxies: cfg.TrustedProxies, Hosts: known, Requests: requests,
	})
	if err != nil {
		return nil, err
	}
	guard, err := framing.New(framing.Config{
		BaseURL: cfg.BaseURL, ServerResponds: true, Clock: p.Clock, Registerer: p.Registry,
	})
	if err != nil {
		return nil, err
	}
	return &parts{Engine: created, server: server, requests: requests, guard: guard}, nil
}

// program stops the relay after the last request.
func (b *parts) program() bootstrap.Server {
	return bootstrap.Server{
		Guard: b.guard, Serve: b.server.Listener, Shutdown: b.server.Shutdown, Drain: drainTimeout,
		Beside: append(b.Beside(), b.requests.Run), Close: b.Close,
	}
}
