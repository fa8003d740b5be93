package slot_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the same zones on every machine

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel/slot"
)

const horizon = 90 * 24 * time.Hour

func load(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	require.NoError(t, err)
	return zone
}

func instant(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	require.NoError(t, err)
	return at
}

// schedule parses slots such as "MONDAY 09:00, FRIDAY 17:30".
func schedule(t testing.TB, text string) []slot.Slot {
	t.Helper()
	var texts []slot.Text
	for one := range strings.SplitSeq(text, ", ") {
		day, at, _ := strings.Cut(one, " ")
		texts = append(texts, slot.Text{Weekday: day, Time: at})
	}
	slots, faults := slot.ParseAll(texts, "")
	require.Empty(t, faults)
	return slots
}

// TestInstantsAcrossDSTChanges covers each zone's local days around the change. The expected instants were
// computed by hand from the zone's history.
func TestInstantsAcrossDSTChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		zone, slots, after, until string
		want                      []string
	}{
		"New York jumps 02:00 to 03:00": {
			"America/New_York", "SUNDAY 01:59, SUNDAY 02:00, SUNDAY 02:30, SUNDAY 03:00, SUNDAY 03:01",
			"2026-03-07T12:00:00Z", "2026-03-09T12:00:00Z",
			[]string{"2026-03-08T06:59:00Z", "2026-03-08T07:00:00Z", "2026-03-08T07:01:00Z"},
		},
		"New York shows 01:00 to 02:00 twice": {
			"America/New_York", "SUNDAY 00:59, SUNDAY 01:00, SUNDAY 01:30, SUNDAY 02:00",
			"2026-10-31T12:00:00Z", "2026-11-02T12:00:00Z",
			[]string{"2026-11-01T04:59:00Z", "2026-11-01T05:00:00Z", "2026-11-01T05:30:00Z", "2026-11-01T07:00:00Z"},
		},
		"between the two, what was shown is past": {
			"America/New_York", "SUNDAY 01:30, SUNDAY 01:45, SUNDAY 02:00",
			"2026-11-01T06:15:00Z", "2026-11-02T12:00:00Z", // 01:15, shown for the second time
			[]string{"2026-11-01T07:00:00Z"},
		},
		"Berlin jumps 02:00 to 03:00": {
			"Europe/Berlin", "SUNDAY 01:30, SUNDAY 02:30, SUNDAY 03:30",
			"2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z",
			[]string{"2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"},
		},
		"Berlin shows 02:00 to 03:00 twice": {
			"Europe/Berlin", "SUNDAY 02:30, SUNDAY 03:00",
			"2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z",
			[]string{"2026-10-25T00:30:00Z", "2026-10-25T02:00:00Z"},
		},
		"Lord Howe jumps half an hour": {
			"Australia/Lord_Howe", "SUNDAY 01:45, SUNDAY 02:00, SUNDAY 02:15, SUNDAY 02:30, SUNDAY 02:45",
			"2026-10-03T00:00:00Z", "2026-10-05T00:00:00Z",
			[]string{"2026-10-03T15:15:00Z", "2026-10-03T15:30:00Z", "2026-10-03T15:45:00Z"},
		},
		"Lord Howe shows half an hour twice": {
			"Australia/Lord_Howe", "SUNDAY 01:15, SUNDAY 01:30, SUNDAY 01:45, SUNDAY 02:00",
			"2026-04-04T00:00:00Z", "2026-04-06T00:00:00Z",
			[]string{"2026-04-04T14:15:00Z", "2026-04-04T14:30:00Z", "2026-04-04T14:45:00Z", "2026-04-04T15:30:00Z"},
		},
		"Apia has no Friday 30 December 2011": {
			"Pacific/Apia", "THURSDAY 23:30, FRIDAY 00:00, FRIDAY 09:00, SATURDAY 00:00, SATURDAY 09:00",
			"2011-12-29T12:00:00Z", "2011-12-31T12:00:00Z",
			[]string{"2011-12-30T09:30:00Z", "2011-12-30T10:00:00Z", "2011-12-30T19:00:00Z"},
		},
		"Kwajalein has no Saturday 21 August 1993": {
			"Pacific/Kwajalein", "FRIDAY 23:00, SATURDAY 10:00, SUNDAY 10:00",
			"1993-08-20T12:00:00Z", "1993-08-23T12:00:00Z",
			[]string{"1993-08-21T11:00:00Z", "1993-08-21T22:00:00Z"},
		},
		"Kwajalein had Tuesday 30 September 1969 twice": {
			"Pacific/Kwajalein", "TUESDAY 10:00, TUESDAY 23:30, WEDNESDAY 00:00, WEDNESDAY 00:30, WEDNESDAY 10:00",
			"1969-09-29T00:00:00Z", "1969-10-02T00:00:00Z",
			[]string{
				"1969-09-29T23:00:00Z", "1969-09-30T12:30:00Z", "1969-10-01T12:00:00Z", "1969-10-01T12:30:00Z",
				"1969-10-01T22:00:00Z",
			},
		},
		"Casablanca goes back for Ramadan": {
			"Africa/Casablanca", "SUNDAY 02:30, SUNDAY 03:00",
			"2025-02-22T12:00:00Z", "2025-02-24T12:00:00Z",
			[]string{"2025-02-23T01:30:00Z", "2025-02-23T03:00:00Z"},
		},
		"Casablanca goes forward after it": {
			"Africa/Casablanca", "SUNDAY 01:59, SUNDAY 02:30, SUNDAY 03:30",
			"2025-04-05T12:00:00Z", "2025-04-07T12:00:00Z",
			[]string{"2025-04-06T01:59:00Z", "2025-04-06T02:00:00Z", "2025-04-06T02:30:00Z"},
		},
		"Sao Paulo's day begins at 01:00": {
			"America/Sao_Paulo", "SATURDAY 23:59, SUNDAY 00:00, SUNDAY 00:30, SUNDAY 01:00, SUNDAY 01:30",
			"2018-11-03T12:00:00Z", "2018-11-05T12:00:00Z",
			[]string{"2018-11-04T02:59:00Z", "2018-11-04T03:00:00Z", "2018-11-04T03:30:00Z"},
		},
		"Sao Paulo shows the last hour of a day twice": {
			"America/Sao_Paulo", "SATURDAY 23:30, SUNDAY 00:00",
			"2018-02-17T12:00:00Z", "2018-02-19T12:00:00Z",
			[]string{"2018-02-18T01:30:00Z", "2018-02-18T03:00:00Z"},
		},
		"Toronto jumps over midnight": {
			"America/Toronto", "SUNDAY 23:15, SUNDAY 23:45, MONDAY 00:15, MONDAY 00:30, MONDAY 00:45",
			"1919-03-30T12:00:00Z", "1919-04-01T00:00:00Z",
			[]string{"1919-03-31T04:15:00Z", "1919-03-31T04:30:00Z", "1919-03-31T04:45:00Z"},
		},
		"Saint John's shows a minute of the next day first": {
			"America/St_Johns", "SATURDAY 23:30, SUNDAY 00:00, SUNDAY 00:01, SUNDAY 00:30",
			"2010-11-06T12:00:00Z", "2010-11-08T12:00:00Z",
			[]string{"2010-11-07T02:00:00Z", "2010-11-07T02:30:00Z", "2010-11-07T03:31:00Z", "2010-11-07T04:00:00Z"},
		},
		"New York before zones of whole hours": {
			"America/New_York", "MONDAY 09:00",
			"1883-11-10T00:00:00Z", "1883-11-20T00:00:00Z", // 4:56:02 behind until noon of 18 November
			[]string{"1883-11-12T13:56:02Z", "1883-11-19T14:00:00Z"},
		},
		"Kathmandu jumps a quarter of an hour": {
			"Asia/Kathmandu", "WEDNESDAY 00:05, WEDNESDAY 00:20",
			"1985-12-31T00:00:00Z", "1986-01-02T00:00:00Z",
			[]string{"1985-12-31T18:30:00Z", "1985-12-31T18:35:00Z"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want []time.Time
			for _, text := range test.want {
				want = append(want, instant(t, text))
			}
			got := slices.Collect(slot.Instants(schedule(t, test.slots), load(t, test.zone), instant(t, test.after),
				instant(t, test.until)))
			require.Equal(t, want, got)
		})
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	berlin := load(t, "Europe/Berlin")
	slots := schedule(t, "MONDAY 09:00, THURSDAY 17:30")
	monday := instant(t, "2026-06-01T07:00:00Z")
	for name, test := range map[string]struct {
		after string
		taken []string
		want  string
	}{
		"just before it":        {"2026-06-01T06:59:59.999Z", nil, "2026-06-01T07:00:00Z"},
		"at it: strictly after": {"2026-06-01T07:00:00Z", nil, "2026-06-04T15:30:00Z"},
		"just after it":         {"2026-06-01T07:00:00.000000001Z", nil, "2026-06-04T15:30:00Z"},
		"one that is taken": {
			"2026-06-01T00:00:00Z", []string{"2026-06-01T07:00:00Z"}, "2026-06-04T15:30:00Z",
		},
		"two that are taken": {
			"2026-06-01T00:00:00Z", []string{"2026-06-01T07:00:00Z", "2026-06-04T15:30:00Z"}, "2026-06-08T07:00:00Z",
		},
		"a time that no slot has is no one": {
			"2026-06-01T00:00:00Z", []string{"2026-06-01T07:00:01Z"}, "2026-06-01T07:00:00Z",
		},
		"from another zone's view": {"2026-06-01T08:59:00+02:00", nil, "2026-06-01T07:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			taken := func(at time.Time) bool { return slices.Contains(test.taken, at.Format(time.RFC3339)) }
			got, ok := slot.Next(slots, berlin, instant(t, test.after), taken, horizon)
			require.True(t, ok)
			require.Equal(t, instant(t, test.want), got)
			require.Equal(t, time.UTC, got.Location())
		})
	}
	got, ok := slot.Next(slots, berlin, monday.Add(-time.Hour), nil, time.Hour)
	require.True(t, ok, "the horizon counts in")
	require.Equal(t, monday, got)
	_, ok = slot.Next(slots, berlin, monday.Add(-time.Hour), nil, time.Hour-time.Nanosecond)
	require.False(t, ok)
	_, ok = slot.Next(nil, berlin, monday, nil, horizon)
	require.False(t, ok)
}

