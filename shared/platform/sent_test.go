package platform_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/platform"
)

func TestPostTimeRange(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		until    time.Time
		earliest time.Time
		latest   time.Time
	}{
		"soon after the call":   {time.Time{}, at.Add(-2 * time.Minute), at.Add(30 * time.Minute)},
		"over before it began":  {at.Add(-time.Hour), at.Add(-2 * time.Minute), at.Add(30 * time.Minute)},
		"anywhere in six hours": {at.Add(6 * time.Hour), at.Add(-2 * time.Minute), at.Add(6*time.Hour + 30*time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := platform.Sent{At: at, Until: c.until}
			require.Equal(t, c.earliest, sent.Earliest())
			require.Equal(t, c.latest, sent.Latest())
			require.True(t, sent.Within(c.earliest))
			require.True(t, sent.Within(c.latest))
			require.False(t, sent.Within(c.earliest.Add(-time.Nanosecond)))
			require.False(t, sent.Within(c.latest.Add(time.Nanosecond)))
		})
	}
}
