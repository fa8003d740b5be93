package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
)

const rebuildTimeout = 5 * time.Minute

// Rebuild enqueues every open post and delivery again, schedules the collection of figures again, and returns the exit
// code. It is used after a loss or suspected loss of Temporal's store. Running workflows ignore messages that they have
// already processed.
func Rebuild(out io.Writer) int {
	count, err := rebuild()
	if err != nil {
		_, _ = fmt.Fprintf(out, "worker rebuild: %v\n", err)
		return 1
	}
	_, _ = fmt.Fprintf(out,
		"%d open posts and deliveries enqueued; the relay of a running api or worker delivers them to Temporal.\n", count)
	return 0
}

func rebuild() (count int, err error) {
	cfg, err := config.Load[config.Migrate](config.OS())
	if err != nil {
		return 0, err
	}
	db, err := postgres.Open(postgres.Config{
		URL: cfg.Database.URL.Reveal(), Name: "worker rebuild", MaxConnections: 1,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), rebuildTimeout)
	defer cancel()
	if err := db.CheckSchema(ctx); err != nil {
		return 0, err
	}
	return postgres.NewOutbox(db).EnqueueAll(ctx)
}
