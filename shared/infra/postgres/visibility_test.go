package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"socialpub.internal/shared/infra/postgres"
	"socialpub.internal/shared/infra/postgres/postgrestest"
)

// TestVisibilityIndexesAreDroppedAndRestored drops the indexes of columns by which nothing searches, and compares the
// restored ones with the originals.
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
		`default_idx ON executions_visibility (namespace_id, (COALESCE(close_time, '9999-12-31')) DESC, start_time DESC)`,
		`by_status ON executions_visibility (namespace_id, status, start_time DESC)`,
		`by_keyword_01 ON executions_visibility (namespace_id, Keyword01, run_id)`,
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
	require.Equal(t, []string{"by_keyword_02", "by_text_01"}, dropped)
	require.Len(t, defined(), len(before)-2)
	again, err := indexes.Slim(t.Context(), []string{"Keyword01"})
	require.NoError(t, err)
	require.Empty(t, again)

	restored, err = indexes.Restore(t.Context())
	require.NoError(t, err)
	require.Equal(t, dropped, restored)
	require.Equal(t, before, defined())
}
