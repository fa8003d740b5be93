package slot_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel/slot"
)

// oracle computes the instants by reading the clock at every step and applying the rule literally: for every date that
// the clock shows, the first instant at which it shows the slot's time, or else the first instant after it jumped over
// that time.
func oracle(slots []slot.Slot, zone *time.Location, after, until time.Time, step time.Duration) []time.Time {
	type jump struct {
		from, to int64 // shown before and after
		at       time.Time
	}
	shown := make(map[int64]time.Time)
	dates := make(map[int64]bool)
	var jumps []jump
	before := int64(0)
	margin := 2 * 24 * time.Hour
	start := after.Add(-margin).Truncate(step)
	for at := start; at.Before(until.Add(margin)); at = at.Add(step) {
		year, month, day := at.In(zone).Date()
		hour, minute, second := at.In(zone).Clock()
		now := time.Date(year, month, day, hour, minute, second, 0, time.UTC).Unix()
		dates[time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()] = true
		if _, ok := shown[now]; !ok {
			shown[now] = at
		}
		if !at.Equal(start) && now > before+int64(step/time.Second) {
			jumps = append(jumps, jump{from: before, to: now, at: at})
		}
		before = now
	}
	var found []time.Time
	for date := range dates {
		for _, s := range slots {
			if time.Unix(date, 0).UTC().Weekday() != s.Weekday {
				continue
			}
			want := date + int64(s.Hour)*3600 + int64(s.Minute)*60
			if at, ok := shown[want]; ok {
				found = append(found, at)
				continue
			}
			for _, j := range jumps {
				if j.from < want && want < j.to {
					found = append(found, j.at)
					break
				}
			}
		}
	}
	found = slices.DeleteFunc(found, func(at time.Time) bool { return !at.After(after) || at.After(until) })
	slices.SortFunc(found, time.Time.Compare)
	return slices.Compact(found)
}

// changes returns instants, accurate to half a day, at which the zone's offset changed.
func changes(zone *time.Location, from, until time.Time) []time.Time {
	var found []time.Time
	_, before := from.In(zone).Zone()
	for at := from; at.Before(until); at = at.Add(12 * time.Hour) {
		if _, offset := at.In(zone).Zone(); offset != before {
			found = append(found, at)
			before = offset
		}
	}
	return found
}

// around returns slots at random times, and at every quarter of an hour of the days around the instant.
func around(rng *rand.Rand, zone *time.Location, at time.Time) []slot.Slot {
	var slots []slot.Slot
	for range 20 {
		slots = append(slots, slot.Slot{Weekday: time.Weekday(rng.IntN(7)), Hour: rng.IntN(24), Minute: rng.IntN(60)})
	}
	for _, day := range []time.Weekday{at.In(zone).Weekday(), at.Add(-24 * time.Hour).In(zone).Weekday()} {
		for quarter := range 24 * 4 {
			slots = append(slots, slot.Slot{Weekday: day, Hour: quarter / 4, Minute: quarter % 4 * 15})
		}
	}
	rng.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
	return slots
}

func TestInstantsMatchOracle(t *testing.T) {
	t.Parallel()
	zones := strings.Fields(
		`UTC America/New_York America/Havana America/Sao_Paulo America/St_Johns America/Santiago America/Caracas America/Nuuk
		America/Scoresbysund Europe/Berlin Europe/Dublin Europe/Moscow Europe/Istanbul Europe/Volgograd Africa/Casablanca Africa/El_Aaiun
		Africa/Cairo Asia/Amman Asia/Gaza Asia/Tehran Asia/Kathmandu Asia/Kolkata Asia/Pyongyang Australia/Lord_Howe Antarctica/Casey
		Antarctica/Troll Pacific/Apia Pacific/Chatham Pacific/Easter Pacific/Fakaofo Pacific/Kiritimati Pacific/Kwajalein`)
	for i, name := range zones {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(uint64(i), 38)) //nolint:gosec // the same cases at each run
			zone := load(t, name)
			from := instant(t, "1980-01-01T00:00:00Z")
			moments := changes(zone, from, instant(t, "2053-01-01T00:00:00Z"))
			rng.Shuffle(len(moments), func(i, j int) { moments[i], moments[j] = moments[j], moments[i] })
			moments = moments[:min(len(moments), 8)]
			for range 2 { // and times without a change
				moments = append(moments, from.Add(time.Duration(rng.Int64N(int64(70*365*24*time.Hour)))))
			}
			for _, moment := range moments {
				after := moment.Add(-time.Duration(rng.Int64N(int64(48 * time.Hour))))
				until := moment.Add(time.Duration(rng.Int64N(int64(48 * time.Hour))))
				slots := around(rng, zone, moment)
				got := slices.Collect(slot.Instants(slots, zone, after, until))
				require.Equal(t, oracle(slots, zone, after, until, time.Minute), got, "%s to %s", after, until)
			}
		})
	}
}

// TestInstantsOfUnusualOffsets checks every second, because local mean times do not differ from UTC by whole minutes.
func TestInstantsOfUnusualOffsets(t *testing.T) {
	t.Parallel()
	for name, moment := range map[string]string{
		"America/New_York": "1883-11-18T17:00:00Z", // -4:56:02 to -5
		"Africa/Monrovia":  "1972-01-07T00:44:30Z", // -0:44:30 to 0
		"Asia/Manila":      "1844-12-31T00:00:00Z", // a day less
		"America/Juneau":   "1867-10-19T00:00:00Z", // a day more
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			zone := load(t, name)
			at := instant(t, moment)
			rng := rand.New(rand.NewPCG(3, 8)) //nolint:gosec // the same cases at each run
			slots := around(rng, zone, at)
			after, until := at.Add(-12*time.Hour), at.Add(12*time.Hour)
			require.Equal(t, oracle(slots, zone, after, until, time.Second),
				slices.Collect(slot.Instants(slots, zone, after, until)))
		})
	}
}
