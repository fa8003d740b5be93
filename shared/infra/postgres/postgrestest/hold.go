package postgrestest

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"
)

// Hold runs a statement in a transaction that stays open, with its locks, until it is rolled back by release or at the
// end of the test. release may be called more than once.
func Hold(t testing.TB, address, statement string, args ...any) (release func()) {
	t.Helper()
	_, release = begin(t, address, statement, args)
	return release
}

// HoldToCommit is Hold for a change that is to take effect: commit ends the transaction. The end of the test undoes one that was
// not committed.
func HoldToCommit(t testing.TB, address, statement string, args ...any) (commit func()) {
	t.Helper()
	tx, _ := begin(t, address, statement, args)
	return func() { require.NoError(t, tx.Commit()) }
}

func begin(t testing.TB, address, statement string, args []any) (tx *sql.Tx, release func()) {
	t.Helper()
	db := open(t, address)
	ctx := context.WithoutCancel(t.Context()) // the end of the test would roll it back before its cleanups run
	tx, err := db.BeginTx(ctx, nil)
	require.NoError(t, err)
	_, err = tx.ExecContext(ctx, statement, args...)
	require.NoError(t, err)
	release = func() {
		_ = tx.Rollback()
		_ = db.Close()
	}
	t.Cleanup(release)
	return tx, release
}
