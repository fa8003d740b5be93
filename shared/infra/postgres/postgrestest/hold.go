package postgrestest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// Hold runs a statement in a transaction that stays open, with its locks, until it is rolled back by release or at the
// end of the test. release may be called more than once.
func Hold(t testing.TB, address, statement string, args ...any) (release func()) {
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
	return release
}
