// Package apiapp wires the API process.
package apiapp

import (
	"context"
	"errors"
	"time"

	"socialpub.internal/services/api/internal/httpapi"
	"socialpub.internal/services/internal/bootstrap"
	"socialpub.internal/services/internal/engine"
	"socialpub.internal/services/internal/framing"
	"socialpub.internal/services/internal/hosts"
	"socialpub.internal/services/internal/serving"
	"socialpub.internal/services/internal/upkeep"
	"socialpub.internal/shared/config"
	"socialpub.internal/shared/objectstore"
	"socialpub.internal/shared/postgres"
	"socialpub.internal/shared/secretbox"
	"socialpub.internal/shared/telemetry/health"
)

// drainTimeout is how long requests may finish when the process is asked to end.
const drainTimeout = 10 * time.Second

const upkeepEvery = 10 * time.Minute

type parts struct {
	*engine.Engine

	upkeep *upkeep.Upkeep
	server *httpapi.Server
	guard  *framing.Guard
}

// Start makes the API process. It waits for the database; Temporal may be down.
func Start(ctx context.Context, cfg config.API, p *bootstrap.Process) (bootstrap.Service, error) {
	db, err := engine.Database(ctx, cfg.UseCases, p)
	if err != nil {
		return bootstrap.Service{}, err
	}
	built, err := build(cfg, p, db) //nolint:contextcheck // requests begin contexts of their own
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	listener, err := serving.Listen(ctx, "API_ADDR", cfg.Addr)
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	return bootstrap.Service{
		Checks: []health.Check{bootstrap.DatabaseCheck(db)},
		Run:    func(ctx context.Context) error { return built.program().Run(ctx, listener) },
	}, nil
}

func build(cfg config.API, p *bootstrap.Process, db *postgres.DB) (*parts, error) {
	made, err := engine.New(cfg.UseCases, cfg.BaseURL, db, p)
	if err != nil {
		return nil, err
	}
	authorizations, err := bootstrap.Authorizations(db, made.Keyring, cfg.Public, made.Policy, p)
	if err != nil {
		return nil, err
	}
	known, err := hosts.New(cfg.BaseURL, cfg.AllowedHosts)
	if err != nil {
		return nil, err
	}
	server, err := httpapi.New(httpapi.Config{
		App: made.App, Authorizations: authorizations, AppURL: cfg.AppURL, BaseURL: cfg.BaseURL, PagesURL: cfg.PagesURL, CursorKey: made.Cursors,
		Clock: p.Clock, Logger: p.Logger, Registry: p.Registry, Limiter: made.Limiter, RequestsPerMinute: cfg.RequestsPerMinute, TrustedProxies: cfg.TrustedProxies, Hosts: known,
	})
	if err != nil {
		return nil, err
	}
	rounds, err := newUpkeep(db, made.Keyring, made.Buckets, made.Files, p)
	if err != nil {
		return nil, err
	}
	guard, err := framing.New(framing.Config{BaseURL: cfg.BaseURL, ServerResponds: true, Clock: p.Clock, Registerer: p.Registry})
	if err != nil {
		return nil, err
	}
	return &parts{Engine: made, upkeep: rounds, server: server, guard: guard}, nil
}

func newUpkeep(
	db *postgres.DB, keyring *secretbox.Keyring, buckets *postgres.RateLimits, files *objectstore.Store, p *bootstrap.Process,
) (*upkeep.Upkeep, error) {
	return upkeep.New(upkeep.Config{
		Answers: postgres.NewIdempotency(db, keyring), Imports: postgres.NewImports(db, keyring), Limits: buckets,
		Events: postgres.NewEvents(db), Webhooks: postgres.NewWebhooks(db, keyring), Insights: postgres.NewInsights(db),
		Uploads: postgres.NewUploads(db), Loose: postgres.NewLoose(db), Objects: files, Every: upkeepEvery, Clock: p.Clock, Logger: p.Logger,
	})
}

// program lets the relay go when the last request is through.
func (b *parts) program() serving.Program {
	return serving.Program{
		Guard: b.guard, Serve: b.server.Listener, Shutdown: b.server.Shutdown, Drain: drainTimeout,
		Beside: append(b.Beside(), b.upkeep.Run), Close: b.Close,
	}
}
