// Package consoleapp wires the process of the application.
package consoleapp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"socialpub.internal/services/console/internal/web"
	"socialpub.internal/services/internal/bootstrap"
	"socialpub.internal/shared/config"
	"socialpub.internal/shared/egress"
	"socialpub.internal/shared/postgres"
	"socialpub.internal/shared/ratelimit"
	"socialpub.internal/shared/telemetry/health"
)

const (
	drainTimeout  = 10 * time.Second
	lockTimeout   = 2 * time.Second
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	writeTimeout  = 20 * time.Second
	idleTimeout   = time.Minute
	maxHeader     = 16 << 10
	sweepEvery    = time.Hour
)

type parts struct {
	db      *postgres.DB
	site    *web.Web
	limiter *ratelimit.Limiter
	server  *http.Server
}

// Start makes the process. It waits for the database.
func Start(ctx context.Context, cfg config.Console, p *bootstrap.Process) (bootstrap.Service, error) {
	db, err := bootstrap.Database(ctx, cfg.Database.URL, bootstrap.Pool{Connections: cfg.DBMaxConns, LockTimeout: lockTimeout}, p)
	if err != nil {
		return bootstrap.Service{}, err
	}
	built, err := build(cfg, p, db)
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Addr)
	if err != nil {
		return bootstrap.Service{}, errors.Join(
			fmt.Errorf("CONSOLE_ADDR: %w; another process holds the address, stop it or choose another one", err), db.Close())
	}
	p.Logger.InfoContext(ctx, "serving the application", slog.String("address", listener.Addr().String()))
	return bootstrap.Service{
		Checks: []health.Check{bootstrap.DatabaseCheck(db)},
		Run:    func(ctx context.Context) error { return built.run(ctx, listener) },
	}, nil
}

func build(cfg config.Console, p *bootstrap.Process, db *postgres.DB) (*parts, error) {
	keyring, err := bootstrap.Keyring(cfg.Encryption.Keys)
	if err != nil {
		return nil, err
	}
	policy, err := egress.NewPolicy(egress.PolicyConfig{Allow: cfg.EgressAllow, OwnURLs: bootstrap.OwnURLs(cfg.Public, config.ObjectStore{})})
	if err != nil {
		return nil, err
	}
	authorizations, err := bootstrap.Authorizations(db, keyring, cfg.Public, policy, p)
	if err != nil {
		return nil, err
	}
	limiter, err := ratelimit.New(ratelimit.Config{Store: postgres.NewRateLimits(db), Clock: p.Clock, Logger: p.Logger})
	if err != nil {
		return nil, err
	}
	site, err := web.New(web.Config{
		AppURL: cfg.AppURL, ToolsURL: cfg.MCPURL, Authorizations: authorizations, Users: postgres.NewUsers(db), Grants: postgres.NewGrants(db, keyring),
		Limiter: limiter, TrustedProxies: cfg.TrustedProxies, Clock: p.Clock, Logger: p.Logger,
	})
	if err != nil {
		return nil, err
	}
	return &parts{db: db, site: site, limiter: limiter, server: &http.Server{
		Handler: site.Handler(), ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(p.Logger.Handler(), slog.LevelDebug),
	}}, nil
}

// run serves until the context ends, and lets requests finish.
func (b *parts) run(ctx context.Context, listener net.Listener) error {
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var running sync.WaitGroup
	running.Go(func() { b.limiter.Run(working) })
	running.Go(func() { b.sweep(working) })
	served := make(chan error, 1)
	go func() { served <- b.server.Serve(listener) }()
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
	return errors.Join(err, b.db.Close())
}

// sweep removes what has expired, now and then.
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
