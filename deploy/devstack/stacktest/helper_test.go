package stacktest_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
)

// runHelper is the command that devstack runs in the tests. It uses the servers as a project's tests would.
func runHelper(ctx context.Context, name string) int {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	helpers := map[string]func(context.Context) error{
		"connect": connect,
		"control": control,
		"write":   write,
		"read":    read,
	}
	if err := helpers[name](ctx); err != nil {
		return fail(fmt.Errorf("%s: %w", name, err))
	}
	fmt.Fprintln(os.Stdout, name+": all well")
	return 0
}

func connect(ctx context.Context) error {
	return errors.Join(useDatabase(ctx), useStore(ctx), useTemporal(ctx), seeUI(ctx))
}

// useDatabase performs the steps of a test with a template database.
func useDatabase(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, os.Getenv("TEST_DATABASE_URL"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, statement := range []string{"CREATE DATABASE template_a", "CREATE DATABASE copy_a TEMPLATE template_a"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	var zone, encoding, authentication string
	err = conn.QueryRow(ctx, `SELECT current_setting('timezone'), current_setting('server_encoding'),
		(SELECT string_agg(DISTINCT auth_method, ',') FROM pg_hba_file_rules)`).Scan(&zone, &encoding, &authentication)
	if err != nil {
		return err
	}
	if zone != "UTC" || encoding != "UTF8" || authentication != "scram-sha-256" {
		return fmt.Errorf("time zone %s, encoding %s, authentication %s", zone, encoding, authentication)
	}
	return nil
}

func useStore(ctx context.Context) error {
	store, err := minio.New(strings.TrimPrefix(os.Getenv("TEST_S3_ENDPOINT"), "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(os.Getenv("TEST_S3_ACCESS_KEY"), os.Getenv("TEST_S3_SECRET_KEY"), ""),
	})
	if err != nil {
		return err
	}
	_, err = store.PutObject(ctx, "media", "key", strings.NewReader("bytes"), 5, minio.PutObjectOptions{})
	return err
}

func dial(ctx context.Context) (client.Client, error) {
	return client.DialContext(ctx, client.Options{HostPort: os.Getenv("TEST_TEMPORAL_ADDRESS")})
}

func useTemporal(ctx context.Context) error {
	temporal, err := dial(ctx)
	if err != nil {
		return err
	}
	defer temporal.Close()
	return startWorkflow(ctx, temporal)
}

// startWorkflow starts a workflow for which there is no worker.
func startWorkflow(ctx context.Context, temporal client.Client) error {
	_, err := temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "kept", TaskQueue: "unpolled"}, "Nothing")
	return err
}

func seeUI(ctx context.Context) error {
	return call(ctx, http.MethodGet, os.Getenv("TEST_TEMPORAL_UI_URL")+"/namespaces/default/workflows")
}

func call(ctx context.Context, method, url string) error {
	request, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		return err
	}
	response, err := (&http.Client{Timeout: timeout}).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s answers %d", method, url, response.StatusCode)
	}
	return nil
}

func order(ctx context.Context, action string) error {
	return call(ctx, http.MethodPost, os.Getenv("DEVSTACK_CONTROL")+action)
}

// control kills everything once and wipes Temporal once, and checks which data survives.
func control(ctx context.Context) error {
	if err := errors.Join(write(ctx), useStore(ctx), useTemporal(ctx)); err != nil {
		return err
	}
	for _, action := range []string{
		"/temporal/kill", "/minio/kill", "/postgres/kill", "/postgres/start", "/minio/start", "/temporal/start",
		"/postgres/stop?mode=immediate", "/postgres/start", "/postgres/restart", "/minio/restart", "/temporal/restart",
	} {
		if err := order(ctx, action); err != nil {
			return err
		}
	}
	if err := errors.Join(read(ctx), useStore(ctx), workflowIs(ctx, true)); err != nil {
		return err
	}
	if err := order(ctx, "/temporal/wipe"); err != nil {
		return err
	}
	return errors.Join(read(ctx), workflowIs(ctx, false), useTemporal(ctx), seeUI(ctx))
}

// workflowIs checks the workflow that startWorkflow starts. Temporal may need a moment to reconnect to the database.
func workflowIs(ctx context.Context, known bool) error {
	temporal, err := dial(ctx)
	if err != nil {
		return err
	}
	defer temporal.Close()
	for {
		description, err := temporal.DescribeWorkflowExecution(ctx, "kept", "")
		var missing *serviceerror.NotFound
		switch {
		case err == nil && known &&
			description.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING:
			return nil
		case errors.As(err, &missing) && !known:
			return nil
		case err == nil || errors.As(err, &missing):
			return fmt.Errorf("the workflow is known: %t, expected: %t", err == nil, known)
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func write(ctx context.Context) error { return query(ctx, "CREATE TABLE kept AS SELECT 1 AS one") }

func read(ctx context.Context) error { return query(ctx, "SELECT one FROM kept") }

func query(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, os.Getenv("TEST_DATABASE_URL"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}