func TestNextGivesUpAtHorizon(t *testing.T) {
	t.Parallel()
	after := instant(t, "2026-01-01T00:00:00Z")
	slots := schedule(t, "MONDAY 09:00, MONDAY 10:00")
	var requested []time.Time
	_, ok := slot.Next(slots, load(t, "America/New_York"), after, func(at time.Time) bool {
		requested = append(requested, at)
		return true
	}, horizon)
	require.False(t, ok)
	require.Len(t, requested, 2*13) // the last Monday is 30 March, an hour earlier in UTC since 8 March
	require.Equal(t, instant(t, "2026-03-30T14:00:00Z"), requested[len(requested)-1])
	require.True(t, slices.IsSortedFunc(requested, time.Time.Compare))
}

// TestWallTimeStaysAcrossDSTChange checks that a week later is not always 168 hours later.
func TestWallTimeStaysAcrossDSTChange(t *testing.T) {
	t.Parallel()
	zone := load(t, "America/New_York")
	slots := schedule(t, "SATURDAY 12:00")
	at, _ := slot.Next(slots, zone, instant(t, "2026-03-06T00:00:00Z"), nil, horizon)
	again, _ := slot.Next(slots, zone, at, nil, horizon)
	require.Equal(t, 167*time.Hour, again.Sub(at))
	require.Equal(t, "12:00", again.In(zone).Format("15:04"))
}

