package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"fencepost.internal/services/internal/framing"
)

// Listen listens on the address. Its error names the environment variable of the address, for the operator.
func Listen(ctx context.Context, variable, address string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; another process uses the address; stop it or choose another address", variable, err)
	}
	return listener, nil
}

// Server holds the parts of a server. Guard, Serve, Shutdown and Drain are required.
type Server struct {
	// Guard refuses malformed requests before Serve reads them.
	Guard *framing.Guard
	// Serve serves the listener until Shutdown. Its error after Shutdown is ignored.
	Serve func(net.Listener) error
	// Shutdown stops accepting requests and waits for those in flight, until the context ends. It may be called before
	// Serve has started: Run closes the listener in any case.
	Shutdown func(context.Context) error
	// Drain is the time limit for requests in flight.
	Drain time.Duration
	// Abort ends requests that have not finished within Drain. Its error then replaces the timeout. Without Abort, the
	// timeout is the error.
	Abort func() error
	// Beside is the background work. Each function returns when its context is canceled, which is after the last
	// request.
	Beside []func(context.Context)
	// Close closes the dependencies of the requests and of Beside, after both have ended.
	Close func() error
}

// Run serves the listener until the context is canceled, then shuts down in order; or until Serve fails. It closes the
// listener.
func (p Server) Run(ctx context.Context, listener net.Listener) error {
	if p.Guard == nil || p.Serve == nil || p.Shutdown == nil || p.Drain <= 0 {
		return errors.Join(errors.New("lifecycle: guard, serve, shutdown and drain are required"), listener.Close())
	}
	listener = p.Guard.Listener(listener)
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var beside sync.WaitGroup
	for _, work := range p.Beside {
		beside.Go(func() { work(working) })
	}
	served := make(chan error, 1)
	var serve sync.WaitGroup
	serve.Go(func() { served <- p.Serve(listener) })
	var err error
	select {
	case err = <-served:
		_ = listener.Close() // most servers have closed it
	case <-ctx.Done():
		err = p.drain(ctx)
		_ = listener.Close() // also ends a Serve that started after Shutdown
		serve.Wait()
	}
	stop()
	beside.Wait()
	if p.Close != nil {
		err = errors.Join(err, p.Close())
	}
	return err
}

func (p Server) drain(ctx context.Context) error {
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.Drain)
	defer cancel()
	err := p.Shutdown(draining)
	if p.Abort != nil && errors.Is(err, context.DeadlineExceeded) {
		return p.Abort()
	}
	return err
}
