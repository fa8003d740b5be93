package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// A connection that swept empty tables must not read the outbox once for each overdue post.
func TestSweepIsPlannedWithCurrentStatistics(t *testing.T) {
	t.Parallel()
	const posts, without = 1000, 10
	b := setup(t)
	p := b.scheduled(t)
	postgrestest.Exec(t, b.address, `DELETE FROM outbox`)
	exec := func(statement string, args ...any) { postgrestest.Exec(t, b.address, statement, args...) }
	require.NoError(t, b.db.WithinTx(t.Context(), func(ctx context.Context) error { // one connection
		n, err := b.outbox.EnqueueOverdue(ctx, time.Hour, 10)
		require.NoError(t, err)
		require.Zero(t, n)
		exec(`INSERT INTO post SELECT copy.* FROM post, generate_series(2, $1::int) n,
			jsonb_populate_record(post, jsonb_build_object('id', CAST(md5(CAST(n AS text)) AS uuid))) copy WHERE post.id = $2`, posts, p.ID)
		exec(`UPDATE post SET scheduled_at = now() - interval '1 hour', updated_at = now() - interval '1 hour'`)
		exec(`INSERT INTO outbox (kind, subject, workspace_id, payload, lane)
			SELECT 'restart', id, workspace_id, '{}', 1 FROM post ORDER BY id DESC LIMIT $1`, posts-without)
		before, err := b.db.RowsRead(ctx, "outbox")
		require.NoError(t, err)
		n, err = b.outbox.EnqueueOverdue(ctx, time.Minute, posts)
		require.NoError(t, err)
		require.Equal(t, without, n)
		after, err := b.db.RowsRead(ctx, "outbox")
		require.NoError(t, err)
		require.Less(t, after-before, 20*posts)
		return nil
	}))
}
