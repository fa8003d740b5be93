// Package postgrestest gives each test its own database on the PostgreSQL server of the development stack.
package postgrestest

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the pgx driver
	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/kernel/ident"
)

// EnvURL is the environment variable with the URL of a server on which databases can be created.
const EnvURL = "TEST_DATABASE_URL"

const connections = 20

// Open returns an empty database with the current schema and drops it after the test. The database is copied from a
// template that the first caller migrates, so creating it takes milliseconds.
func Open(t testing.TB) *postgres.DB {
	t.Helper()
	db, _ := OpenURL(t)
	return db
}

// OpenURL is Open for tests that pass the URL to a process.
func OpenURL(t testing.TB) (*postgres.DB, string) {
	t.Helper()
	server := os.Getenv(EnvURL)
	require.NotEmpty(t, server, "%s is not set: run the tests with `make test`, which starts PostgreSQL", EnvURL)
	admin, err := prepared(server)
	require.NoError(t, err)
	name := "test_" + strings.ReplaceAll(ident.New[ident.Post]().String(), "-", "")
	_, err = admin.db.ExecContext(t.Context(), `CREATE DATABASE `+name+` TEMPLATE `+admin.template)
	require.NoError(t, err)
	address, err := withDatabase(server, name)
	require.NoError(t, err)
	db, err := connect(address)
	require.NoError(t, err)
	pool, err := lend(address)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, _ = db.Close(), pool.Close()
		pools.Delete(address)
		_, err := admin.db.ExecContext(context.Background(), //nolint:usetesting // the test's context has ended
			`DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`)
		require.NoError(t, err)
	})
	return db, address
}

// Empty returns the URL of a database without a schema, and drops it after the test.
func Empty(t testing.TB) string {
	t.Helper()
	server := os.Getenv(EnvURL)
	require.NotEmpty(t, server, "%s is not set: run the tests with `make test`, which starts PostgreSQL", EnvURL)
	admin, err := prepared(server)
	require.NoError(t, err)
	name := "empty_" + strings.ReplaceAll(ident.New[ident.Post]().String(), "-", "")
	_, err = admin.db.ExecContext(t.Context(), `CREATE DATABASE `+name)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := admin.db.ExecContext(context.WithoutCancel(t.Context()), `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`)
		require.NoError(t, err)
	})
	address, err := withDatabase(server, name)
	require.NoError(t, err)
	return address
}

func connect(address string) (*postgres.DB, error) {
	return postgres.Open(postgres.Config{
		URL: address, MaxConnections: connections, Logger: slog.New(slog.DiscardHandler),
	})
}

func withDatabase(server, name string) (string, error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}

// templateLock prevents test processes from creating the template concurrently.
const templateLock = 7_314_159

// templateName derives the template's name from the migrations, so that a changed schema or a changed order gets a new
// template.
func templateName() string {
	h := sha256.New()
	files := postgres.MigrationFiles()
	_ = fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(files, path)
		_, _ = h.Write(append([]byte(path+"\n"), raw...)) // a renumbered migration changes the hash
		return err
	})
	return "template_" + hex.EncodeToString(h.Sum(nil))[:12]
}

// administration holds the connections to the server and the name of the template.
type administration struct {
	db       *sql.DB
	template string
}

// administrations holds the connections to each server: a test may start one of its own.
var administrations sync.Map

// prepared connects to the server and creates the template unless it exists, once per test process and server.
func prepared(server string) (administration, error) {
	prepare, _ := administrations.LoadOrStore(server, sync.OnceValues(func() (administration, error) {
		return prepare(server)
	}))
	return prepare.(func() (administration, error))() //nolint:forcetypeassert,errcheck // nothing else is stored
}

func prepare(server string) (administration, error) {
	admin, err := sql.Open("pgx", server)
	if err != nil {
		return administration{}, err
	}
	const idle = 4
	admin.SetMaxIdleConns(idle)
	name, err := ensureTemplate(context.Background(), admin, server)
	return administration{admin, name}, err
}

func ensureTemplate(ctx context.Context, admin *sql.DB, server string) (name string, err error) {
	name = templateName()
	conn, err := admin.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, templateLock); err != nil {
		return "", err
	}
	defer func() { _, _ = conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, templateLock) }()
	var ready bool
	err = conn.QueryRowContext(ctx,
		`SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate)`, name).Scan(&ready)
	if err != nil || ready {
		return name, err
	}
	for _, statement := range []string{`DROP DATABASE IF EXISTS ` + name + ` WITH (FORCE)`, `CREATE DATABASE ` + name} {
		if _, err = conn.ExecContext(ctx, statement); err != nil {
			return "", err
		}
	}
	if err := migrate(ctx, server, name); err != nil {
		return "", err
	}
	_, err = conn.ExecContext(ctx, `ALTER DATABASE `+name+` IS_TEMPLATE true`)
	return name, err
}

// migrate creates the current schema in a database of the server.
func migrate(ctx context.Context, server, name string) error {
	address, err := withDatabase(server, name)
	if err != nil {
		return err
	}
	db, err := connect(address)
	if err != nil {
		return err
	}
	migrator, err := postgres.NewMigrator(db)
	if err == nil {
		_, err = migrator.Up(ctx)
	}
	return errors.Join(err, db.Close())
}
