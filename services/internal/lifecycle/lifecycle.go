// Package lifecycle is the life of a program that answers requests: it takes its address, answers until it is asked to end, lets
// what was begun finish, and lets go of what it used, in this order. It knows no HTTP library: a program brings its own.
package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"socialpub.internal/services/internal/framing"
)

// Listen takes the address that the environment variable names. Its error tells the operator which variable that is.
func Listen(ctx context.Context, variable, address string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; another process holds the address, stop it or choose another one", variable, err)
	}
	return listener, nil
}

// Program is what a program answers with. Guard, Serve, Shutdown and Drain are required.
type Program struct {
	// Guard refuses malformed requests before Serve reads them.
	Guard *framing.Guard
	// Serve answers on the listener until Shutdown; what it returns then is not looked at.
	Serve func(net.Listener) error
	// Shutdown takes no more requests and waits for those that run, until the context ends. It may be called before Serve has
	// begun: the listener is closed in any case.
	Shutdown func(context.Context) error
	// Drain is how long requests may take to finish.
	Drain time.Duration
	// Abort ends requests that have not finished within Drain, which is then no failure. Without it, it is one.
	Abort func() error
	// Beside works beside the requests. Each ends when its context does, which is after the last request.
	Beside []func(context.Context)
	// Close lets go of what requests and Beside used, when all of them have ended.
	Close func() error
}

// Run answers on the listener until the context ends, then ends in good order; or until Serve fails. The listener is closed
// afterwards.
func (p Program) Run(ctx context.Context, listener net.Listener) error {
	if p.Guard == nil || p.Serve == nil || p.Shutdown == nil || p.Drain <= 0 {
		return errors.Join(errors.New("serving: guard, serve, shutdown and drain are needed"), listener.Close())
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
		_ = listener.Close() // most have closed it
	case <-ctx.Done():
		err = p.drain(ctx)
		_ = listener.Close() // which ends a Serve that began after Shutdown
		serve.Wait()
	}
	stop()
	beside.Wait()
	if p.Close != nil {
		err = errors.Join(err, p.Close())
	}
	return err
}

func (p Program) drain(ctx context.Context) error {
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.Drain)
	defer cancel()
	err := p.Shutdown(draining)
	if p.Abort != nil && errors.Is(err, context.DeadlineExceeded) {
		return p.Abort()
	}
	return err
}
