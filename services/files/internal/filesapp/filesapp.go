// Package filesapp wires the files process.
package filesapp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"socialpub.internal/services/files/internal/gateway"
	"socialpub.internal/services/internal/bootstrap"
	"socialpub.internal/shared/config"
	"socialpub.internal/shared/objectstore"
	"socialpub.internal/shared/telemetry/health"
)

// Limits of the listener. There is none on the time of a request: a transfer may last as long as it moves, which the gateway
// sees to.
const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = time.Minute
	maxHeaderBytes    = 16 << 10
	// drainTimeout is how long transfers may finish when the process is asked to end.
	drainTimeout = 10 * time.Second
)

// Start makes the files process. The object store may be down: requests are answered with 503 until it is there.
func Start(ctx context.Context, cfg config.Files, p *bootstrap.Process) (bootstrap.Service, error) {
	door, err := gateway.New(gateway.Config{
		Endpoint: cfg.S3Endpoint, PublicEndpoint: cfg.S3PublicEndpoint, Bucket: cfg.S3Bucket,
		Addressing: objectstore.Addressing(cfg.S3Addressing), Clock: p.Clock, Logger: p.Logger, Registerer: p.Registry,
	})
	if err != nil {
		return bootstrap.Service{}, err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Addr)
	if err != nil {
		return bootstrap.Service{}, fmt.Errorf("FILES_ADDR: %w; another process holds the address, stop it or choose another one", err)
	}
	p.Logger.InfoContext(ctx, "serving files", slog.String("address", listener.Addr().String()))
	return bootstrap.Service{
		Checks: []health.Check{{Name: "store", Probe: door.Ping}},
		Run:    func(ctx context.Context) error { return serve(ctx, newServer(door, p.Logger), listener) },
	}, nil
}

func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler: handler, Protocols: protocols, MaxHeaderBytes: maxHeaderBytes,
		ReadHeaderTimeout: readHeaderTimeout, IdleTimeout: idleTimeout,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelDebug), // what clients do wrong
	}
}

// serve answers until the context ends, then lets transfers finish for a while.
func serve(ctx context.Context, server *http.Server, listener net.Listener) error {
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	err := server.Shutdown(draining)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close() // clients repeat a transfer that broke off
	}
	return err
}
