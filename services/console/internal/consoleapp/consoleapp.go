// Package consoleapp wires the console process.
package consoleapp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"socialpub.internal/services/console/internal/web"
	"socialpub.internal/services/internal/bootstrap"
	"socialpub.internal/services/internal/framing"
	"socialpub.internal/services/internal/hosts"
	"socialpub.internal/services/internal/lifecycle"
	"socialpub.internal/shared/infra/config"
	"socialpub.internal/shared/infra/egress"
	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/infra/ratelimit"
	"socialpub.internal/shared/infra/telemetry/health"
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
	guard   *framing.Guard
}

// Start builds the console process. It waits for the database.
func Start(ctx context.Context, cfg config.Console, p *bootstrap.Process) (bootstrap.Service, error) {
	db, err := bootstrap.Database(ctx, cfg.Database.URL,
		bootstrap.Pool{Connections: cfg.DBMaxConns, LockTimeout: lockTimeout}, p)
	if err != nil {
		return bootstrap.Service{}, err
	}
	built, err := build(cfg, p, db)
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	listener, err := lifecycle.Listen(ctx, "CONSOLE_ADDR", cfg.Addr)
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	p.Logger.InfoContext(ctx, "serving the application", slog.String("address", listener.Addr().String()))
	return bootstrap.Service{
		Checks: []health.Check{bootstrap.DatabaseCheck(db)},
		Run:    func(ctx context.Context) error { return built.program().Run(ctx, listener) },
	}, nil
}

func build(cfg config.Console, p *bootstrap.Process, db *postgres.DB) (*parts, error) {
	keyring, err := bootstrap.Keyring(cfg.Encryption.Keys)
	if err != nil {
		return nil, err
	}
	policy, err := egress.NewPolicy(egress.PolicyConfig{
		Allow: cfg.EgressAllow, OwnURLs: bootstrap.OwnURLs(cfg.Public, config.ObjectStore{}),
	})
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
	known, err := hosts.New(cfg.AppURL, cfg.AllowedHosts)
	if err != nil {
		return nil, err
	}
	site, err := web.New(web.Config{
		AppURL: cfg.AppURL, BaseURL: cfg.BaseURL, Hosts: known, ToolsURL: cfg.MCPURL, Authorizations: authorizations,
		Users: postgres.NewUsers(db), Grants: postgres.NewGrants(db, keyring),
		Limiter: limiter, TrustedProxies: cfg.TrustedProxies, Clock: p.Clock, Logger: p.Logger,
	})
	if err != nil {
		return nil, err
	}
	guard, err := framing.New(framing.Config{BaseURL: cfg.BaseURL, Clock: p.Clock, Registerer: p.Registry})
	if err != nil {
		return nil, err
	}
	return &parts{db: db, site: site, limiter: limiter, guard: guard, server: &http.Server{
		Handler: site.Handler(), ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout:    idleTimeout,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(p.Logger.Handler(), slog.LevelDebug),
	}}, nil
}

func (b *parts) program() lifecycle.Program {
	return lifecycle.Program{
		Guard: b.guard, Serve: b.server.Serve, Shutdown: b.server.Shutdown, Drain: drainTimeout,
		Beside: []func(context.Context){b.limiter.Run, b.sweep}, Close: b.db.Close,
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
