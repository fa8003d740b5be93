package slot_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel/slot"
	"fencepost.internal/shared/kernel/apperr"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[slot.Text]slot.Slot{
		{Weekday: "MONDAY", Time: "09:00"}:    {Weekday: time.Monday, Hour: 9},
		{Weekday: "SUNDAY", Time: "00:00"}:    {Weekday: time.Sunday},
		{Weekday: "SATURDAY", Time: "23:59"}:  {Weekday: time.Saturday, Hour: 23, Minute: 59},
		{Weekday: "WEDNESDAY", Time: "12:05"}: {Weekday: time.Wednesday, Hour: 12, Minute: 5},
	} {
		got, faults := slot.Parse(text)
		require.Empty(t, faults)
		require.Equal(t, want, got)
		require.Equal(t, text, got.Text())
		require.Equal(t, text.Weekday+" "+text.Time, got.String())
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, day := range []string{"", "monday", "Monday", "MON", "1", "MONDAY ", "HOLIDAY"} {
		_, faults := slot.Parse(slot.Text{Weekday: day, Time: "09:00"})
		require.Len(t, faults, 1, day)
		require.Equal(t, "/weekday", faults[0].Pointer, day)
	}
	for _, at := range []string{
		"", "9:00", "09:0", "24:00", "23:60", "-1:00", "+9:00", "09.00", "09:00:00", "9:00 ", " 9:00", "09:00Z", "٠٩:٠٠",
		"aa:bb",
	} {
		_, faults := slot.Parse(slot.Text{Weekday: "MONDAY", Time: at})
		require.Len(t, faults, 1, at)
		require.Equal(t, "/time", faults[0].Pointer, at)
	}
	_, faults := slot.Parse(slot.Text{})
	require.Len(t, faults, 2)
}

func TestEveryMinuteOfWeekRoundTrips(t *testing.T) {
	t.Parallel()
	for minute := range 7 * 24 * 60 {
		s := slot.Slot{Weekday: time.Weekday(minute / (24 * 60)), Hour: minute / 60 % 24, Minute: minute % 60}
		got, faults := slot.Parse(s.Text())
		require.Empty(t, faults)
		require.Equal(t, s, got)
	}
}

func TestParseAllSortsFromMonday(t *testing.T) {
	t.Parallel()
	slots, faults := slot.ParseAll([]slot.Text{
		{Weekday: "SUNDAY", Time: "08:00"},
		{Weekday: "MONDAY", Time: "18:30"},
		{Weekday: "MONDAY", Time: "18:05"},
		{Weekday: "MONDAY", Time: "09:45"},
		{Weekday: "SATURDAY", Time: "23:00"},
	}, "/slots")
	require.Empty(t, faults)
	require.Equal(t, "[MONDAY 09:45 MONDAY 18:05 MONDAY 18:30 SATURDAY 23:00 SUNDAY 08:00]", sprint(slots))
	none, faults := slot.ParseAll(nil, "/slots")
	require.Empty(t, faults)
	require.Empty(t, none)
}

func TestParseAllReportsEveryFault(t *testing.T) {
	t.Parallel()
	slots, faults := slot.ParseAll([]slot.Text{
		{Weekday: "MONDAY", Time: "09:00"},
		{Weekday: "FUNDAY", Time: "9"},
		{Weekday: "MONDAY", Time: "09:00"},
		{Weekday: "TUESDAY", Time: "25:00"},
		{Weekday: "MONDAY", Time: "09:00"},
		{Weekday: "FUNDAY", Time: "9"},
	}, "/slots")
	require.Nil(t, slots)
	pointers := make([]string, len(faults))
	for i, fault := range faults {
		pointers[i] = fault.Pointer
	}
	require.Equal(t, []string{
		"/slots/1/weekday", "/slots/1/time", "/slots/2", "/slots/3/time", "/slots/4", "/slots/5/weekday", "/slots/5/time",
	}, pointers)
	require.Equal(t, "repeats /slots/0", faults[4].Message)
	require.True(t, apperr.Is(apperr.Invalid(faults), apperr.ValidationFailed))
}

func TestParseAllLimitsNumber(t *testing.T) {
	t.Parallel()
	texts := make([]slot.Text, slot.MaxSlots+1)
	for i := range texts {
		texts[i] = slot.Slot{Weekday: time.Friday, Hour: i / 60, Minute: i % 60}.Text()
	}
	slots, faults := slot.ParseAll(texts[:slot.MaxSlots], "/slots")
	require.Empty(t, faults)
	require.Len(t, slots, slot.MaxSlots)
	_, faults = slot.ParseAll(texts, "/slots")
	require.Equal(t, []apperr.Field{
		{Pointer: "/slots", Message: "must have at most 100 slots, not " + strconv.Itoa(len(texts))},
	}, faults)
}

func TestCompareOrdersAnyShuffle(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same shuffle at each run
	var week []slot.Slot
	for _, day := range []time.Weekday{1, 2, 3, 4, 5, 6, 0} {
		for _, minute := range []int{0, 1, 60, 61, 1439} {
			week = append(week, slot.Slot{Weekday: day, Hour: minute / 60, Minute: minute % 60})
		}
	}
	shuffled := slices.Clone(week)
	rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	slices.SortFunc(shuffled, slot.Compare)
	require.Equal(t, week, shuffled)
	require.Zero(t, slot.Compare(week[3], week[3]))
}

func sprint(slots []slot.Slot) string {
	texts := make([]string, len(slots))
	for i, s := range slots {
		texts[i] = s.String()
	}
	return "[" + strings.Join(texts, " ") + "]"
}