// TestSlotOccursOncePerDay covers a whole leap year beyond the transitions listed in zone files.
func TestSlotOccursOncePerDay(t *testing.T) {
	t.Parallel()
	slots := schedule(t,
		"MONDAY 01:30, TUESDAY 01:30, WEDNESDAY 01:30, THURSDAY 01:30, FRIDAY 01:30, SATURDAY 01:30, SUNDAY 01:30, "+
			"SUNDAY 02:30")
	for _, name := range []string{
		"America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "Europe/Dublin", "America/Nuuk",
		"UTC",
	} {
		for _, year := range []int{2024, 2048, 2100} {
			zone := load(t, name)
			first := time.Date(year, time.January, 1, 0, 0, 0, 0, zone)
			days := time.Date(year+1, time.January, 1, 0, 0, 0, 0, time.UTC).Sub(time.Date(year, time.January, 1, 0, 0, 0, 0,
				time.UTC)) / (24 * time.Hour)
			perDay := make(map[string]int)
			for at := range slot.Instants(slots, zone, first, time.Date(year+1, time.January, 1, 0, 0, 0, 0, zone)) {
				perDay[at.In(zone).Format(time.DateOnly)]++
			}
			require.Len(t, perDay, int(days), "%s %d", name, year)
			for day, count := range perDay {
				date, err := time.Parse(time.DateOnly, day)
				require.NoError(t, err)
				want := 1
				if date.Weekday() == time.Sunday {
					want = 2
				}
				require.Equal(t, want, count, "%s %s", name, day)
			}
		}
	}
}

func BenchmarkNext(b *testing.B) {
	zone := load(b, "America/New_York")
	after := instant(b, "2026-03-01T00:00:00Z")
	var slots []slot.Slot
	for i := range slot.MaxSlots {
		slots = append(slots, slot.Slot{Weekday: time.Weekday(i % 7), Hour: 8 + i/7})
	}
	for name, taken := range map[string]func(time.Time) bool{
		"free":  nil,
		"taken": func(time.Time) bool { return true },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				slot.Next(slots, zone, after, taken, horizon)
			}
		})
	}
}
