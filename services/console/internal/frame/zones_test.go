package frame_test

import (
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // the database of the build, as in the program

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/frame"
)

func TestEverySuggestedZoneExists(t *testing.T) {
	t.Parallel()
	zones := frame.Zones()
	require.Greater(t, len(zones), 300)
	require.True(t, slices.IsSorted(zones))
	for _, name := range append(zones, "UTC", "Europe/Stockholm") {
		require.Contains(t, zones, name)
		_, err := time.LoadLocation(name)
		require.NoError(t, err, name)
	}
}
