// Package run implements "devstack run", which runs the infrastructure and all services on this machine until it is
// stopped.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"fencepost.internal/devstack/internal/console"
	"fencepost.internal/devstack/internal/control"
	"fencepost.internal/devstack/internal/devenv"
	"fencepost.internal/devstack/internal/infra"
	"fencepost.internal/devstack/internal/ports"
	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/procfs"
	"fencepost.internal/devstack/internal/project"
	"fencepost.internal/devstack/internal/runlock"
	"fencepost.internal/devstack/internal/secrets"
	"fencepost.internal/devstack/internal/unit"
)

// ErrNotBuilt means that a program of the services is missing.
var ErrNotBuilt = errors.New("not built yet")

// Config describes a run.
type Config struct {
	Folders project.Folders
	Ports   ports.Layout
	// Program is the path of devstack itself.
	Program string
	// Environ is devstack's environment.
	Environ    []string
	Console    *console.Console
	Clock      unit.Clock
	HTTPClient *http.Client
}

// runner is one run.
type runner struct {
	cfg      Config
	launcher *process.Launcher
	infra    *infra.Infra
	stack    devenv.Stack
	services []*unit.Unit
}

const (
	// when devstack runs as root, the database runs as another user, which must be able to traverse the folder
	folderMode = 0o755
	self       = "devstack"
)

// Run starts everything, prints the addresses, and serves until ctx ends. Then it stops everything in reverse order. It
// returns nil after a requested stop.
func Run(ctx context.Context, cfg Config) (err error) {
	if err := os.MkdirAll(cfg.Folders.Logs(), folderMode); err != nil {
		return fmt.Errorf("create the run folder: %w", err)
	}
	lock, err := runlock.Acquire(cfg.Folders.Run)
	if err != nil {
		return fmt.Errorf("%w; stop it with: make stop", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if err := checkPrograms(cfg.Folders.Bin); err != nil {
		return err
	}
	r, err := newRunner(cfg)
	if err != nil {
		return err
	}
	defer r.launcher.Close()
	return r.run(ctx)
}

// programs returns the programs that a run needs.
func programs() []string {
	return []string{
		devenv.Migrate, devenv.Admin, devenv.Files, devenv.Pages, devenv.Console, devenv.MCP, devenv.Sandbox, devenv.Worker,
		devenv.API,
	}
}

func checkPrograms(bin string) error {
	for _, name := range programs() {
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			return fmt.Errorf("%s is %w: run: make build", filepath.Join(bin, name), ErrNotBuilt)
		}
	}
	return nil
}

func newRunner(cfg Config) (*runner, error) {
	keys, err := secrets.Ensure(filepath.Join(cfg.Folders.Run, "secrets.json"))
	if err != nil {
		return nil, err
	}
	r := &runner{cfg: cfg, launcher: process.NewLauncher()}
	r.infra, err = infra.New(infra.Config{
		Folder: cfg.Folders.Run, Logs: cfg.Folders.Logs(), BinFolder: cfg.Folders.Bin, Program: cfg.Program,
		DynamicConfig: cfg.Folders.DynamicConfig(), InstallScript: cfg.Folders.InstallScript(), Environ: cfg.Environ,
		Ports: infra.Ports{
			Postgres: cfg.Ports.Postgres, MinIO: cfg.Ports.MinIO,
			Temporal: cfg.Ports.Temporal, TemporalUI: cfg.Ports.TemporalUI,
		},
		Secrets: keys, Launcher: r.launcher,
		Output: cfg.Console.Writer(self, io.Discard), Report: r.report,
	})
	if err != nil {
		return nil, err
	}
	r.stack = devenv.Stack{
		Ports: cfg.Ports, Secrets: keys, DatabaseURL: r.infra.DatabaseURL(), VisibilityURL: r.infra.VisibilityURL(),
		RunFolder: cfg.Folders.Run, Environ: cfg.Environ,
	}
	return r, nil
}

func (r *runner) report(message string) { r.cfg.Console.Say(self, message) }

func (r *runner) run(ctx context.Context) error {
	if err := devenv.Remove(r.cfg.Folders.Run); err != nil {
		return err
	}
	if err := r.infra.EndLeftovers(ctx); err != nil {
		return err
	}
	if err := ports.Check(ctx, procfs.New(procfs.Root), r.cfg.Ports.Needed()); err != nil {
		return fmt.Errorf("%w\nstop the process (another stack of this folder: make stop), or use other ports: "+
			"make run PORT_BASE=20000", err)
	}
	begin := time.Now()
	watchCtx, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	err := r.start(ctx, watchCtx)
	if err == nil {
		r.report(fmt.Sprintf("everything is up (%.1f s)", time.Since(begin).Seconds()))
		<-ctx.Done()
	}
	stopWatching()
	if ctx.Err() != nil {
		r.report("stopping (press Ctrl-C again to stop immediately)")
		if errors.Is(err, context.Canceled) {
			err = nil // a stop was requested before everything was up
		}
	}
	return errors.Join(err, r.stop(context.WithoutCancel(ctx)))
}

// start starts everything. The context watch bounds the goroutines that monitor the started parts.
func (r *runner) start(ctx, watch context.Context) error {
	if err := r.infra.Start(ctx); err != nil {
		return err
	}
	for _, part := range r.infra.Units() {
		go unit.Keep(watch, part, r.cfg.Clock, r.reportAs(part.Name()))
	}
	if err := r.serveControl(watch); err != nil {
		return err
	}
	seed, err := r.prepareData(ctx)
	if err != nil {
		return err
	}
	for _, name := range []string{
		devenv.Files, devenv.Pages, devenv.Console, devenv.MCP, devenv.Sandbox, devenv.Worker, devenv.API,
	} {
		if err := r.startService(ctx, watch, name); err != nil {
			return err
		}
	}
	file := r.stack.File(seed)
	if err := file.Write(r.cfg.Folders.Run); err != nil {
		return err
	}
	r.cfg.Console.Print(file.Banner(r.cfg.Folders.Run))
	return nil
}

func (r *runner) reportAs(name string) func(string) {
	return func(message string) { r.report(name + " " + message) }
}

func (r *runner) serveControl(ctx context.Context) error {
	parts := make([]control.Part, 0, len(r.infra.Units()))
	for _, part := range r.infra.Units() {
		parts = append(parts, part)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(r.cfg.Ports.Control))
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("control API: %w", err)
	}
	handler := control.NewHandler(control.Config{Parts: parts, Wipe: r.infra.WipeTemporal, Report: r.report})
	go func() {
		if err := control.Serve(ctx, listener, handler); err != nil {
			r.report(err.Error())
		}
	}()
	return nil
}

// stop stops the services, last started first, then the infrastructure.
func (r *runner) stop(ctx context.Context) error {
	errs := []error{devenv.Remove(r.cfg.Folders.Run)}
	for i := len(r.services) - 1; i >= 0; i-- {
		errs = append(errs, r.services[i].Stop(ctx))
	}
	errs = append(errs, r.infra.Stop(ctx))
	return errors.Join(errs...)
}
