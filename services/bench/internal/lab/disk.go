package lab

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"path/filepath"

	"github.com/jackc/pgx/v5"
)

// Databases names the databases of DiskUse.
var Databases = []string{"service", "Temporal", "visibility"}

// Temporal's databases in the development stack.
const (
	temporalDatabase   = "temporal"
	visibilityDatabase = "temporal_visibility"
)

// database returns the superuser's address of a database of the server.
func (l *Lab) database(name string) (string, error) {
	u, err := url.Parse(l.Database.Reveal())
	if err != nil {
		return "", fmt.Errorf("TEST_DATABASE_URL is not a URL: %w", err)
	}
	u.Path = "/" + name
	return u.String(), nil
}

// databases returns the addresses of Databases.
func (l *Lab) databases() ([]string, error) {
	temporal, err1 := l.database(temporalDatabase)
	visibility, err2 := l.database(visibilityDatabase)
	return []string{l.DatabaseURL, temporal, visibility}, errors.Join(err1, err2)
}

// Settle lets PostgreSQL clean up after earlier measurements. Otherwise, the next one competes with autovacuum and the
// checkpointer, and is slower the more rows the previous one wrote.
func (l *Lab) Settle(ctx context.Context) error {
	addresses, err := l.databases()
	if err != nil {
		return err
	}
	for _, address := range addresses {
		if err := execute(ctx, address, `VACUUM (ANALYZE)`, `CHECKPOINT`); err != nil {
			return err
		}
	}
	return nil
}

// execute runs statements outside of transactions.
func execute(ctx context.Context, address string, statements ...string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// DropVisibilityIndexes drops the indexes that the service does not need, as a deployment does.
func (l *Lab) DropVisibilityIndexes(ctx context.Context) error {
	address, err := l.database(visibilityDatabase)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(l.Bin, "migrate"), "up") //nolint:gosec // G204: our own program
	cmd.Env = append(append([]string{}, l.env...), "TEMPORAL_VISIBILITY_DATABASE_URL="+address)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("migrate up: %w\n%s", err, out)
	}
	return nil
}

// How DiskUse prepares the databases: as the server does from time to time, or by removing all free space, which earlier
// measurements left and new rows would fill.
const (
	Vacuumed = `VACUUM`
	Packed   = `VACUUM FULL`
)

// DiskUse prepares each database of Databases and returns the sizes of their tables in bytes, with indexes and large
// values.
func (l *Lab) DiskUse(ctx context.Context, prepare string) ([]map[string]int64, error) {
	addresses, err := l.databases()
	if err != nil {
		return nil, err
	}
	var sizes []map[string]int64
	for _, address := range addresses {
		tables, err := tableSizes(ctx, address, prepare)
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, tables)
	}
	return sizes, nil
}

func tableSizes(ctx context.Context, address, prepare string) (map[string]int64, error) {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, prepare); err != nil {
		return nil, err
	}
	rows, err := conn.Query(ctx, `SELECT c.relname, pg_total_relation_size(c.oid) FROM pg_class c
		WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`)
	if err != nil {
		return nil, err
	}
	sizes := make(map[string]int64)
	for rows.Next() {
		var (
			name string
			size int64
		)
		if err := rows.Scan(&name, &size); err != nil {
			rows.Close()
			return nil, err
		}
		sizes[name] = size
	}
	return sizes, rows.Err()
}
