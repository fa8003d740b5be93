// Package stack implements "devstack run", which runs the infrastructure and all services until it is stopped, and
// "devstack exec", which runs one command with the infrastructure on free ports. It converts ports and secrets into the environment of each
// service, .run/dev.json, and the text that is printed when the stack is up.
package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/servers"
)

// ErrNotBuilt means that a program of the services is missing.
var ErrNotBuilt = errors.New("not built yet")

// Folders holds absolute paths.
type Folders struct {
	// Root is the checkout, Run the data of the local stack, Bin the built programs.
	Root, Run, Bin string
	// Program is the path of devstack itself.
	Program string
}

// DynamicConfig is the path of Temporal's dynamic configuration in a checkout.
const DynamicConfig = "deploy/temporal/dynamic.yaml"

// servers returns the configuration of the infrastructure over a folder.
func (f Folders) servers(folder string, layout process.Layout, environ []string) (servers.Config, error) {
	secrets, err := servers.EnsureSecrets(filepath.Join(folder, "secrets.json"))
	return servers.Config{
		Folder: folder, Logs: logs(folder), BinFolder: f.Bin, Program: f.Program,
		DynamicConfig: filepath.Join(f.Root, DynamicConfig), InstallScript: filepath.Join(f.Root, "tools", "install.sh"),
		Environ: environ, Ports: layout, Secrets: secrets,
	}, err
}

func logs(folder string) string { return filepath.Join(folder, "logs") }

// lockFolder creates a stack's folder and takes its lock. When devstack runs as root, the database runs as another user,
// which must be able to traverse the folder.
func lockFolder(folder string) (*os.File, error) {
	const mode = 0o755
	if err := errors.Join(os.MkdirAll(logs(folder), mode), os.Chmod(folder, mode)); err != nil {
		return nil, err
	}
	return Acquire(folder)
}

// RunConfig describes a run.
type RunConfig struct {
	Folders

	Ports process.Layout
	// Environ is devstack's environment.
	Environ  []string
	Terminal *Terminal
}

// runner is one run.
type runner struct {
	RunConfig

	servers  *servers.Servers
	stack    Stack
	services []*process.Unit
}

// services returns the programs that run, in the order of their start.
func services() []string {
	return []string{
		Files, Inbound, Pages, Console, MCP, Sandbox, Worker, API,
	}
}

// Run starts everything, prints the addresses, and serves until ctx ends. Then it stops everything in reverse order. It
// returns nil after a requested stop.
func Run(ctx context.Context, cfg RunConfig) (err error) {
	lock, err := lockFolder(cfg.Run)
	if err != nil {
		return fmt.Errorf("%w; stop it with: make stop", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	for _, name := range append(services(), Migrate, Admin) {
		if _, err := os.Stat(filepath.Join(cfg.Bin, name)); err != nil {
			return fmt.Errorf("%s is %w: run: make build", filepath.Join(cfg.Bin, name), ErrNotBuilt)
		}
	}
	r := &runner{RunConfig: cfg}
	config, err := cfg.servers(cfg.Run, cfg.Ports, cfg.Environ)
	if err != nil {
		return err
	}
	config.Output, config.Report = cfg.Terminal.Writer("devstack", io.Discard), r.report
	if r.servers, err = servers.New(config); err != nil {
		return err
	}
	r.stack = Stack{
		Ports: cfg.Ports, Secrets: config.Secrets, DatabaseURL: r.servers.DatabaseURL(),
		VisibilityURL: r.servers.VisibilityURL(), RunFolder: cfg.Run, Environ: cfg.Environ,
	}
	return r.run(ctx)
}

func (r *runner) report(message string) { r.Terminal.Say("devstack", message) }

func (r *runner) run(ctx context.Context) error {
	if err := errors.Join(Remove(r.Run), r.servers.AwaitStale()); err != nil {
		return err
	}
	if err := r.Ports.Check(ctx); err != nil {
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
	if err := r.servers.Start(ctx); err != nil {
		return err
	}
	for _, unit := range r.servers.Units() {
		go process.Keep(watch, unit, r.report)
	}
	if _, err := serveControl(watch, r.Ports.Control, r.servers, r.report); err != nil {
		return err
	}
	seed, err := r.prepareData(ctx)
	if err != nil {
		return err
	}
	for _, name := range services() {
		if err := r.startService(ctx, watch, name); err != nil {
			return err
		}
	}
	file := r.stack.File(seed)
	if err := file.Write(r.Run); err != nil {
		return err
	}
	r.Terminal.Print(file.Banner(r.Run))
	return nil
}

// prepareData migrates the database and seeds it. Both steps do nothing if they were done before.
func (r *runner) prepareData(ctx context.Context) (seed Seed, err error) {
	begin := time.Now()
	if err := r.once(ctx, Migrate, nil, "up"); err != nil {
		return Seed{}, err
	}
	var output bytes.Buffer
	state := filepath.Join(r.Run, "seed.json")
	if err := r.once(ctx, Admin, &output, "seed", "--json", "--state", state); err != nil {
		return Seed{}, err
	}
	if err := json.Unmarshal(output.Bytes(), &seed); err != nil {
		return Seed{}, fmt.Errorf("read the output of %s seed: %w", Admin, err)
	}
	r.report(fmt.Sprintf("data is ready (%.1f s)", time.Since(begin).Seconds()))
	return seed, nil
}

// once runs a program to completion. Its output goes to stdout if given, else to the console.
func (r *runner) once(ctx context.Context, name string, stdout io.Writer, args ...string) error {
	spec, log := r.spec(name, args...)
	defer log.Close()
	if stdout != nil {
		spec.Stdout = stdout
	}
	if err := process.Run(ctx, spec); err != nil {
		return fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return nil
}

// spec describes a process of a program whose output goes to the console and to a log.
func (r *runner) spec(name string, args ...string) (process.Spec, io.Closer) {
	log := process.NewLog(filepath.Join(logs(r.Run), name+".log"))
	output := r.Terminal.Writer(name, log)
	return process.Spec{
		Path: filepath.Join(r.Bin, name), Args: args, Dir: r.Root, Env: r.stack.Environment(name),
		Stdout: output, Stderr: output,
	}, log
}

// startService starts a service, waits until it is ready, and restarts it after each crash.
func (r *runner) startService(ctx, watch context.Context, name string) error {
	spec, _ := r.spec(name)
	service := process.New(process.Config{
		Name:   name,
		Launch: func(context.Context) (process.Spec, error) { return spec, nil },
		Probe:  func(ctx context.Context) error { return servers.CheckHTTP(ctx, r.stack.OpsURL(name)+"/readyz") },
	})
	if err := service.StartTimed(ctx, r.report); err != nil {
		return err
	}
	r.services = append(r.services, service)
	go process.Keep(watch, service, r.report)
	return nil
}

// stop stops the services, last started first, then the infrastructure.
func (r *runner) stop(ctx context.Context) error {
	errs := []error{Remove(r.Run)}
	for _, service := range slices.Backward(r.services) {
		errs = append(errs, service.Stop(ctx))
	}
	return errors.Join(append(errs, r.servers.Stop(ctx))...)
}
