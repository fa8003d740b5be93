package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// TestRestoredDatabaseIsDetected moves the post table, as a restore of a dump does, and recovers.
func TestRestoredDatabaseIsDetected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	restored, err := b.db.IsRestored(t.Context())
	require.NoError(t, err)
	require.False(t, restored, "nothing is recorded yet")
	for range 2 {
		require.NoError(t, b.db.CheckRestored(t.Context()))
	}
	postgrestest.Exec(t, b.address, `UPDATE installation SET place = '1/' || split_part(place, '/', 2)`)
	require.ErrorIs(t, b.db.CheckRestored(t.Context()), postgres.ErrRestored, "another server")
	restored, err = b.db.IsRestored(t.Context())
	require.NoError(t, err)
	require.True(t, restored)
	_, err = postgres.NewRecovery(b.db).Run(t.Context(), postgres.Gap{Since: b.now})
	require.NoError(t, err)
	require.NoError(t, b.db.CheckRestored(t.Context()))
	postgrestest.Exec(t, b.address, `UPDATE installation SET place = split_part(place, '/', 1) || '/1'`)
	require.ErrorIs(t, b.db.CheckRestored(t.Context()), postgres.ErrRestored, "another table")
}

// TestNoObjectIsDeletedDuringBackup checks that the sweep waits, that the snapshot does not change, and that a second
// backup is refused.
func TestNoObjectIsDeletedDuringBackup(t *testing.T) {
	t.Parallel()
	b := setup(t)
	loose := postgres.NewLoose(b.db)
	require.NoError(t, loose.Register(t.Context(), "loose/1", -time.Second))
	deleted := 0
	sweep := func() int {
		n, err := loose.Sweep(t.Context(), 5, func(context.Context, string) error {
			deleted++
			return nil
		})
		require.NoError(t, err)
		return n
	}
	err := b.db.WithSnapshot(t.Context(), func(ctx context.Context, s postgres.Snapshot) error {
		require.NotEmpty(t, s.ID)
		require.Positive(t, s.Schema)
		require.Empty(t, s.Objects)
		require.Zero(t, sweep())
		require.ErrorIs(t, b.db.WithSnapshot(ctx, func(context.Context, postgres.Snapshot) error { return nil }),
			postgres.ErrBackupRuns)
		return nil
	})
	require.NoError(t, err)
	require.Zero(t, deleted)
	require.Equal(t, 1, sweep())
	require.Equal(t, 1, deleted)
}
