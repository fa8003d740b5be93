package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/kernel/clock"
)

const (
	usage = `usage: migrate [up | schema | down | status | restore-visibility | print-config | version] [--anyway]

  up            apply missing migrations, then create the bucket (if S3_ENDPOINT is set), and Temporal's namespace and
                search attributes (default)
  schema        apply missing migrations only
  down          revert the newest migration
  status        print the applied and the newest version, and the connected programs
  restore-visibility  create the indexes of Temporal's visibility table again that up dropped
  print-config  print the environment variables as JSON
  version       print the version

up and schema fail while incompatible programs of older versions are connected. down fails while programs are connected that
require the newest migration. --anyway skips this check.
`
	anyway = "--anyway"
	// commandRestore reverses the part of up that changes Temporal's visibility database.
	commandRestore = "restore-visibility"

	timeout = 5 * time.Minute
	pause   = time.Second
)

// Main runs the program and returns its exit code.
func Main(args []string, out io.Writer) int {
	command := "up"
	args, forced := without(args, anyway)
	if len(args) > 0 {
		command = args[0]
	}
	if len(args) > 1 || forced && !slices.Contains([]string{"up", "schema", "down"}, command) {
		_, _ = io.WriteString(out, usage)
		return 2 //nolint:mnd // the shell's code for a usage error
	}
	switch command {
	case "print-config":
		return report(out, bootstrap.PrintConfig[config.Migrate](out))
	case "up", "schema", "down", "status", commandRestore:
		return report(out, run(command, forced, out))
	case "version", "--version":
		_, _ = fmt.Fprintln(out, telemetry.Build())
		return 0
	case "help", "-h", "--help":
		_, _ = io.WriteString(out, usage)
		return 0
	default:
		_, _ = fmt.Fprintf(out, "migrate: unknown command %q\n%s", command, usage)
		return 2 //nolint:mnd // the shell's code for a usage error
	}
}

// without removes a flag from the arguments and reports whether it was present.
func without(args []string, flag string) (rest []string, found bool) {
	rest = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == flag })
	return rest, len(rest) < len(args)
}

func report(out io.Writer, err error) int {
	if err == nil {
		return 0
	}
	_, _ = fmt.Fprintf(out, "migrate: %v\n", err)
	return 1
}

func run(command string, forced bool, out io.Writer) error {
	cfg, err := config.Load[config.Migrate](config.OS())
	if err != nil {
		return err
	}
	logger, err := telemetry.NewLogger(telemetry.LogConfig{
		Output: os.Stderr, Level: cfg.LogLevel, Format: cfg.LogFormat, Service: "migrate", Version: telemetry.Build(),
	})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if command == commandRestore {
		return restoreVisibility(ctx, cfg, logger, out)
	}
	db, err := postgres.Open(postgres.Config{
		URL: cfg.Database.URL.Reveal(), Name: "migrate", MaxConnections: 2, Logger: logger,
	})
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if err := patiently(ctx, logger, "database", func() error { return db.Ping(ctx) }); err != nil {
		return err
	}
	if err := schema(ctx, command, forced, db, out); err != nil || command != "up" {
		return err
	}
	if err := bucket(ctx, cfg.ObjectStore, logger, out); err != nil {
		return err
	}
	if err := temporal(ctx, cfg.Temporal, &bootstrap.Process{Name: "migrate", Logger: logger, Clock: clock.System()},
		out); err != nil {
		return err
	}
	return slimVisibility(ctx, cfg, logger, out)
}

func schema(ctx context.Context, command string, forced bool, db *postgres.DB, out io.Writer) error {
	migrator, err := postgres.NewMigrator(db)
	if err != nil {
		return err
	}
	if command == "status" {
		return status(ctx, db, migrator, out)
	}
	if err := refuseBeside(ctx, command, forced, migrator); err != nil {
		return err
	}
	change := migrator.Up
	if command == "down" {
		change = migrator.Down
	}
	changed, err := change(ctx)
	for _, name := range changed {
		_, _ = fmt.Fprintf(out, "%s %s\n", command, name)
	}
	if err == nil && len(changed) == 0 {
		_, _ = fmt.Fprintln(out, "schema: nothing to do")
	}
	return err
}

func status(ctx context.Context, db *postgres.DB, migrator *postgres.Migrator, out io.Writer) error {
	current, newest, err := migrator.Status(ctx)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "schema version %d, newest %d\n", current, newest)
	connected, err := db.Connected(ctx)
	for _, program := range connected {
		_, _ = fmt.Fprintf(out, "connected: %s\n", program)
	}
	return err
}

// refuseBeside fails if programs are connected that are incompatible with the schema after the command.
func refuseBeside(ctx context.Context, command string, forced bool, migrator *postgres.Migrator) error {
	if forced {
		return nil
	}
	ask, why := migrator.BeforeUp, "a missing migration is incompatible with programs of older versions"
	if command == "down" {
		ask, why = migrator.BeforeDown, "programs that require the newest migration cannot run without it"
	}
	found, err := ask(ctx)
	if err != nil || len(found) == 0 {
		return err
	}
	lines := make([]string, len(found))
	for i, program := range found {
		lines[i] = "\n  " + program.String()
	}
	return fmt.Errorf(
		"%s; connected:%s\nStop them (SIGTERM) and run migrate again; see \"Upgrade\" in docs/operations.md. "+
			"If none of them belongs to the service, run migrate with %s. Nothing was changed", why, strings.Join(lines, ""),
		anyway)
}

// patiently retries a step until it succeeds or the timeout expires: a dependency that is down may still be starting.
func patiently(ctx context.Context, log *slog.Logger, what string, step func() error) error {
	for {
		err := step()
		if err == nil {
			return nil
		}
		log.WarnContext(ctx, "waiting for a dependency", slog.String("dependency", what), slog.Any("error", err))
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s did not respond within %s: %w", what, timeout, errors.Join(ctx.Err(), err))
		case <-time.After(pause):
		}
	}
}
