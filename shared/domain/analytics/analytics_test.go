package analytics_test

import (
	"math/rand/v2"
	"testing"
	"testing/quick"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
)

func date(t *testing.T, text string) analytics.Date {
	t.Helper()
	if text == "" {
		return analytics.Date{}
	}
	d, err := analytics.ParseDate(text)
	require.NoError(t, err)
	return d
}

func TestDates(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"", "2026", "2026-3-1", "2026-02-30", "2026-03-01T00:00:00Z", "01.03.2026", " 2026-03-01", "0000-01-01",
		"+2026-03-01", "２０２６-03-01",
	} {
		_, err := analytics.ParseDate(bad)
		require.ErrorIs(t, err, analytics.ErrDate, bad)
	}
	leap := date(t, "2024-02-28")
	require.Equal(t, "2024-02-29", leap.Add(1).String())
	require.Equal(t, "2024-03-01", leap.Add(2).String())
	require.Equal(t, "2023-12-31", date(t, "2024-01-01").Add(-1).String())
	require.Equal(t, 366, date(t, "2025-01-01").DaysSince(date(t, "2024-01-01")))
	raw, err := leap.MarshalText()
	require.NoError(t, err)
	var back analytics.Date
	require.NoError(t, back.UnmarshalText(raw))
	require.Equal(t, leap, back)
	require.Error(t, back.UnmarshalText([]byte("yesterday")))
}

func TestDatesAreOrdered(t *testing.T) {
	t.Parallel()
	origin := date(t, "1999-12-31")
	require.NoError(t, quick.Check(func(a, b uint16) bool {
		x, y := origin.Add(int(a)), origin.Add(int(b))
		return x.DaysSince(y) == int(a)-int(b) && x.Before(y) == (a < b) && (x == y) == (a == b) && x.Add(int(b)-int(a)) == y
	}, nil))
}

// TestDayStartsAcrossDSTChanges includes days on which midnight does not exist, or exists twice.
func TestDayStartsAcrossDSTChanges(t *testing.T) {
	t.Parallel()
	for zone, starts := range map[string]map[string]string{
		"Europe/Berlin": {
			"2026-03-29": "2026-03-28T23:00:00Z", "2026-03-30": "2026-03-29T22:00:00Z", "2026-10-26": "2026-10-25T23:00:00Z",
		},
		// no midnight; two hours before 1
		"America/Havana": {"2026-03-08": "2026-03-08T05:00:00Z", "2026-11-01": "2026-11-01T04:00:00Z"},
		// 00:00 jumps to 01:00
		"Asia/Beirut": {"2026-03-29": "2026-03-28T22:00:00Z"},
		// 30 December was skipped
		"Pacific/Apia":   {"2011-12-31": "2011-12-30T10:00:00Z"},
		"Asia/Kathmandu": {"2026-01-01": "2025-12-31T18:15:00Z"},
		"No/Such_Zone":   {"2026-01-01": "2026-01-01T00:00:00Z"},
	} {
		for day, want := range starts {
			got := date(t, day).Start(analytics.Zone(zone))
			require.Equal(t, want, got.UTC().Format(time.RFC3339), "%s %s", zone, day)
			require.Equal(t, day, analytics.DateOf(got).String(), zone)
			require.True(t, analytics.DateOf(got.Add(-time.Nanosecond)).Before(date(t, day)),
				"%s %s: the moment before belongs to an earlier day", zone, day)
		}
	}
}

