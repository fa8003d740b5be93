package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/plan"
)

func TestKnownColumnsAndOrders(t *testing.T) {
	t.Parallel()
	for _, c := range plan.Columns() {
		require.True(t, c.Known(), c)
	}
	for _, c := range []plan.Column{"", "price", "Date"} {
		require.False(t, c.Known(), c)
	}
	require.True(t, plan.DayFirst.Known())
	require.True(t, plan.MonthFirst.Known())
	require.False(t, plan.Order("").Known(), "it is asked for")
}

func TestIndexOfColumns(t *testing.T) {
	t.Parallel()
	s := plan.Settings{Columns: []plan.Column{plan.Date, "", plan.Text}}
	require.Equal(t, 2, s.Index(plan.Text))
	require.Equal(t, -1, s.Index(plan.Title))
}

// TestKeysOfRows checks that a row has the same key in every copy of its file, and another one than other rows.
func TestKeysOfRows(t *testing.T) {
	t.Parallel()
	key := plan.KeyOf([]string{"2026-12-01", "Bowls"})
	require.Regexp(t, `^csv-[0-9a-f]{32}$`, key)
	require.Equal(t, key, plan.KeyOf([]string{"2026-12-01", "Bowls", "", ""}), "empty cells at the end come and go with other rows")
	require.NotEqual(t, key, plan.KeyOf([]string{"2026-12-01", "", "Bowls"}))
	require.NotEqual(t, key, plan.KeyOf([]string{"2026-12-01Bowls"}))
}
