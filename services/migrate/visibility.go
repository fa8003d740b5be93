package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"

	"go.temporal.io/api/workflowservice/v1"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock"
)

// slimVisibility drops the indexes of Temporal's visibility table that serve no search of the service, if the operator
// configured the database. Only the operator knows whether other applications use the server.
func slimVisibility(ctx context.Context, cfg config.Migrate, logger *slog.Logger, out io.Writer) error {
	if cfg.VisibilityURL.Reveal() == "" {
		return nil
	}
	attributes, err := attributeColumns(ctx, cfg.Temporal, logger)
	if err != nil {
		return err
	}
	return withVisibility(ctx, cfg, logger, func(indexes *postgres.VisibilityIndexes) error {
		dropped, err := indexes.Slim(ctx, attributes)
		if err == nil && len(dropped) > 0 {
			_, _ = fmt.Fprintf(out,
				"Temporal visibility: dropped or narrowed %d indexes (migrate restore-visibility reverts it)\n", len(dropped))
		}
		return err
	})
}

// restoreVisibility creates the dropped indexes again, for example before an upgrade of Temporal's schema.
func restoreVisibility(ctx context.Context, cfg config.Migrate, logger *slog.Logger, out io.Writer) error {
	if cfg.VisibilityURL.Reveal() == "" {
		return errors.New(
			"TEMPORAL_VISIBILITY_DATABASE_URL is not set: it selects the database whose indexes are created again")
	}
	return withVisibility(ctx, cfg, logger, func(indexes *postgres.VisibilityIndexes) error {
		created, err := indexes.Restore(ctx)
		for _, name := range created {
			_, _ = fmt.Fprintf(out, "created %s\n", name)
		}
		if err == nil && len(created) == 0 {
			_, _ = fmt.Fprintln(out, "Temporal visibility: no index was dropped")
		}
		return err
	})
}

func withVisibility(
	ctx context.Context, cfg config.Migrate, logger *slog.Logger, do func(*postgres.VisibilityIndexes) error,
) error {
	db, err := postgres.Open(postgres.Config{
		URL: cfg.VisibilityURL.Reveal(), Name: "migrate", MaxConnections: 1, Logger: logger, LockTimeout: pause,
	})
	if err != nil {
		return fmt.Errorf("TEMPORAL_VISIBILITY_DATABASE_URL: %w", err)
	}
	defer func() { _ = db.Close() }()
	return patiently(ctx, logger, "Temporal's visibility database",
		func() error { return do(postgres.NewVisibilityIndexes(db)) })
}

// attributeColumns returns the columns that hold the namespace's search attributes.
func attributeColumns(ctx context.Context, cfg config.Temporal, logger *slog.Logger) ([]string, error) {
	c, err := bootstrap.Temporal(cfg, &bootstrap.Process{Name: "migrate", Logger: logger, Clock: clock.System()})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	described, err := c.WorkflowService().DescribeNamespace(ctx,
		&workflowservice.DescribeNamespaceRequest{Namespace: cfg.Namespace})
	if err != nil {
		return nil, fmt.Errorf("describe namespace %s: %w", cfg.Namespace, err)
	}
	return slices.Sorted(maps.Keys(described.GetConfig().GetCustomSearchAttributeAliases())), nil
}
