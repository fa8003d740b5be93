package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"fencepost.internal/services/files/internal/gateway"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/framing"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/objectstore"
	"fencepost.internal/shared/infra/telemetry"
)

// Limits of the listener. There is no limit on the duration of a request: a transfer may last as long as it makes
// progress. The gateway enforces that.
const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = time.Minute
	maxHeaderBytes    = 16 << 10
	// drainTimeout is the time that transfers have to finish after a shutdown request.
	drainTimeout = 10 * time.Second
)

// Start builds the files process. The object store may be unavailable at startup: requests get 503 until it is
// reachable.
func Start(ctx context.Context, cfg config.Files, p *bootstrap.Process) (bootstrap.Service, error) {
	door, err := gateway.New(gateway.Config{
		Endpoint: cfg.S3Endpoint, PublicEndpoint: cfg.S3PublicEndpoint, Bucket: cfg.S3Bucket,
		Addressing: objectstore.Addressing(cfg.S3Addressing), Clock: p.Clock, Logger: p.Logger, Registerer: p.Registry,
	})
	if err != nil {
		return bootstrap.Service{}, err
	}
	guard, err := framing.New(framing.Config{Clock: p.Clock, Registerer: p.Registry})
	if err != nil {
		return bootstrap.Service{}, err
	}
	listener, err := bootstrap.Listen(ctx, "FILES_ADDR", cfg.Addr)
	if err != nil {
		return bootstrap.Service{}, err
	}
	server := newServer(door, p.Logger)
	p.Logger.InfoContext(ctx, "serving files", slog.String("address", listener.Addr().String()))
	return bootstrap.Service{
		Checks: []telemetry.Check{{Name: "store", Probe: door.Ping}},
		Run:    func(ctx context.Context) error { return program(server, guard).Run(ctx, listener) },
	}, nil
}

func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler: handler, Protocols: protocols, MaxHeaderBytes: maxHeaderBytes,
		ReadHeaderTimeout: readHeaderTimeout, IdleTimeout: idleTimeout,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelDebug), // errors caused by clients
	}
}

func program(server *http.Server, guard *framing.Guard) bootstrap.Server {
	return bootstrap.Server{
		Guard: guard, Serve: server.Serve, Shutdown: server.Shutdown, Drain: drainTimeout,
		Abort: server.Close, // clients repeat an interrupted transfer
	}
}
