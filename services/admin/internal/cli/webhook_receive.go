package cli

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"fencepost.internal/services/admin/internal/listen"
)

const (
	// stopLimit bounds the shutdown: finishing open requests and deleting the webhook.
	stopLimit = 5 * time.Second
	// readLimit bounds the time to read a request, idleLimit the idle time of a connection.
	readLimit, idleLimit = 30 * time.Second, 2 * time.Minute
)

// receive serves the listener until the context ends, which is not an error, or the output can no longer be written. At
// the end it calls last while the server still responds to open requests.
func (a *app) receive(
	ctx context.Context, in listenFlags, secret string, listener net.Listener, last func() error,
) error {
	receiver, err := listen.New(listen.Config{
		Secret: secret, Plan: in.plan, Clock: a.process.Clock, Printer: a.printer(in.format),
	})
	if err != nil {
		return errors.Join(err, last(), listener.Close())
	}
	server := &http.Server{
		Handler: receiver, ReadTimeout: readLimit, ReadHeaderTimeout: readLimit, IdleTimeout: idleLimit,
		ErrorLog: slog.NewLogLogger(slog.NewTextHandler(a.process.Err, nil), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case <-ctx.Done():
		err = nil
	case err = <-receiver.Broken():
	case err = <-ended:
	}
	receiver.Stop()
	err = errors.Join(err, last())
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	if server.Shutdown(stopping) != nil {
		_ = server.Close()
	}
	counts := receiver.Counts()
	a.note("%d deliveries of %d events: %d rejected, %d duplicates.", counts.Deliveries, counts.Events, counts.Refused,
		counts.Duplicates)
	return err
}

// ignoreClosed ignores the error of closing a listener that its server has closed already.
func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
