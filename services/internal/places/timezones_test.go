package places_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/places"
)

func TestEverySuggestedZoneExists(t *testing.T) {
	t.Parallel()
	zones := places.ZoneNames()
	require.Greater(t, len(zones), 300)
	require.True(t, slices.IsSorted(zones))
	for _, name := range append(zones, "UTC", "Europe/Stockholm") {
		require.Contains(t, zones, name)
		_, ok := places.LoadZone(name)
		require.True(t, ok, name)
	}
}

// TestLoadRefusesNamesOfHosts refuses names that have another meaning, or none, on other machines. The zones below right
// count leap seconds.
func TestLoadRefusesNamesOfHosts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", "Local", "localtime", "posixrules", "Factory", "right/Europe/Berlin", "posix/Europe/Berlin",
		"../Europe/Berlin", "/etc/localtime", "Europe", "Europe/", "europe/berlin", "Europe/Berlin ", "Berlin", "+02:00",
		"GMT+2", "PST", "Pacific Standard Time", "Europe\\Berlin", "Europe/Berlin\x00",
	} {
		_, ok := places.LoadZone(name)
		require.False(t, ok, name)
	}
	for _, name := range []string{"Etc/UTC", "Etc/GMT-2", "EST5EDT", "Asia/Calcutta", "America/Argentina/Buenos_Aires"} {
		_, ok := places.LoadZone(name)
		require.True(t, ok, name)
	}
}

func TestNearNames(t *testing.T) {
	t.Parallel()
	for unknown, want := range map[string][]string{
		"europe/berlin": {"Europe/Berlin"}, "Europe/Berln": {"Europe/Berlin"}, "Berlin": {"Europe/Berlin"},
		"Germany/Berlin": {"Europe/Berlin"}, "new york": {"America/New_York"}, "US/New-York": {"America/New_York"},
		"Europe/Kiew": {"Europe/Kiev"}, "utc": {"UTC"}, "Somewhere": {}, "": {}, "/": {}, "Europe/": {},
	} {
		require.Equal(t, want, places.ZonesNear(unknown), unknown)
	}
}
