package graph

import (
	"time"

	"fencepost.internal/shared/platform/network"
)

// Version returns the version of Meta's APIs that a variable selects. The days are those of
// developers.facebook.com/docs/graph-api/changelog. A call to an ended version is served by the oldest one that has not
// ended, whose responses may differ.
func Version(variable, value string) network.Version {
	day := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	ends := map[string]time.Time{
		"v18.0": day(2026, time.January, 26), "v19.0": day(2026, time.May, 21), "v20.0": day(2026, time.September, 24),
		"v21.0": day(2027, time.January, 21), "v22.0": day(2027, time.May, 20), "v23.0": day(2027, time.October, 8),
		"v24.0": day(2028, time.February, 18), "v25.0": day(2028, time.July, 29),
		// Meta ends a version two years after the release of the next one. v27.0 has been released, after 2026-09.
		"v26.0": day(2028, time.September, 1),
	}
	return network.Version{Variable: variable, Value: value, Ends: ends[value]}
}
