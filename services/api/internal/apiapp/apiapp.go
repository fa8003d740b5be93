// Package apiapp wires the API process.
package apiapp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"go.temporal.io/sdk/client"

	"socialpub.internal/services/api/internal/httpapi"
	"socialpub.internal/services/internal/app"
	"socialpub.internal/services/internal/bootstrap"
	"socialpub.internal/services/internal/relay"
	"socialpub.internal/services/internal/upkeep"
	"socialpub.internal/shared/config"
	"socialpub.internal/shared/egress"
	"socialpub.internal/shared/objectstore"
	"socialpub.internal/shared/platform/networks"
	"socialpub.internal/shared/postgres"
	"socialpub.internal/shared/ratelimit"
	"socialpub.internal/shared/secretbox"
	"socialpub.internal/shared/telemetry/health"
)

// drainTimeout is how long requests may finish when the process is asked to end.
const drainTimeout = 10 * time.Second

const (
	// lockTimeout is how long a request waits for another one's lock: a client is told to come back rather than kept waiting.
	lockTimeout = 2 * time.Second
	upkeepEvery = 10 * time.Minute
)

type parts struct {
	db       *postgres.DB
	temporal client.Client
	relay    *relay.Relay
	limiter  *ratelimit.Limiter
	upkeep   *upkeep.Upkeep
	server   *httpapi.Server
}

// Start makes the API process. Temporal may be down: posts are accepted all the same, and the relay tells it later.
func Start(ctx context.Context, cfg config.API, p *bootstrap.Process) (bootstrap.Service, error) {
	db, err := bootstrap.Database(ctx, cfg.Database.URL, bootstrap.Pool{Connections: cfg.DBMaxConns, LockTimeout: lockTimeout}, p)
	if err != nil {
		return bootstrap.Service{}, err
	}
	built, err := build(cfg, p, db) //nolint:contextcheck // requests begin contexts of their own
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Addr)
	if err != nil {
		return bootstrap.Service{}, errors.Join(
			fmt.Errorf("API_ADDR: %w; another process holds the address, stop it or choose another one", err), db.Close())
	}
	return bootstrap.Service{
		Checks: []health.Check{bootstrap.DatabaseCheck(db)},
		Run:    func(ctx context.Context) error { return built.run(ctx, listener) },
	}, nil
}

func build(cfg config.API, p *bootstrap.Process, db *postgres.DB) (*parts, error) {
	keyring, err := bootstrap.Keyring(cfg.Encryption.Keys)
	if err != nil {
		return nil, err
	}
	temporal, err := bootstrap.Temporal(cfg.Temporal, p)
	if err != nil {
		return nil, err
	}
	carrier, err := relay.New(relay.Config{
		Outbox: postgres.NewOutbox(db), Events: postgres.NewEvents(db), Lines: postgres.NewDeliveries(db, nil), Temporal: temporal, Namespace: cfg.Temporal.Namespace,
		Logger: p.Logger, Metrics: relay.NewMetrics(p.Registry, false),
	})
	if err != nil {
		return nil, err
	}
	registry, err := networks.New(cfg.Networks, p.Clock, 0)
	if err != nil {
		return nil, err
	}
	files, err := bootstrap.Files(cfg.ObjectStore)
	if err != nil {
		return nil, err
	}
	policy, err := egress.NewPolicy(egress.PolicyConfig{Allow: cfg.EgressAllow, OwnURLs: bootstrap.OwnURLs(cfg.Public, cfg.ObjectStore)})
	if err != nil {
		return nil, err
	}
	useCases, err := app.New(app.Deps{
		DB: db, Keyring: keyring, Connectors: registry, Files: files, Egress: policy, Clock: p.Clock, Logger: p.Logger, Poke: carrier.Poke,
		Audience: cfg.BaseURL,
	})
	if err != nil {
		return nil, err
	}
	cursorKey, err := cursorKey(cfg.Encryption)
	if err != nil {
		return nil, err
	}
	buckets := postgres.NewRateLimits(db)
	limiter, err := ratelimit.New(ratelimit.Config{Store: buckets, Clock: p.Clock, Logger: p.Logger})
	if err != nil {
		return nil, err
	}
	authorizations, err := bootstrap.Authorizations(db, keyring, cfg.Public, policy, p)
	if err != nil {
		return nil, err
	}
	server, err := httpapi.New(httpapi.Config{
		App: useCases, Authorizations: authorizations, AppURL: cfg.AppURL, BaseURL: cfg.BaseURL, PagesURL: cfg.PagesURL, CursorKey: cursorKey, Clock: p.Clock, Logger: p.Logger, Registry: p.Registry,
		Limiter: limiter, RequestsPerMinute: cfg.RequestsPerMinute, TrustedProxies: cfg.TrustedProxies,
	})
	if err != nil {
		return nil, err
	}
	rounds, err := newUpkeep(db, keyring, buckets, files, p)
	if err != nil {
		return nil, err
	}
	return &parts{db: db, temporal: temporal, relay: carrier, limiter: limiter, upkeep: rounds, server: server}, nil
}

func cursorKey(cfg config.Encryption) ([]byte, error) {
	secret, err := cfg.Keys[0].Derive("cursors of lists")
	if err != nil {
		return nil, err
	}
	return httpapi.CursorKey(secret)
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

// run serves until the context ends, finishes what was begun, and then lets the relay go.
func (b *parts) run(ctx context.Context, listener net.Listener) error {
	carrying, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var running sync.WaitGroup
	for _, run := range []func(context.Context){b.relay.Run, b.limiter.Run, b.upkeep.Run} {
		running.Go(func() { run(carrying) })
	}
	served := make(chan error, 1)
	go func() { served <- b.server.Listener(listener) }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
		draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
		err = b.server.Shutdown(draining)
		cancel()
	}
	stop()
	running.Wait()
	b.temporal.Close()
	return errors.Join(err, b.db.Close())
}
