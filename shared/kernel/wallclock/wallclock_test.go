package wallclock_test

import (
	"testing"
	"time"
	_ "time/tzdata" // the database of the build, as in the program

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/kernel/wallclock"
)

func load(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	require.NoError(t, err)
	return zone
}

const local = "2006-01-02T15:04:05.999"

// TestIn has the changes of clocks around the world: gaps and doubled times of an hour, half an hour and a day, at
// midnight, and changes of the standard time.
func TestIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, shown, want string }{
		{"UTC", "2026-07-01T09:00:00", "2026-07-01T09:00:00Z"},
		{"Europe/Berlin", "2026-07-01T09:00:00", "2026-07-01T07:00:00Z"},
		{"Europe/Berlin", "2026-01-01T09:00:00.5", "2026-01-01T08:00:00.5Z"},
		{"Europe/Berlin", "2026-03-29T01:59:59.999", "2026-03-29T00:59:59.999Z"},
		{"Europe/Berlin", "2026-03-29T02:00:00", "2026-03-29T01:00:00Z"}, // the gap, until 03:00
		{"Europe/Berlin", "2026-03-29T02:30:00", "2026-03-29T01:00:00Z"},
		{"Europe/Berlin", "2026-03-29T02:59:59.999", "2026-03-29T01:00:00Z"},
		{"Europe/Berlin", "2026-03-29T03:00:00", "2026-03-29T01:00:00Z"},
		{"Europe/Berlin", "2026-03-29T03:00:00.25", "2026-03-29T01:00:00.25Z"},
		{"Europe/Berlin", "2026-10-25T01:59:59", "2026-10-24T23:59:59Z"},
		{"Europe/Berlin", "2026-10-25T02:00:00", "2026-10-25T00:00:00Z"}, // doubled, until 03:00
		{"Europe/Berlin", "2026-10-25T02:59:59.999", "2026-10-25T00:59:59.999Z"},
		{"Europe/Berlin", "2026-10-25T03:00:00", "2026-10-25T02:00:00Z"},
		{"Europe/London", "2026-03-29T01:30:00", "2026-03-29T01:00:00Z"},
		{"America/New_York", "2026-03-08T02:30:00", "2026-03-08T07:00:00Z"},
		{"America/New_York", "2026-11-01T01:30:00", "2026-11-01T05:30:00Z"},
		{"America/Los_Angeles", "2026-11-01T01:30:00", "2026-11-01T08:30:00Z"},
		{"America/Sao_Paulo", "2018-11-04T00:30:00", "2018-11-04T03:00:00Z"}, // a day that began at 01:00
		{"America/Havana", "2026-03-08T00:30:00", "2026-03-08T05:00:00Z"},
		{"Africa/Cairo", "2026-04-24T00:15:00", "2026-04-23T22:00:00Z"},
		{"Asia/Beirut", "2026-03-29T00:30:00", "2026-03-28T22:00:00Z"},
		{"Australia/Lord_Howe", "2026-10-04T02:15:00", "2026-10-03T15:30:00Z"}, // a gap of half an hour
		{"Australia/Lord_Howe", "2026-04-05T01:45:00", "2026-04-04T14:45:00Z"},
		{"Australia/Sydney", "2026-10-04T02:30:00", "2026-10-03T16:00:00Z"},
		{"Pacific/Apia", "2011-12-30T12:00:00", "2011-12-30T10:00:00Z"}, // a day that the calendar skipped
		{"Pacific/Chatham", "2026-09-27T03:00:00", "2026-09-26T14:00:00Z"},
		{"Asia/Kolkata", "2026-03-29T02:30:00", "2026-03-28T21:00:00Z"},
		{"Asia/Kathmandu", "2026-03-29T02:30:00", "2026-03-28T20:45:00Z"},
		{"Africa/Casablanca", "2026-03-22T02:30:00", "2026-03-22T02:00:00Z"}, // the end of Ramadan
		{"Pacific/Kiritimati", "2026-01-01T00:00:00", "2025-12-31T10:00:00Z"},
		{"Europe/Berlin", "2028-12-31T23:30:00", "2028-12-31T22:30:00Z"}, // the last day of a leap year
		{"Europe/Berlin", "2031-03-30T02:30:00", "2031-03-30T01:00:00Z"}, // by the zone's rule
		{"Etc/GMT-2", "2026-03-29T02:30:00", "2026-03-29T00:30:00Z"},
	} {
		shown, err := time.Parse(local, c.shown)
		require.NoError(t, err)
		got := wallclock.In(load(t, c.zone), shown)
		require.Equal(t, c.want, got.Format(time.RFC3339Nano), c.zone+" "+c.shown)
		require.Equal(t, time.UTC, got.Location())
	}
}

