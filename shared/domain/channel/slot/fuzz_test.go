package slot_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel/slot"
)

// FuzzParseAll checks that accepted slots are formatted unchanged, in order and without duplicates, and that rejected
// slots have a pointer.
func FuzzParseAll(f *testing.F) {
	f.Add("MONDAY", "09:00", "SUNDAY", "23:59")
	f.Add("MONDAY", "09:00", "MONDAY", "09:00")
	f.Add("monday", "9:00", "", "24:00")
	f.Add("FRIDAY", "1２:0", "MONDAY", "+9:00")
	f.Fuzz(func(t *testing.T, day, at, otherDay, otherAt string) {
		texts := []slot.Text{{Weekday: day, Time: at}, {Weekday: otherDay, Time: otherAt}}
		slots, faults := slot.ParseAll(texts, "/slots")
		if len(faults) > 0 {
			require.Empty(t, slots)
			for _, fault := range faults {
				require.Regexp(t, `^/slots/[01](/weekday|/time)?$`, fault.Pointer)
				require.NotEmpty(t, fault.Message)
			}
			return
		}
		require.Len(t, slots, len(texts))
		require.True(t, slices.IsSortedFunc(slots, slot.Compare))
		for _, s := range slots {
			require.Contains(t, texts, s.Text())
		}
	})
}

// FuzzNext checks that the next slot is in the future, within the horizon, and found again by a search from just before
// it.
func FuzzNext(f *testing.F) {
	f.Add("Europe/Berlin", int64(1_774_742_400), uint16(2*60+30), uint16(26*60)) // the night of 29 March 2026
	f.Add("Pacific/Apia", int64(1_325_203_200), uint16(0), uint16(7*24*60-1))
	f.Add("America/St_Johns", int64(1_300_000_000), uint16(61), uint16(61))
	f.Add("Antarctica/Troll", int64(0), uint16(120), uint16(180))
	f.Fuzz(func(t *testing.T, name string, unix int64, first, second uint16) {
		zone, err := time.LoadLocation(name)
		if err != nil {
			return
		}
		const century = 100 * 365 * 24 * 60 * 60
		after := time.Unix(unix%century, 0)
		slots := []slot.Slot{slotAt(first), slotAt(second)}
		const horizon = 15 * 24 * time.Hour
		next, found := slot.Next(slots, zone, after, nil, horizon)
		require.True(t, found, "two weeks have every slot")
		require.True(t, next.After(after))
		require.False(t, next.After(after.Add(horizon)))
		again, found := slot.Next(slots, zone, next.Add(-time.Second), nil, horizon)
		require.True(t, found)
		require.Equal(t, next, again)
		taken := func(at time.Time) bool { return at.Equal(next) }
		if other, found := slot.Next(slots, zone, after, taken, horizon); found {
			require.True(t, other.After(next))
		}
	})
}

// slotAt returns the slot at the given minute of the week.
func slotAt(minute uint16) slot.Slot {
	const perDay, perWeek = 24 * 60, 7 * 24 * 60
	of := int(minute) % perWeek
	return slot.Slot{Weekday: time.Weekday(of / perDay), Hour: of % perDay / 60, Minute: of % 60}
}
