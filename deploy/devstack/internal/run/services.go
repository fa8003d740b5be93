package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"syscall"
	"time"

	"fencepost.internal/devstack/internal/devenv"
	"fencepost.internal/devstack/internal/logfile"
	"fencepost.internal/devstack/internal/process"
	"fencepost.internal/devstack/internal/unit"
)

const (
	serviceGrace        = 15 * time.Second
	serviceReadyTimeout = 60 * time.Second
)

// prepareData migrates the database and seeds it. Both steps do nothing if they were done before.
func (r *runner) prepareData(ctx context.Context) (devenv.Seed, error) {
	begin := time.Now()
	if err := r.once(ctx, devenv.Migrate, nil, "up"); err != nil {
		return devenv.Seed{}, err
	}
	var output bytes.Buffer
	state := filepath.Join(r.cfg.Folders.Run, "seed.json")
	if err := r.once(ctx, devenv.Admin, &output, "seed", "--json", "--state", state); err != nil {
		return devenv.Seed{}, err
	}
	var seed devenv.Seed
	if err := json.Unmarshal(output.Bytes(), &seed); err != nil {
		return devenv.Seed{}, fmt.Errorf("read the output of %s seed: %w", devenv.Admin, err)
	}
	r.report(fmt.Sprintf("data is ready (%.1f s)", time.Since(begin).Seconds()))
	return seed, nil
}

// once runs a program to completion. Its output goes to stdout if given, else to the console.
func (r *runner) once(ctx context.Context, name string, stdout io.Writer, args ...string) error {
	log := r.log(name)
	defer log.Close()
	shown := r.cfg.Console.Writer(name, log)
	if stdout == nil {
		stdout = shown
	}
	spec := r.spec(name, args...)
	spec.Stdout, spec.Stderr = stdout, shown
	if err := r.launcher.Run(ctx, spec); err != nil {
		return fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return nil
}

func (r *runner) spec(name string, args ...string) process.Spec {
	return process.Spec{
		Path: filepath.Join(r.cfg.Folders.Bin, name), Args: args,
		Dir: r.cfg.Folders.Root, Env: r.stack.Environment(name),
		DeathSignal: syscall.SIGKILL,
	}
}

// log returns the log file of a program.
func (r *runner) log(name string) io.WriteCloser {
	return logfile.New(filepath.Join(r.cfg.Folders.Logs(), name+".log"))
}

// startService starts a service, waits until it is ready, and restarts it after each crash.
func (r *runner) startService(ctx, watch context.Context, name string) error {
	output := r.cfg.Console.Writer(name, r.log(name))
	service, err := unit.New(unit.Config{
		Name:     name,
		Launcher: r.launcher,
		Launch: func(context.Context) (process.Spec, error) {
			spec := r.spec(name)
			spec.Stdout, spec.Stderr = output, output
			return spec, nil
		},
		Probe:        func(ctx context.Context) error { return r.ready(ctx, name) },
		StopSignal:   syscall.SIGTERM,
		Grace:        serviceGrace,
		ReadyTimeout: serviceReadyTimeout,
	})
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := service.Start(ctx); err != nil {
		return err
	}
	r.services = append(r.services, service)
	r.report(fmt.Sprintf("%s is ready (%.1f s)", name, time.Since(begin).Seconds()))
	go unit.Keep(watch, restarted{service}, r.cfg.Clock, r.reportAs(name))
	return nil
}

// restarted starts a crashed service without a deadline for its readiness, because its dependencies may be down too.
type restarted struct{ *unit.Unit }

func (s restarted) Start(ctx context.Context) error { return s.Launch(ctx) }

// ready requests a service's /readyz. The error contains the response.
func (r *runner) ready(ctx context.Context, name string) error {
	const longest = 500
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.stack.OpsURL(name)+"/readyz", http.NoBody)
	if err != nil {
		return fmt.Errorf("request %s: %w", name, err)
	}
	response, err := r.cfg.HTTPClient.Do(request)
	if err != nil {
		return fmt.Errorf("request %s: %w", name, err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	body, _ := io.ReadAll(io.LimitReader(response.Body, longest))
	return fmt.Errorf("%s/readyz responds with %d: %s", r.stack.OpsURL(name), response.StatusCode, bytes.TrimSpace(body))
}
