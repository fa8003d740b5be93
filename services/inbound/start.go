package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"fencepost.internal/services/inbound/internal/web"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/framing"
	"fencepost.internal/services/internal/gate"
	"fencepost.internal/services/internal/hosts"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/ratelimit"
	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/platform"
	"fencepost.internal/shared/platform/connectors"
)

const (
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second // for a whole request
	writeTimeout  = 20 * time.Second
	idleTimeout   = time.Minute
	maxHeader     = 8 << 10
	// drainTimeout is more than the time that storing a report may take.
	drainTimeout = 8 * time.Second
	lockTimeout  = 2 * time.Second
)

// Start builds the process. It waits for the database.
func Start(ctx context.Context, cfg config.Inbound, p *bootstrap.Process) (bootstrap.Service, error) {
	return start(ctx, cfg, p, connectors.Receivers())
}

func start(
	ctx context.Context, cfg config.Inbound, p *bootstrap.Process, known map[channel.Network]platform.Receiver,
) (bootstrap.Service, error) {
	db, err := bootstrap.Database(ctx, cfg.Database.URL,
		bootstrap.Pool{Connections: cfg.DBMaxConns, LockTimeout: lockTimeout}, p)
	if err != nil {
		return bootstrap.Service{}, err
	}
	program, err := build(cfg, p, db, known)
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	listener, err := bootstrap.Listen(ctx, "INBOUND_ADDR", cfg.Addr)
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, db.Close())
	}
	p.Logger.InfoContext(ctx, "receiving reports of networks", slog.String("address", listener.Addr().String()))
	return bootstrap.Service{
		Checks: []telemetry.Check{bootstrap.DatabaseCheck(db)},
		Run:    func(ctx context.Context) error { return program.Run(ctx, listener) },
	}, nil
}

func build(
	cfg config.Inbound, p *bootstrap.Process, db *postgres.DB, known map[channel.Network]platform.Receiver,
) (bootstrap.Server, error) {
	limiter, err := ratelimit.New(ratelimit.Config{Store: postgres.NewRateLimits(db), Clock: p.Clock, Logger: p.Logger})
	if err != nil {
		return bootstrap.Server{}, err
	}
	admission, err := gate.New(gate.Config{Limiter: limiter})
	if err != nil {
		return bootstrap.Server{}, err
	}
	store, err := postgres.NewInboundReceipts(db, p.Clock)
	if err != nil {
		return bootstrap.Server{}, err
	}
	var served *hosts.Set // without a public address, every host
	if cfg.InboundURL != "" {
		if served, err = hosts.New(cfg.InboundURL, cfg.AllowedHosts); err != nil {
			return bootstrap.Server{}, err
		}
	}
	site, err := web.New(web.Config{
		Store: store, Receivers: known, Secrets: cfg.WhatsAppSecrets.List(), VerifyToken: cfg.WhatsAppVerifyToken.Reveal(),
		Gate: admission, TrustedProxies: cfg.TrustedProxies, Hosts: served, Clock: p.Clock, Logger: p.Logger, Registerer: p.Registry,
	})
	if err != nil {
		return bootstrap.Server{}, err
	}
	guard, err := framing.New(framing.Config{Clock: p.Clock, Registerer: p.Registry})
	if err != nil {
		return bootstrap.Server{}, err
	}
	server := newServer(site, p.Logger)
	return bootstrap.Server{
		Guard: guard, Serve: server.Serve, Shutdown: server.Shutdown, Drain: drainTimeout,
		Abort:  server.Close, // networks repeat what was not acknowledged
		Beside: []func(context.Context){limiter.Run}, Close: db.Close,
	}, nil
}

func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler: handler, Protocols: protocols, MaxHeaderBytes: maxHeader, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout,
		WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, DisableGeneralOptionsHandler: true,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug), // errors caused by clients
	}
}
