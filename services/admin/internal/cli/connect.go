package cli

import (
	"context"
	"log/slog"
	"time"

	"fencepost.internal/services/admin/internal/operator"
	useCases "fencepost.internal/services/internal/app"
	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/telemetry"
	"fencepost.internal/shared/platform/connectors"
)

const (
	connections = 2
	// checkLimit bounds the first database call, because a person waits for it.
	checkLimit = 10 * time.Second
)

// with runs fn on the database that the environment names, after checking that it has the schema that this program
// expects.
func (a *app) with(ctx context.Context, fn func(ctx context.Context, op *operator.Operator) error) error {
	cfg, err := config.Load[config.Admin[connectors.Environment]](a.process.Environ)
	if err != nil {
		return err
	}
	db, logger, err := a.database(cfg.Logging, cfg.Database, "admin")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	op, err := a.operator(cfg, db, logger)
	if err != nil {
		return err
	}
	if err := check(ctx, db); err != nil {
		return err
	}
	return fn(ctx, op)
}

// database opens the database for a command of this name.
func (a *app) database(logging config.Logging, at config.Database, name string) (*postgres.DB, *slog.Logger, error) {
	logger, err := telemetry.NewLogger(telemetry.LogConfig{
		Output: a.process.Err, Level: logging.LogLevel, Format: logging.LogFormat, Service: "admin", Version: telemetry.Build(),
	})
	if err != nil {
		return nil, nil, err
	}
	db, err := postgres.Open(postgres.Config{
		URL: at.URL.Reveal(), Name: name, MaxConnections: connections, Logger: logger,
	})
	return db, logger, err
}

func (a *app) operator(
	cfg config.Admin[connectors.Environment], db *postgres.DB, logger *slog.Logger,
) (*operator.Operator, error) {
	keyring, err := bootstrap.Keyring(cfg.Encryption.Keys)
	if err != nil {
		return nil, err
	}
	linked, err := connectors.New(cfg.Networks, a.process.Clock, cfg.CommitTimeout)
	if err != nil {
		return nil, err
	}
	live, err := useCases.NewLive(useCases.LiveDeps{
		DB: db, Keyring: keyring, Connectors: linked, Rules: connectors.Rules(), Clock: a.process.Clock, Logger: logger,
		SendWindow: cfg.PublishSendWindow, CommitTimeout: cfg.CommitTimeout,
	})
	if err != nil {
		return nil, err
	}
	return operator.New(operator.Deps{DB: db, Keyring: keyring, Networks: linked, Live: live, Clock: a.process.Clock})
}

func check(ctx context.Context, db *postgres.DB) error {
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	return db.CheckSchema(ctx)
}
