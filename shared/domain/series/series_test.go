package series_test

import (
	"testing"
	"time"
	_ "time/tzdata" // the database of the build, as in the program

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/series"
)

func rule(unit series.Unit, start string) series.Rule {
	at, _ := time.Parse("2006-01-02T15:04", start)
	return series.Rule{Unit: unit, Every: 1, Start: at, Zone: "Europe/Berlin"}
}

func TestDays(t *testing.T) {
	t.Parallel()
	weekly := rule(series.Week, "2026-12-02T09:00") // a Wednesday
	weekly.Weekdays = []time.Weekday{time.Sunday, time.Monday, time.Wednesday}
	fortnight := weekly
	fortnight.Every, fortnight.Weekdays = 2, []time.Weekday{time.Tuesday}
	until := rule(series.Day, "2026-12-02T09:00")
	until.Every, until.Until = 3, time.Date(2026, 12, 9, 0, 0, 0, 0, time.UTC)
	counted := rule(series.Day, "2026-12-02T09:00")
	counted.Count = 2
	for name, c := range map[string]struct {
		rule series.Rule
		want []string
	}{
		"weekdays":            {weekly, []string{"2026-12-02", "2026-12-06", "2026-12-07", "2026-12-09", "2026-12-13"}},
		"every second week":   {fortnight, []string{"2026-12-15", "2026-12-29", "2027-01-12"}},
		"until":               {until, []string{"2026-12-02", "2026-12-05", "2026-12-08"}},
		"count":               {counted, []string{"2026-12-02", "2026-12-03"}},
		"last day of months":  {rule(series.Month, "2027-01-31T09:00"), []string{"2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30"}},
		"29 February":         {rule(series.Month, "2028-01-29T09:00"), []string{"2028-01-29", "2028-02-29", "2028-03-29"}},
		"second Tuesday":      {rule(series.Nth, "2026-12-08T09:00"), []string{"2026-12-08", "2027-01-12", "2027-02-09"}},
		"fifth is the last":   {rule(series.Nth, "2026-12-30T09:00"), []string{"2026-12-30", "2027-01-27", "2027-02-24", "2027-03-31"}},
		"first of each month": {rule(series.Nth, "2026-12-01T09:00"), []string{"2026-12-01", "2027-01-05", "2027-02-02"}},
	} {
		var days []string
		for day := range c.rule.Days() {
			if days = append(days, day.Format(time.DateOnly)); len(days) == len(c.want) && name != "until" && name != "count" {
				break
			}
		}
		require.Equal(t, c.want, days, name)
		require.Empty(t, c.rule.Faults(), name)
	}
	require.True(t, counted.Next(time.Date(2026, 12, 3, 0, 0, 0, 0, time.UTC)).IsZero())
	endless, n := rule(series.Day, "2026-12-02T09:00"), 0
	for range endless.Days() {
		n++
	}
	require.Equal(t, 20*365+5+1, n, "one without an end ends")
}

// TestYear checks each occurrence of a year against the wall clock, in zones with changes of half an hour and at midnight.
func TestYear(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{
		"UTC", "Europe/Berlin", "Europe/London", "America/New_York", "America/Havana", "Africa/Cairo", "Asia/Beirut",
		"Australia/Lord_Howe", "Pacific/Chatham", "Africa/Casablanca", "Asia/Kathmandu", "Pacific/Kiritimati", "America/Sao_Paulo",
	} {
		place, err := time.LoadLocation(zone)
		require.NoError(t, err)
		for _, clock := range []string{"00:15", "01:30", "02:30", "09:00", "23:59"} {
			of := rule(series.Day, "2026-01-01T"+clock)
			of.Zone, of.Count = zone, 366
			var before time.Time
			for day := range of.Days() {
				at, err := of.At(day)
				require.NoError(t, err)
				require.True(t, at.After(before))
				before = at
				shown := at.In(place)
				if shown.Format("2006-01-02T15:04") == day.Format("2006-01-02T")+clock {
					continue
				}
				// The clocks skip the time: it is the first instant after the gap.
				_, earlier := at.Add(-time.Second).In(place).Zone()
				_, later := shown.Zone()
				require.Greater(t, later, earlier, "%s %s shows %s", zone, clock, shown)
				require.Greater(t, shown.Format("15:04"), clock)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	of := series.Rule{
		Unit: series.Week, Start: time.Date(2026, 12, 2, 9, 0, 0, 0, time.UTC), Until: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
		Count: series.MaxCount + 1, Zone: "Europe/Atlantis",
	}
	var names []string
	for _, fault := range of.Faults() {
		names = append(names, fault.Pointer)
	}
	require.Equal(t, []string{"/every", "/weekdays", "/until", "/count", "/zone"}, names)
	of.Unit = "YEAR"
	require.Equal(t, "/unit", of.Faults()[0].Pointer)
	_, err := of.At(of.Start)
	require.Error(t, err)
	one := series.Series{Rule: rule(series.Day, "2026-03-28T02:30")}
	require.NoError(t, one.Plan(time.Date(2026, 3, 28, 0, 0, 0, 0, time.UTC)))
	require.Equal(t, "2026-03-29T01:00:00Z", one.NextAt.Format(time.RFC3339), "03:00, because the clocks skip 02:30")
	one.Rule.Count = 1
	require.NoError(t, one.Plan(one.Next))
	require.True(t, one.Next.IsZero() && one.NextAt.IsZero())
}
