package analytics_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
)

// FuzzParseDate checks that a day has one text form, and that its start in any zone is on that day.
func FuzzParseDate(f *testing.F) {
	for _, text := range []string{
		"2026-03-29", "2011-12-30", "0001-01-01", "9999-12-31", "2026-02-30", "0000-00-00", "2026-3-1",
	} {
		f.Add(text, "Europe/Berlin")
	}
	f.Fuzz(func(t *testing.T, text, zone string) {
		day, err := analytics.ParseDate(text)
		if err != nil {
			require.ErrorIs(t, err, analytics.ErrDate)
			require.True(t, day.IsZero())
			return
		}
		require.Equal(t, text, day.String())
		require.Equal(t, 1, day.Add(1).DaysSince(day))
		start := day.Start(analytics.Zone(zone))
		require.True(t, analytics.DateOf(start.Add(-time.Nanosecond)).Before(analytics.DateOf(start)))
		require.False(t, analytics.DateOf(start).Before(day))
	})
}