func TestShifts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, at, by, want string }{
		{"UTC", "2026-07-01T09:00:00Z", "P1D", "2026-07-02T09:00:00Z"},
		{"UTC", "2026-07-01T09:00:00.125Z", "-PT2H30M15S", "2026-07-01T06:29:45.125Z"},
		{"UTC", "2026-07-01T09:00:00Z", "P1Y2M1W3DT4H5M6S", "2027-09-11T13:05:06Z"},
		{"UTC", "2026-01-31T09:00:00Z", "P1M", "2026-02-28T09:00:00Z"},
		{"UTC", "2026-03-31T09:00:00Z", "-P1M", "2026-02-28T09:00:00Z"},
		{"UTC", "2028-02-29T09:00:00Z", "+P1Y", "2029-02-28T09:00:00Z"},
		{"UTC", "2026-01-31T09:00:00Z", "P1MT24H", "2026-03-01T09:00:00Z"},
		{"UTC", "2026-01-31T09:00:00Z", "-P13M", "2024-12-31T09:00:00Z"},
		// the time of day stays over a change of the clocks
		{"Europe/Berlin", "2026-03-28T08:00:00Z", "P1D", "2026-03-29T07:00:00Z"},
		{"Europe/Berlin", "2026-03-28T08:00:00Z", "PT24H", "2026-03-29T07:00:00Z"},
		{"Europe/Berlin", "2026-10-26T08:00:00Z", "-P7D", "2026-10-19T07:00:00Z"},
		{"Europe/Berlin", "2026-03-29T00:30:00Z", "PT2H", "2026-03-29T01:30:00Z"},
		{"Europe/Berlin", "2026-03-28T01:30:00.5Z", "P1D", "2026-03-29T01:00:00Z"},   // 02:30 is in the gap
		{"Europe/Berlin", "2026-10-24T00:30:00.5Z", "P1D", "2026-10-25T00:30:00.5Z"}, // the first of both
		{"Europe/Berlin", "2026-10-25T01:30:00Z", "P1D", "2026-10-26T01:30:00Z"},     // from the second one
		{"America/New_York", "2026-11-01T06:30:00Z", "-PT1H", "2026-11-01T04:30:00Z"},
		{"Australia/Lord_Howe", "2026-10-02T15:45:00Z", "P1D", "2026-10-03T15:30:00Z"},
		{"Pacific/Apia", "2011-12-30T00:00:00Z", "P1D", "2011-12-30T10:00:00Z"},
		{"UTC", "2026-07-01T09:00:00Z", "P999999Y", "1002025-07-01T09:00:00Z"},
	} {
		shift, err := wallclock.ParseShift(c.by)
		require.NoError(t, err, c.by)
		require.False(t, shift.IsZero())
		at, err := time.Parse(time.RFC3339, c.at)
		require.NoError(t, err)
		require.Equal(t, c.want, shift.From(at, load(t, c.zone)).Format(time.RFC3339Nano), c.zone+" "+c.at+" "+c.by)
	}
}

func TestParseShiftRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "ISO 8601", "P": "ISO 8601", "PT": "ISO 8601", "P1DT": "ISO 8601", "-": "ISO 8601", "1D": "ISO 8601",
		"P1": "ISO 8601", "PD": "ISO 8601", "P1H": "ISO 8601", "PT1D": "ISO 8601", "P1D1W": "ISO 8601", "p1d": "ISO 8601",
		"P-1D": "ISO 8601", "P1.5D": "ISO 8601", "PT0,5H": "ISO 8601", " P1D": "ISO 8601", "P1D ": "ISO 8601",
		"--P1D": "ISO 8601", "P1000000D": "ISO 8601", "24h": "ISO 8601", "1 day": "ISO 8601", "P١D": "ISO 8601",
		"P1D\n": "ISO 8601", "-PT": "ISO 8601", "P1YT": "ISO 8601",
		"P0D": "is zero", "PT0S": "is zero", "-P0Y0M": "is zero",
	} {
		shift, err := wallclock.ParseShift(text)
		require.ErrorContains(t, err, want, text)
		require.True(t, shift.IsZero(), text)
	}
}

// TestDaysOfWallClock checks the start and the weekday of days, also before 1970.
func TestDaysOfWallClock(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"1969-12-31T23:59:59Z", "1970-01-01T00:00:00Z", "2026-11-28T15:04:05Z"} {
		at, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		w := wallclock.Of(at)
		require.Equal(t, at.Weekday(), w.Weekday(), text)
		require.Equal(t, wallclock.Of(at.Truncate(24*time.Hour)), w.Midnight(), text)
	}
}
