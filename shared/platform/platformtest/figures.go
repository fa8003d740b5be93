package platformtest

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"fencepost.internal/shared/domain/analytics"
)

// Days formats figures, one line per day: 2026-03-01 Followers=12 Reach=0. It omits unknown figures.
func Days(days []analytics.ChannelDay) []string {
	lines := make([]string, 0, len(days))
	for _, day := range days {
		lines = append(lines, strings.TrimSpace(day.Date.String()+" "+figures(dayMembers(day))))
	}
	return lines
}

// Posts formats figures like Days does.
func Posts(posts map[string]analytics.PostFigures) map[string]string {
	lines := make(map[string]string, len(posts))
	for id, post := range posts {
		lines[id] = figures(postMembers(post))
	}
	return lines
}

func figures(members map[string]*int64) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if value := members[name]; value != nil {
			words = append(words, name+"="+strconv.FormatInt(*value, 10))
		}
	}
	return strings.Join(words, " ")
}

// Date parses a date or ends the test.
func Date(t *testing.T, text string) analytics.Date {
	t.Helper()
	date, err := analytics.ParseDate(text)
	require.NoError(t, err)
	return date
}

// requireDays checks the invariants of days that hold for every network.
func requireDays(t *testing.T, days []analytics.ChannelDay, since, until analytics.Date) {
	t.Helper()
	require.True(t, slices.IsSortedFunc(days, func(a, b analytics.ChannelDay) int { return a.Date.Compare(b.Date) }))
	for i, day := range days {
		require.True(t, day.Date.Within(since, until), "%s", day.Date)
		require.False(t, i > 0 && days[i-1].Date == day.Date, "%s is there twice", day.Date)
		require.NotEqual(t, analytics.ChannelDay{Date: day.Date}, day, "an entry holds something")
		for name, figure := range dayMembers(day) {
			if figure != nil {
				require.GreaterOrEqual(t, *figure, int64(0), "%s of %s", name, day.Date)
			}
		}
		requireAtMost(t, day.Reach, day.Impressions)
		requireAtMost(t, day.WebsiteClicks, day.Impressions)
	}
}

// requireFits checks the invariants of a post's figures that hold for every network.
func requireFits(t *testing.T, post analytics.PostFigures) {
	t.Helper()
	requireAtMost(t, post.Reach, post.Impressions)
	for _, part := range []*int64{post.Likes, post.Comments, post.Shares, post.Saves, post.Clicks, post.VideoViews} {
		requireAtMost(t, part, post.Impressions)
	}
	requireAtMost(t, post.Likes, post.Reach)
}

func requireAtMost(t *testing.T, part, whole *int64) {
	t.Helper()
	if part != nil && whole != nil {
		require.LessOrEqual(t, *part, *whole)
	}
}

func dayMembers(day analytics.ChannelDay) map[string]*int64 {
	return map[string]*int64{
		"Followers": day.Followers, "Impressions": day.Impressions, "Reach": day.Reach, "Engagements": day.Engagements,
		"ProfileViews": day.ProfileViews, "WebsiteClicks": day.WebsiteClicks,
	}
}

func postMembers(post analytics.PostFigures) map[string]*int64 {
	return map[string]*int64{
		"Impressions": post.Impressions, "Reach": post.Reach, "Likes": post.Likes, "Comments": post.Comments,
		"Shares": post.Shares,
		"Saves":  post.Saves, "Clicks": post.Clicks, "VideoViews": post.VideoViews,
	}
}

func known(reported map[string]bool) []string {
	names := []string{}
	for name, ok := range reported {
		if ok {
			names = append(names, name)
		}
	}
	return names
}
