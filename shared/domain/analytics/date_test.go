package analytics_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
)

func TestParseDate(t *testing.T) {
	t.Parallel()
	require.Equal(t, analytics.Date{Year: 2026, Month: time.February, Day: 3}, date(t, "2026-02-03"))
	for _, text := range []string{"", "2026-2-3", "2026-02-30", "2026-02-03T00:00:00Z", " 2026-02-03", "0x7-01-01"} {
		_, err := analytics.ParseDate(text)
		require.ErrorIs(t, err, analytics.ErrDate, "%q", text)
	}
	require.Equal(t, "2026-02-03", date(t, "2026-02-03").String())
	require.Equal(t, "0026-12-31", analytics.Date{Year: 26, Month: time.December, Day: 31}.String())
}

func TestDateOf(t *testing.T) {
	t.Parallel()
	west := time.FixedZone("west", -8*60*60)
	at := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	require.Equal(t, date(t, "2026-03-01"), analytics.DateOf(at))
	require.Equal(t, date(t, "2026-02-28"), analytics.DateOf(at.In(west)))
	require.Equal(t, time.Date(2026, 2, 28, 8, 0, 0, 0, time.UTC), date(t, "2026-02-28").Start(west).UTC())
}

func TestDatesCompare(t *testing.T) {
	t.Parallel()
	ordered := []analytics.Date{
		{}, date(t, "2025-12-31"), date(t, "2026-01-01"), date(t, "2026-01-31"), date(t, "2026-02-01"), date(t, "2027-01-01"),
	}
	for i, a := range ordered {
		for j, b := range ordered {
			require.Equal(t, i < j, a.Before(b), "%s %s", a, b)
			require.Equal(t, i > j, a.After(b), "%s %s", a, b)
			require.Equal(t, i == j, a.Compare(b) == 0)
		}
	}
	require.True(t, analytics.Date{}.IsZero())
	require.False(t, ordered[1].IsZero())
	require.True(t, ordered[2].Within(ordered[2], ordered[2]))
	require.False(t, ordered[2].Within(ordered[3], ordered[1]))
}

func TestDatesCount(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		from string
		days int
		to   string
	}{
		{"2026-02-28", 1, "2026-03-01"},
		{"2028-02-28", 1, "2028-02-29"},
		{"2026-12-31", 1, "2027-01-01"},
		{"2026-01-01", -1, "2025-12-31"},
		{"2026-03-29", 0, "2026-03-29"},
		{"2025-11-21", 365, "2026-11-21"},
	} {
		from, to := date(t, test.from), date(t, test.to)
		require.Equal(t, to, from.Add(test.days))
		require.Equal(t, test.days, to.DaysSince(from))
		require.Equal(t, -test.days, from.DaysSince(to))
	}
	require.Equal(t, date(t, "2026-03-01"), date(t, "2026-02-28").Next())
}

func TestDaysFrom(t *testing.T) {
	t.Parallel()
	days := slices.Collect(analytics.DaysFrom(date(t, "2026-02-27"), date(t, "2026-03-02")))
	require.Equal(t, []analytics.Date{
		date(t, "2026-02-27"), date(t, "2026-02-28"), date(t, "2026-03-01"), date(t, "2026-03-02"),
	}, days)
	require.Empty(t, slices.Collect(analytics.DaysFrom(date(t, "2026-03-02"), date(t, "2026-03-01"))))
	for day := range analytics.DaysFrom(date(t, "2026-03-02"), date(t, "9999-01-01")) {
		require.Equal(t, date(t, "2026-03-02"), day)
		break
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	var windows []string
	for since, until := range analytics.Windows(date(t, "2026-01-01"), date(t, "2026-01-07"), 3) {
		windows = append(windows, since.String()+" "+until.String())
	}
	require.Equal(t, []string{"2026-01-01 2026-01-03", "2026-01-04 2026-01-06", "2026-01-07 2026-01-07"}, windows)
	for range analytics.Windows(date(t, "2026-01-02"), date(t, "2026-01-01"), 3) {
		require.Fail(t, "there is no day")
	}
	for range analytics.Windows(date(t, "2026-01-01"), date(t, "2026-01-07"), 1) {
		break
	}
}