func TestRange(t *testing.T) {
	t.Parallel()
	const today = "2026-03-01"
	for _, c := range []struct{ name, from, to, wantFrom, wantTo, fault string }{
		{name: "the last 30 days", wantFrom: "2026-01-31", wantTo: today},
		{name: "from alone ends today", from: "2026-02-01", wantFrom: "2026-02-01", wantTo: today},
		{name: "to alone has 30 days", to: "2024-03-01", wantFrom: "2024-02-01", wantTo: "2024-03-01"},
		{name: "one day", from: today, to: today, wantFrom: today, wantTo: today},
		{name: "a day that is today elsewhere", from: today, to: "2026-03-02", wantFrom: today, wantTo: "2026-03-02"},
		{name: "the longest", from: "2025-03-02", wantFrom: "2025-03-02", wantTo: today},
		{name: "too long", from: "2025-03-01", fault: "from must be within 365 days of to: the range has 366 days"},
		{
			name: "a leap year is too long", from: "2024-01-01", to: "2024-12-31",
			fault: "from must be within 365 days of to: the range has 366 days",
		},
		{name: "backwards", from: "2026-02-02", to: "2026-02-01", fault: "to must not be before from"},
		{name: "the first days", to: "0001-01-31", wantFrom: "0001-01-02", wantTo: "0001-01-31"},
		{
			name: "to before the first range", to: "0001-01-30",
			fault: "to must be 0001-01-31 or later if from is omitted: the range has 30 days",
		},
		{name: "from before the first day", from: "0001-01-01", to: "0001-01-02", fault: "from must be 0001-01-02 or later"},
		{name: "not yet", from: "2026-03-02", fault: "from must not be after today, 2026-03-01 in the workspace's time zone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, faults := analytics.NewRange(date(t, c.from), date(t, c.to), date(t, today))
			if c.fault != "" {
				require.Len(t, faults, 1)
				require.Equal(t, c.fault, faults[0].Pointer+" "+faults[0].Message)
				return
			}
			require.Empty(t, faults)
			require.Equal(t, c.wantFrom+" "+c.wantTo, got.From.String()+" "+got.To.String())
			require.True(t, got.Contains(got.From) && got.Contains(got.To))
			require.False(t, got.Contains(got.From.Add(-1)) || got.Contains(got.To.Add(1)))
		})
	}
}

func count(v int64) *int64 { return &v }

func TestCounted(t *testing.T) {
	t.Parallel()
	require.Equal(t, analytics.ChannelFigures{Reach: count(0), WebsiteClicks: count(2)}, analytics.ChannelFigures{
		Followers: count(-1), Reach: count(0), WebsiteClicks: count(2),
	}.Counted(), "zero is known")
	require.Equal(t, analytics.PostFigures{Likes: count(0), VideoViews: count(2)}, analytics.PostFigures{
		Likes: count(0), Saves: count(-1), VideoViews: count(2),
	}.Counted())
}

func TestEngagementRate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		day  analytics.ChannelFigures
		want any
	}{
		{"of impressions", analytics.ChannelFigures{Engagements: count(5), Impressions: count(100), Reach: count(50)}, 0.05},
		{"else of reach", analytics.ChannelFigures{Engagements: count(5), Reach: count(50)}, 0.1},
		{
			"no impressions are none",
			analytics.ChannelFigures{Engagements: count(5), Impressions: count(0), Reach: count(50)},
			0.1,
		},
		{"no engagement", analytics.ChannelFigures{Engagements: count(0), Impressions: count(100)}, 0.0},
		{"not known", analytics.ChannelFigures{Impressions: count(100)}, nil},
		{"no impressions", analytics.ChannelFigures{Engagements: count(0), Impressions: count(0)}, nil},
		{"nothing is known", analytics.ChannelFigures{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := c.day.EngagementRate()
			if c.want == nil {
				require.Nil(t, got)
				return
			}
			require.InDelta(t, c.want, *got, 1e-12)
		})
	}
}

// TestAverageIsWeighted checks that a day with a thousand views has a hundred times the weight of one with ten views.
func TestAverageIsWeighted(t *testing.T) {
	t.Parallel()
	small := analytics.ChannelFigures{Engagements: count(10), Impressions: count(10)}
	large := analytics.ChannelFigures{Engagements: count(0), Impressions: count(990)}
	require.InDelta(t, 0.01, *analytics.Rate{}.Add(small).Add(large).Value(), 1e-12)
	require.NoError(t, quick.Check(func(days []struct{ Engagements, Impressions uint16 }) bool {
		var together, left, right analytics.Rate
		lowest, highest := 1e9, -1.0
		for i, d := range days {
			f := analytics.ChannelFigures{Engagements: count(int64(d.Engagements)), Impressions: count(int64(d.Impressions))}
			together = together.Add(f)
			if i%2 == 0 {
				left = left.Add(f)
			} else {
				right = right.Add(f)
			}
			if v := f.EngagementRate(); v != nil {
				lowest, highest = min(lowest, *v), max(highest, *v)
			}
		}
		average := together.Value()
		if left.Plus(right) != together {
			return false
		}
		return average == nil && highest < 0 || average != nil && lowest-1e-9 <= *average && *average <= highest+1e-9
	}, nil))
}

