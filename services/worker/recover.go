package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"fencepost.internal/services/internal/bootstrap"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/flow/postflow"
	"fencepost.internal/shared/infra/config"
	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/clock"
	"fencepost.internal/shared/kernel/ident"
	"fencepost.internal/shared/platform/connectors"
)

const (
	recoverTimeout = 30 * time.Minute
	// recoverSkew is the maximum difference between the database's clock and the clocks of Temporal and of the
	// database's clients.
	recoverSkew = 2 * time.Minute
)

// Recover makes a database safe to use after it was restored to an earlier state, and returns the exit code. No api and
// no worker may run. Afterwards, an open post is sent only after its network was asked whether it is already published.
func Recover(out io.Writer) int {
	cfg, err := config.Load[config.Worker[connectors.Environment]](config.OS())
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), recoverTimeout)
		defer cancel()
		err = recoverFrom(ctx, out, cfg, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	}
	if err != nil {
		_, _ = fmt.Fprintf(out,
			"worker recover: %v\nThe database may be partly changed. It is safe to run the command again. Do not start api "+
				"or worker until it succeeds.\n", err)
		return 1
	}
	return 0
}

func recoverFrom(
	ctx context.Context, out io.Writer, cfg config.Worker[connectors.Environment], log *slog.Logger,
) (err error) {
	db, err := postgres.Open(postgres.Config{
		URL: cfg.Database.URL.Reveal(), Name: "worker recover", MaxConnections: 1, Logger: log,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.CheckSchema(ctx); err != nil {
		return err
	}
	temporal, err := bootstrap.Temporal(cfg.Temporal, &bootstrap.Process{Name: "recover", Logger: log})
	if err != nil {
		return err
	}
	defer temporal.Close()
	registry, err := connectors.New(cfg.Networks, clock.System(), cfg.CommitTimeout)
	if err != nil {
		return err
	}
	recovery := postgres.NewRecovery(db)
	since, err := recovery.KnownUntil(ctx)
	if err != nil {
		return err
	}
	if !since.IsZero() {
		since = since.Add(-recoverSkew)
	}
	published, err := publishedSince(ctx, temporal, cfg.Temporal.Namespace, since)
	if err != nil {
		return err
	}
	done, err := recovery.Run(ctx, postgres.Gap{Since: since, Askable: registry.Askable(), Published: published})
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "The database has no record after %s. Temporal has %d posts published since then.\n"+
		"%d open posts are sent only if their network does not have them; %d open posts, deliveries and files are "+
		"enqueued.\n"+
		"Start worker and api now.\n", since.Format(time.RFC3339), len(published), done.Held, done.Enqueued)
	return nil
}

// publishedSince returns the posts published since the given time, as far as Temporal's retention allows.
func publishedSince(
	ctx context.Context, temporal client.Client, namespace string, since time.Time,
) ([]ident.Post, error) {
	request := &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: namespace,
		Query: fmt.Sprintf("WorkflowType = '%s' AND %s = '%s' AND CloseTime >= '%s'",
			postflow.Workflow, postflow.AttrPostStatus.GetName(), post.Published, since.UTC().Format(time.RFC3339)),
	}
	var published []ident.Post
	for {
		page, err := temporal.ListWorkflow(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("list published posts in Temporal: %w", err)
		}
		for _, found := range page.GetExecutions() {
			if id, err := postflow.PostOf(found.GetExecution().GetWorkflowId()); err == nil {
				published = append(published, id)
			}
		}
		if request.NextPageToken = page.GetNextPageToken(); len(request.GetNextPageToken()) == 0 {
			return published, nil
		}
	}
}
