package places_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/internal/places"
)

func day(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, text)
	require.NoError(t, err)
	return at
}

// TestHolidaysOfCountries compares days of two countries with published ones, across the turn of a year.
func TestHolidaysOfCountries(t *testing.T) {
	t.Parallel()
	require.Equal(t, []places.Holiday{
		{"2026-12-25", "Weihnachtstag", "DE"},
		{"2026-12-25", "Christmas Day", "GB"},
		{"2026-12-26", "Zweiter Weihnachtsfeiertag", "DE"},
		{"2026-12-26", "Boxing Day", "GB"},
		{"2027-01-01", "Neujahrstag", "DE"},
		{"2027-01-01", "New Year's Day", "GB"},
	}, places.HolidaysBetween([]string{"GB", "DE", "XX"}, day(t, "2026-12-20"), day(t, "2027-01-02")))
	easter := places.HolidaysBetween([]string{"DE"}, day(t, "2026-04-06"), day(t, "2026-04-07"))
	require.Equal(t, []places.Holiday{{"2026-04-06", "Ostermontag", "DE"}}, easter)
	require.Empty(t, places.HolidaysBetween(nil, day(t, "2026-01-01"), day(t, "2027-01-01")))
	require.True(t, places.KnownCountry("SE"))
	require.False(t, places.KnownCountry("se"))
	for _, c := range places.Countries() {
		require.NotEmpty(t, places.HolidaysBetween([]string{c.Code}, day(t, "2026-01-01"), day(t, "2027-01-01")), c.Name)
	}
}
