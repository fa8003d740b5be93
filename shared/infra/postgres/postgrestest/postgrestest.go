// Package postgrestest gives each test its own database on the PostgreSQL server of the development stack.
package postgrestest

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the pgx driver
	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/kernel/ident"
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
	admin, err := sql.Open("pgx", server)
	require.NoError(t, err)
	defer func() { _ = admin.Close() }()
	template := ensureTemplate(t, admin, server)
	name := "test_" + strings.ReplaceAll(ident.New[ident.Post]().String(), "-", "")
	_, err = admin.ExecContext(t.Context(), `CREATE DATABASE `+name+` TEMPLATE `+template)
	require.NoError(t, err)
	address := withDatabase(t, server, name)
	db := connect(t, address)
	t.Cleanup(func() {
		_ = db.Close()
		cleaner, err := sql.Open("pgx", server)
		require.NoError(t, err)
		defer func() { _ = cleaner.Close() }()
		_, err = cleaner.ExecContext(context.Background(), `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`) //nolint:usetesting // the test's context has ended
		require.NoError(t, err)
	})
	return db, address
}

func connect(t testing.TB, address string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(postgres.Config{
		URL: address, MaxConnections: connections, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	return db
}

func withDatabase(t testing.TB, server, name string) string {
	t.Helper()
	u, err := url.Parse(server)
	require.NoError(t, err)
	u.Path = "/" + name
	return u.String()
}

// templateLock prevents test processes from creating the template concurrently.
const templateLock = 7_314_159

var templateOnce = sync.OnceValue(templateName)

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

func ensureTemplate(t testing.TB, admin *sql.DB, server string) string {
	t.Helper()
	name := templateOnce()
	conn, err := admin.Conn(t.Context())
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = conn.ExecContext(t.Context(), `SELECT pg_advisory_lock($1)`, templateLock)
	require.NoError(t, err)
	defer func() { _, _ = conn.ExecContext(t.Context(), `SELECT pg_advisory_unlock($1)`, templateLock) }()
	var ready bool
	require.NoError(t, conn.QueryRowContext(t.Context(),
		`SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate)`, name).Scan(&ready))
	if ready {
		return name
	}
	for _, statement := range []string{`DROP DATABASE IF EXISTS ` + name + ` WITH (FORCE)`, `CREATE DATABASE ` + name} {
		_, err = conn.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	db := connect(t, withDatabase(t, server, name))
	migrator, err := postgres.NewMigrator(db)
	require.NoError(t, err)
	_, err = migrator.Up(t.Context())
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = conn.ExecContext(t.Context(), `ALTER DATABASE `+name+` IS_TEMPLATE true`)
	require.NoError(t, err)
	return name
}
