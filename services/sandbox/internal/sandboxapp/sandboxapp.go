// Package sandboxapp assembles the sandbox network.
package sandboxapp

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/services/internal/framing"
	"fencepost.internal/services/internal/lifecycle"
	"fencepost.internal/services/sandbox/internal/control"
	"fencepost.internal/services/sandbox/internal/feed"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/services/sandbox/internal/mailbox"
	"fencepost.internal/services/sandbox/internal/mediastore"
	"fencepost.internal/services/sandbox/internal/openid"
	"fencepost.internal/services/sandbox/internal/stage"
	"fencepost.internal/services/sandbox/internal/token"
	"fencepost.internal/shared/domain/channel"
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
}

// Sandbox serves the networks and their pages, and owns their files.
type Sandbox struct {
	Handler http.Handler
	Ledger  *ledger.Ledger
	Mailbox *mailbox.Box

	release context.CancelFunc
	tokens  *token.Tokens
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
	var err error
	file := func(name string) string { return filepath.Join(cfg.Folder, name) }
	simulated := networks()
	ids := make(map[string]ledger.IDs, len(simulated))
	policies := make(map[string][]token.Policy, len(simulated))
	limits := make(map[channel.Network][]stage.Limit, len(simulated))
	reviews := make(map[channel.Network][]stage.ReviewEnd)
	names := make([]channel.Network, len(simulated))
	for i, n := range simulated {
		ids[string(n.ID)], policies[string(n.ID)], limits[n.ID], names[i] = n.IDs, n.Tokens, n.Limits, n.ID
		if n.Reviews != nil {
			reviews[n.ID] = n.Reviews
		}
	}
	now := stage.NewClock(cfg.Clock)
	s.Ledger, err = ledger.Open(ledger.Config{Path: file("posts.jsonl"), IDs: ids, Clock: now, Logger: cfg.Logger})
	if err != nil {
		return err
	}
	s.tokens, err = token.Open(token.Config{
		Path: file("tokens.jsonl"), Policies: policies, Clock: now, Logger: cfg.Logger,
	})
	if err != nil {
		return err
	}
	files, err := mediastore.Open(mediastore.Config{Folder: file("media"), Logger: cfg.Logger})
	if err != nil {
		return err
	}
	st, err := stage.New(stage.Config{
		Networks: names, ReviewEnds: reviews, Limits: limits, Ledger: s.Ledger, Media: files, Tokens: s.tokens, Faults: &stage.FaultSet{},
		Clock: now, Logger: cfg.Logger, Registerer: cfg.Registerer, PublicURL: strings.TrimRight(cfg.PublicURL, "/"),
		Stopping: stopping,
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	clears, err := s.mount(mux, st, simulated, cfg.Folder)
	if err != nil {
		return err
	}
	s.Mailbox, err = mailbox.Open(mailbox.Config{Folder: file("mails"), Now: now.Now, Logger: cfg.Logger})
	if err != nil {
		return err
	}
	control.Register(mux, st, append(clears, files.Clear, s.Mailbox.Clear)...)
	s.Handler = mux
	return errors.Join(
		feed.Register(mux, st), mailbox.Register(mux, s.Mailbox),
		openid.Register(mux, openid.Config{Base: st.Base, Now: now.Now}),
	)
}

// mount adds the networks. It returns the functions that delete what they store.
func (s *Sandbox) mount(
	mux *http.ServeMux, st *stage.Stage, simulated []stage.Network, folder string,
) ([]func() error, error) {
	var clears []func() error
	for _, n := range simulated {
		state, err := n.Mount(mux, st, folder)
		if err != nil {
			return nil, err
		}
		if state != nil {
			s.states, clears = append(s.states, state), append(clears, state.Clear)
		}
	}
	return clears, nil
}

// Release ends the calls that faults hold.
func (s *Sandbox) Release() { s.release() }

// Close releases held calls and closes the files.
func (s *Sandbox) Close() error {
	s.release()
	var errs []error
	if s.Ledger != nil {
		errs = append(errs, s.Ledger.Close())
	}
	if s.tokens != nil {
		errs = append(errs, s.tokens.Close())
	}
	for _, state := range s.states {
		errs = append(errs, state.Close())
	}
	return errors.Join(errs...)
}

// Start creates the sandbox service.
func Start(ctx context.Context, cfg config.Sandbox, p *bootstrap.Process) (bootstrap.Service, error) {
	sandbox, err := New(ctx, Config{
		Folder: cfg.Data, PublicURL: cfg.PublicURL, Clock: p.Clock, Logger: p.Logger, Registerer: p.Registry,
	})
	if err != nil {
		return bootstrap.Service{}, err
	}
	guard, err := framing.New(framing.Config{Clock: p.Clock, Registerer: p.Registry})
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, sandbox.Close())
	}
	listener, err := lifecycle.Listen(ctx, "SANDBOX_ADDR", cfg.Addr)
	if err != nil {
		return bootstrap.Service{}, errors.Join(err, sandbox.Close())
	}
	program := sandbox.program(guard)
	if cfg.SMTPAddr != "" {
		mails, err := lifecycle.Listen(ctx, "SANDBOX_SMTP_ADDR", cfg.SMTPAddr)
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
func (s *Sandbox) program(guard *framing.Guard) lifecycle.Program {
	server := &http.Server{
		Handler: s.Handler, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
	}
	return lifecycle.Program{
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
