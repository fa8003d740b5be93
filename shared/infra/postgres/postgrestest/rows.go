package postgrestest

import (
	"context"
	"database/sql"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"
)

// Exec runs a statement directly on the database at the URL that OpenURL returned. Tests use it to delete or corrupt
// rows in ways that no store offers.
func Exec(t testing.TB, address, statement string, args ...any) {
	t.Helper()
	require.NoError(t, Try(t, address, statement, args...))
}

// Try is Exec for statements that the database is expected to reject.
func Try(t testing.TB, address, statement string, args ...any) error {
	t.Helper()
	db, release := borrow(t, address)
	defer release()
	_, err := db.ExecContext(t.Context(), statement, args...)
	return err
}

// Column returns the only column of a query as text, bypassing the stores.
func Column(t testing.TB, address, query string, args ...any) []string {
	t.Helper()
	db, release := borrow(t, address)
	defer release()
	return column(t.Context(), t, db, query, args)
}

// Reader runs queries like Column repeatedly, over connections that it keeps open.
type Reader struct{ db *sql.DB }

// NewReader returns a reader of the database at the URL. It is closed at the end of the test.
func NewReader(t testing.TB, address string) *Reader {
	t.Helper()
	db := open(t, address)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return &Reader{db: db}
}

// Column returns the only column of a query as text.
func (r *Reader) Column(ctx context.Context, t require.TestingT, query string, args ...any) []string {
	return column(ctx, t, r.db, query, args)
}

func column(ctx context.Context, t require.TestingT, db *sql.DB, query string, args []any) []string {
	rows, err := db.QueryContext(ctx, query, args...)
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	var values []string
	for rows.Next() {
		var value string
		require.NoError(t, rows.Scan(&value))
		values = append(values, value)
	}
	require.NoError(t, rows.Err())
	return values
}

// pools holds a pool for each database of OpenURL, by its URL, because a connection costs more than most statements.
var pools sync.Map

// lend makes a pool for the database at the URL. The pool prepares no statements, so that tests can change the schema.
func lend(address string) (*sql.DB, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	pool := stdlib.OpenDB(*config)
	pool.SetMaxIdleConns(1)
	pools.Store(address, pool)
	return pool, nil
}

// borrow returns the pool of a database of OpenURL, or else a new pool that release closes.
func borrow(t testing.TB, address string) (db *sql.DB, release func()) {
	t.Helper()
	if found, ok := pools.Load(address); ok {
		if pool, ok := found.(*sql.DB); ok {
			return pool, func() {}
		}
	}
	db = open(t, address)
	return db, func() { require.NoError(t, db.Close()) }
}

func open(t testing.TB, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", address)
	require.NoError(t, err)
	return db
}
