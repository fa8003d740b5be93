// Package bootstrap starts a long-running process: it loads the configuration, creates the logger and the clients,
// serves the operations endpoints, and shuts the process down in order.
//
// A Server runs until it is canceled. It then stops accepting, drains requests, stops background work, and closes
// dependencies, in this order. It does not depend on an HTTP library: a program brings its own.
package bootstrap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.temporal.io/sdk/client"

	"fencepost.internal/services/internal/framing"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/kernel/clock"
)

const (
	readHeaderTimeout = 5 * time.Second
	opsStopTimeout    = 2 * time.Second
	probeTimeout      = 3 * time.Second
)

// Process holds the dependencies common to all programs.
type Process struct {
	Name     string
	Version  string
	Logger   *slog.Logger
	Registry prometheus.Registerer // adds telemetry.Prefix to the names of metrics
	Clock    clock.Clock
	// Libraries registers the metrics of libraries, under the names that their users know.
	Libraries *prometheus.Registry

	temporal client.MetricsHandler // of the Temporal client; nil before there is one
	traced   bool                  // spans are sent to a collector
}

// Program describes a long-running program whose environment is T.
type Program[T any] struct {
	Name string
	// Common returns the settings common to all programs.
	Common func(T) config.Common
	// Start creates the service. Service.Run works until its context is canceled, and then shuts down in order.
	Start func(ctx context.Context, cfg T, p *Process) (Service, error)
}

// Service is a started program.
type Service struct {
	Checks []telemetry.Check // checks of /readyz
	Run    func(ctx context.Context) error
}

// Main runs the program and returns its exit code: 0 after an orderly shutdown, 1 after a failure, 2 for invalid
// arguments. The arguments print-config, healthcheck and version run that command instead.
func Main[T any](args []string, out io.Writer, program Program[T]) int {
	if len(args) == 0 {
		return exitCode(out, program.Name, run(program))
	}
	switch args[0] {
	case "print-config":
		return exitCode(out, program.Name, PrintConfig[T](out))
	case "healthcheck":
		return exitCode(out, program.Name, healthcheck(program))
	case "version", "--version":
		_, _ = fmt.Fprintln(out, telemetry.Build())
		return 0
	default:
		_, _ = fmt.Fprintf(out, "%s: unknown argument %q; want none, print-config, healthcheck or version\n", program.Name,
			args[0])
		return 2 //nolint:mnd // the shell's exit code for incorrect usage
	}
}

func exitCode(out io.Writer, name string, err error) int {
	if err == nil {
		return 0
	}
	_, _ = fmt.Fprintf(out, "%s: %v\n", name, err)
	return 1
}

// PrintConfig prints the variables of the environment T as JSON.
func PrintConfig[T any](out io.Writer) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(config.Describe[T]())
}

func run[T any](program Program[T]) error {
	cfg, err := config.Load[T](config.OS())
	if err != nil {
		return err
	}
	common := program.Common(cfg)
	logger, err := telemetry.NewLogger(telemetry.LogConfig{
		Output: os.Stderr, Level: common.LogLevel, Format: common.LogFormat, Service: program.Name, Version: telemetry.Build(),
		RequestsPerSecond: common.LogRequests,
	})
	if err != nil {
		return err
	}
	registry, err := telemetry.NewRegistry()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := &Process{
		Name: program.Name, Version: telemetry.Build(), Logger: logger, Registry: telemetry.Prefixed(registry),
		Libraries: registry, Clock: clock.System(),
	}
	sendSpans, err := startTracing(ctx, common.Tracing, p)
	if err != nil {
		return err
	}
	defer sendSpans()
	service, err := program.Start(ctx, cfg, p)
	if err != nil {
		return err
	}
	return serve(ctx, common, p, service)
}

// serve runs the service beside its operations listener. On shutdown readiness fails first, then the service goes on for
// the drain delay, so that no new work arrives while the current work finishes.
func serve(ctx context.Context, common config.Common, p *Process, service Service) error {
	checks, err := telemetry.NewHealth(telemetry.HealthConfig{Checks: service.Checks, Clock: p.Clock, Logger: p.Logger})
	if err != nil {
		return err
	}
	if err := p.Registry.Register(checks.Collector()); err != nil {
		return err
	}
	guard, err := framing.New(framing.Config{Clock: p.Clock, Registerer: p.Registry})
	if err != nil {
		return err
	}
	if err := p.Registry.Register(buildInfo(p.Version)); err != nil {
		return err
	}
	listener, err := Listen(ctx, "OPS_ADDR", common.OpsAddr)
	if err != nil {
		return err
	}
	handler := telemetry.OpsHandler(p.Libraries, checks, p.Logger)
	if common.Pprof {
		handler = telemetry.WithProfiles(handler)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: readHeaderTimeout}
	go func() {
		if err := server.Serve(guard.Listener(listener)); !errors.Is(err, http.ErrServerClosed) {
			p.Logger.ErrorContext(ctx, "the OPS_ADDR listener ended", slog.Any("error", err))
		}
	}()
	serving, end := clock.Grace(ctx, common.DrainDelay)
	defer end()
	defer context.AfterFunc(ctx, checks.StartDraining)()
	p.Logger.InfoContext(ctx, "started", slog.String("ops_address", listener.Addr().String()))
	err = service.Run(serving)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), opsStopTimeout)
	defer cancel()
	_ = server.Shutdown(stopping)
	p.Logger.InfoContext(stopping, "stopped")
	return err
}

// buildInfo returns the metric whose labels are the running build, and whose value is 1.
func buildInfo(version string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "build_info", Help: "The running build; 1.",
		ConstLabels: prometheus.Labels{"version": version, "revision": telemetry.Revision(), "goversion": runtime.Version()},
	}, func() float64 { return 1 })
}

func healthcheck[T any](program Program[T]) error {
	cfg, err := config.Load[T](config.OS())
	if err != nil {
		return err
	}
	return probe(program.Common(cfg).OpsAddr)
}

// probe requests the process's own /readyz. Images without a shell use it as their health check.
func probe(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("OPS_ADDR: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz",
		http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request) //nolint:forbidigo // one request to its own address
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", response.Status)
	}
	return nil
}
