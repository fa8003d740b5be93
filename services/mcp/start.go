package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/compose"
	"fencepost.internal/services/internal/framing"
	"fencepost.internal/services/internal/gate"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/services/mcp/internal/web"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/platform/connectors"
)

const (
	drainTimeout  = 10 * time.Second
	headerTimeout = 5 * time.Second
	readTimeout   = 20 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 16 << 10
)

// start starts the process. It waits for the database. Temporal may be down.
func start(
	ctx context.Context, cfg config.MCP[connectors.Environment], p *bootstrap.Process,
) (bootstrap.Service, error) {
	db, err := compose.Database(ctx, cfg.UseCases, p)
	if err != nil {
		return bootstrap.Service{}, err
	}
	program, err := build(cfg, p, db)
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	listener, err := bootstrap.Listen(ctx, "MCP_ADDR", cfg.Addr)
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	p.Logger.InfoContext(ctx, "serving the tools", slog.String("address", listener.Addr().String()))
	return bootstrap.Service{
		Checks: []telemetry.Check{bootstrap.DatabaseCheck(db)},
		Run:    func(ctx context.Context) error { return program.Run(ctx, listener) },
	}, nil
}

func build(cfg config.MCP[connectors.Environment], p *bootstrap.Process, db *postgres.DB) (bootstrap.Server, error) {
	created, err := compose.New(cfg.UseCases, cfg.MCPURL, db, p)
	if err != nil {
		return bootstrap.Server{}, err
	}
	admission, err := gate.New(gate.Config{Limiter: created.Limiter, RequestsPerMinute: cfg.RequestsPerMinute})
	if err != nil {
		return bootstrap.Server{}, err
	}
	known, err := hosts.New(cfg.MCPURL, cfg.AllowedHosts)
	if err != nil {
		return bootstrap.Server{}, err
	}
	requests, err := bootstrap.RequestLog(db, p)
	if err != nil {
		return bootstrap.Server{}, err
	}
	site, err := web.New(web.Config{
		App: created.App, Gate: admission, CursorKey: created.Cursors, URL: cfg.MCPURL, BaseURL: cfg.BaseURL,
		PagesURL: cfg.PagesURL, Origins: cfg.Origins,
		TrustedProxies: cfg.TrustedProxies, Hosts: known, Clock: p.Clock, Logger: p.Logger, Registry: p.Registry,
		Version: p.Version, Requests: requests,
	})
	if err != nil {
		return bootstrap.Server{}, err
	}
	guard, err := framing.New(framing.Config{BaseURL: cfg.BaseURL, Clock: p.Clock, Registerer: p.Registry})
	if err != nil {
		return bootstrap.Server{}, err
	}
	server := &http.Server{
		Handler: site.Handler(), ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader,
		ErrorLog:       slog.NewLogLogger(p.Logger.Handler(), slog.LevelDebug),
	}
	return bootstrap.Server{
		Guard: guard, Serve: server.Serve, Shutdown: server.Shutdown, Drain: drainTimeout, Abort: server.Close,
		Beside: append(created.Beside(), requests.Run), Close: created.Close,
	}, nil
}
