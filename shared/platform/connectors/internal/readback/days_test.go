package readback_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/platform/connectors/internal/readback"
)

func may(day int) analytics.Date { return analytics.Date{Year: 2026, Month: time.May, Day: day} }

func TestDaysAreSortedAndNotEmpty(t *testing.T) {
	t.Parallel()
	b := readback.NewBook(may(2), may(5))
	require.Empty(t, b.Days())
	require.NotNil(t, b.Days())
	five, zero := int64(5), int64(0)
	b.Day(may(5)).Reach = &five
	b.Day(may(3)).Followers = &zero
	b.Day(may(5)).Impressions = &five
	b.Day(may(4)).Reach = nil
	b.Day(may(1)).Reach = &five
	b.Day(may(6)).Reach = &five
	require.Equal(t, []analytics.ChannelDay{
		{Date: may(3), ChannelFigures: analytics.ChannelFigures{Followers: &zero}},
		{Date: may(5), ChannelFigures: analytics.ChannelFigures{Reach: &five, Impressions: &five}},
	}, b.Days())
	require.True(t, b.Has(may(2)))
	require.False(t, b.Has(may(6)))
}

func TestLast(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		since, until, today, days int
		from, to                  int
	}{
		{1, 10, 20, 3, 8, 10},
		{1, 10, 5, 3, 3, 5},
		{4, 10, 5, 30, 4, 5},
		{4, 10, 3, 30, 0, 0},
		{4, 3, 9, 30, 0, 0},
	} {
		since, until, ok := readback.NewBook(may(test.since), may(test.until)).Last(test.days, may(test.today))
		require.Equal(t, test.from > 0, ok, "%+v", test)
		if ok {
			require.Equal(t, may(test.from), since, "%+v", test)
			require.Equal(t, may(test.to), until, "%+v", test)
		}
	}
}

func TestPacificObservesDST(t *testing.T) {
	t.Parallel()
	require.Equal(t, 8, may(1).Add(-120).Start(readback.Pacific()).UTC().Hour())
	require.Equal(t, 7, may(1).Start(readback.Pacific()).UTC().Hour())
}
