package calendar_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/console/internal/calendar"
	"fencepost.internal/shared/domain/channel"
	"fencepost.internal/shared/domain/post"
	"fencepost.internal/shared/kernel/ident"
)

func berlin(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	return zone
}

// TestPeriodsOfViews checks the days of every view, also in the week in which clocks go back, and in a month of six weeks.
func TestPeriodsOfViews(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 10, 25, 23, 30, 0, 0, berlin(t)) // clocks went back that morning
	for _, c := range []struct{ view, first, last, title, before, after string }{
		{"month", "2026-09-28", "2026-11-01", "October 2026", "2026-09-01", "2026-11-01"},
		{"week", "2026-10-19", "2026-10-25", "19 – 25 October 2026", "2026-10-18", "2026-11-01"},
		{"day", "2026-10-25", "2026-10-25", "Sunday 25 October 2026", "2026-10-24", "2026-10-26"},
		{"list", "2026-10-25", "2026-10-31", "25 – 31 October 2026", "2026-10-18", "2026-11-01"},
	} {
		require.Equal(t, [5]string{c.first, c.last, c.title, c.before, c.after}, calendar.Period(c.view, day), c.view)
	}
	sixWeeks := calendar.Period("month", time.Date(2026, 11, 28, 0, 0, 0, 0, berlin(t)))
	require.Equal(t, []string{"2026-10-26", "2026-12-06"}, sixWeeks[:2])
	newYear := calendar.Period("week", time.Date(2026, 12, 31, 0, 0, 0, 0, berlin(t)))
	require.Equal(t, "28 December 2026 – 3 January 2027", newYear[2])
}

// TestWeekPlacesPosts checks rows of a quarter of an hour, lanes of overlapping posts, and the states that people filter by.
func TestWeekPlacesPosts(t *testing.T) {
	t.Parallel()
	zone := berlin(t)
	threads := channel.Channel{
		ID: ident.New[ident.Channel](), Type: channel.Threads, IsConnected: true, TokenStatus: channel.TokenHealthy,
	}
	lost := threads
	lost.ID, lost.TokenStatus = ident.New[ident.Channel](), channel.TokenNeedsReconnect
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 11, day, hour, minute, 0, 0, zone) }
	of := func(status post.Status, c channel.Channel, when time.Time, text string) post.Post {
		return post.Post{
			ID: ident.New[ident.Post](), ChannelID: c.ID, Status: status, ScheduledAt: when.UTC(), Content: text,
			Error: &post.Error{Code: "CONTENT_REFUSED"},
		}
	}
	days := calendar.Week(at(26, 0, 0), []post.Post{
		of(post.Published, threads, at(23, 9, 0), "out"),
		of(post.Failed, threads, at(24, 9, 0), "refused"),
		of(post.Scheduled, threads, at(26, 9, 0), "first"),
		of(post.Scheduled, lost, at(26, 9, 20), "second"),
		of(post.Scheduled, threads, at(26, 9, 25), "third"),
		of(post.Archived, threads, at(26, 12, 0), "archived"),
		of(post.Scheduled, threads, at(26, 12, 45), "fourth"),
		of(post.Draft, threads, at(27, 23, 59), "late"),
	}, []channel.Channel{threads, lost}, map[int][]time.Time{0: {at(26, 9, 30), at(26, 17, 0)}}, at(26, 10, 24), 7)
	require.Len(t, days, 7)
	require.Equal(t, calendar.Day{Title: "Monday 23 November", Summary: "1 out", Rows: []string{"q8  published out"}}, days[0])
	require.Equal(t, "1 failed", days[1].Summary)
	require.Empty(t, days[2].Rows)
	require.Equal(t, calendar.Day{
		Title: "Thursday 26 November", Summary: "1 held, 3 to go, 2 free",
		Rows: []string{
			"q8 l2 scheduled first", "q9 r2 more", "q13 o9 now", "q23  scheduled fourth", "q40 free Threads",
		},
	}, days[3], "the free slot behind the posts is left out, and two posts have one place")
	require.Equal(t, []string{"q67  draft late"}, days[4].Rows)
}

// TestDaysSayThatClocksChange checks both changes of a year.
func TestDaysSayThatClocksChange(t *testing.T) {
	t.Parallel()
	for want, day := range map[string]time.Time{
		"Clocks go back 1 h":    time.Date(2026, 10, 25, 0, 0, 0, 0, berlin(t)),
		"Clocks go forward 1 h": time.Date(2027, 3, 28, 0, 0, 0, 0, berlin(t)),
	} {
		days := calendar.Week(day, nil, nil, nil, day, 7)
		require.Len(t, days, 7)
		require.Equal(t, want, days[6].Clock)
		require.Empty(t, days[5].Clock)
	}
}
