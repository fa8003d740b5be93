package analytics_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
	"fencepost.internal/shared/kernel/email"
	"fencepost.internal/shared/kernel/ident"
)

func week(t *testing.T) analytics.Range {
	t.Helper()
	return analytics.Range{From: date(t, "2026-03-02"), To: date(t, "2026-03-08")}
}

func TestEarlierRangeHasSameLength(t *testing.T) {
	t.Parallel()
	before := week(t).Earlier()
	require.Equal(t, "2026-02-23 2026-03-01", before.From.String()+" "+before.To.String())
}

// values returns the days of a series as text; – is unknown.
func values(s analytics.Series) string {
	var texts []string
	for _, v := range s.Values {
		if v == nil {
			texts = append(texts, "–")
			continue
		}
		texts = append(texts, strconv.FormatFloat(*v, 'f', -1, 64))
	}
	return strings.Join(texts, " ")
}

func TestComposeKeepsUnknownApartFromZero(t *testing.T) {
	t.Parallel()
	r := week(t)
	one, two, three := ident.New[ident.Channel](), ident.New[ident.Channel](), ident.New[ident.Channel]()
	day := func(offset int, f analytics.ChannelFigures) analytics.ChannelDay {
		return analytics.ChannelDay{Date: r.From.Add(offset), ChannelFigures: f}
	}
	sources := []analytics.Source{
		{Channel: one, Days: []analytics.ChannelDay{
			day(0, analytics.ChannelFigures{Impressions: count(10), Engagements: count(1)}), day(1, analytics.ChannelFigures{Impressions: count(0)}),
			day(4, analytics.ChannelFigures{Impressions: count(5), Followers: count(7)}),
		}},
		{Channel: two, Followers: count(20), Days: []analytics.ChannelDay{
			day(1, analytics.ChannelFigures{Impressions: count(30), Engagements: count(9)}), day(2, analytics.ChannelFigures{Followers: count(22)}),
			day(9, analytics.ChannelFigures{Impressions: count(1000)}), // outside of the range
		}},
		{Channel: three},
	}
	got := analytics.Compose(analytics.Impressions, r, sources)
	require.Equal(t, "10 30 – – 5 – –", values(got))
	require.InDelta(t, 45, *got.Total, 0)
	require.Equal(t, []ident.Channel{three}, got.Missing)
	require.Equal(t, r.From.Add(1), got.Complete, "the second channel has no later day")

	followers := analytics.Compose(analytics.Followers, r, sources)
	require.Equal(t, "20 20 22 22 29 29 29", values(followers), "a state lasts until the next reading")
	require.InDelta(t, 29, *followers.Total, 0)
	require.Equal(t, []ident.Channel{three}, followers.Missing)

	rate := analytics.Compose(analytics.EngagementRate, r, sources)
	require.InDelta(t, 0.25, *rate.Total, 1e-9, "10 of 40")
	require.InDelta(t, 0.1, *rate.Values[0], 1e-9)
	require.InDelta(t, 0.3, *rate.Values[1], 1e-9)

	none := analytics.Compose(analytics.Reach, r, sources)
	require.Nil(t, none.Total, "unknown is not zero")
	require.Len(t, none.Missing, 3)
	require.True(t, none.Complete.IsZero())
	require.Nil(t, analytics.Compose(analytics.Likes, r, sources).Total, "a figure of posts")
}

func TestChanges(t *testing.T) {
	t.Parallel()
	f := func(v float64) *float64 { return &v }
	require.InDelta(t, 0.5, *analytics.Change{Now: f(15), Before: f(10)}.Ratio(), 1e-9)
	require.InDelta(t, 5, analytics.Change{Now: f(15), Before: f(10)}.By(), 1e-9)
	require.Nil(t, analytics.Change{Now: f(15), Before: f(0)}.Ratio(), "there is no ratio to zero")
	require.Nil(t, analytics.Change{Now: f(15)}.Ratio())
	require.Zero(t, analytics.Change{Before: f(15)}.By())
}

