package figures_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"fencepost.internal/services/sandbox/internal/figures"
	"fencepost.internal/services/sandbox/internal/ledger"
	"fencepost.internal/shared/domain/analytics"
)

func now() time.Time { return time.Date(2026, 11, 21, 15, 30, 0, 0, time.UTC) }

func today() analytics.Date { return analytics.DateOf(now()) }

func requireFits(t *testing.T, d figures.Day) {
	t.Helper()
	require.Positive(t, d.Followers)
	require.LessOrEqual(t, d.Reach, d.Impressions)
	require.LessOrEqual(t, d.Engagements(), d.Reach)
	require.LessOrEqual(t, d.WebsiteClicks, d.ProfileViews)
	require.LessOrEqual(t, d.ProfileViews, d.Impressions)
}

func TestDaysAreReproducible(t *testing.T) {
	t.Parallel()
	for day := range analytics.DaysFrom(today().Add(-365), today()) {
		d, ok := figures.Of("x", "acme").Day(day, now())
		require.True(t, ok)
		requireFits(t, d)
		again, _ := figures.Of("x", "acme").Day(day, now())
		require.Equal(t, d, again)
		if day != today() {
			later, _ := figures.Of("x", "acme").Day(day, now().Add(30*24*time.Hour))
			require.Equal(t, d, later, "what is over stays")
		}
	}
	first, _ := figures.Of("x", "acme").Day(today(), now())
	for _, other := range []figures.Account{figures.Of("x", "initech"), figures.Of("threads", "acme")} {
		second, _ := other.Day(today(), now())
		require.NotEqual(t, first, second)
	}
}

func TestAccountFiguresVary(t *testing.T) {
	t.Parallel()
	weekend, week, falls := int64(0), int64(0), 0
	for i := range 20 {
		account := figures.Of("threads", "account"+strconv.Itoa(i))
		earlier := int64(0)
		seen := make(map[int64]bool)
		for day := range analytics.DaysFrom(today().Add(-89), today().Add(-1)) {
			d, ok := account.Day(day, now())
			require.True(t, ok)
			require.Positive(t, d.Impressions, "%s", day)
			require.GreaterOrEqual(t, d.Followers, earlier)
			earlier = d.Followers
			seen[d.Impressions] = true
			switch day.Start(time.UTC).Weekday() {
			case time.Saturday, time.Sunday:
				weekend += d.Impressions
			case time.Tuesday, time.Wednesday:
				week += d.Impressions
			case time.Monday, time.Thursday, time.Friday:
			}
		}
		require.Greater(t, len(seen), 20, "no two days are alike")
		old, _ := account.Day(today().Add(-89), now())
		if earlier <= old.Followers {
			falls++
		}
	}
	require.Greater(t, week, weekend)
	require.Zero(t, falls, "followers grow")
}

func TestTodayGrows(t *testing.T) {
	t.Parallel()
	account := figures.Of("facebook", "acme")
	var earlier figures.Day
	for at := today().Start(time.UTC); at.Before(today().Next().Start(time.UTC)); at = at.Add(10 * time.Minute) {
		d, ok := account.Day(today(), at)
		require.True(t, ok)
		require.Equal(t, d.Followers, account.Followers(at))
		for _, pair := range [][2]int64{
			{earlier.Followers, d.Followers},
			{earlier.Impressions, d.Impressions},
			{earlier.Reach, d.Reach},
			{earlier.Engagements(), d.Engagements()},
			{earlier.ProfileViews, d.ProfileViews},
			{earlier.WebsiteClicks, d.WebsiteClicks},
		} {
			require.LessOrEqual(t, pair[0], pair[1])
		}
		earlier = d
	}
	requireFits(t, earlier)
	tomorrow, _ := account.Day(today().Next(), now().AddDate(0, 0, 1))
	require.GreaterOrEqual(t, tomorrow.Followers, earlier.Followers)
}

func TestDaysOutOfRange(t *testing.T) {
	t.Parallel()
	_, ok := figures.Of("x", "acme").Day(today().Next(), now())
	require.False(t, ok)
	_, ok = figures.Of("x", "acme").Day(analytics.Date{Year: 2023, Month: time.December, Day: 31}, now())
	require.False(t, ok)
	_, ok = figures.Of("x", "acme").Day(analytics.Date{Year: 2024, Month: time.January, Day: 1}, now())
	require.True(t, ok)
}

func TestPostsNeverShrink(t *testing.T) {
	t.Parallel()
	for i := range 30 {
		post := ledger.Post{Platform: "x", Account: "acme", ID: strconv.Itoa(1000 + i), CreatedAt: now()}
		require.Zero(t, figures.OfPost(post, now().Add(-time.Hour)))
		var earlier figures.Post
		for age := time.Duration(0); age < 60*24*time.Hour; age += 5 * time.Hour {
			p := figures.OfPost(post, now().Add(age))
			require.Equal(t, p, figures.OfPost(post, now().Add(age)))
			for _, pair := range [][2]int64{
				{earlier.Impressions, p.Impressions},
				{earlier.Reach, p.Reach},
				{earlier.Likes, p.Likes},
				{earlier.Comments, p.Comments},
				{earlier.Shares, p.Shares},
				{earlier.Saves, p.Saves},
				{earlier.Clicks, p.Clicks},
				{earlier.VideoViews, p.VideoViews},
				{p.Reach, p.Impressions},
				{p.VideoViews, p.Impressions},
				{p.Likes + p.Comments + p.Shares + p.Saves + p.Clicks, p.Reach},
			} {
				require.LessOrEqual(t, pair[0], pair[1])
			}
			earlier = p
		}
		twoDays := figures.OfPost(post, now().Add(48*time.Hour))
		require.Greater(t, twoDays.Impressions, earlier.Impressions*8/10, "most of it comes early")
		require.Greater(t, earlier.Impressions, int64(20))
	}
}
