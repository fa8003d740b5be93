package insights

import (
	"fmt"
	"strings"

	"fencepost.internal/services/internal/chart"
	"fencepost.internal/shared/domain/analytics"
)

// times is the table of the parts of a week.
type times struct {
	Enough bool
	Posts  int
	Least  int // posts that it takes
	City   string
	Hours  []string
	Days   []timesDay
	Best   string // in words; empty: no part has enough posts
}

type timesDay struct {
	Name  string
	Parts []timesPart
}

// timesPart is a part of a day. Its heat is from 0 to 4.
type timesPart struct {
	Text  string
	Posts int
	Heat  int
}

func timesOf(t analytics.Times, city string) times {
	out := times{Enough: t.Enough(), Posts: t.Posts, Least: analytics.EnoughPosts, City: city}
	if !out.Enough {
		return out
	}
	highest := 0.0
	for _, day := range t.Week {
		for _, part := range day {
			if rate := part.Rate.Value(); rate != nil && part.Posts >= analytics.EnoughInPart {
				highest = max(highest, *rate)
			}
		}
	}
	for part := range analytics.Parts {
		out.Hours = append(out.Hours, hours(part*analytics.PartHours))
	}
	for _, day := range t.Week {
		shown := timesDay{Name: day[0].Weekday.String()[:3]}
		for _, part := range day {
			shown.Parts = append(shown.Parts, timesPart{
				Text: chart.Text(analytics.EngagementRate, part.Rate.Value()), Posts: part.Posts, Heat: heat(part, highest),
			})
		}
		out.Days = append(out.Days, shown)
	}
	var best []string
	for _, part := range t.Best {
		best = append(best, fmt.Sprintf("%s %s (%s, %d posts)", part.Weekday, hours(part.Hour), chart.Text(analytics.EngagementRate, part.Rate.Value()), part.Posts))
	}
	out.Best = strings.Join(best, "; ")
	return out
}

func hours(from int) string { return fmt.Sprintf("%d–%d", from, from+analytics.PartHours) }

// heat grades a part with enough posts.
func heat(part analytics.Part, highest float64) int {
	const grades = 4
	rate := part.Rate.Value()
	if rate == nil || part.Posts < analytics.EnoughInPart || highest == 0 {
		return 0
	}
	return max(1, int(*rate/highest*grades))
}
