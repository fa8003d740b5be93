package slot_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/channel/slot"
)

// TestRenamedZones checks that a channel with an old zone name keeps its slots.
func TestRenamedZones(t *testing.T) {
	t.Parallel()
	slots := schedule(t, "SATURDAY 22:30, SUNDAY 01:30, SUNDAY 02:30, SUNDAY 03:30, MONDAY 09:00")
	after, until := instant(t, "2026-01-01T00:00:00Z"), instant(t, "2027-01-01T00:00:00Z")
	for before, now := range map[string]string{
		"America/Godthab": "America/Nuuk", "Europe/Kiev": "Europe/Kyiv", "Asia/Calcutta": "Asia/Kolkata",
		"Asia/Rangoon":         "Asia/Yangon",
		"America/Buenos_Aires": "America/Argentina/Buenos_Aires", "US/Eastern": "America/New_York",
		"Pacific/Enderbury": "Pacific/Kanton",
	} {
		want := slices.Collect(slot.Instants(slots, load(t, now), after, until))
		require.GreaterOrEqual(t, len(want), 5*52-1)
		require.Equal(t, want, slices.Collect(slot.Instants(slots, load(t, before), after, until)), before)
	}
}

// TestChangedZoneRule covers a country that abolishes summer time, with new zone files on the machines. Posts keep
// their instants; the next free slot follows the new rule, and is not an instant of an existing post.
func TestChangedZoneRule(t *testing.T) {
	t.Parallel()
	before, now := time.FixedZone("with summer time", 2*60*60), time.FixedZone("without", 60*60)
	slots := schedule(t, "MONDAY 09:00, MONDAY 10:00")
	monday := instant(t, "2026-06-01T00:00:00Z")
	held := slices.Collect(slot.Instants(slots, before, monday, monday.Add(24*time.Hour)))
	require.Equal(t, []time.Time{instant(t, "2026-06-01T07:00:00Z"), instant(t, "2026-06-01T08:00:00Z")}, held)
	taken := func(at time.Time) bool { return slices.ContainsFunc(held, at.Equal) }
	next, ok := slot.Next(slots, now, monday, taken, horizon)
	require.True(t, ok)
	require.Equal(t, instant(t, "2026-06-01T09:00:00Z"), next, "10:00 by the new rule; 09:00 by it is held")
}
