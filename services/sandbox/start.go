package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/framing"
	"fencepost.internal/services/sandbox/internal/company"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/kernel/clock"
)

// Timeouts of the listener. There is no write timeout, because faults delay responses on purpose.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 30 * time.Second
	idleTimeout       = 2 * time.Minute
	stopTimeout       = 5 * time.Second
)

// Config holds the settings of a sandbox.
type Config struct {
	Folder     string // for the sandbox's files
	PublicURL  string
	Clock      clock.Clock
	Logger     *slog.Logger
	Registerer prometheus.Registerer
	RetryScale float64 // factor of the pauses between the tries of a push; zero: 1
}

// Sandbox serves the networks and their pages, and owns their files.
type Sandbox struct {
	Handler http.Handler
	Ledger  *ledger.Ledger
	Mailbox *company.Box

	release context.CancelFunc
	stage   *stage.Stage
	states  []stage.State // of the networks that store something beside the ledger
}

// New opens the files and builds the handler. Canceling the context releases the calls that faults hold.
func New(ctx context.Context, cfg Config) (*Sandbox, error) {
	if cfg.Folder == "" || cfg.Clock == nil || cfg.Logger == nil || cfg.Registerer == nil {
		return nil, errors.New("sandbox: folder, clock, logger and registerer are needed")
	}
	stopping, release := context.WithCancel(ctx)
	s := &Sandbox{release: release}
	if err := s.build(stopping, cfg); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Sandbox) build(stopping context.Context, cfg Config) error {
	simulated := networks()
	var err error
	s.stage, err = stage.Open(stage.Config{
		Networks: simulated, Folder: cfg.Folder, Clock: cfg.Clock, Logger: cfg.Logger, Registerer: cfg.Registerer,
		PublicURL: cfg.PublicURL, Stopping: stopping, RetryScale: cfg.RetryScale,
	})
	if err != nil {
		return err
	}
	s.Ledger = s.stage.Ledger
	mux := http.NewServeMux()
	clears := []func() error{s.stage.Media.Clear, s.stage.Chats.Clear}
	for _, n := range simulated {
		state, err := n.Mount(mux, s.stage, cfg.Folder)
		if err != nil {
			return err
		}
		if state != nil {
			s.states, clears = append(s.states, state), append(clears, state.Clear)
		}
	}
	now := s.stage.Clock.Now
	s.Mailbox, err = company.OpenMailbox(company.MailboxConfig{
		Folder: filepath.Join(cfg.Folder, "mails"), Now: now, Logger: cfg.Logger,
	})
	if err != nil {
		return err
	}
	stage.ServeAvatars(mux)
	registerControl(mux, s.stage, append(clears, s.Mailbox.Clear)...)
	s.Handler = mux
	company.RegisterMailbox(mux, s.Mailbox)
	return errors.Join(Register(mux, s.stage),
		company.RegisterProvider(mux, company.ProviderConfig{Base: s.stage.Base, Now: now}))
}

// Release ends the calls that faults hold.
func (s *Sandbox) Release() { s.release() }

// Close releases held calls and closes the files.
func (s *Sandbox) Close() error {
	s.release()
	errs := []error{s.stage.Close()}
	for _, state := range s.states {
		errs = append(errs, state.Close())
	}
	return errors.Join(errs...)
}

// Start creates the sandbox service.
func Start(ctx context.Context, cfg config.Sandbox, p *bootstrap.Process) (bootstrap.Service, error) {
	sandbox, err := New(ctx, Config{
		Folder: cfg.Data, PublicURL: cfg.PublicURL, Clock: p.Clock, Logger: p.Logger, Registerer: p.Registry,
		RetryScale: cfg.RetryScale,
	})
	if err != nil {
		return bootstrap.Service{}, err
	}
	guard, err := framing.New(framing.Config{Clock: p.Clock, Registerer: p.Registry})
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, sandbox.Close())
	}
	listener, err := bootstrap.Listen(ctx, "SANDBOX_ADDR", cfg.Addr)
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, sandbox.Close())
	}
	program := sandbox.program(guard)
	if cfg.SMTPAddr != "" {
		mails, err := bootstrap.Listen(ctx, "SANDBOX_SMTP_ADDR", cfg.SMTPAddr)
		if err != nil {
			return bootstrap.Service{}, errors.Join(err, listener.Close(), sandbox.Close())
		}
		program.Beside = append(program.Beside, sandbox.receive(mails, p.Logger))
	}
	p.Logger.InfoContext(ctx, "serving the sandbox network", slog.String("address", listener.Addr().String()))
	return bootstrap.Service{Run: func(ctx context.Context) error { return program.Run(ctx, listener) }}, nil
}

// receive accepts mails until its context is canceled. Senders try again.
func (s *Sandbox) receive(listener net.Listener, log *slog.Logger) func(context.Context) {
	return func(ctx context.Context) {
		if err := s.Mailbox.Serve(ctx, listener); err != nil {
			log.ErrorContext(ctx, "the sandbox no longer receives mails", slog.Any("error", err))
		}
	}
}

// program releases held calls on shutdown, so that all calls can finish.
func (s *Sandbox) program(guard *framing.Guard) bootstrap.Server {
	server := &http.Server{
		Handler: s.Handler, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
	}
	return bootstrap.Server{
		Guard: guard, Serve: server.Serve, Drain: stopTimeout, Close: s.Close,
		Shutdown: func(ctx context.Context) error {
			s.Release()
			err := server.Shutdown(ctx)
			if err != nil {
				_ = server.Close()
			}
			return err
		},
	}
}