// TestGainsOfDaysAddUp compares the gains of single days with those of the range, for arbitrary readings.
func TestGainsOfDaysAddUp(t *testing.T) {
	t.Parallel()
	published := date(t, "2026-01-10")
	require.NoError(t, quick.Check(func(seed uint64, start uint8) bool {
		random := rand.New(rand.NewPCG(seed, 2)) //nolint:gosec // G404: chance of a test, repeatable
		var days []analytics.PostDay
		var readings []reading
		for d := range 40 {
			at := published.Add(d)
			switch random.IntN(3) {
			case 0:
				days, readings = append(days, analytics.PostDay{Date: at}), append(readings, reading{at, nil})
			case 1:
				v := random.Int64N(50)
				days = append(days, analytics.PostDay{Date: at, PostFigures: analytics.PostFigures{Likes: count(v)}})
				readings = append(readings, reading{at, count(v)})
			}
		}
		r := analytics.Range{From: published.Add(int(start) % 30), To: published.Add(45)}
		gains := analytics.PostCourse{Published: published, Days: days}.Gains(r)
		var sum analytics.Sum
		for _, day := range gains.Days {
			sum = sum.Add(day.Engagements)
		}
		var first analytics.Date // with any reading in the range, as the store has it
		for _, day := range days {
			if r.Contains(day.Date) {
				first = day.Date
				break
			}
		}
		if first.IsZero() {
			return sum.Value() == nil
		}
		course, _ := courseOf(readings, r)
		want := course.Gained(r.CountsFromZero(published, first))
		return (want == nil) == (sum.Value() == nil) && (want == nil || *want == *sum.Value())
	}, nil))
}

func TestPostsAreRanked(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	result := func(f analytics.PostFigures, published time.Time) analytics.PostResult {
		return analytics.PostResult{ID: ident.New[ident.Post](), PublishedAt: published, Latest: analytics.PostDay{PostFigures: f}}
	}
	few := result(analytics.PostFigures{Likes: count(3), Comments: count(1), Impressions: count(10)}, at)
	many := result(analytics.PostFigures{Likes: count(9), Impressions: count(900)}, at)
	later := result(analytics.PostFigures{Shares: count(9)}, at.Add(time.Hour))
	none := result(analytics.PostFigures{Reach: count(3), VideoViews: count(4), Saves: nil}, at)
	all := []analytics.PostResult{none, few, many, later}
	ranked, missing := analytics.Rank(all, analytics.Engagements)
	require.Equal(t, []ident.Post{later.ID, many.ID, few.ID}, []ident.Post{ranked[0].ID, ranked[1].ID, ranked[2].ID})
	require.Equal(t, 1, missing)
	ranked, missing = analytics.Rank(all, analytics.EngagementRate)
	require.Equal(t, few.ID, ranked[0].ID)
	require.Equal(t, 2, missing)
	for _, f := range analytics.OfPosts() {
		require.True(t, f.RanksPosts())
		require.NotEmpty(t, f.Name())
		_, missing := analytics.Rank(all, f)
		require.Less(t, missing, 5)
	}
	require.False(t, analytics.Followers.RanksPosts())
	require.Nil(t, many.Latest.Value(analytics.Followers))
}

func TestFiguresOfDaysByName(t *testing.T) {
	t.Parallel()
	f := analytics.ChannelFigures{
		Followers: count(1), Impressions: count(2), Reach: count(3), Engagements: count(4), ProfileViews: count(5), WebsiteClicks: count(6),
	}
	for name, want := range map[analytics.Figure]float64{
		analytics.Followers: 1, analytics.Impressions: 2, analytics.Reach: 3, analytics.Engagements: 4, analytics.ProfileViews: 5,
		analytics.WebsiteClicks: 6, analytics.EngagementRate: 2,
	} {
		require.InDelta(t, want, *f.Value(name), 1e-9, name)
		day := analytics.Source{Days: []analytics.ChannelDay{{Date: week(t).From, ChannelFigures: f}}}
		require.InDelta(t, want, *analytics.Compose(name, week(t), []analytics.Source{day}).Total, 1e-9, name)
	}
	require.Nil(t, f.Value(analytics.Likes))
	p := analytics.PostFigures{Clicks: count(1), Saves: count(2), VideoViews: count(3), Shares: count(4), Comments: count(5), Reach: count(6), Impressions: count(7)}
	for name, want := range map[analytics.Figure]float64{
		analytics.Clicks: 1, analytics.Saves: 2, analytics.VideoViews: 3, analytics.Shares: 4, analytics.Comments: 5, analytics.Reach: 6, analytics.Impressions: 7,
	} {
		require.InDelta(t, want, *p.Value(name), 1e-9, name)
	}
	require.Nil(t, p.Value(analytics.Likes))
}