func TestGained(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		course   analytics.Course
		fromZero bool
		want     *int64
	}{
		{
			"since the value before",
			analytics.Course{Before: count(10), First: count(12), Last: count(15), Readings: 3},
			false, count(5),
		},
		{
			"the value before goes first",
			analytics.Course{Before: count(10), First: count(12), Last: count(15), Readings: 3},
			true, count(5),
		},
		{"a new post from zero", analytics.Course{First: count(4), Last: count(9), Readings: 2}, true, count(9)},
		{"a new post, read once", analytics.Course{First: count(4), Last: count(4), Readings: 1}, true, count(4)},
		{
			"an older post from the first reading",
			analytics.Course{First: count(100), Last: count(103), Readings: 2},
			false,
			count(3),
		},
		{"an older post, read once", analytics.Course{First: count(100), Last: count(100), Readings: 1}, false, nil},
		{"nothing in the range", analytics.Course{Before: count(100)}, true, nil},
		{"nothing gained", analytics.Course{Before: count(7), First: count(7), Last: count(7), Readings: 1}, false, count(0)},
		{
			"the network took some back",
			analytics.Course{Before: count(10), First: count(8), Last: count(8), Readings: 1},
			false, count(-2),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, c.course.Gained(c.fromZero))
		})
	}
}

// reading is the value of a figure on a day; nil if it was not read or not reported.
type reading struct {
	day   analytics.Date
	value *int64
}

func courseOf(readings []reading, r analytics.Range) (c analytics.Course, first analytics.Date) {
	for _, at := range readings {
		switch {
		case at.value == nil || r.To.Before(at.day):
		case at.day.Before(r.From):
			c.Before = at.value
		default:
			if c.First == nil {
				c.First, first = at.value, at.day
			}
			c.Last = at.value
			c.Readings++
		}
	}
	return c, first
}

// TestGainsOfAdjacentRangesAddUp covers arbitrary figures, days without readings, and arbitrary boundaries.
func TestGainsOfAdjacentRangesAddUp(t *testing.T) {
	t.Parallel()
	published := date(t, "2026-01-10")
	require.NoError(t, quick.Check(func(seed uint64, cut uint8) bool {
		random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // G404: chance of a test, repeatable
		var readings []reading
		value := int64(0)
		// within a week of its publication
		readings = append(readings, reading{published.Add(random.IntN(7)), count(random.Int64N(50))})
		for d := 7; d < 40; d++ {
			value += random.Int64N(20) - 4
			switch random.IntN(3) {
			case 0:
				readings = append(readings, reading{published.Add(d), nil})
			case 1:
				readings = append(readings, reading{published.Add(d), count(max(0, value))})
			}
		}
		whole := analytics.Range{From: published.Add(-5), To: published.Add(50)}
		middle := whole.From.Add(int(cut) % (whole.Days() - 1))
		gain := func(r analytics.Range) analytics.Sum {
			course, first := courseOf(readings, r)
			return analytics.Sum{}.Add(course.Gained(r.CountsFromZero(published, first)))
		}
		left, right := gain(analytics.Range{From: whole.From, To: middle}), gain(analytics.Range{
			From: middle.Add(1), To: whole.To,
		})
		return *left.Add(right.Value()).Value() == *gain(whole).Value()
	}, nil))
}

func TestSummarize(t *testing.T) {
	t.Parallel()
	r := analytics.Range{From: date(t, "2026-03-01"), To: date(t, "2026-03-30")}
	none := analytics.Summarize(r, nil)
	require.Nil(t, none.Followers, "unknown is not zero")
	require.Nil(t, none.Rate.Value())
	require.Nil(t, none.Totals.Likes.Value())
	require.Zero(t, none.PostsPublished, "posts are our own: zero is known")

	got := analytics.Summarize(r, []analytics.ChannelSummary{
		{
			Followers: count(100), Rate: analytics.Rate{}.Add(analytics.ChannelFigures{
				Engagements: count(1), Impressions: count(10),
			}), PostsPublished: 2,
			Totals: analytics.Totals{Likes: analytics.Sum{}.Add(count(5)), Shares: analytics.Sum{}.Add(count(0))},
		},
		{PostsPublished: 1},
		{
			Followers: count(20),
			Rate:      analytics.Rate{}.Add(analytics.ChannelFigures{Engagements: count(9), Reach: count(990)}),
			Totals:    analytics.Totals{Likes: analytics.Sum{}.Add(count(-1))},
		},
	})
	require.EqualValues(t, 120, *got.Followers)
	require.InDelta(t, 0.01, *got.Rate.Value(), 1e-12)
	require.EqualValues(t, 3, got.PostsPublished)
	require.EqualValues(t, 4, *got.Totals.Likes.Value())
	require.Zero(t, *got.Totals.Shares.Value(), "zero was reported")
	require.Nil(t, got.Totals.Comments.Value(), "not reported")
	require.Len(t, got.Channels, 3)
}
