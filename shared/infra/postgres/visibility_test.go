package postgres_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/infra/postgres"
	"fencepost.internal/shared/infra/postgres/postgrestest"
)

// newestFirst is the order of Temporal's lists.
const newestFirst = `COALESCE(close_time, '9999-12-31 23:59:59'::timestamp) DESC, start_time DESC`

// TestVisibilityIndexesAreDroppedAndRestored drops the indexes of columns by which nothing searches, replaces others by
// narrow ones, and compares the restored ones with the originals.
func TestVisibilityIndexesAreDroppedAndRestored(t *testing.T) {
	t.Parallel()
	db, address := postgrestest.OpenURL(t)
	indexes := postgres.NewVisibilityIndexes(db)
	none, err := indexes.Slim(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, none, "a database without the table")
	postgrestest.Exec(t, address, `CREATE TABLE executions_visibility (
		namespace_id char(64), run_id char(64), start_time timestamp, close_time timestamp, status int, Keyword01 text,
		Keyword02 text, Text01 tsvector, PRIMARY KEY (namespace_id, run_id))`)
	for _, index := range []string{
		`default_idx ON executions_visibility (namespace_id, ` + newestFirst + `, run_id)`,
		`by_start ON executions_visibility (start_time)`,
		`by_keyword_01 ON executions_visibility (namespace_id, Keyword01, ` + newestFirst + `, run_id)`,
		`by_keyword_02 ON executions_visibility (namespace_id, Keyword02, run_id)`,
		`by_text_01 ON executions_visibility USING GIN (Text01)`,
	} {
		postgrestest.Exec(t, address, `CREATE INDEX `+index)
	}
	defined := func() []string {
		return postgrestest.Column(t, address,
			`SELECT indexdef FROM pg_indexes WHERE tablename = 'executions_visibility' ORDER BY indexname`)
	}
	before := defined()
	restored, err := indexes.Restore(t.Context())
	require.NoError(t, err)
	require.Empty(t, restored, "nothing was dropped yet")

	dropped, err := indexes.Slim(t.Context(), []string{"Keyword01"})
	require.NoError(t, err)
	require.Equal(t, []string{"by_keyword_01", "by_keyword_02", "by_text_01", "default_idx"}, dropped)
	require.Len(t, defined(), len(before)-2, "two are replaced")
	// A search as Temporal makes it, with several pages of results.
	postgrestest.Exec(t, address, `INSERT INTO executions_visibility (namespace_id, run_id, start_time, status, Keyword01)
		SELECT 'n', n, CAST('2026-03-01' AS timestamp) + n * interval '1 s', 1, CASE WHEN n % 10 > 0 THEN n % 3 END
		FROM generate_series(1, 5000) AS n`)
	postgrestest.Exec(t, address, `VACUUM ANALYZE executions_visibility`)
	for filter, index := range map[string]string{"Keyword01 = '1'": "fencepost_by_keyword_01", "true": "fencepost_default_idx"} {
		plan := strings.Join(postgrestest.Column(t, address, `EXPLAIN SELECT run_id FROM executions_visibility
			WHERE namespace_id = 'n' AND `+filter+` ORDER BY `+newestFirst+`, run_id LIMIT 20`), "\n")
		require.Contains(t, plan, index)
	}
	again, err := indexes.Slim(t.Context(), []string{"Keyword01"})
	require.NoError(t, err)
	require.Empty(t, again)

	restored, err = indexes.Restore(t.Context())
	require.NoError(t, err)
	require.Equal(t, dropped, restored)
	require.Equal(t, before, defined())
}