// TestTimesNeedPosts checks the thresholds, and that parts of days are those of the zone.
func TestTimesNeedPosts(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	monday := time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC) // 9:30 in Berlin
	post := func(at time.Time, likes int64) analytics.PostResult {
		return analytics.PostResult{PublishedAt: at, Latest: analytics.PostDay{PostFigures: analytics.PostFigures{Likes: count(likes), Impressions: count(100)}}}
	}
	var posts []analytics.PostResult
	for i := range analytics.EnoughPosts - 1 {
		posts = append(posts, post(monday.AddDate(0, 0, i), 2))
	}
	posts = append(posts, analytics.PostResult{PublishedAt: monday, Latest: analytics.PostDay{PostFigures: analytics.PostFigures{Likes: count(99)}}})
	few := analytics.TimesOf(posts, berlin)
	require.False(t, few.Enough())
	require.Equal(t, analytics.EnoughPosts-1, few.Posts, "a post without impressions does not count")
	require.Empty(t, few.Best)
	sunday := monday.AddDate(0, 0, 6).Add(12 * time.Hour)
	for range analytics.EnoughInPart {
		posts = append(posts, post(sunday, 50))
	}
	posts = append(posts, post(monday.Add(15*time.Hour), 90)) // alone in its part, on Tuesday 0:30 in Berlin
	enough := analytics.TimesOf(posts, berlin)
	require.True(t, enough.Enough())
	require.Equal(t, time.Sunday, enough.Best[0].Weekday)
	require.Equal(t, 21, enough.Best[0].Hour)
	require.Equal(t, time.Monday, enough.Week[0][0].Weekday)
	require.Equal(t, 1, enough.Week[1][0].Posts)
	for _, best := range enough.Best {
		require.GreaterOrEqual(t, best.Posts, analytics.EnoughInPart)
	}
}

func TestCoverageInWords(t *testing.T) {
	t.Parallel()
	full := []analytics.Figure{analytics.Followers, analytics.Impressions, analytics.Reach, analytics.Engagements}
	for want, c := range map[string]analytics.Coverage{
		"N gives no figures.": {},
		"N gives followers only and nothing about single posts.":                   {Channel: full[:1]},
		"N gives followers only.":                                                  {Channel: full[:1], Posts: []analytics.Figure{analytics.Likes}},
		"N gives figures after 2 days.":                                            {Channel: full, Posts: full[1:], Late: 2},
		"N gives figures after one day and no reach.":                              {Channel: []analytics.Figure{full[0], full[1], full[3]}, Posts: full, Late: 1},
		"N gives figures within a day and no followers, reach or engagement rate.": {Channel: full[1:2], Posts: full},
	} {
		require.Equal(t, want, c.Words("N"))
	}
}

func TestMonths(t *testing.T) {
	t.Parallel()
	m, ok := analytics.ParseMonth("2026-02")
	require.True(t, ok)
	require.Equal(t, "2026-02 February 2026 2026-02-01 2026-02-28 2026-01", strings.Join([]string{
		m.String(), m.Name(), m.Range().From.String(), m.Range().To.String(), m.Previous().String(),
	}, " "))
	december, _ := analytics.ParseMonth("2025-12")
	require.Equal(t, "2025-12-31", december.Range().To.String())
	for _, text := range []string{"", "2026", "2026-13", "2026-2", "0001-01", "2026-02-01", "x2026-02"} {
		_, ok := analytics.ParseMonth(text)
		require.False(t, ok, text)
	}
}

// TestReportsAreDueInZone checks the moment at which the last report is due.
func TestReportsAreDueInZone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ now, zone, month, at string }{
		{"2026-03-04T06:59:59Z", "Europe/Berlin", "2026-01", "2026-02-04T07:00:00Z"},
		{"2026-03-04T07:00:00Z", "Europe/Berlin", "2026-02", "2026-03-04T07:00:00Z"},
		{"2026-03-31T22:30:00Z", "Europe/Berlin", "2026-02", "2026-03-04T07:00:00Z"},
		{"2026-03-04T15:59:59Z", "America/Los_Angeles", "2026-01", "2026-02-04T16:00:00Z"},
		{"2026-01-04T00:00:00Z", "Pacific/Auckland", "2025-12", "2026-01-03T19:00:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		require.NoError(t, err)
		month, at := analytics.LastReport(now, analytics.Zone(c.zone))
		require.Equal(t, c.month+" "+c.at, month.String()+" "+at.UTC().Format(time.RFC3339), c.now)
	}
}

func TestAddressesOfReports(t *testing.T) {
	t.Parallel()
	list, fault := analytics.ReadAddresses(" ada@example.com\r\nADA@example.com, grace@example.com;\n")
	require.Empty(t, fault)
	require.Equal(t, []email.Address{"ada@example.com", "grace@example.com"}, list)
	_, fault = analytics.ReadAddresses("ada@example.com\nBcc: eve")
	require.Equal(t, "“Bcc: eve” is not an email address.", fault)
	var many []string
	for i := range analytics.MaxReportAddresses + 1 {
		many = append(many, string(rune('a'+i))+"@example.com")
	}
	list, fault = analytics.ReadAddresses(strings.Join(many, "\n"))
	require.Equal(t, "Enter up to 10 addresses.", fault)
	require.Error(t, analytics.ReportSetting{Addresses: list}.Check())
	require.Error(t, analytics.ReportSetting{On: true}.Check())
	require.NoError(t, analytics.ReportSetting{}.Check())
	require.NoError(t, analytics.ReportSetting{On: true, Addresses: list[:1]}.Check())
}
