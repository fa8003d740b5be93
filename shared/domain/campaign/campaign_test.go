package campaign_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/campaign"
)

func day(n int) time.Time { return time.Date(2026, time.March, n, 0, 0, 0, 0, time.UTC) }

func TestRead(t *testing.T) {
	t.Parallel()
	read, faults := campaign.Campaign{Name: "  Spring \n", From: day(3), Until: day(3)}.Read()
	require.Empty(t, faults)
	require.Equal(t, "Spring", read.Name)
	_, faults = campaign.Campaign{Name: " ", From: day(3), Until: day(2)}.Read()
	require.Len(t, faults, 2)
	require.Equal(t, "/name", faults[0].Pointer)
	require.Equal(t, "/until", faults[1].Pointer)
	_, faults = campaign.Campaign{Name: strings.Repeat("x", campaign.LongestName+1)}.Read()
	require.Len(t, faults, 1)
}

func TestOn(t *testing.T) {
	t.Parallel()
	c := campaign.Campaign{From: day(3), Until: day(5)}
	for on, want := range map[int]campaign.State{2: campaign.Coming, 3: campaign.Running, 5: campaign.Running, 6: campaign.Over} {
		require.Equal(t, want, c.On(day(on)), on)
	}
	require.Equal(t, campaign.Running, campaign.Campaign{}.On(day(1)))
}
