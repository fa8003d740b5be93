// Package sandboxapp assembles the sandbox network.
package sandboxapp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"socialpub.internal/services/internal/bootstrap"
	"socialpub.internal/services/internal/framing"
	"socialpub.internal/services/internal/lifecycle"
	"socialpub.internal/services/sandbox/internal/control"
	"socialpub.internal/services/sandbox/internal/facebookapi"
	"socialpub.internal/services/sandbox/internal/fault"
	"socialpub.internal/services/sandbox/internal/feed"
	"socialpub.internal/services/sandbox/internal/googlebusinessapi"
	"socialpub.internal/services/sandbox/internal/instagramapi"
	"socialpub.internal/services/sandbox/internal/ledger"
	"socialpub.internal/services/sandbox/internal/linkedinapi"
	"socialpub.internal/services/sandbox/internal/mediastore"
	"socialpub.internal/services/sandbox/internal/metaapi"
	"socialpub.internal/services/sandbox/internal/pinterestapi"
	"socialpub.internal/services/sandbox/internal/stage"
	"socialpub.internal/services/sandbox/internal/telegramapi"
	"socialpub.internal/services/sandbox/internal/threadsapi"
	"socialpub.internal/services/sandbox/internal/tiktokapi"
	"socialpub.internal/services/sandbox/internal/token"
	"socialpub.internal/services/sandbox/internal/xapi"
	"socialpub.internal/services/sandbox/internal/youtubeapi"
	"socialpub.internal/shared/infra/config"
	"socialpub.internal/shared/kernel/clock"
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

	release   context.CancelFunc
	tokens    *token.Tokens
	threads   *metaapi.Containers
	instagram *metaapi.Containers
	uploads   *xapi.Uploads
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
	if s.Ledger, err = ledger.Open(ledger.Config{Path: file("posts.jsonl"), Clock: cfg.Clock, Logger: cfg.Logger}); err != nil {
		return err
	}
	if s.tokens, err = token.Open(token.Config{Path: file("tokens.jsonl"), Logger: cfg.Logger}); err != nil {
		return err
	}
	containers := func(name, prefix string) (*metaapi.Containers, error) {
		return metaapi.OpenContainers(metaapi.ContainersConfig{Path: file(name), Prefix: prefix, Clock: cfg.Clock, Logger: cfg.Logger})
	}
	if s.threads, err = containers("containers.jsonl", threadsapi.Prefix); err != nil {
		return err
	}
	if s.instagram, err = containers("instagram-containers.jsonl", instagramapi.Prefix); err != nil {
		return err
	}
	files, err := mediastore.Open(mediastore.Config{Folder: file("media"), Logger: cfg.Logger})
	if err != nil {
		return err
	}
	if s.uploads, err = xapi.OpenUploads(file("x-uploads"), cfg.Clock, cfg.Logger); err != nil {
		return err
	}
	st, err := stage.New(stage.Config{
		Ledger: s.Ledger, Media: files, Tokens: s.tokens, Faults: &fault.Set{}, Clock: cfg.Clock, Logger: cfg.Logger,
		Registerer: cfg.Registerer, PublicURL: strings.TrimRight(cfg.PublicURL, "/"), Stopping: stopping,
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	xapi.Register(mux, st, s.uploads)
	threadsapi.Register(mux, st, s.threads)
	instagramapi.Register(mux, st, s.instagram)
	telegramapi.Register(mux, st)
	linkedinapi.Register(mux, st)
	pinterestapi.Register(mux, st)
	tiktokapi.Register(mux, st)
	facebookapi.Register(mux, st)
	googlebusinessapi.Register(mux, st)
	youtubeapi.Register(mux, st)
	control.Register(mux, st, s.threads.Clear, s.instagram.Clear, s.uploads.Clear, files.Clear)
	s.Handler = st.Distorting(mux)
	return feed.Register(mux, st)
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
	if s.uploads != nil {
		errs = append(errs, s.uploads.Close())
	}
	for _, containers := range []*metaapi.Containers{s.threads, s.instagram} {
		if containers != nil {
			errs = append(errs, containers.Close())
		}
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
	p.Logger.InfoContext(ctx, "serving the sandbox network", slog.String("address", listener.Addr().String()))
	return bootstrap.Service{Run: func(ctx context.Context) error { return sandbox.program(guard).Run(ctx, listener) }}, nil
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
